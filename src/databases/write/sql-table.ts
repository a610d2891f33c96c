import { isODataError } from "../../base/errors/odata-error.ts";
import type { Maybe } from "../../base/maybe.ts";
import { keptPerPair } from "../../base/memo.ts";
import { type Context, returnsIgnored, seesAllRows } from "../../definition/context.ts";
import type { EntitySetDefinition, ServiceDefinition } from "../../definition/model/service-definition.ts";
import type { EntityType, JoinPair, StructuralProperty } from "../../edm/model.ts";
import { tableNameText, type TableName } from "../../edm/table-name.ts";
import { wirePath } from "../../edm/wire-path.ts";
import type { SelectedProperty } from "../../language/query/clauses.ts";
import { planOf, type PlansByField } from "../columns/table-columns.ts";
import type { AnyKysely } from "../connection/synchronous-reader.ts";
import type { SqlReader } from "../read/sql-reader.ts";
import type { Tenants } from "../read/tenants.ts";
import { storedProperty, type StoredProperty } from "./stored-columns.ts";

/** The table of a declaration, in the database of each request. */
export interface DeclaredTable {
  /** The name for messages. */
  readonly name: string;
  readonly entityType: EntityType;
  /** Identifies the database, or the function that finds it: one transaction can write all tables of a home. */
  readonly home: object;
  /** The databases of tenants; absent for a table in one database. */
  readonly tenants?: Tenants | undefined;
  /** Returns the table for a request, after the schema check of its database. @throws errors of the function, of the check */
  open(context: Context): Maybe<SqlTable>;
  /** Returns the table in a database of its home. */
  over(db: AnyKysely): SqlTable;
}

interface TableOptions {
  readonly db: AnyKysely;
  readonly name: TableName;
  readonly entityType: EntityType;
  readonly reader: SqlReader;
  /** The field that counts the writes of a row. */
  readonly rowVersion: string | undefined;
  /** The fields whose values the server sets: the statements write them, though clients do not. */
  readonly fieldsSet: ReadonlySet<string>;
  /** The fields that virtual properties need: writes return them, also ignored ones. */
  readonly fieldsNeeded: ReadonlySet<string>;
  /** The table of the declaration with a database per tenant; absent: the declaration has one database. */
  readonly declared?: DeclaredTable | undefined;
}

/** Returns the properties that every write stores. @param fieldsSet the fields that the server sets */
export function writtenProperties(
  { properties, ignoredProperties }: EntityType,
  fieldsSet: ReadonlySet<string>,
): readonly StructuralProperty[] {
  return [
    ...properties.filter(({ computed, field }) => !computed || fieldsSet.has(field)),
    ...ignoredProperties.filter(({ field }) => fieldsSet.has(field)),
  ];
}

/** The table of an entity set in one database, for writing. */
export class SqlTable implements DeclaredTable {
  readonly db: AnyKysely;
  /** The name for messages. */
  readonly name: string;
  readonly tableName: TableName;
  /** Itself, unless the declaration has a database per tenant. */
  readonly declared: DeclaredTable;
  /** The declared type: the model of a service may have other names in JSON, but the same fields. */
  readonly entityType: EntityType;
  readonly reader: SqlReader;
  readonly rowVersion: StructuralProperty | null;
  readonly fieldsSet: ReadonlySet<string>;
  /** The properties whose values an entity or a delta may contain: computed ones only if a hook or trusted code gives them. */
  readonly written: readonly StructuralProperty[];
  /** The fields of `written`. */
  readonly writtenFields: ReadonlySet<string>;
  /** The computed properties that `set` does not name. */
  readonly computed: readonly StructuralProperty[];
  /** All properties that clients see, and those that virtual properties need. */
  readonly whole: readonly SelectedProperty[];
  readonly keyOnly: readonly SelectedProperty[];
  /** All properties, ignored ones and ignored members of complex values included, for code of the application. */
  readonly #everything: readonly SelectedProperty[];
  readonly #stored = new Map<string, StoredProperty>();

