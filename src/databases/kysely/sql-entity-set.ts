import type { ConfigurationFault } from "../../base/errors/configuration-error.ts";
import type { Context } from "../../definition/context.ts";
import type { Answer, Entities, EntitySetHandlers, QueryableHandler } from "../../definition/handlers.ts";
import type { Logger } from "../../definition/logger.ts";
import { declaredEntityType } from "../../definition/model/declared-entity-type.ts";
import type { StoredHandler } from "../../definition/model/stored-database.ts";
import { everyOption, describe, isObject } from "../../definition/option-table.ts";
import {
  entitySet,
  type BoundOperations,
  type EntitySetDeclaration,
  type EntitySetOptions,
  type AppliedQueryOf,
  type InferredResults,
  type HandlerResults,
  type NoResults,
  type CheckedResults,
  type EntityAnswer,
  type LiteralResults,
} from "../../definition/sets/entity-set.ts";
import type { Navigations } from "../../definition/sets/navigation.ts";
import type { InferredSet } from "../../definition/sets/set-option.ts";
import { withStreams } from "../../definition/sets/stream-option.ts";
import { hierarchyOf } from "../../definition/types/hierarchy.ts";
import type { LiteralContext } from "../../definition/types/literal-context.ts";
import type { EntityTypeDeclaration } from "../../definition/types/value-type.ts";
import {
  checkRowVersion,
  checkTableOptions,
  checkUncomparable,
  convertedFields,
  expressionFields,
} from "../columns/check-table-options.ts";
import type { AnyKysely } from "../connection/synchronous-reader.ts";
import { PLACEMENT_OPTION } from "../placement/placement-option.ts";
import { columnSearch, searchedProperties } from "../read/column-search.ts";
import { narrowedHandlers, narrowedSearch } from "../read/narrowed-handlers.ts";
import { REPLICA_OPTIONS } from "../replicas/replica-option.ts";
import { linkNavigations } from "../write/sql-links.ts";
import { noteNarrowed, noteTable } from "../write/sql-table.ts";
import { rowReads } from "../write/sql-write.ts";
import {
  type SqlEntitySetOptions,
  type SqlEntitySetParts,
  type SqlOperation,
  type TransactionOver,
  mappedBy,
} from "./sql-entity-set-options.ts";
import { databaseHome, nameOfTable, type TableHome, tenantHome } from "./table-home.ts";

/** No navigations, no operations. */
type None = Readonly<Record<never, never>>;

const OPERATIONS: readonly unknown[] = [
  "read",
  "create",
  "replace",
  "patch",
  "delete",
] satisfies readonly SqlOperation[];

/** The options that `entitySet` does not have. */
const TABLE_OPTIONS: readonly string[] = Object.freeze([
  "db",
  "table",
  "from",
  "operations",
  "columns",
  "unreadable",
  ...REPLICA_OPTIONS,
  PLACEMENT_OPTION,
  "preparedStatements",
  "rowVersion",
] satisfies ReadonlyArray<keyof SqlEntitySetOptions<EntityTypeDeclaration>>);

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
  FittingAll extends Answer<Entities<E>> | LiteralResults["getAll"] = never,
  FittingApplied extends Answer<AppliedQueryOf<E>> | LiteralContext = never,
  FittingFound extends EntityAnswer<E> | LiteralContext = never,
  FittingCreated extends EntityAnswer<E> | LiteralContext = never,
  FittingReplaced extends EntityAnswer<E> | LiteralContext = never,
  FittingPatched extends EntityAnswer<E> | LiteralContext = never,
  const S extends string = never,
  Db extends AnyKysely = AnyKysely,
  const W = None,
  const Y = None,
