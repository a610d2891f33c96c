import type { Context } from "../definition/context.ts";
import {
  entitySet,
  type BoundOperations,
  type EntitySetDeclaration,
  type EntitySetOptions,
} from "../definition/entity-set.ts";
import type { GetByKeyHandler } from "../definition/handlers.ts";
import type { Navigations } from "../definition/navigation.ts";
import { describe } from "../definition/option-table.ts";
import type { EntityTypeDeclaration } from "../definition/value-type.ts";
import type { ConfigurationFault } from "../errors/configuration-error.ts";
import type { ColumnOptions } from "./column-option.ts";
import { columnSearch, searchedProperties, type ColumnSearch } from "./column-search.ts";
import { declaredEntityType } from "./declared-entity-type.ts";
import { readRow, toEntity } from "./read-entity.ts";
import { chain } from "./read-page.ts";
import { makeReader, type SqlReader } from "./sql-reader.ts";
import { sourceOf } from "./sql-source.ts";
import type { AnyKysely } from "./synchronous-reader.ts";

/** What the framework does on a table. */
export type SqlOperation = "read" | "create" | "replace" | "patch" | "delete";

/** No navigations, no operations. */
type None = Readonly<Record<never, never>>;

/** What `sqlEntitySet` takes: whatever `entitySet` does, and where the rows are. */
export interface SqlEntitySetOptions<
  E extends EntityTypeDeclaration,
  N extends Navigations<E> = Navigations<E>,
  F = unknown,
  A = unknown,
> extends Omit<EntitySetOptions<E, N, F, A>, "search"> {
  /** The entities that match a `$search`: by a handler, or the properties whose texts are searched. */
  readonly search?: EntitySetOptions<E, N, F, A>["search"] | ReadonlyArray<keyof E["properties"] & string>;
  /** Kysely over the database: SQLite, PostgreSQL or MariaDB. */
  readonly db: AnyKysely;
  readonly table: string;
  /** The operations that the table gets handlers for: required, so that none is writable by omission. */
  readonly operations: readonly SqlOperation[];
  /** Where the properties stand, as far as their columns are not named and stored by default. */
  readonly columns?: ColumnOptions<E> | undefined;
  /**
   * Whether the database is spread over machines, such as Citus: statements then use no lateral or correlated subqueries,
   * and single-valued navigations are read by their keys. All sets that refer to one another say the same. Default false.
   */
  readonly distributed?: boolean | undefined;
  /** A property that counts the writes of a row. */
  readonly rowVersion?: (keyof E["properties"] & string) | undefined;
}

const OPERATIONS: readonly unknown[] = [
  "read",
  "create",
  "replace",
  "patch",
  "delete",
] satisfies readonly SqlOperation[];

/**
 * Declares an entity set over one table of a database. Reads run there whole: filter, order, paging, count, selection
 * and keys. Handlers that the options give take the place of the table's own. What cannot be done is reported by
 * `odataService`, with all other faults of its declarations.
 * @see specification, What the service does
 */
export function sqlEntitySet<
  const E extends EntityTypeDeclaration,
  const N extends Navigations<E> = None,
  const F extends BoundOperations<E> = None,
  const A extends BoundOperations<E> = None,
>(
  type: E,
  options: SqlEntitySetOptions<E, N, F, A>,
  // NoInfer: as in `entitySet`, so that handlers keep their key inside the list of a service.
): EntitySetDeclaration<NoInfer<E>, N, F, A> {
  const { db, table, operations, columns, distributed, rowVersion, search, ...others } = options;
  const faults: ConfigurationFault[] = [];
  const report = (message: string, fix: string): void => {
    faults.push({ message, fix });
  };
  checkOperations(operations, rowVersion, report);
  const reader = makeCheckedReader(type, { db, from: table, columns, distributed }, report);
  const isRead = Array.isArray(operations) && operations.includes("read");
  const reads = reader === null || !isRead ? {} : readHandlers(type, reader);
  // Without what is only for tables the options are those of `entitySet`.
  const given: EntitySetOptions<E, N, F, A> = Object.assign(reads, others as EntitySetOptions<E, N, F, A>, {
    search: Array.isArray(search) ? searchOf(type, search, reader, report) : search,
  });
  return Object.freeze({ ...entitySet(type, given), check: () => faults });
}

/** The search over columns; undefined where faults are told instead. */
function searchOf<E extends EntityTypeDeclaration>(
  type: E,
  names: readonly unknown[],
  reader: SqlReader | null,
  report: (message: string, fix: string) => void,
): ColumnSearch<E> | undefined {
  if (reader === null) return undefined;
  const properties = searchedProperties(type, names, report);
  return properties.length === 0 ? undefined : columnSearch({ type, reader, properties });
}

/** Null, too, for a type whose own faults are told by other rules. */
function makeCheckedReader(
  type: EntityTypeDeclaration,
  options: Parameters<typeof makeReader>[1],
  report: (message: string, fix: string) => void,
): SqlReader | null {
  try {
    declaredEntityType(type);
  } catch {
    return null;
  }
  return makeReader(type, options, report);
}

function checkOperations(
  operations: unknown,
  rowVersion: unknown,
  report: (message: string, fix: string) => void,
): void {
  if (!Array.isArray(operations)) {
    report(`\`operations\` of sqlEntitySet is ${describe(operations)}.`, 'Give those that the table allows: ["read"].');
    return;
  }
  for (const operation of operations as readonly unknown[]) {
    if (operation === "read") continue;
    if (OPERATIONS.includes(operation)) {
      const handler = String(operation);
      report(
        `The operation "${handler}" on a table is not supported by this version.`,
        `Give a \`${handler}\` handler instead.`,
      );
    } else {
      report(`\`operations\` of sqlEntitySet holds ${describe(operation)}.`, 'Give "read".');
    }
  }
  if (rowVersion !== undefined) {
    report("`rowVersion` counts writes, which this version does not do.", "Remove it.");
  }
}

function readHandlers<E extends EntityTypeDeclaration>(type: E, reader: SqlReader): object {
  const source = sourceOf(type, reader);
  const { key: keyProperties, properties } = declaredEntityType(type);
  const whole = Object.freeze(properties.map((property) => ({ property })));
  const getByKey: GetByKeyHandler<Context> = Object.assign(
    (key: unknown) =>
      chain(readRow(reader, keyProperties, key, whole), (found) => (found === null ? null : toEntity(found))),
    { readRow: (key: unknown, selected: typeof whole) => readRow(reader, keyProperties, key, selected) },
  );
  return { queryable: Object.assign(() => source, { source }), getByKey };
}
