import type { DeclaredEntitySet } from "../definition/context.ts";
import { declaredEntityType } from "../definition/model/declared-entity-type.ts";
import type { EntityTypeDeclaration } from "../definition/types/value-type.ts";
import { isTableName } from "../edm/table-name.ts";
import type { StorageForm } from "./columns/storage-option.ts";
import { everyMember, type ColumnPlan } from "./columns/table-columns.ts";
import type { AnyKysely } from "./connection/synchronous-reader.ts";
import { findDialectProfile } from "./dialects/find-dialect-profile.ts";
import { planAll } from "./read/sql-reader.ts";
import { storageOf } from "./schema/expected-tables.ts";
import { columnName, wantedTable } from "./schema/table-rows.ts";

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
  readonly db: AnyKysely;
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
 * with a faulty type or database, which `odataService` reports.
 * @see docs/reference/tables.md, Read the mapping of a set
 */
export function sqlTableOf<E extends EntityTypeDeclaration, N>(
  declaration: DeclaredEntitySet<E, N>,
): MappedTable | null {
  const options = (declaration as MayBeMapped)[MAPPED];
  if (options === undefined) return null;
  const { db, table, from, columns = {} } = options;
  const profile = findDialectProfile(db);
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
