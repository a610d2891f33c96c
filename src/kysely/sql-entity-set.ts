import type { Context } from "../definition/context.ts";
import type { Answer, Entities, EntitySetHandlers, QueryableHandler } from "../definition/handlers.ts";
import type { Logger } from "../definition/logger.ts";
import { declaredEntityType } from "../definition/model/declared-entity-type.ts";
import type { StoredRows } from "../definition/model/stored-database.ts";
import { everyOption, describe, isObject } from "../definition/option-table.ts";
import {
  entitySet,
  type BoundOperations,
  type EntitySetDeclaration,
  type EntitySetOptions,
  type AppliedQueryOf,
  type InferredResults,
  type HandlerResults,
  type CheckedResults,
  type InferredSet,
} from "../definition/sets/entity-set.ts";
import type { Navigations } from "../definition/sets/navigation.ts";
import type { ResultOf } from "../definition/types/edm-builders.ts";
import type { EntityTypeDeclaration } from "../definition/types/value-type.ts";
import type { EntityType } from "../edm/model.ts";
import { isTableName, tableNameText, type TableName } from "../edm/table-name.ts";
import type { ConfigurationFault } from "../errors/configuration-error.ts";
import { checkLinkStorage } from "./columns/check-link-storage.ts";
import {
  checkRowVersion,
  checkTableOptions,
  checkSharedColumns,
  checkUncomparable,
  convertedFields,
  textGuids,
} from "./columns/check-table-options.ts";
import type { PlansByField } from "./columns/table-columns.ts";
import { columnSearch, searchedProperties, type ColumnSearch } from "./read/column-search.ts";
import { narrowedHandlers, readHandlers } from "./read/narrowed-handlers.ts";
import { makeReader, planAll, type SqlReader } from "./read/sql-reader.ts";
import { QueryRows } from "./schema/check-query.ts";
import { noteRows, TableRows } from "./schema/table-rows.ts";
import { type SqlEntitySetOptions, type SqlOperation, mappedBy } from "./sql-entity-set-options.ts";
import { linkNavigations } from "./write/sql-links.ts";
import { noteNarrowed, noteTable, SqlTable } from "./write/sql-table.ts";
import { transactionsOf } from "./write/sql-transactions.ts";
import { writeHandlers } from "./write/sql-write.ts";

/** No navigations, no operations. */
type None = Readonly<Record<never, never>>;

const OPERATIONS: readonly unknown[] = [
  "read",
  "create",
  "replace",
  "patch",
  "delete",
] satisfies readonly SqlOperation[];

/** The operations that store values of properties. */
const STORING = ["create", "replace", "patch"] as const satisfies readonly SqlOperation[];

/**
 * Declares an entity set over one table of a database. The database evaluates reads completely: filter, order, paging,
 * count, selection and keys. Handlers in the options replace those of the table. `odataService` reports faults of the
 * options together with all other faults of its declarations.
 * @see docs/reference/tables.md
 */
export function sqlEntitySet<
  const E extends EntityTypeDeclaration,
  const N extends Navigations<E> = None,
  const F extends BoundOperations<E> = None,
  const A extends BoundOperations<E> = None,
  All extends object = never,
  Applied extends object = never,
  Found extends object | null = never,
  Created extends object | null = never,
  Replaced extends object | null = never,
  Patched extends object | null = never,
  FittingAll extends Answer<Entities<E>> = never,
  FittingApplied extends Answer<AppliedQueryOf<E>> = never,
  FittingFound extends Answer<ResultOf<E> | null> = never,
  FittingCreated extends Answer<ResultOf<E> | null> = never,
  FittingReplaced extends Answer<ResultOf<E> | null> = never,
  FittingPatched extends Answer<ResultOf<E> | null> = never,
  const S extends string = never,
>(
  type: E,
  options: CheckedSqlOptions<
    E,
    N,
    F,
    A,
    InferredResults<All, Applied, Found, Created, Replaced, Patched>,
    InferredResults<FittingAll, FittingApplied, FittingFound, FittingCreated, FittingReplaced, FittingPatched>,
    S
  >,
  // NoInfer: as in `entitySet`, so that handlers keep their key inside the list of a service.
): EntitySetDeclaration<NoInfer<E>, N, F, A, S>;
export function sqlEntitySet<
  const E extends EntityTypeDeclaration,
  const N extends Navigations<E> = None,
  const F extends BoundOperations<E> = None,
  const A extends BoundOperations<E> = None,
