import { ConfigurationError, type ConfigurationFault } from "../../base/errors/configuration-error.ts";
import type { EntitySource, ValueSource } from "../../definition/handlers.ts";
import type { ComplexTypeDeclaration, EntityTypeDeclaration } from "../../definition/types/value-type.ts";
import type { ColumnOptions } from "../columns/column-option.ts";
import type { AnyKysely } from "../connection/synchronous-reader.ts";
import type { PlacementOptions } from "../placement/placement-option.ts";
import { makeReader } from "../read/sql-reader.ts";
import { sourceOf } from "../read/sql-row-source.ts";
import { tenantSource } from "../read/tenant-source.ts";
import type { FindTenant } from "../read/tenants.ts";
import type { ReplicaOptions } from "../replicas/replica-option.ts";
import type { BaseQuery } from "../translate/base-query.ts";

/** The options of `sqlSource`. */
export interface SqlSourceOptions<E extends EntityTypeDeclaration | ComplexTypeDeclaration>
  extends PlacementOptions<keyof E["properties"] & string>, ReplicaOptions {
  /** The Kysely instance of the database: SQLite, PostgreSQL or MariaDB. Or a function that finds the database of the tenant of a request. */
  readonly db: AnyKysely | FindTenant;
  /** The rows: the name of a table or view, a Kysely query, or `{ sql, parameters }` from any other query builder. */
  readonly from: BaseQuery;
  /** The columns of properties that differ from the default name or storage. */
  readonly columns?: ColumnOptions<E> | undefined;
  /**
   * Whether connections to PostgreSQL prepare statements that are used again. Give `false` for a pooler that cannot, such as
   * PgBouncer before version 1.21 in transaction mode. One set suffices for all sets with the same `db`. Default true.
   */
  readonly preparedStatements?: boolean | undefined;
  /**
   * How to read a cell that its property cannot have, such as `infinity`, a zero date, or text in a column of integers. With
   * `"error"`, the default, the request fails with 500. With `"null"`, properties are null in responses, also properties that
   * are not nullable, and a warning names table, column and key; cells of keys stay errors.
   */
  readonly unreadable?: "error" | "null" | undefined;
}

/** The source of entities, or of complex values. */
export type SourceOf<E extends EntityTypeDeclaration | ComplexTypeDeclaration> = E extends EntityTypeDeclaration
  ? EntitySource<E>
  : E extends ComplexTypeDeclaration
    ? ValueSource<E>
    : never;

/**
 * Makes a source over rows of a database, for a `queryable` handler or a composable function: the database evaluates filter, order, paging, count and
 * selection. Statements are compiled once per query shape, even if the handler makes a new source for each request.
 * @param type the declared entity type; for a composable function over rows without a key, a complex type
 * @throws ConfigurationError if the database, the base query or the columns cannot be used
 * @see docs/reference/tables.md
 */
export function sqlSource<E extends EntityTypeDeclaration | ComplexTypeDeclaration>(
  type: E,
  options: SqlSourceOptions<E>,
): SourceOf<E> {
  const { db, ...others } = options;
  // Rows of a complex type have the form of rows of an entity type without a key.
  const rowType = type as EntityTypeDeclaration;
  const source =
    typeof db === "function"
      ? tenantSource(rowType, db, (of) => sourceIn(rowType, { ...others, ...of }))
      : sourceIn(rowType, { ...others, db });
  return source as unknown as SourceOf<E>;
}

/** @throws ConfigurationError with all faults */
function sourceIn(type: EntityTypeDeclaration, options: Parameters<typeof makeReader>[1]): EntitySource {
  const faults: ConfigurationFault[] = [];
  const reader = makeReader(type, options, (message, fix) => {
    faults.push({ message: `sqlSource(${type.name}, …): ${message}`, fix });
  });
  if (reader === null) throw new ConfigurationError(faults);
  return sourceOf(type, reader);
}
