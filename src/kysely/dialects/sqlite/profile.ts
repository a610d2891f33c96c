import { SqliteAdapter } from "kysely";
import type { SynchronousReader } from "../../../connection/synchronous-reader.ts";
import { explain, type PlanLine, scansWithin, usedIndexes } from "../../../engines/sqlite/query-plan.ts";
import { SynchronousSqliteAdapter } from "../../../engines/sqlite/sqlite-driver.ts";
import { protocolError } from "../../../errors/odata-error.ts";
import type { DialectCapabilities } from "../../forms/dialect-capabilities.ts";
import type { DialectProfile, DialectValues, PlannedStatement } from "../../forms/dialect-profile.ts";
import { SQLITE_ALIVE } from "./alive.ts";
import { SQLITE_CATALOGUE } from "./catalogue.ts";
import { bareSqliteColumnFormat } from "./column-format.ts";
import { SQLITE_DOCUMENTS } from "./documents.ts";
import { SQLITE_FAULTS } from "./faults.ts";
import { SQLITE_FUNCTIONS, SQLITE_UNINDEXED_FUNCTIONS, SQLITE_TEXT_MEMORY } from "./functions.ts";
import { SQLITE_JSON_SYNTAX } from "./json.ts";
import { BARE_SQLITE_MARK, CUT_SQLITE_MARK } from "./marks.ts";
import { SQLITE_SCANNING_SYNTAX, SQLITE_SYNTAX, SQLITE_WRITES } from "./syntax.ts";
import { SQLITE_VALUES } from "./values.ts";

/**
 * Returns whether SQLite would read all rows of a set once per row of another: in a correlated subquery, or as the inner loop
 * of a join. The time for the statement would grow with the product of both.
 * @see https://sqlite.org/eqp.html
 */
function scansRepeatedly(statement: PlannedStatement, reader: SynchronousReader): boolean {
  // Related rows have other aliases than the rows themselves.
  if (!statement.facts.isRelational) return false;
  return scansWithin(planOf(statement, reader), (alias) => RELATED.test(alias));
}

/** The aliases that `aliases` of `translate/relation` makes. */
const RELATED = /^r\d+$/;

/**
 * Returns whether a statement calls functions for indexes, which take more memory than those for other expressions, although
 * no index on an expression serves it.
 * @see https://sqlite.org/pragma.html#pragma_index_xinfo
 */
function lacksExpressionIndex(statement: PlannedStatement, reader: SynchronousReader): boolean {
  const { functions } = statement.facts;
  if (!functions.has("tolower") && !functions.has("toupper")) return false;
  const ofExpressions = "select 1 from pragma_index_xinfo(?) where cid = -2";
  return !usedIndexes(planOf(statement, reader)).some((name) => reader.readRows(ofExpressions, [name]).length > 0);
}

/** Returns no lines if this fails. The statement itself then reports, for example, a missing table. */
function planOf({ sql, slots }: PlannedStatement, reader: SynchronousReader): readonly PlanLine[] {
  try {
    return explain(sql, slots.length, (text, values) => reader.readRows(text, values));
  } catch {
    return [];
  }
}

function withUnindexedForm(profile: DialectProfile): DialectProfile {
  const unindexed = Object.freeze<DialectProfile>({
    ...profile,
    functions: SQLITE_UNINDEXED_FUNCTIONS,
    whenUnindexed: undefined,
  });
  return Object.freeze({ ...profile, whenUnindexed: { profile: unindexed, isNeeded: lacksExpressionIndex } });
}

/** Uses joins, for which SQLite creates an index per statement, and lists that are read once. */
const SCANNING_PROFILE: DialectProfile = withUnindexedForm({
  name: "SQLite",
  isSpokenBy: (adapter) => adapter instanceof SynchronousSqliteAdapter,
  functions: SQLITE_FUNCTIONS,
  values: SQLITE_VALUES,
  syntax: SQLITE_SCANNING_SYNTAX,
  documents: SQLITE_DOCUMENTS,
  json: SQLITE_JSON_SYNTAX,
  writes: SQLITE_WRITES,
  catalogue: SQLITE_CATALOGUE,
  faults: SQLITE_FAULTS,
  capabilities: Object.freeze<DialectCapabilities>({
    topPerParent: "window",
    correlatedSubqueries: false,
    listsWhole: true,
    searchesLists: false,
    excludedRows: "skipped",
    countsWithPage: true,
    joins: true,
    bindsKeys: false,
    returnsAnything: true,
    readsInWrites: true,
    locksByCondition: true,
  }),
  maxParameters: 32_766,
  textMemory: SQLITE_TEXT_MEMORY,
  alive: SQLITE_ALIVE,
});

