import type { EntitySetOptions } from "../definition/sets/entity-set.ts";
import type { CheckedResults, HandlerResults, NoResults } from "../definition/sets/handler-results.ts";
import type { Navigations } from "../definition/sets/navigation.ts";
import type { EntityTypeDeclaration } from "../definition/types/value-type.ts";
import type { TableName } from "../edm/table-name.ts";
import type { ColumnOptions } from "./columns/column-option.ts";
import type { DistributedOption } from "./columns/distribution.ts";
import type { AnyKysely } from "./connection/synchronous-reader.ts";
import type { BaseQuery } from "./translate/base-query.ts";

/** The operations that the framework performs on a table. */
export type SqlOperation = "read" | "create" | "replace" | "patch" | "delete";

/** The options of `sqlEntitySet`: those of `entitySet`, and the table. */
export interface SqlEntitySetOptions<
  E extends EntityTypeDeclaration,
  N extends Navigations<E> = Navigations<E>,
  F = unknown,
  A = unknown,
  R extends HandlerResults = NoResults,
> extends Omit<EntitySetOptions<E, N, F, A, R>, "search"> {
  /** How `$search` finds entities: a handler, or the names of the string properties to search. */
  readonly search?: EntitySetOptions<E, N, F, A>["search"] | ReadonlyArray<keyof E["properties"] & string>;
  /** The Kysely instance of the database: SQLite, PostgreSQL or MariaDB. */
  readonly db: AnyKysely;
  /**
   * The Kysely instance of one streaming replica of `db`, for PostgreSQL: requests that only read use it. Sets with the same
   * `db` must agree.
   * @see docs/guides/replicas.md
   */
  readonly readFrom?: AnyKysely | undefined;
  /**
   * The milliseconds for which a read after a write waits until the replica shows that write; then it reads `db`. Default 500.
   */
  readonly replicaWait?: number | undefined;
  /** The name of the table, or `{ schema, name }` for names that contain a dot. Give either `table` or `from`. */
  readonly table?: TableName | undefined;
  /** A query in place of a table, as in `sqlSource`, for `operations: ["read"]`. */
  readonly from?: BaseQuery | undefined;
  /** The operations that the table provides. Required, so that a table is never writable by omission. */
  readonly operations: readonly SqlOperation[];
  /** The columns of properties that differ from the default name or storage. */
  readonly columns?: ColumnOptions<E> | undefined;
  /**
   * Whether the database is distributed, such as Citus, and how: `true`, `{ by: "customerId", with: "orders" }` for a table
   * that the column of a property distributes, or `"reference"` for one that each machine has completely. Statements
   * avoid lateral subqueries, and read the keys of long pages first; they correlate and join only tables that are declared
   * to be co-located. All sets of the database need a value other than false. Default false.
   */
  readonly distributed?: DistributedOption<keyof E["properties"] & string> | undefined;
  /**
   * Whether connections to PostgreSQL prepare statements that are used again. Give `false` for a pooler that cannot, such as
   * PgBouncer before version 1.21 in transaction mode. One set suffices for all sets with the same `db`. Default true.
   */
  readonly preparedStatements?: boolean | undefined;
  /**
   * The value of a cell that its property cannot have, such as `infinity`, a zero date, or text in a column of integers. With
   * `"error"`, the default, the request fails with 500. With `"null"`, nullable properties are null in responses, and a
   * warning names table, column and key; cells of keys and of properties that are not nullable stay errors.
   */
  readonly unreadable?: "error" | "null" | undefined;
  /** The property that counts the writes of a row. */
  readonly rowVersion?: (keyof E["properties"] & string) | undefined;
}

/** The options of a call of `sqlEntitySet`, whose handlers return `R`. */
export type CheckedSqlOptions<
  E extends EntityTypeDeclaration,
  N extends Navigations<E>,
  F,
  A,
  R extends HandlerResults,
  Fitting extends HandlerResults,
> = SqlEntitySetOptions<E, N, F, A, R | Fitting> & CheckedResults<E, R, Fitting>;
