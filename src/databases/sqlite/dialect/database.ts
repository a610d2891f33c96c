import {
  sql,
  AndNode,
  type KyselyPlugin,
  OperationNodeTransformer,
  ParensNode,
  type QueryId,
  RawNode,
  type SelectQueryNode,
  WhereNode,
} from "kysely";
import { protocolError } from "../../../base/errors/odata-error.ts";
import { once } from "../../../base/memo.ts";
import { writeFlatKeyList } from "../../cells/write-key-list.ts";
import type { SynchronousReader } from "../../connection/synchronous-reader.ts";
import type { Database, PlannedStatement } from "../../forms/database.ts";
import type { DialectCapabilities } from "../../forms/dialect-capabilities.ts";
import type { Alive, DialectSession } from "../../forms/dialect-session.ts";
import type { DialectSyntax, UnexpectedNulls } from "../../forms/dialect-syntax.ts";
import type { DialectValues } from "../../forms/dialect-values.ts";
import type { WriteSyntax } from "../../forms/write-syntax.ts";
import type { Sql } from "../../statement/sql-form.ts";
import { explain, type PlanLine, planTree, scansWithin, usedIndexes } from "../driver/query-plan.ts";
import { SQLITE_AGGREGATES } from "./aggregates.ts";
import { SQLITE_CATALOGUE } from "./catalogue.ts";
import { bareSqliteColumnFormat, SQLITE_JSON_SYNTAX } from "./column-format.ts";
import { SQLITE_DOCUMENTS } from "./documents.ts";
import { SQLITE_FAULTS, sqliteWithinText } from "./faults.ts";
import { SQLITE_FUNCTIONS, SQLITE_UNINDEXED_FUNCTIONS } from "./functions.ts";
import { SQLITE_LITERALS } from "./literals.ts";
import { BARE_SQLITE_MARK, CUT_SQLITE_MARK } from "./marks.ts";
import { findMissingReference, findUniqueIndexes, namesIn } from "./unnamed-constraints.ts";
import { SQLITE_VALUES } from "./values.ts";

/** The function that `sqliteDialect` registers. It returns 1, or ends the statement. */
const CALL = "odata_alive()";

/** Writes the function before the other conditions of each `select` of a query. */
class AliveSelects extends OperationNodeTransformer {
  protected override transformSelectQuery(node: SelectQueryNode, queryId?: QueryId): SelectQueryNode {
    const select = super.transformSelectQuery(node, queryId);
    if (select.from === undefined) return select;
    const call = RawNode.createWithSql(`likelihood(${CALL}, 1.0)`);
    const all = select.where === undefined ? call : AndNode.create(call, ParensNode.create(select.where.where));
    return { ...select, where: WhereNode.create(all) };
  }
}

const aliveSelects = once(() => new AliveSelects());

/**
 * The conditions that end a statement of `sqliteDialect`: they call its function `odata_alive()`. A call costs ten times as
 * much as the remainder of a row id, and keeps 16 bytes until the statement ends. 1021 is prime, so ids in steps meet it, too.
 * Without `likelihood`, SQLite would expect fewer rows of each condition, and scan some tables instead of making an index.
 * @see docs/decisions/0026-reader-threads.md
 */
const SQLITE_ALIVE: Alive = Object.freeze<Alive>({
  // A view, and a table that is `without rowid`, have none.
  hasRowIds: (table, reader) => {
    try {
      return reader.readRows(`select _rowid_ from ${table} limit 0`, []).length === 0;
    } catch {
      return false;
    }
  },
  ofRowIds: (alias) => sql`likelihood(iif(${sql.id(alias)}._rowid_ % 1021, 1, ${sql.raw(CALL)}), 1.0)`,
  // Most lists are short: their first items need no call.
  ofItems: (alias) => sql`likelihood(iif((${sql.id(alias, "key")} + 1) % 1021, 1, ${sql.raw(CALL)}), 1.0)`,
  // The function returns 1, so the column is never read. A plus keeps an index from serving it.
  ofRows: (column) => sql`likelihood(${sql.raw(CALL)} or +${column} = 0, 1.0)`,
  inSelects: Object.freeze<KyselyPlugin>({
    transformQuery: ({ node, queryId }) => aliveSelects().transformNode(node, queryId),
    transformResult: ({ result }) => Promise.resolve(result),
  }),
});

