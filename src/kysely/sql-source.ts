import type { EntitySource } from "../definition/sets/handlers.ts";
import type { EntityTypeDeclaration } from "../definition/types/value-type.ts";
import { ConfigurationError, type ConfigurationFault } from "../errors/configuration-error.ts";
import type { ColumnOptions } from "./columns/column-option.ts";
import type { AnyKysely } from "./connection/synchronous-reader.ts";
import { makeReader } from "./read/sql-reader.ts";
import { sourceOf } from "./read/sql-row-source.ts";
import type { BaseQuery } from "./translate/base-query.ts";

/** What `sqlSource` takes. */
export interface SqlSourceOptions<E extends EntityTypeDeclaration> {
  /** Kysely over the database: SQLite, PostgreSQL or MariaDB. */
  readonly db: AnyKysely;
  /** The rows: the name of a table or view, a query of Kysely, or `{ sql, parameters }` of any other query builder. */
  readonly from: BaseQuery;
  /** Where the properties stand in those rows, as far as their columns are not named and stored by default. */
  readonly columns?: ColumnOptions<E> | undefined;
  /**
   * Whether the database is spread over machines, such as Citus: statements then use no lateral or correlated subqueries,
   * and single-valued navigations are read by their keys. All sets that refer to one another say the same. Default false.
   */
  readonly distributed?: boolean | undefined;
}

/**
 * A source over rows of a database, for a `queryable` handler: filter, order, paging, count and selection run there.
 * Statements are compiled once per shape of query, also when the handler makes a new source for each request.
 * @param type the entity type as declared
 * @throws ConfigurationError when the database, the base query or the columns cannot be used
 */
export function sqlSource<E extends EntityTypeDeclaration>(type: E, options: SqlSourceOptions<E>): EntitySource<E> {
  const faults: ConfigurationFault[] = [];
  const { db, from, columns, distributed } = options;
  const reader = makeReader(type, { db, from, columns, distributed }, (message, fix) => {
    faults.push({ message: `sqlSource(${type.name}, …): ${message}`, fix });
  });
  if (reader === null) throw new ConfigurationError(faults);
  return sourceOf(type, reader);
}
