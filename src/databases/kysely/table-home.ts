import type { ConfigurationFault } from "../../base/errors/configuration-error.ts";
import type { Context } from "../../definition/context.ts";
import type { EntitySetHandlers } from "../../definition/handlers.ts";
import type { Logger } from "../../definition/logger.ts";
import { declaredEntityType } from "../../definition/model/declared-entity-type.ts";
import type { StoredHandler, StoredRows } from "../../definition/model/stored-database.ts";
import { isObject } from "../../definition/option-table.ts";
import { declaredStreams } from "../../definition/sets/stream-option.ts";
import type { TransactionalDatabase } from "../../definition/sets/transactional-database.ts";
import type { EntityTypeDeclaration } from "../../definition/types/value-type.ts";
import type { EntityType, StructuralProperty } from "../../edm/model.ts";
import { isTableName, tableNameText, type TableName } from "../../edm/table-name.ts";
import { checkLinkStorage } from "../columns/check-link-storage.ts";
import { checkSharedColumns, textGuids } from "../columns/check-table-options.ts";
import type { ReportFault } from "../columns/storage-option.ts";
import type { PlansByField } from "../columns/table-columns.ts";
import { zonelessPaths } from "../columns/zoneless-paths.ts";
import type { AnyKysely } from "../connection/synchronous-reader.ts";
import type { Database } from "../forms/database.ts";
import { supportedDatabases } from "../kinds/find-database.ts";
import type { UncheckedPlacement } from "../placement/placement-option.ts";
import { columnSearch } from "../read/column-search.ts";
import { readHandlers } from "../read/narrowed-handlers.ts";
import { makeReader, planAll, readSettings, type SqlReader } from "../read/sql-reader.ts";
import { type FindTenant, Tenants } from "../read/tenants.ts";
import { refuseReplica, type UncheckedReplica } from "../replicas/replica-option.ts";
import { QueryRows } from "../schema/check-query.ts";
import { schemaDatabaseOf } from "../schema/schema-database.ts";
import { noteRows, TableRows } from "../schema/table-rows.ts";
import { toFrom } from "../translate/base-query.ts";
import { type DeclaredTable, SqlTable, writtenProperties } from "../write/sql-table.ts";
import { tenantTransactions, transactionsOf } from "../write/sql-transactions.ts";
import { writeHandlers } from "../write/sql-write.ts";
import { type TableHandlers, type TableSide, TenantTable } from "../write/tenant-table.ts";
import type { SqlOperation } from "./sql-entity-set-options.ts";

/** The unchecked options of a set that describe its table, and its rows in a database. */
export interface HomeOptions extends UncheckedPlacement, UncheckedReplica {
  readonly table?: unknown;
  readonly from?: unknown;
  readonly operations: readonly SqlOperation[];
  readonly columns?: object | undefined;
  readonly rowVersion?: string | undefined;
  readonly set?: unknown;
  readonly virtual?: unknown;
  readonly unreadable?: "error" | "null" | undefined;
  readonly preparedStatements?: unknown;
  readonly navigation?: unknown;
  /** The handlers of the application in place of those of the table. */
  readonly create?: unknown;
  readonly replace?: unknown;
  readonly patch?: unknown;
}

type Search = EntitySetHandlers<Context>["search"];

/** The table of a declaration: in one database, or in the database of each tenant. */
export interface TableHome {
  readonly table: DeclaredTable;
  /** The handlers of the operations that the declaration allows. */
  readonly handlers: TableHandlers;
  readonly database: TransactionalDatabase;
  /** Records the rows of a handler, for the schema check. */
  readonly note: (handler: object) => void;
  /** Makes the search over columns. */
  readonly searchOf: (properties: readonly StructuralProperty[]) => NonNullable<Search>;
  /** Returns the faults that depend on the dialect. */
  readonly check: () => readonly ConfigurationFault[];
  /** The properties whose columns contain Guids as text; undefined if that is unknown, or the database has another form. */
  readonly anyCaseGuids: readonly string[] | undefined;
  /** The timestamps in columns without a time zone, as far as the database is known. */
  readonly withoutZone: ReturnType<typeof zonelessPaths>;
  readonly logTo: (logger: Logger) => void;
}

