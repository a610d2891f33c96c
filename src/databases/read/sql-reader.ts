import { BoundedCache } from "../../base/memo.ts";
import { declaredEntityType } from "../../definition/model/declared-entity-type.ts";
import { describe } from "../../definition/option-table.ts";
import type { EntityTypeDeclaration } from "../../definition/types/value-type.ts";
import type { EntityType } from "../../edm/model.ts";
import { namesTables } from "../columns/column-name.ts";
import type { ReportFault } from "../columns/storage-option.ts";
import {
  type ColumnPlan,
  everyMember,
  expressionsOf,
  planColumns,
  type PlannedTable,
  type PlansByField,
} from "../columns/table-columns.ts";
import { type AnyKysely, isKysely } from "../connection/synchronous-reader.ts";
import type { Database } from "../forms/database.ts";
import type { DialectValues } from "../forms/dialect-values.ts";
import { placementOf } from "../placement/placed-tables.ts";
import { readPlacement, type StatedPlacement, type UncheckedPlacement } from "../placement/placement-option.ts";
import { readReplica, type UncheckedReplica } from "../replicas/replica-option.ts";
import { toExecution } from "../statement/parameter-slot.ts";
import { hasPlaceholders, toFrom, type From, withExpressions } from "../translate/base-query.ts";
import { ROWS_ALIAS } from "../translate/path-scope.ts";
import { unnoted } from "../translate/relation.ts";
import { type Connected, connectionOf, type UnreadableLog } from "./connected.ts";
import { namedBy, type NamedRows } from "./kept-statements.ts";
import { hasLabels, ProvenColumns } from "./proven-columns.ts";
import type { SqlRows } from "./sql-rows.ts";
import { StatementCache } from "./statement-cache.ts";
import type { Structures } from "./structures.ts";
import type { Tenants } from "./tenants.ts";

/** Reads one table or base query. */
export interface SqlReader {
  readonly rows: SqlRows;
  readonly profile: Database;
  /** The state of its Kysely instance, which all readers of the instance share. */
  readonly connected: Connected;
  readonly statements: StatementCache;
  /** The table or base query as given, without expressions. */
  readonly from: From;
  /** The parameters of the base query. */
  readonly parameters: readonly unknown[];
  /** Whether a row rule hides every row, so that no statement is needed; absent: it may show some. */
  readonly hidesAll?: true | undefined;
  /** Receives the cells that cannot be read. */
  readonly unreadable: UnreadableLog;
}

/** The unchecked options of a reader. */
interface ReaderOptions extends UncheckedPlacement, UncheckedReplica {
  readonly db: unknown;
  readonly from: unknown;
  readonly columns?: object | undefined;
  /** Whether connections may prepare statements; default true. */
  readonly preparedStatements?: unknown;
  /** How to read cells that their property cannot have; default "error". */
  readonly unreadable?: unknown;
  /** The databases that share statements; absent: this one shares none. */
  readonly tenants?: Tenants | undefined;
}

/** The maximum number of base queries per type and Kysely instance with cached statements. */
const CACHES_KEPT = 200;

/**
 * Makes the reader of the entities of a type from a table or base query.
 * @param report receives each fault
 * @returns null after a fault
 */
export function makeReader(type: EntityTypeDeclaration, options: ReaderOptions, report: ReportFault): SqlReader | null {
  const { db, from: base, columns = {} } = options;
  if (!isKysely(db)) {
    report("`db` is not a Kysely instance.", "Give `new Kysely({ dialect: sqliteDialect(file) })`.");
    return null;
  }
  const settings = readSettings(options, report);
  if (settings === null) return null;
  const { stated, preparedStatements, unreadable } = settings;
  const isSpread = stated !== null;
  const readFrom = readReplica({ db, isSpread }, options, report);
  if (readFrom === undefined) return null;
  const connected = connectionOf({ db, isSpread, readFrom }, report);
  if (connected === null) return null;
  const from = toFrom(base, connected.profile, report);
  const instances: Readonly<Record<string, AnyKysely>> = readFrom === null ? { db } : { db, readFrom: readFrom.db };
  for (const [name, instance] of Object.entries(from?.table === undefined ? {} : instances)) {
    if (namesTables(instance)) continue;
    report(
      `\`${name}\` has a plugin of Kysely that names tables in queries, but not in SQL fragments, such as \`withSchema\`: the statements would use another table.`,
      'Give the Kysely instance without it, and name the schema in `table`, such as "sales.orders".',
    );
    return null;
  }
  const statements =
    from === null
      ? null
      : statementsOf(connected, { type, db, from, columns, unreadable, stated, tenants: options.tenants }, report);
  if (from === null || statements === null) return null;
  const { rows, profile } = connected;
  if (!preparedStatements) rows.stopPreparing();
  const { parameters } = from;
  return Object.freeze({ rows, profile, connected, statements, from, parameters, unreadable: connected.unreadable });
}