  constructor({ db, name, entityType, reader, rowVersion, fieldsSet, fieldsNeeded, declared }: TableOptions) {
    this.db = db;
    this.declared = declared ?? this;
    this.name = tableNameText(name);
    this.tableName = name;
    this.entityType = entityType;
    this.reader = reader;
    this.rowVersion = entityType.properties.find(({ field }) => field === rowVersion) ?? null;
    const { key, properties, ignoredProperties } = entityType;
    this.fieldsSet = fieldsSet;
    const hidden = ignoredProperties.filter(({ field }) => fieldsSet.has(field));
    this.written = Object.freeze([...properties, ...hidden]);
    this.writtenFields = new Set(this.written.map(({ field }) => field));
    this.computed = Object.freeze(properties.filter(({ computed, field }) => computed && !fieldsSet.has(field)));
    this.keyOnly = Object.freeze(key.map((property) => ({ property })));
    const needed = ignoredProperties.filter(({ field }) => fieldsNeeded.has(field));
    this.whole = Object.freeze([...properties, ...needed].map((property) => ({ property })));
    const all = [...properties, ...ignoredProperties];
    this.#everything = Object.freeze(all.map((property) => ({ property, withIgnored: true as const })));
  }

  /** Returns the properties to read from a written row: `ctx.sets` returns ignored properties, too. */
  returnedTo(context: Context): readonly SelectedProperty[] {
    return returnsIgnored(context) ? this.#everything : this.whole;
  }

  /** The columns of the properties. Used from the first write on, since the table may be created after its declaration. */
  get plans(): PlansByField {
    return this.reader.statements.rowsFor(null).plans;
  }

  /** Whether the database does not compare a part of a join by code point. */
  comparesOtherwise(pairs: readonly JoinPair[]): boolean {
    const { comparisonOf } = this.reader.statements.rowsFor(null);
    return pairs.some((pair) => comparisonOf(pair) !== undefined);
  }

  /** Returns the writer of a property. @throws Error for a property without a column */
  stored(field: string): StoredProperty {
    const known = this.#stored.get(field);
    if (known !== undefined) return known;
    const made = storedProperty(planOf({ field, name: `${field} of ${this.entityType.name}` }, this.plans));
    this.#stored.set(field, made);
    return made;
  }

  /** Returns the path of the property that a column stores; empty if clients must not know it. */
  pathOf(column: string): readonly StructuralProperty[] {
    const wanted = column.toLowerCase();
    for (const { field } of this.entityType.properties) {
      const found = this.stored(field).columns.find((each) => each.column.toLowerCase() === wanted);
      if (found !== undefined) return found.path;
    }
    return wanted === "primary" ? this.entityType.key.slice(0, 1) : [];
  }

  get home(): object {
    return this.declared === this ? this.db : this.declared.home;
  }

  open(): SqlTable {
    return this;
  }

  over(): SqlTable {
    return this;
  }
}

/** Whether one transaction can write both tables. */
export function sharesDatabase(one: DeclaredTable, other: DeclaredTable): boolean {
  return one.home === other.home;
}

/** The hidden fields that link handlers of this library to their table. */
const TABLE: unique symbol = Symbol("table");
const NARROWED: unique symbol = Symbol("narrowed");

interface MadeOverTable {
  readonly [TABLE]?: DeclaredTable;
  readonly [NARROWED]?: DeclaredTable;
}

/** Records the table of a handler. */
export function noteTable(made: object, table: DeclaredTable): void {
  Object.defineProperty(made, TABLE, { value: table, configurable: true });
}

/** Returns the table of a handler; null for a handler of the application. */
export function tableOf(made: unknown): DeclaredTable | null {
  return typeof made === "function" ? ((made as MadeOverTable)[TABLE] ?? null) : null;
}

/** Records the table of a handler that reads or writes only rows that the application shows. */
export function noteNarrowed(made: object, table: DeclaredTable): void {
  Object.defineProperty(made, NARROWED, { value: table, configurable: true });
}

/** Returns the table of a handler, whether it accesses all rows or only the rows that the application shows. */
export function tableBehind(made: unknown): DeclaredTable | null {
  const table = tableOf(made);
  if (table !== null || typeof made !== "function") return table;
  return (made as MadeOverTable)[NARROWED] ?? null;
}

/** The handlers that show the table of a set, unless the application replaced them. */
const HANDLERS = ["create", "patch", "replace", "delete", "getByKey", "queryable"] as const;

/** Returns the set over a table in the service of the request; null outside a service. */
export function setOfTable(context: Context, table: SqlTable): EntitySetDefinition | null {
  return setsOfTable(context, table)[0] ?? null;
}

/**
 * As `setOfTable`, for a write to which a row rule may apply.
 * @throws Error if several sets share the handlers of one declaration, so that it is unclear which rule applies
 */
export function writtenSet(context: Context, table: SqlTable): EntitySetDefinition | null {
  const [set = null, ...others] = setsOfTable(context, table);
  if (others.length === 0 || ![set, ...others].some((each) => mayHideRows(each, context))) return set;
  const names = [set, ...others].map((each) => each?.entitySet.name).join(", ");
  throw new Error(`${names} share handlers and have row rules: declare each of them with its own sqlEntitySet.`);
}