/** SQLite with the functions of `sqliteDialect`. */
export const SQLITE_PROFILE: DialectProfile = withUnindexedForm({
  ...SCANNING_PROFILE,
  syntax: SQLITE_SYNTAX,
  capabilities: Object.freeze<DialectCapabilities>({
    topPerParent: "correlated",
    correlatedSubqueries: true,
    listsWhole: true,
    searchesLists: false,
    excludedRows: "skipped",
    countsWithPage: true,
    joins: true,
    bindsKeys: false,
    returnsAnything: true,
    readsInWrites: true,
    locksByCondition: true,
  }),
  whenScanning: Object.freeze({ profile: SCANNING_PROFILE, isNeeded: scansRepeatedly }),
});

const CUT_VALUES: DialectValues = Object.freeze<DialectValues>({ ...SQLITE_VALUES, mark: CUT_SQLITE_MARK });

/** SQLite with the functions of `sqliteDialect`, where `node:sqlite` ends a text at U+0000. */
export const CUT_SQLITE_PROFILE: DialectProfile = withUnindexedForm({
  ...SQLITE_PROFILE,
  values: CUT_VALUES,
  isSpokenBy: (adapter) => adapter instanceof SynchronousSqliteAdapter && adapter.cutsTexts,
  whenScanning: Object.freeze({
    profile: withUnindexedForm({ ...SCANNING_PROFILE, values: CUT_VALUES }),
    isNeeded: scansRepeatedly,
  }),
});

const BARE_VALUES: DialectValues = Object.freeze<DialectValues>({
  ...SQLITE_VALUES,
  columnFormat: bareSqliteColumnFormat,
  mark: BARE_SQLITE_MARK,
});

/** SQLite over another dialect. */
export const BARE_SQLITE_PROFILE: DialectProfile = Object.freeze<DialectProfile>({
  ...SQLITE_PROFILE,
  values: BARE_VALUES,
  // Also by name, because the application may use another copy of Kysely.
  isSpokenBy: (adapter) => adapter instanceof SqliteAdapter || /sqlite/i.test(adapter.constructor.name),
  checkStatement: refuseOwnFunctions,
  json: undefined,
  textMemory: undefined,
  alive: undefined,
  whenUnindexed: undefined,
  whenScanning: Object.freeze({
    profile: Object.freeze<DialectProfile>({
      ...SCANNING_PROFILE,
      values: BARE_VALUES,
      checkStatement: refuseOwnFunctions,
      textMemory: undefined,
      alive: undefined,
      whenUnindexed: undefined,
    }),
    isNeeded: scansRepeatedly,
  }),
});

/** The purposes of the functions of `sqliteDialect`, by the beginnings of their names. */
const PURPOSES: ReadonlyArray<readonly [prefix: string, purpose: string]> = [
  ["odata_lower", "'tolower'"],
  ["odata_upper", "'toupper'"],
  ["odata_decimal", "a Decimal that is stored as text, or computed"],
  ["odata_double", "rounding or dividing a Double"],
  ["odata_duration", "a Duration"],
  ["odata_spend", "'any' and 'all' within one another"],
  ["odata_", "a date or time that is computed, or stored in a special form"],
];

/**
 * Rejects a statement that needs functions of `sqliteDialect`, for a database that another dialect has opened.
 * @throws ODataError `UnsupportedQueryOption`
 * @see docs/reference/tables.md
 */
function refuseOwnFunctions(text: string): void {
  const name = /\bodata_\w+(?=\()/.exec(text)?.[0];
  const purpose = PURPOSES.find(([prefix]) => name?.startsWith(prefix) === true)?.[1];
  if (purpose === undefined) return;
  throw protocolError("UnsupportedQueryOption", `The database behind this set cannot evaluate ${purpose}.`);
}
