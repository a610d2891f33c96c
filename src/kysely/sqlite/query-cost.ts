import type { TableSizes } from "./table-sizes.ts";

/** One line of a query plan. @see https://sqlite.org/eqp.html */
export interface PlanLine {
  readonly id: number;
  readonly parent: number;
  readonly detail: string;
}

/**
 * The estimated work of a statement, in visits of rows. The number of times that the outermost loop runs may depend on the
 * values of an execution.
 */
export interface QueryCost {
  readonly fixed: number;
  /** Per row of the outermost loop. */
  readonly perRow: number;
  /** The most rows of the outermost loop. */
  readonly most: number;
  /** What ends that loop early: a list of keys, or the sum of the last values, which are `limit` and `offset`. */
  readonly bound: "none" | "keys" | { readonly lastValues: number };
  /** For a page as JSON with expansions: the work per row of the page, without skipped rows. */
  readonly perResult?: { readonly visits: number; readonly bound: QueryCost["bound"] } | undefined;
}

/** The rows of a list or of a subquery whose length is unknown. */
const LISTED = 1000;

/** The work per row of a function in JavaScript, and of a function in SQLite, in visits. */
const JAVASCRIPT_CALL = 3;
const SQLITE_CALL = 0.5;

const LOOP = /^(?:SCAN|SEARCH) (?<name>\S+)(?<rest>.*)$/;
const INDEX = /USING (?:COVERING )?INDEX (?<index>.+?)(?: \((?<terms>.*)\))?(?: LEFT-JOIN)?$/;
const BY_ROWID = /USING INTEGER PRIMARY KEY(?: \((?<terms>.*)\))?/;
const BY_PRIMARY_KEY = /USING PRIMARY KEY(?: \((?<terms>.*)\))?/;
const AUTOMATIC = "USING AUTOMATIC ";
const CORRELATED = /^CORRELATED /;
const SINGLE = /^SCALAR SUBQUERY /;
const RECURSIVE = /^RECURSIVE STEP/;
const KEY_LIST = /^SCAN (?:json_each|keys) VIRTUAL /;
const TEMPORARY = /^USE TEMP B-TREE /;
const ALIASED = /("(?:[^"]|"")+") as ("(?:[^"]|"")+")/g;
const JAVASCRIPT_CALLS = /\bodata_\w+\(/g;
const SQLITE_CALLS =
  /\b(?:instr|like|glob|replace|substr|length|trim|lower|upper|json_extract|strftime|julianday|unicode|hex|printf|cast|round)\(|\blike\b/g;

/** A limit without conditions, or with one comparison that the search has used: each row of the loop is a row of the result. */
const LIMITED = /\blimit \?(?: \+ 0)?( offset \?)?$/;
const SEEK = /^"[^"]+"(?:\."[^"]+")? [<>]=? \?$/;

/**
 * Estimates the work of a `select` from its query plan: nested loops multiply, correlated subqueries run once per row.
 * @param sql its text, from which the tables of the aliases are read
 */
export function estimateCost(sql: string, lines: readonly PlanLine[], sizes: TableSizes): QueryCost {
  const plan = new Plan(sql, lines, sizes);
  const weight = weightOf(sql);
  const { outer, inner, once } = plan.cost(0);
  const top = lines.filter(({ parent }) => parent === 0);
  const keys = KEY_LIST.test(top[0]?.detail ?? "") && sql.includes(' as "keys"');
  const limit = top.some(({ detail }) => TEMPORARY.test(detail)) ? null : LIMITED.exec(sql);
  const isLimited = limit !== null && isUnfiltered(outermost(sql), top[0]?.detail ?? "");
  const cost = { fixed: once * weight, perRow: (1 + inner) * weight, most: outer };
  if (keys) return { ...cost, bound: "keys" };
  return { ...cost, bound: boundOf(isLimited ? limit : null) };
}

/** Returns the estimated visits of one execution. */
export function visitsOf({ fixed, perRow, most, bound, perResult }: QueryCost, values: readonly unknown[]): number {
  const own = fixed + perRow * Math.min(most, rowsOf(bound, values));
  if (perResult === undefined) return own;
  const results = typeof perResult.bound === "string" ? Infinity : Number(values.at(-perResult.bound.lastValues));
  return own + perResult.visits * Math.min(most, results);
}

function rowsOf(bound: QueryCost["bound"], values: readonly unknown[]): number {
  if (bound === "none") return Infinity;
  if (bound === "keys") return values.reduce((most: number, value) => Math.max(most, keysIn(value)), 0);
  return values
    .slice(-bound.lastValues)
    .reduce((sum: number, value) => sum + (typeof value === "bigint" ? Number(value) : 0), 0);
}

/** Returns the most keys that the text of a list can contain. */
function keysIn(value: unknown): number {
  return typeof value === "string" && value.startsWith("[") ? value.split(",").length : 0;
}

/**
 * Whether the outermost query reads one row for each row of its result.
 * @param text the query without everything within parentheses
 * @param loop the outermost loop of its plan
 */
function isUnfiltered(text: string, loop: string): boolean {
  if (/\b(?:from \(|group by\b|distinct\b|union\b)|count\(/.test(text)) return false;
  const where = /\bwhere (.*?)(?: order by .*)? limit /.exec(text)?.[1];
  return where === undefined ? !/\bwhere\b/.test(text) : SEEK.test(where) && /\([^ ]+[<>]\?\)/.test(loop);
}

/** A page as JSON, as `dialects/sqlite/json` writes it. Its rows are those of a derived table. */
const JSON_PAGE = "select cast(group_concat(json_object(";
const JSON_ROWS = [' count(*) as "c2" from (', ' as "c3" from (select '] as const;
const JSON_END = ') as "page"';

/** A statement that reads the catalogue, or asks whether tables have more than 10,000 rows. */
const SCHEMA_CHECK = / from pragma_\w|^select \d+ as c0 from \(select 1 as x from /;

/** Whether a statement is one of the schema check, whose work hardly depends on the rows of the tables. */
export function isOfSchemaCheck(sql: string): boolean {
  return SCHEMA_CHECK.test(sql);
}

/** Returns the query of the rows in the statement of a page that SQLite writes as JSON; null for other statements. */
export function jsonRows(sql: string): string | null {
  if (!sql.startsWith(JSON_PAGE)) return null;
  const places = JSON_ROWS.map((text) => ({ start: sql.indexOf(text), text })).filter(({ start }) => start >= 0);
  const [first] = places.toSorted((left, right) => left.start - right.start);
  return first === undefined ? null : sql.slice(first.start + first.text.lastIndexOf("(") + 1, -JSON_END.length);
}

/**
 * Adds the work of the subqueries for the expansions of each row, and for the total, to the estimate of the rows of a page.
 * @param cost the estimate of the query of the rows
 * @param rows the text of that query
 * @param lines the query plan of the whole statement
 */
export function withExpansions(
  cost: QueryCost,
  rows: string,
  { sql, lines }: { readonly sql: string; readonly lines: readonly PlanLine[] },
  sizes: TableSizes,
): QueryCost {
  const plan = new Plan(sql, lines, sizes);
  const visits = plan.correlated(0);
  // The total has the filter of the rows.
  const counted = { ...cost, fixed: cost.fixed + plan.single(0) * weightOf(rows) };
  return visits === 0 ? counted : { ...counted, perResult: { visits, bound: boundOf(LIMITED.exec(rows)) } };
}

function boundOf(limit: RegExpExecArray | null): QueryCost["bound"] {
  return limit === null ? "none" : { lastValues: limit[1] === undefined ? 1 : 2 };
}

/** Removes everything within parentheses. */
function outermost(sql: string): string {
  let text = "";
  let depth = 0;
  for (const part of sql.split(/("(?:[^"]|"")*"|'(?:[^']|'')*'|[()])/)) {
    if (part === ")") depth -= 1;
    if (depth === 0) text += part;
    if (part === "(") depth += 1;
  }
  return text;
}

function weightOf(sql: string): number {
  const javascript = sql.match(JAVASCRIPT_CALLS)?.length ?? 0;
  const sqlite = sql.match(SQLITE_CALLS)?.length ?? 0;
  return 1 + JAVASCRIPT_CALL * javascript + SQLITE_CALL * sqlite;
}

/** The visits of the loops and subqueries below a line. */
interface Visits {
  /** The rows of the outermost loop. */
  readonly outer: number;
  /** The visits of inner loops and correlated subqueries per row of the outermost loop. */
  readonly inner: number;
  /** The visits of subqueries that run once. */
  readonly once: number;
}

class Plan {
  readonly #children = new Map<number, PlanLine[]>();
  readonly #tables: ReadonlyMap<string, string>;
  readonly #sizes: TableSizes;
  /** The rows of derived tables that were already visited, by their names. */
  readonly #derived = new Map<string, number>();

  constructor(sql: string, lines: readonly PlanLine[], sizes: TableSizes) {
    for (const line of lines) {
      const siblings = this.#children.get(line.parent) ?? [];
      siblings.push(line);
      this.#children.set(line.parent, siblings);
    }
    const named = [...sql.matchAll(ALIASED)].map(
      ([, table = "", alias = ""]) => [unquoted(alias), unquoted(table)] as const,
    );
    this.#tables = new Map(named);
    this.#sizes = sizes;
  }

  cost(parent: number): Visits {
    let outer: number | undefined;
    let loops = 1;
    let inner = 0;
    let once = 0;
    for (const line of this.#children.get(parent) ?? []) {
      const rows = this.#rowsOf(line);
      if (rows !== null) {
        once += rows.once;
        if (outer === undefined) {
          outer = rows.found;
        } else {
          loops *= rows.found;
          inner += loops;
        }
        continue;
      }
      const below = this.#total(line.id);
      if (CORRELATED.test(line.detail)) inner += loops * below;
      else once += RECURSIVE.test(line.detail) ? Infinity : below;
      const name = /^(?:CO-ROUTINE|MATERIALIZE) (\S+)/.exec(line.detail)?.[1];
      if (name !== undefined) this.#derived.set(name, below);
    }
    return { outer: outer ?? (inner > 0 ? 1 : 0), inner, once };
  }

  /** Returns the visits of the correlated subqueries of a query, per row. */
  correlated(parent: number): number {
    const lines = (this.#children.get(parent) ?? []).filter(({ detail }) => CORRELATED.test(detail));
    return lines.reduce((sum, { id }) => sum + this.#total(id), 0);
  }

  /** Returns the visits of the subqueries that a query runs once. */
  single(parent: number): number {
    const lines = (this.#children.get(parent) ?? []).filter(({ detail }) => SINGLE.test(detail));
    return lines.reduce((sum, { id }) => sum + this.#total(id), 0);
  }

  #total(parent: number): number {
    const { outer, inner, once } = this.cost(parent);
    return once + outer * (1 + inner);
  }

  /** Returns the rows of a loop, and the visits that prepare it; null if the line is not a loop. */
  #rowsOf({ id, detail }: PlanLine): { readonly found: number; readonly once: number } | null {
    if (detail === "MULTI-INDEX OR") {
      const found = (this.#children.get(id) ?? []).reduce((sum, line) => sum + this.#total(line.id), 0);
      return { found, once: 0 };
    }
    const { name = "", rest = "" } = LOOP.exec(detail)?.groups ?? {};
    if (name === "") return null;
    if (name === "CONSTANT") return { found: 1, once: 0 };
    if (rest.includes(AUTOMATIC)) return { found: 10, once: this.#sizeOf(name, undefined) };
    const { index, terms } = INDEX.exec(rest)?.groups ?? {};
    const size = (): number => this.#sizeOf(name, index);
    if (detail.startsWith("SCAN")) return { found: size(), once: 0 };
    if (index !== undefined) {
      // Without terms it is the first or last entry: `min` or `max`.
      const found = terms === undefined ? 1 : this.#foundBy(index, terms, size);
      return { found, once: 0 };
    }
    const keyed = BY_ROWID.exec(rest) ?? BY_PRIMARY_KEY.exec(rest);
    const isSingle = keyed !== null && !/[<>]/.test(keyed.groups?.["terms"] ?? "");
    return { found: isSingle ? 1 : size(), once: 0 };
  }

  #foundBy(index: string, terms: string, size: () => number): number {
    const equal = terms.split(" AND ").filter((term) => !/[<>]/.test(term)).length;
    return equal === 0 ? size() : Math.min(this.#sizes.perKey(index, equal), size());
  }

  /** Returns the rows of a table, a derived table or a list by its name in the plan. */
  #sizeOf(name: string, index: string | undefined): number {
    const derived = this.#derived.get(name);
    if (derived !== undefined) return derived;
    const table = this.#tables.get(name) ?? (index === undefined ? undefined : this.#sizes.tableOf(index)) ?? name;
    const rows = this.#sizes.rows(table);
    if (rows !== undefined) return rows;
    return /^(?:keys|found|item\d+|json_each)$/.test(name) ? LISTED : this.#sizes.largest();
  }
}

function unquoted(name: string): string {
  return name.slice(1, -1).replaceAll('""', '"');
}