>(type: E, declared: SqlEntitySetOptions<E, N, F, A>): EntitySetDeclaration<NoInfer<E>, N, F, A> {
  const options = everyOption(declared);
  const { db, table, from, operations, columns, unreadable, ...beside } = options;
  const { readFrom, replicaWait, distributed, preparedStatements, rowVersion: _counted, search, ...others } = beside;
  const faults: ConfigurationFault[] = [];
  const report = (message: string, fix: string): void => {
    faults.push({ message, fix });
  };
  checkOperations(operations, report);
  checkTableOptions({ ...options }, report, type);
  const uncomparable = convertedFields(columns);
  const reader = makeCheckedReader(
    type,
    { db, readFrom, replicaWait, from: from ?? table, columns, distributed, preparedStatements, unreadable },
    report,
  );
  checkUncomparable(uncomparable, options, report);
  const own = reader === null ? null : tableHandlers(type, reader, options, report);
  if (Array.isArray(search)) checkSearchedRows(others, report);
  // Without the options of tables, the rest are options of `entitySet`.
  const given: EntitySetOptions<E, N, F, A> = Object.assign({}, own?.handlers, others as EntitySetOptions<E, N, F, A>, {
    search: Array.isArray(search) ? searchOf(type, search, reader, report) : search,
    navigation: own === null ? others.navigation : own.navigation,
  });
  const database = reader === null ? undefined : transactionsOf(db, reader);
  const anyCaseGuids = reader?.profile.values.guidsAreTexts === true ? textGuids(type, columns) : undefined;
  const handlersCheckingRows = own?.checkingRows;
  const set = entitySet<E, N, F, A>(type, given);
  const check = (): readonly ConfigurationFault[] => {
    if (reader === null) return faults;
    const { values, syntax } = reader.profile;
    const { columnKey } = syntax;
    return [...faults, ...checkLinkStorage(type, options.navigation, { values, columnKey })];
  };
  const logTo = unreadable === "null" ? (logger: Logger): void => reader?.unreadable.logTo(logger) : undefined;
  const mapped = reader === null ? {} : mappedBy({ db, table, from, columns });
  return Object.freeze({ ...set, ...mapped, check, logTo, uncomparable, anyCaseGuids, handlersCheckingRows, database });
}

/** Reports a search over columns together with a handler that may hide rows: it searches the whole table. */
function checkSearchedRows(
  options: { readonly queryable?: unknown; readonly getAll?: unknown },
  report: (message: string, fix: string) => void,
): void {
  for (const handler of ["queryable", "getAll"] as const) {
    if (options[handler] === undefined) continue;
    report(
      `\`search\` names properties, which searches the whole table, but \`${handler}\` may return only some of its rows.`,
      "Make `search` a handler that returns the matching ones of those rows.",
    );
  }
}

/** Makes the search over columns; undefined if faults were reported instead. */
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

/** Makes the reader; null after a fault, and for a faulty type, which other checks report. */
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

function checkOperations(operations: unknown, report: (message: string, fix: string) => void): void {
  if (!Array.isArray(operations)) {
    report(
      `\`operations\` of sqlEntitySet is ${describe(operations)}.`,
      'List the operations that the table allows: ["read"].',
    );
    return;
  }
  for (const operation of operations as readonly unknown[]) {
    if (OPERATIONS.includes(operation)) continue;
    report(
      `\`operations\` of sqlEntitySet contains ${describe(operation)}.`,
      `List the operations that the table allows, of ${OPERATIONS.map((each) => `"${String(each)}"`).join(", ")}.`,
    );
  }
}

interface TableHandlers<N> {
  readonly handlers: object;
  readonly navigation: N | undefined;
  /** The handlers that enforce row rules in the transaction of the write. */
  readonly checkingRows: readonly object[];
}