/**
 * Returns the query that lists the columns of a table that are `not null`: none for a view.
 * @see https://www.sqlite.org/pragma.html#pragma_table_xinfo
 */
const listNotNull: UnexpectedNulls["listNotNull"] = (table) => {
  const names = namesIn(table);
  const place = names.length === 1 ? "?" : "?, ?";
  const sql = `select lower(name) as c0 from pragma_table_xinfo(${place}) where "notnull" = 1`;
  return { sql, parameters: names.toReversed(), width: 1 };
};

/** The SQL of SQLite that all statements need. */
const SQLITE_SYNTAX: DialectSyntax = Object.freeze<DialectSyntax>({
  json: SQLITE_JSON_SYNTAX,
  // By default, null is first ascending and last descending.
  hiddenColumns: ["rowid", "oid", "_rowid_"],
  // SQLite ignores the case of ASCII letters only.
  columnKey: (name) => name.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase()),
  orderTerm: (term, descending) => (descending ? sql`${term} desc` : term),
  unexpectedNulls: { areLast: (descending) => descending, listNotNull },
  limit,
  // With a limit after the order, SQLite sorts in a B-tree, eight times as long as without one for a million rows.
  skipSorted: (sorted, skip) =>
    sql`with odata_sorted as materialized (${sorted}) select * from odata_sorted${limit(null, skip)}`,
  isSame: (left, right) => sql`${left} is ${right}`,
  isDifferent: (left, right) => sql`${left} is not ${right}`,
  ifNull: (value, fallback) => sql`ifnull(${value}, ${fallback})`,
  choose: (condition, whenTrue, otherwise) => sql`iif(${condition}, ${whenTrue}, ${otherwise})`,
  booleanValue: (value) => (value ? sql`1` : sql`0`),
  asCondition: (cell) => sql`${cell} = 1`,
  marksRows: false,
  once: (value, make) => sql`(select ${make(sql`odata_value`)} from (select ${value} as odata_value))`,
  // SQLite does not flatten a subquery without a table.
  computeOnce: (condition, values, alias) => sql`(select ${condition} from (select ${values}) as ${alias})`,
  keyTable: (list, forms) => {
    const cells = forms.map((form, index) => {
      // A list of single values contains no arrays: see `writeFlatKeyList`.
      const cell = forms.length === 1 ? sql`value` : sql`json_extract(value, ${sql.lit(`$[${index}]`)})`;
      return sql`${form.fromKey?.(cell) ?? cell} as ${sql.id(`k${index}`)}`;
    });
    return sql`(select ${sql.join([sql`key as ordinal`, ...cells])} from json_each(${list}))`;
  },
  valuePlaces: [/'[^']*'|"[^"]*"|`[^`]*`|\[[^\]]*\]|--[^\n]*|\/\*[\s\S]*?\*\/|\?(\d*)/g],
  writeKeys: writeFlatKeyList,
});

/** Materializes the list of keys. Otherwise SQLite creates no index for tables that join it. */
const SQLITE_SCANNING_SYNTAX: DialectSyntax = Object.freeze<DialectSyntax>({
  ...SQLITE_SYNTAX,
  keyTable: (list, forms) => {
    const keys = SQLITE_SYNTAX.keyTable(list, forms);
    return sql`(with listed as materialized (select * from ${keys}) select * from listed)`;
  },
});

function limit(top: Sql | null, skip: Sql | null): Sql {
  // For a bare placeholder SQLite prepares the statement again in each execution, to plan for its value.
  if (top !== null) return skip === null ? sql` limit ${top} + 0` : sql` limit ${top} + 0 offset ${skip}`;
  // SQLite requires a limit before an offset. A negative limit means none.
  return skip === null ? sql`` : sql` limit -1 offset ${skip}`;
}