/** The options of a reader that do not depend on its database. */
interface ReaderSettings {
  readonly stated: StatedPlacement | null;
  readonly preparedStatements: boolean;
  readonly unreadable: "error" | "null";
}

/** Checks the options that do not depend on the database. @returns null after a fault */
export function readSettings(
  {
    preparedStatements = true,
    unreadable = "error",
    ...placed
  }: UncheckedPlacement & Pick<ReaderOptions, "preparedStatements" | "unreadable">,
  report: ReportFault,
): ReaderSettings | null {
  const stated = readPlacement(placed, report);
  if (stated === undefined) return null;
  if (typeof preparedStatements !== "boolean") {
    report(`\`preparedStatements\` is ${describe(preparedStatements)}.`, "Give true or false.");
    return null;
  }
  if (unreadable !== "error" && unreadable !== "null") {
    report(`\`unreadable\` is ${describe(unreadable)}.`, 'Give "error" or "null".');
    return null;
  }
  return { stated, preparedStatements, unreadable };
}

/** The inputs of a reader's statements. */
interface StatementBase {
  readonly type: EntityTypeDeclaration;
  readonly db: AnyKysely;
  readonly from: From;
  readonly columns: object;
  readonly unreadable: "error" | "null";
  readonly stated: StatedPlacement | null;
  readonly tenants: Tenants | undefined;
}

/** Returns a text for the inputs whose statements are equal. @param structures numbers the type, and objects with a class such as conversions */
function keyOf({ type, from, columns, unreadable, stated }: StatementBase, structures: Structures): string {
  return structures.textOf([structures.ofDeclaration(type), from.text, columns, unreadable, stated]);
}

/** The facts that statements depend on besides their inputs. */
interface RowFacts {
  readonly proven: ProvenColumns;
  /** Those of the schema check. */
  readonly absent: ReadonlySet<string>;
  /** Whether databases with the same facts may share statements. */
  readonly isShared: boolean;
}

/** Makes the function that names the rows, again after each change of the facts. */
function namesOf(connected: Connected, given: StatementBase, { proven, absent, isShared }: RowFacts): () => NamedRows {
  const { kept, rows, layout } = connected;
  const { db, from, tenants } = given;
  const { changes } = rows;
  const own = kept.structures.next();
  const numbered = (): readonly unknown[] => [changes.count, absent.size, proven.facts];
  const sharing = tenants !== undefined && isShared ? tenants : null;
  const facts = sharing === null ? numbered : (): readonly unknown[] => [...numbered(), layout.text];
  return namedBy(facts, () => {
    if (sharing !== null && changes.count === 0) {
      const { structures } = sharing.kept;
      const database = { ...connected, db, table: from.quoted?.compile(db).sql };
      const schema = sharing.schemaOf(database, JSON.stringify([keyOf(given, structures), [...absent].toSorted()]));
      const name = `s${String(schema)}.${String(structures.of(proven.facts))}`;
      if (schema !== null) return { kept: sharing.kept, name, isShared: true };
    }
    const numbers = [own, changes.count, absent.size, kept.structures.of(proven.facts)];
    return { kept, name: `o${numbers.join(".")}` };
  });
}