>(
  type: E,
  options: CheckedSqlOptions<
    E,
    N,
    F,
    A,
    InferredResults<All, Applied, Found, Created, Replaced, Patched>,
    InferredResults<FittingAll, FittingApplied, FittingFound, FittingCreated, FittingReplaced, FittingPatched>,
    S,
    Db,
    W,
    Y
  >,
  // NoInfer: as in `entitySet`, so that handlers keep their key inside the list of a service.
): EntitySetDeclaration<NoInfer<E>, N, F, A, S>;
export function sqlEntitySet<
  const E extends EntityTypeDeclaration,
  const N extends Navigations<E> = None,
  const F extends BoundOperations<E> = None,
  const A extends BoundOperations<E> = None,
>(
  given: E,
  declared: SqlEntitySetParts<E, N, F, A, NoResults, AnyKysely, Readonly<Record<PropertyKey, unknown>>>,
): EntitySetDeclaration<NoInfer<E>, N, F, A> {
  const stated = everyOption(declared);
  // The rows have the properties of all types.
  const type = hierarchyOf(given, stated.derived) as E;
  const options = withStreams(type, stated);
  const { db, table, from, operations, columns, unreadable, search } = options;
  // Without the options of tables, the rest are options of `entitySet`.
  const others = Object.fromEntries(
    Object.entries(options).filter(([name]) => name !== "search" && !TABLE_OPTIONS.includes(name)),
  ) as EntitySetOptions<E, N, F, A>;
  const faults: ConfigurationFault[] = [];
  const report = (message: string, fix: string): void => {
    faults.push({ message, fix });
  };
  checkOperations(operations, report);
  checkTableOptions({ ...options }, report, type);
  const uncomparable = convertedFields(columns);
  const home =
    typeof db === "function" ? tenantHome(type, db, options, report) : databaseHome(type, db, options, report);
  checkUncomparable(uncomparable, options, report);
  const own = home === null ? null : tableHandlers(type, home, options, report);
  if (Array.isArray(search)) {
    checkSearchedRows(others, report);
    checkSearchedMasks(search, { ...options }, report);
  }
  const searched = Array.isArray(search)
    ? searchOf(type, { names: search, queryable: others.queryable }, home, report)
    : search;
  const navigated = { search: searched, navigation: own === null ? others.navigation : own.navigation };
  const handlers: object = { ...own?.handlers };
  const whole: EntitySetOptions<E, N, F, A> = Object.assign(handlers, others, own?.shown ?? {}, navigated);
  const set = entitySet<E, N, F, A>(given, whole);
  return Object.freeze({
    ...set,
    ...(home === null ? {} : mappedBy({ db, table, from, columns })),
    ...own?.rows,
    check: (): readonly ConfigurationFault[] => [...faults, ...(home?.check() ?? [])],
    logTo: unreadable === "null" ? (logger: Logger): void => home?.logTo(logger) : undefined,
    tableOptions: TABLE_OPTIONS,
    uncomparable,
    withoutZone: home?.withoutZone,
    unstored: expressionFields(columns),
    anyCaseGuids: home?.anyCaseGuids,
    handlersCheckingRows: own?.checkingRows,
    database: home?.database,
  });
}

/** Reports a search over masked columns: it would find the stored values that clients must not see. */
function checkSearchedMasks(
  search: readonly unknown[],
  { virtual }: Readonly<Record<string, unknown>>,
  report: (message: string, fix: string) => void,
): void {
  const names = search.filter((name) => typeof name === "string");
  const masked = names.find((name) => isObject(virtual) && Object.hasOwn(virtual, name));
  if (masked === undefined) return;
  const message = `\`search\` names \`${masked}\`, which \`virtual\` masks: clients could find the stored value.`;
  report(message, "Remove it from `search`.");
}

/** Reports a search over columns together with a handler that may hide rows: it searches the whole table. */
function checkSearchedRows(
  { getAll }: { readonly getAll?: unknown },
  report: (message: string, fix: string) => void,
): void {
  if (getAll === undefined) return;
  report(
    "`search` names properties, which searches the whole table, but `getAll` may return only some of its rows.",
    "Make `search` a handler that returns the matching ones of those rows.",
  );
}

