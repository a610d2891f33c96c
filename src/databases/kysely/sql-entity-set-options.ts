import type { DeclaredEntitySet, Transaction } from "../../definition/context.ts";
import { declaredEntityType } from "../../definition/model/declared-entity-type.ts";
import type { EntitySetOptions, HandlerResults, NoResults } from "../../definition/sets/entity-set.ts";
import type { Navigations } from "../../definition/sets/navigation.ts";
import type { EntityTypeDeclaration } from "../../definition/types/value-type.ts";
import { type TableName, isTableName } from "../../edm/table-name.ts";
import { columnName, wantedTable } from "../columns/column-name.ts";
import type { ColumnOptions } from "../columns/column-option.ts";
import type { StorageForm } from "../columns/storage-option.ts";
import { everyMember, type ColumnPlan } from "../columns/table-columns.ts";
import type { AnyKysely, TransactionOf } from "../connection/synchronous-reader.ts";
import { findDatabase } from "../kinds/find-database.ts";
import type { PlacementOptions } from "../placement/placement-option.ts";
import { planAll } from "../read/sql-reader.ts";
import type { FindTenant } from "../read/tenants.ts";
import type { ReplicaOptions } from "../replicas/replica-option.ts";
import { storageOf } from "../schema/expected-tables.ts";
import type { BaseQuery } from "../translate/base-query.ts";

/** The operations that the framework performs on a table. */
export type SqlOperation = "read" | "create" | "replace" | "patch" | "delete";

/** The type of the transactions of a database: the one of Kysely, as far as `Register.transaction` admits it. */
export type TransactionOver<Db extends AnyKysely> =
  TransactionOf<Db> extends Transaction ? TransactionOf<Db> : Transaction;

/** The options of `sqlEntitySet`, except `virtual`. */
export interface SqlEntitySetParts<
  E extends EntityTypeDeclaration,
  N extends Navigations<E> = Navigations<E>,
  F = unknown,
  A = unknown,
  R extends HandlerResults = NoResults,
  Db extends AnyKysely = AnyKysely,
  V = unknown,
>
  extends
    Omit<EntitySetOptions<E, N, F, A, R, TransactionOver<Db>, V>, "search" | "virtual">,
    PlacementOptions<keyof E["properties"] & string>,
    ReplicaOptions {
  /** How `$search` finds entities: a handler, or the names of the string properties to search. */
  readonly search?:
    | EntitySetOptions<E, N, F, A, NoResults, TransactionOver<Db>>["search"]
    | ReadonlyArray<keyof E["properties"] & string>;
  /**
   * The Kysely instance of the database: SQLite, PostgreSQL or MariaDB. Or a function that finds the database of the tenant of a
   * request; sets with the same function are in one database. `ctx.transaction` has the type of its transactions.
   * @see docs/guides/tenants.md
   */
  readonly db: Db | FindTenant<Db>;
  /** The name of the table, or `{ schema, name }` for names that contain a dot. Give either `table` or `from`. */
  readonly table?: TableName | undefined;
  /** A query in place of a table, as in `sqlSource`, for `operations: ["read"]`. */
  readonly from?: BaseQuery | undefined;
  /** The operations that the table provides. Required, so that a table is never writable by omission. */
  readonly operations: readonly SqlOperation[];
  /** The columns of properties that differ from the default name or storage. */
  readonly columns?: ColumnOptions<E> | undefined;
  /**
   * Whether connections to PostgreSQL prepare statements that are used again. Give `false` for a pooler that cannot, such as
   * PgBouncer before version 1.21 in transaction mode. One set suffices for all sets with the same `db`. Default true.
   */
  readonly preparedStatements?: boolean | undefined;
  /**
   * The value of a cell that its property cannot have, such as `infinity`, a zero date, or text in a column of integers. With
   * `"error"`, the default, the request fails with 500. With `"null"`, properties are null in responses, also properties that
   * are not nullable, and a warning names table, column and key; cells of keys stay errors.
   */
  readonly unreadable?: "error" | "null" | undefined;
  /** The property that counts the writes of a row. */
  readonly rowVersion?: (keyof E["properties"] & string) | undefined;
}