/** Returns the name of the table; empty for a query, which is never written. */
export function nameOfTable({ table, from }: Pick<HomeOptions, "table" | "from">): TableName {
  return isTableName(table) && from === undefined ? table : "";
}

/** Makes the table of a declaration with one database; null after a fault, and for a faulty type, which other checks report. */
export function databaseHome(
  type: EntityTypeDeclaration,
  db: AnyKysely,
  options: HomeOptions,
  report: ReportFault,
): TableHome | null {
  if (!isDeclared(type)) return null;
  const side = makeSide(type, db, options, report);
  if (side === null) return null;
  const { table, reader, handlers, stored } = side;
  return {
    table,
    handlers,
    database: transactionsOf(db, reader),
    note: (handler) => noteRows(handler, stored),
    searchOf: (properties) => columnSearch({ type, reader, properties }),
    check: () => linkFaults(type, reader.profile, options),
    anyCaseGuids: anyCaseGuidsOf(type, reader, options),
    withoutZone: zonelessPaths(type, options.columns, reader.profile.values.timestampsAreZoneless),
    logTo: (logger) => reader.unreadable.logTo(logger),
  };
}

/**
 * Makes the table of a declaration with a database per tenant. Its dialect is known from the first request on, and so are the
 * faults that depend on it.
 */
export function tenantHome(
  type: EntityTypeDeclaration,
  find: FindTenant,
  options: HomeOptions,
  report: ReportFault,
): TableHome | null {
  refuseReplica(options, report);
  if (!isDeclared(type)) return null;
  if (readSettings(options, report) === null || !fitsAnyDialect(type, options, report)) return null;
  const tenants = Tenants.of(find);
  const loggers: Logger[] = [];
  const name = tableNameText(nameOfTable(options));
  const table = new TenantTable({ name, entityType: declaredEntityType(type), tenants }, (db, declared) => {
    const side = sideOfTenant(type, db, options, declared);
    for (const logger of loggers) side.reader.unreadable.logTo(logger);
    return side;
  });
  const names = (["queryable", "getByKey", "create", "replace", "patch", "delete"] as const).filter((handler) =>
    allows(options, handler === "queryable" || handler === "getByKey" ? "read" : handler),
  );
  return {
    table,
    handlers: table.handlers(names),
    database: tenantTransactions(table),
    note: (handler) => Object.assign(handler, { storedBy: table } satisfies StoredHandler),
    searchOf: (properties) => table.search(({ reader }) => columnSearch({ type, reader, properties })),
    check: () => [],
    anyCaseGuids: undefined,
    withoutZone: zonelessPaths(type, options.columns, false),
    logTo: (logger) => loggers.push(logger),
  };
}

/** Reports the faults of a declaration that no dialect allows. @returns false after a fault */
function fitsAnyDialect(type: EntityTypeDeclaration, options: HomeOptions, report: ReportFault): boolean {
  const { table, from, columns = {} } = options;
  const faults = supportedDatabases().map((profile) => {
    const found: Parameters<ReportFault>[] = [];
    const note: ReportFault = (...fault) => found.push(fault);
    toFrom(from ?? table, profile, note);
    planAll(declaredEntityType(type), columns, { values: profile.values }, note);
    checkSharing(type, options, profile, note);
    for (const { message, fix } of linkFaults(type, profile, options)) note(message, fix);
    return found;
  });
  const [first = []] = faults;
  if (faults.some(({ length }) => length === 0)) return true;
  for (const [message, fix] of first) report(message, fix);
  return false;
}

/** @throws Error with the faults of the declaration in the dialect of the tenants */
function sideOfTenant(
  type: EntityTypeDeclaration,
  db: AnyKysely,
  options: HomeOptions,
  declared: TenantTable,
): TableSide {
  const faults: string[] = [];
  const report: ReportFault = (message, fix) => faults.push(`${message} ${fix}`);
  const side = makeSide(type, db, options, report, declared);
  const further = side === null ? [] : linkFaults(type, side.reader.profile, options);
  for (const { message, fix } of further) report(message, fix);
  if (side !== null && faults.length === 0) return side;
  throw new Error(`The set of ${type.name} cannot use the database of the tenant: ${faults.join(" ")}`);
}