/** Makes the handlers of the table's operations, and its navigations with their handlers. */
function tableHandlers<E extends EntityTypeDeclaration, N extends Navigations<E>, F, A>(
  type: E,
  reader: SqlReader,
  options: SqlEntitySetOptions<E, N, F, A>,
  report: (message: string, fix: string) => void,
): TableHandlers<N> {
  const { db, operations, rowVersion, navigation, from } = options;
  // Without a name, the reader reads a query, which is never written.
  const name = isTableName(options.table) && from === undefined ? options.table : "";
  const entityType = declaredEntityType(type);
  if (rowVersion !== undefined) checkRowVersion(entityType, { ...options, rowVersion }, report);
  const fieldsSet = new Set(isObject(options.set) ? Object.keys(options.set) : []);
  const table = new SqlTable({ db, name, entityType, reader, rowVersion, fieldsSet });
  const allows = (operation: SqlOperation): boolean => Array.isArray(operations) && operations.includes(operation);
  const writes = Object.entries(writeHandlers(table)).filter(([operation]) => allows(operation as SqlOperation));
  if (STORING.some((operation) => allows(operation) && options[operation] === undefined)) {
    const { plans, ignored } = planAll(
      entityType,
      options.columns ?? {},
      { values: reader.profile.values },
      () => undefined,
    );
    checkSharedColumns(new Map([...plans, ...ignored]), table, reader.profile.syntax.columnKey, report);
  }
  const handlers = { ...(allows("read") ? readHandlers(type, reader) : {}), ...Object.fromEntries(writes) };
  const stored = storedRows(entityType, name, reader, options);
  for (const handler of Object.values(handlers)) {
    if (name !== "") noteTable(handler as object, table);
    noteRows(handler as object, stored);
  }
  const { queryable, getAll } = options;
  const isNarrowed = typeof queryable === "function";
  const narrowed = isNarrowed ? narrowedHandlers(entityType, queryable as QueryableHandler<Context>, handlers) : {};
  for (const [handlerName, handler] of Object.entries(narrowed)) {
    if (name === "") continue;
    noteNarrowed(handler as object, table);
    // `getByKey` reads only rows that the application shows.
    if (handlerName !== "getByKey") noteRows(handler as object, stored);
  }
  // Otherwise the rows of the table would take precedence over the application's `getAll`.
  const replaced = isNarrowed || getAll === undefined ? {} : { queryable: undefined };
  // If the application supplies `patch` or narrows the rows, it also has to write links.
  const isPatched = allows("patch") && options.patch === undefined && !isNarrowed;
  const linked = linkNavigations(name === "" ? null : table, isPatched, navigation, options.columns);
  const { create, replace, patch, delete: remove }: Partial<EntitySetHandlers<Context>> = { ...handlers, ...narrowed };
  return {
    handlers: { ...handlers, ...narrowed, ...replaced },
    navigation: linked.navigations as N | undefined,
    checkingRows: [create, replace, patch, remove, ...linked.handlers].filter((each) => each !== undefined),
  };
}

interface MappingOptions {
  readonly columns?: object | undefined;
  readonly rowVersion?: string | undefined;
  readonly unreadable?: "error" | "null" | undefined;
}

/** Returns the table, or the query in place of it, for the schema check. */
function storedRows(
  entityType: EntityType,
  name: TableName,
  { database, profile, from, statements }: SqlReader,
  { columns = {}, rowVersion, unreadable }: MappingOptions,
): StoredRows {
  const plan = (): PlansByField => {
    const { plans, ignored } = planAll(
      entityType,
      columns,
      { values: profile.values, table: tableNameText(name) },
      () => undefined,
    );
    return new Map([...plans, ...ignored]);
  };
  const { omit, distributedBy } = statements;
  if (name === "") return new QueryRows(database, { from, omit }, plan);
  const given = { table: name, rowVersion, forgives: unreadable === "null", omit, distributedBy };
  return new TableRows(database, given, plan);
}

/** The options of a call of `sqlEntitySet`, whose handlers return `R`. */
type CheckedSqlOptions<
  E extends EntityTypeDeclaration,
  N extends Navigations<E>,
  F,
  A,
  R extends HandlerResults,
  Fitting extends HandlerResults,
  S extends string,
> = SqlEntitySetOptions<E, N, F, A, R | Fitting> & CheckedResults<E, R, Fitting> & InferredSet<E, S>;