/** The SQL of SQLite that only writes need. */
const SQLITE_WRITES: WriteSyntax = Object.freeze<WriteSyntax>({
  returnsRows: true,
  findMissingReference,
  findUniqueIndexes,
  defaultRow: sql`default values`,
  rowLock: null,
  deletionLock: null,
  currentRow: sql``,
  unlessThere: () => sql` on conflict do nothing`,
});

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

function withUnindexedForm(database: Database): Database {
  const unindexed = Object.freeze<Database>({
    ...database,
    values: Object.freeze({ ...database.values, functions: SQLITE_UNINDEXED_FUNCTIONS }),
    whenUnindexed: undefined,
  });
  return Object.freeze({ ...database, whenUnindexed: { profile: unindexed, isNeeded: lacksExpressionIndex } });
}

/** How values of SQLite are stored, and computed with. */
const USUAL_VALUES: DialectValues = Object.freeze<DialectValues>({
  ...SQLITE_VALUES,
  // A text of one row may take as long as a thousand rows: each is a chance to end the statement.
  withinText: (bytes, most, text) => sqliteWithinText(bytes, sql`iif(${sql.raw(CALL)}, ${most}, 0)`, text),
  functions: SQLITE_FUNCTIONS,
  documents: SQLITE_DOCUMENTS,
  aggregates: SQLITE_AGGREGATES,
});

/** How statements of SQLite run. */
const SQLITE_SESSION: DialectSession = Object.freeze<DialectSession>({
  plan: { statement: (statement) => `explain query plan ${statement}`, lines: planTree },
  maxParameters: 32_766,
  literals: SQLITE_LITERALS,
  alive: SQLITE_ALIVE,
  catalogue: SQLITE_CATALOGUE,
  faults: SQLITE_FAULTS,
});

/** Uses joins, for which SQLite creates an index per statement, and lists that are read once. */
const SCANNING: Database = withUnindexedForm({
  name: "SQLite",
  values: USUAL_VALUES,
  syntax: SQLITE_SCANNING_SYNTAX,
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
  writes: SQLITE_WRITES,
  session: SQLITE_SESSION,
});

/** SQLite with the functions of `sqliteDialect`. */
export const SQLITE: Database = withUnindexedForm({
  ...SCANNING,
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
  whenScanning: Object.freeze({ profile: SCANNING, isNeeded: scansRepeatedly }),
});

const CUT_VALUES: DialectValues = Object.freeze<DialectValues>({ ...USUAL_VALUES, mark: CUT_SQLITE_MARK });

/** SQLite with the functions of `sqliteDialect`, where `node:sqlite` ends a text at U+0000. */
export const CUT_SQLITE: Database = withUnindexedForm({
  ...SQLITE,
  values: CUT_VALUES,
  whenScanning: Object.freeze({
    profile: withUnindexedForm({ ...SCANNING, values: CUT_VALUES }),
    isNeeded: scansRepeatedly,
  }),
});

const BARE_VALUES: DialectValues = Object.freeze<DialectValues>({
  ...USUAL_VALUES,
  columnFormat: bareSqliteColumnFormat,
  withinText: SQLITE_VALUES.withinText,
  mark: BARE_SQLITE_MARK,
});

const BARE_SESSION: DialectSession = Object.freeze<DialectSession>({
  ...SQLITE_SESSION,
  checkStatement: refuseOwnFunctions,
  alive: undefined,
});

/** SQLite over another dialect. */
export const BARE_SQLITE: Database = Object.freeze<Database>({
  ...SQLITE,
  values: BARE_VALUES,
  syntax: Object.freeze({ ...SQLITE_SYNTAX, json: undefined }),
  session: BARE_SESSION,
  whenUnindexed: undefined,
  whenScanning: Object.freeze({
    profile: Object.freeze<Database>({
      ...SCANNING,
      values: BARE_VALUES,
      session: BARE_SESSION,
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
  ["odata_units", "the exact sum of integers"],
  ["odata_least", "'min' of values that are texts in another order"],
  ["odata_greatest", "'max' of values that are texts in another order"],
  ["odata_double", "rounding or dividing a Double"],
  ["odata_duration", "a Duration"],
  ["odata_cast", "'cast' of these types"],
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