function statementsOf(connected: Connected, given: StatementBase, report: ReportFault): StatementCache | null {
  const { profile, caches, rows, kept, unreadable: log, placedTables, comparisons } = connected;
  const { structures } = kept;
  const { type, db, from: base, columns, unreadable, stated } = given;
  const key = keyOf(given, structures);
  const ofType = caches.get(type) ?? new BoundedCache<string, StatementCache>(CACHES_KEPT);
  caches.set(type, ofType);
  const known = ofType.get(key);
  if (known !== undefined) return known;
  let isFaulty = false;
  const entityType = declaredEntityType(type);
  const reportFault: ReportFault = (message, fix) => {
    isFaulty = true;
    report(message, fix);
  };
  const planned = { values: profile.values, table: base.table, unreadable: unreadable === "null" ? log : undefined };
  const { plans, ignored } = planAll(entityType, columns, planned, reportFault);
  const all = [...plans.values(), ...ignored.values()];
  const expressions = expressionsOf(all);
  for (const expression of expressions.values()) {
    if (!hasPlaceholders(expression, profile.syntax)) continue;
    reportFault(`\`columns\` has the expression "${expression}" with a placeholder.`, "Write its values as literals.");
  }
  const placement = placementOf(
    stated,
    { entityType, base, placedTables },
    new Map([...plans, ...ignored]),
    reportFault,
  );
  if (isFaulty) return null;
  const hidden = hiddenColumns(all, profile);
  const from = expressions.size === 0 ? withHidden(base, hidden) : withExpressions(base, expressions, hidden);
  const findPlans = (): PlansByField => {
    const execution = toExecution({ values: [], base: () => from.parameters });
    const probed = { db, from: from.as(ROWS_ALIAS, null, unnoted(profile)), execution };
    const { withKnownCollations } = profile.values;
    if (rows.local === null || withKnownCollations === undefined) return new Map([...plans, ...ignored]);
    const known = withKnownCollations(plans, probed, rows.local);
    return new Map([...known, ...withCollationsIfThere(withKnownCollations, ignored, probed, rows.local)]);
  };
  const { key: keyProperties } = entityType;
  const proven = new ProvenColumns(db, profile, base.quoted);
  const { changes } = rows;
  const absent = new Set<string>();
  // A database may get further labels after its schema check.
  const isShared = profile.syntax.listLabels === undefined || !all.some(hasLabels);
  const named = namesOf(connected, given, { proven, absent, isShared });
  const found = { findPlans, placement, proven, comparisons, absent, changes, structures, named };
  const made = new StatementCache({ db, profile, from, key: keyProperties, ...found, local: rows.local });
  ofType.set(key, made);
  return made;
}

/** Returns the used columns that `*` does not contain. */
function hiddenColumns(plans: readonly ColumnPlan[], { syntax }: Database): readonly string[] {
  const names = plans.flatMap(everyColumn).filter((name) => syntax.hiddenColumns.includes(name.toLowerCase()));
  return [...new Set(names)];
}

function everyColumn(plan: ColumnPlan): readonly string[] {
  return plan.kind === "complex" ? [...everyMember(plan).values()].flatMap(everyColumn) : [plan.column];
}

/** A query has no hidden columns. */
function withHidden(base: From, hidden: readonly string[]): From {
  return base.table === undefined || hidden.length === 0 ? base : Object.freeze<From>({ ...base, hidden });
}

/** Plans the columns of the properties of a type and of its ignored properties, as declared. */
export function planAll(
  entityType: EntityType,
  columns: object,
  planned: PlannedTable,
  report: ReportFault,
): { readonly plans: PlansByField; readonly ignored: PlansByField } {
  const { visible, hidden } = splitColumns(entityType, columns);
  const ignoredType = { ...entityType, properties: entityType.ignoredProperties };
  return {
    plans: planColumns(entityType, visible, planned, report),
    ignored: planColumns(ignoredType, hidden, { ...planned, areIgnored: true }, report),
  };
}

/** Ignored properties may lack columns as long as no statement uses them. */
function withCollationsIfThere(
  withKnownCollations: NonNullable<DialectValues["withKnownCollations"]>,
  ...probed: Parameters<typeof withKnownCollations>
): PlansByField {
  try {
    return withKnownCollations(...probed);
  } catch {
    return probed[0];
  }
}

/** Splits the column options into those of properties and those of ignored properties. */
function splitColumns(
  { ignoredProperties }: EntityType,
  columns: object,
): Readonly<Record<"visible" | "hidden", Readonly<Record<string, unknown>>>> {
  const ignored = new Set(ignoredProperties.map(({ field }) => field));
  const entries: ReadonlyArray<readonly [string, unknown]> = Object.entries(columns);
  return {
    visible: Object.fromEntries(entries.filter(([field]) => !ignored.has(field))),
    hidden: Object.fromEntries(entries.filter(([field]) => ignored.has(field))),
  };
}