function isDeclared(type: EntityTypeDeclaration): boolean {
  try {
    declaredEntityType(type);
    return true;
  } catch {
    return false;
  }
}

function allows({ operations }: HomeOptions, operation: SqlOperation): boolean {
  return Array.isArray(operations) && operations.includes(operation);
}

/** The operations that store values of properties. */
const STORING = ["create", "replace", "patch"] as const satisfies readonly SqlOperation[];

/** Makes the table in one database; null after a fault. */
function makeSide(
  type: EntityTypeDeclaration,
  db: AnyKysely,
  options: HomeOptions,
  report: ReportFault,
  declared?: TenantTable,
): TableSide | null {
  const { table: given, from } = options;
  const reader = makeReader(type, { ...options, db, from: from ?? given, tenants: declared?.tenants }, report);
  if (reader === null) return null;
  const entityType = declaredEntityType(type);
  const name = nameOfTable(options);
  const { rowVersion } = options;
  const [fieldsSet, fieldsNeeded] = [fieldsSetBy(options), fieldsNeededBy(type, options)];
  const table = new SqlTable({ db, name, entityType, reader, rowVersion, fieldsSet, fieldsNeeded, declared });
  const writes = Object.entries(writeHandlers(table)).filter(([each]) => allows(options, each as SqlOperation));
  checkSharing(type, options, reader.profile, report);
  const reads = allows(options, "read") ? readHandlers(type, reader) : {};
  const stored = storedRows(entityType, name, reader, options);
  return { table, reader, handlers: { ...reads, ...Object.fromEntries(writes) }, stored };
}

/** Returns the fields whose values the server sets. */
function fieldsSetBy({ set }: HomeOptions): ReadonlySet<string> {
  return new Set(isObject(set) ? Object.keys(set) : []);
}

/** Returns the fields that virtual properties and the references of streams need. */
function fieldsNeededBy(type: EntityTypeDeclaration, { virtual }: HomeOptions): ReadonlySet<string> {
  const needs = Object.values(isObject(virtual) ? virtual : {}).map((each) => (isObject(each) ? each["needs"] : []));
  const streams = declaredStreams(type).map(([field]) => field);
  return new Set([...streams, ...needs.flat().filter((each) => typeof each === "string")]);
}

/** Checks that a table with writes stores no two properties in one column. */
function checkSharing(
  type: EntityTypeDeclaration,
  options: HomeOptions,
  { values, syntax }: Database,
  report: ReportFault,
): void {
  const { columns = {}, rowVersion } = options;
  if (!STORING.some((operation) => allows(options, operation) && options[operation] === undefined)) return;
  const entityType = declaredEntityType(type);
  const { plans, ignored } = planAll(entityType, columns, { values }, () => undefined);
  const version = entityType.properties.find(({ field }) => field === rowVersion) ?? null;
  const written = { written: writtenProperties(entityType, fieldsSetBy(options)), rowVersion: version };
  checkSharedColumns(new Map([...plans, ...ignored]), written, syntax.columnKey, report);
}

function linkFaults(
  type: EntityTypeDeclaration,
  { values, syntax }: Database,
  { navigation }: HomeOptions,
): readonly ConfigurationFault[] {
  return [...checkLinkStorage(type, navigation, { values, columnKey: syntax.columnKey })];
}

function anyCaseGuidsOf(
  type: EntityTypeDeclaration,
  { profile }: SqlReader,
  { columns }: HomeOptions,
): readonly string[] | undefined {
  return profile.values.guidsAreTexts ? textGuids(type, columns) : undefined;
}

/** Returns the table, or the query in place of it, for the schema check. */
function storedRows(
  entityType: EntityType,
  name: TableName,
  { connected, profile, from, statements }: SqlReader,
  { columns = {}, rowVersion, unreadable }: HomeOptions,
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
  const { omit, placement } = statements;
  const database = schemaDatabaseOf(connected);
  if (name === "") return new QueryRows(database, { from, omit }, plan);
  const given = { table: name, rowVersion, forgives: unreadable === "null", omit, placement };
  return new TableRows(database, given, plan);
}