/** The properties of a search over columns, and the handler of the application that chooses the searched rows. */
interface SearchedRows {
  readonly names: readonly unknown[];
  readonly queryable?: unknown;
}

/** Makes the search over columns; undefined if faults were reported instead. */
function searchOf(
  type: EntityTypeDeclaration,
  { names, queryable }: SearchedRows,
  home: TableHome | null,
  report: (message: string, fix: string) => void,
): unknown {
  if (home === null) return undefined;
  const properties = searchedProperties(type, names, report);
  if (properties.length === 0) return undefined;
  if (typeof queryable !== "function") return home.searchOf(properties);
  return narrowedSearch(type, queryable as QueryableHandler<Context>, (reader) =>
    columnSearch({ type, reader, properties }),
  );
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
  /** The application's `queryable`, as a handler of rows of a database. */
  readonly shown: Pick<Partial<EntitySetHandlers<Context>>, "queryable">;
  readonly navigation: N | undefined;
  /** The handlers that enforce row rules in the transaction of the write. */
  readonly checkingRows: readonly object[];
  /** Locks and reads single rows; nothing without a table. */
  readonly rows: Pick<EntitySetDeclaration, "lock" | "reread" | "settle" | "leavesRows">;
}

/** Makes the handlers of the table's operations, and its navigations with their handlers. */
function tableHandlers<E extends EntityTypeDeclaration, N extends Navigations<E>, F, A>(
  type: E,
  { table, handlers, note }: TableHome,
  options: SqlEntitySetParts<E, N, F, A, NoResults, AnyKysely, Readonly<Record<PropertyKey, unknown>>>,
  report: (message: string, fix: string) => void,
): TableHandlers<N> {
  const { operations, rowVersion, navigation } = options;
  const name = nameOfTable(options);
  const entityType = declaredEntityType(type);
  if (rowVersion !== undefined) checkRowVersion(entityType, { ...options, rowVersion }, report);
  for (const handler of Object.values(handlers)) {
    if (name !== "") noteTable(handler as object, table);
    note(handler as object);
  }
  const { queryable, getAll } = options;
  const isNarrowed = typeof queryable === "function";
  const narrowed: Partial<ReturnType<typeof narrowedHandlers>> = isNarrowed
    ? narrowedHandlers(entityType, queryable as QueryableHandler<Context>, handlers)
    : {};
  for (const [handlerName, handler] of Object.entries(narrowed)) {
    if (name === "") continue;
    noteNarrowed(handler as object, table);
    // These read only rows that the application shows.
    if (handlerName !== "getByKey" && handlerName !== "queryable") note(handler as object);
  }
  // Otherwise the rows of the table would take precedence over the application's `getAll`.
  const replaced = isNarrowed || getAll === undefined ? {} : { queryable: undefined };
  // If the application supplies `patch`, it also has to write links.
  const isPatched = Array.isArray(operations) && operations.includes("patch") && options.patch === undefined;
  const linked = linkNavigations(name === "" ? null : table, isPatched, navigation, options.columns);
  const { create, replace, patch, delete: remove }: Partial<EntitySetHandlers<Context>> = { ...handlers, ...narrowed };
  for (const handler of options.unreadable === "null" ? [replace, patch] : []) {
    if (handler !== undefined) Object.assign(handler, { keepsUnreadable: true } satisfies StoredHandler);
  }
  return {
    handlers: { ...handlers, ...narrowed, ...replaced },
    shown: narrowed.queryable === undefined ? {} : { queryable: narrowed.queryable },
    navigation: linked.navigations as N | undefined,
    rows: name === "" ? {} : rowReads(table),
    checkingRows: [create, replace, patch, remove, ...linked.handlers].filter((each) => each !== undefined),
  };
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
  Db extends AnyKysely,
  W,
  Y,
> = SqlEntitySetParts<E, N, F, A, R | Fitting | LiteralResults, Db, W> &
  CheckedResults<E, R, Fitting> &
  InferredSet<E, N, S, W, Y, TransactionOver<NoInfer<Db>>>;