/** The options of `sqlEntitySet`: those of `entitySet`, and the table. */
export interface SqlEntitySetOptions<
  E extends EntityTypeDeclaration,
  N extends Navigations<E> = Navigations<E>,
  F = unknown,
  A = unknown,
  R extends HandlerResults = NoResults,
  Db extends AnyKysely = AnyKysely,
  V = unknown,
>
  extends SqlEntitySetParts<E, N, F, A, R, Db, V>, Pick<EntitySetOptions<E>, "virtual"> {}

/** The table of an entity set, as its declaration maps it. @see docs/reference/tables.md, Read the mapping of a set */
export interface MappedTable {
  /** The schema in statements; undefined for the default of the connection. */
  readonly schema: string | undefined;
  /** The name in statements; null for a query in place of a table (`from`). */
  readonly table: string | null;
  /** The columns of the properties, ignored properties included, in the order of the type. */
  readonly columns: readonly MappedColumn[];
}

/** The column of a property, or of a member of a complex property. */
export interface MappedColumn {
  /** The key in objects of the application, such as `name`; for members, such as `shipTo.city`. */
  readonly property: string;
  /** The name in statements; null for an expression. */
  readonly column: string | null;
  /** The expression in place of a column; undefined for a column. */
  readonly sql: string | undefined;
  /** The storage of values: a form, `"convert"` for conversion functions; undefined for the default of the type. */
  readonly storage: StorageForm | "convert" | undefined;
  /** Whether the declaration allows NULL. */
  readonly nullable: boolean;
}

/** The hidden field of a declaration over SQL: its unchecked options. */
const MAPPED: unique symbol = Symbol("mapped");

interface MappedOptions {
  readonly db: AnyKysely | FindTenant;
  readonly table?: unknown;
  readonly from?: unknown;
  readonly columns?: object | undefined;
}

/** A declaration that may map a table. */
interface MayBeMapped {
  readonly [MAPPED]?: MappedOptions;
}

/** Returns the field that makes `sqlTableOf` know the mapping of a declaration. Copies of the declaration keep it. */
export function mappedBy(options: MappedOptions): MayBeMapped {
  return { [MAPPED]: options };
}

/**
 * Returns the table and columns of an entity set that `sqlEntitySet` declared; null for any other set, and for a declaration
 * with a database per tenant, or a faulty type or database, which `odataService` reports.
 * @see docs/reference/tables.md, Read the mapping of a set
 */
export function sqlTableOf<E extends EntityTypeDeclaration, N>(
  declaration: DeclaredEntitySet<E, N>,
): MappedTable | null {
  const options = (declaration as MayBeMapped)[MAPPED];
  if (options === undefined) return null;
  const { db, table, from, columns = {} } = options;
  if (typeof db === "function") return null;
  const profile = findDatabase(db);
  if (profile === null) return null;
  const entityType = declaredEntityType(declaration.entityType);
  const { plans, ignored } = planAll(entityType, columns, { values: profile.values }, () => undefined);
  const mapped = [...plans, ...ignored].flatMap(([field, plan]) => columnsOf(plan, field, db));
  const names = from === undefined && isTableName(table) ? wantedTable(table, db).names : [];
  return Object.freeze<MappedTable>({
    schema: names.at(-2),
    table: names.at(-1) ?? null,
    columns: Object.freeze(mapped),
  });
}

function columnsOf(plan: ColumnPlan, property: string, db: AnyKysely): readonly MappedColumn[] {
  if (plan.kind === "complex") {
    return Array.from(everyMember(plan), ([member, each]) => columnsOf(each, `${property}.${member}`, db)).flat();
  }
  const { expression, nullable } = plan;
  const column = expression === undefined ? columnName(plan.column, db) : null;
  return [Object.freeze<MappedColumn>({ property, column, sql: expression, storage: storageOf(plan), nullable })];
}