/** Milliseconds of a transaction where a table is written outside of a service. */
const TRANSACTION_TIMEOUT = 10_000;

/** Returns the time of a transaction of the request, in milliseconds; null for no limit. */
export function transactionTimeoutOf(context: Context): number | null {
  const service = findService(context);
  return service === null ? TRANSACTION_TIMEOUT : service.limits.transactionTimeout;
}

/** The sets of the service that handles the request; none where a table is written outside of a service. */
export function setsOfService(context: Context): Iterable<EntitySetDefinition> {
  return findService(context)?.entitySets.values() ?? [];
}

/** Whether a row rule may hide rows of a set from a call. */
export function mayHideRows(set: EntitySetDefinition | null, context: Context): set is EntitySetDefinition {
  return (set?.rows ?? null) !== null && !seesAllRows(context);
}

/** Whether any set of the service may hide rows from a call. */
export function keepsRowsBack(context: Context): boolean {
  return [...setsOfService(context)].some((set) => mayHideRows(set, context));
}

function setsOfTable(context: Context, table: SqlTable): readonly EntitySetDefinition[] {
  const service = findService(context);
  return service === null ? [] : setsOver(table, service);
}

const setsOver = keptPerPair(
  ({ declared }: SqlTable, { entitySets }: ServiceDefinition): readonly EntitySetDefinition[] =>
    // The engine checks the writes of a cast, whose rows are those of another set.
    [...entitySets.values()].filter((set) => set.entitySet.castFrom === undefined && isOver(set, declared)),
);

/** Returns the target set of a navigation. */
export function targetSet(context: Context, set: EntitySetDefinition, navigation: string): EntitySetDefinition | null {
  const name = set.entitySet.navigationPropertyBindings.get(navigation);
  return name === undefined ? null : setOf(context, name);
}

/** Returns the set with a name in the service of the request; null outside a service. */
export function setOf(context: Context, name: string): EntitySetDefinition | null {
  return findService(context)?.entitySets.get(name) ?? null;
}

/** Whether a set uses a table, in its own handlers or in those of its navigations. */
function isOver(set: EntitySetDefinition, table: DeclaredTable): boolean {
  if (HANDLERS.some((name) => tableBehind(set.handlers[name]) === table)) return true;
  return [...set.navigationHandlers.values()].some((handlers) => {
    const along: readonly unknown[] = Object.values(handlers);
    return along.some((handler) => tableOf(handler) === table);
  });
}

/** Returns the table of a set; null if it has none. */
export function tableOfSet(set: Pick<EntitySetDefinition, "handlers">): DeclaredTable | null {
  return firstTable(set, tableOf);
}

/** As `tableOfSet`, also for a set whose rows the application chooses. */
export function tableBehindSet(set: Pick<EntitySetDefinition, "handlers">): DeclaredTable | null {
  return firstTable(set, tableBehind);
}

function firstTable(
  { handlers }: Pick<EntitySetDefinition, "handlers">,
  tableIn: (made: unknown) => DeclaredTable | null,
): DeclaredTable | null {
  for (const name of HANDLERS) {
    const table = tableIn(handlers[name]);
    if (table !== null) return table;
  }
  return null;
}

/** Returns the name that clients use for a path of properties, by the model of the service. */
export function wirePathOf(context: Context, table: SqlTable, path: readonly StructuralProperty[]): string {
  return wirePath(findService(context)?.model.entityTypes.get(table.entityType.name), path);
}

/**
 * Reads an entity of a set by its handler `getByKey`; call this before a transaction begins, because the handler may wait for
 * the same connection.
 * @returns null where the user sees none
 * @throws errors that the handler throws or returns
 */
export async function readSeen(
  { entitySet, handlers: { getByKey } }: EntitySetDefinition,
  key: unknown,
  context: Context,
): Promise<unknown> {
  const rules = findService(context)?.rowRules ?? null;
  const found: unknown = await (rules === null ? getByKey?.(key, context) : rules.findSeen(entitySet, key, context));
  if (isODataError(found)) throw found;
  return found ?? null;
}

/** Returns the service of a context; null if an application calls a handler with a context that it made itself. */
export function findService(context: Context | undefined): ServiceDefinition | null {
  const service: object | undefined = context?.service;
  return service !== undefined && "entitySets" in service && "model" in service ? (service as ServiceDefinition) : null;
}
