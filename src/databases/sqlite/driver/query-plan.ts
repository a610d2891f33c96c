/** Returns the rows of a query with these values. */
type ReadRows = (sql: string, values: readonly null[]) => readonly (readonly unknown[])[];

/** One line of a query plan. @see https://sqlite.org/eqp.html */
export interface PlanLine {
  readonly id: number;
  readonly parent: number;
  readonly detail: string;
}

/** Explains a `select` with so many values, which do not matter. @throws the error of the statement */
export function explain(sql: string, parameters: number, readRows: ReadRows): readonly PlanLine[] {
  const values = Array.from({ length: parameters }, () => null);
  return readRows(`explain query plan ${sql}`, values).map(([id, parent, , detail]) => ({
    id: Number(id),
    parent: Number(parent),
    detail: String(detail),
  }));
}

/** Returns the lines of a plan as people read them: each deeper than its parent. */
export function planTree(rows: readonly (readonly unknown[])[]): readonly string[] {
  const depths = new Map<unknown, number>();
  return rows.map(([id, parent, , detail]) => {
    const depth = (depths.get(Number(parent)) ?? -1) + 1;
    depths.set(Number(id), depth);
    return "  ".repeat(depth) + String(detail);
  });
}

/** The rows of the tables of a statement. */
interface PlannedSizes {
  /** The aliases and names of the tables, which may contain spaces and words of plans. */
  readonly names: readonly string[];
  /** Returns a bound for the rows of an alias; undefined if it is unknown, or no table. */
  readonly rowsOf: (alias: string) => number | undefined;
  /** Whether values for the first columns of an index, or of the primary key of an alias (null), identify a row. */
  readonly isUnique: (alias: string, index: string | null, columns: number) => boolean;
}

const LOOP = /^(?:SCAN|SEARCH) (?<name>\S+)(?<rest>.*)$/;
const BY_INDEX = /USING (?:COVERING )?INDEX (?<index>.+?)(?: \((?<terms>.*)\))?(?: LEFT-JOIN)?$/;
const BY_ROWID = / USING INTEGER PRIMARY KEY(?: \((?<terms>.*)\))?/;
const BY_PRIMARY_KEY = / USING PRIMARY KEY \((?<terms>.*)\)/;
/** A term of a range, or of a search for each value of the first columns. */
const NO_VALUE = /[<>]|^ANY\(/;
const SORTS = /^USE TEMP B-TREE /;
const LIST = /^(?:CORRELATED |REUSE )?LIST SUBQUERY/;
const DERIVED = /^(?:CO-ROUTINE|MATERIALIZE) (?<name>.+)$/;
const VERB = /^(?:SCAN|SEARCH) /;

/** The rows of a list, such as the keys of the parents of a page. */
const LISTED = 1000;

/**
 * The rows that a search by values of an index is taken to find, such as those of one foreign key. A statement that finds many
 * more ends at its deadline, and begins again in a thread.
 */
const SOUGHT = 100;

/** Bounds the rows that a statement visits. */
export class QueryPlan {
  readonly #lines: readonly PlanLine[];
  readonly #sizes: PlannedSizes;
  readonly #limit: number;
  /** The rows of derived tables that were already visited, by their names. */
  readonly #derived = new Map<string, number>();
  /** The names of tables, the longest first: one may begin with another one. */
  readonly #names: readonly string[];

  /** @param limit the most rows of a table that the page of the statement visits in the order of an index */
  constructor(lines: readonly PlanLine[], sizes: PlannedSizes, limit: number) {
    this.#lines = lines;
    this.#sizes = sizes;
    this.#limit = limit;
    const derived = lines.flatMap(({ detail }) => DERIVED.exec(detail)?.groups?.["name"] ?? []);
    this.#names = [...sizes.names, ...derived].toSorted((one, other) => other.length - one.length);
  }

  /** Returns the most visits of rows: nested loops multiply, and correlated subqueries run once per row. */
  get visits(): number {
    return this.#visit(0, true);
  }

  /** @param isPage whether the query is that of the page, or selects from its rows */
  #visit(parent: number, isPage: boolean): number {
    const lines = this.#below(parent);
    const isRead = isPage && !lines.some(({ detail }) => SORTS.test(detail));
    let limit = isRead ? this.#limit : Infinity;
    // A search by the values of a subquery finds a row for each of them.
    const hasList = lines.some(({ detail }) => LIST.test(detail));
    let rows = 1;
    let visits = 0;
    for (const line of lines) {
      const found = this.#loopOf(line, hasList);
      if (found !== null) {
        rows *= found.isTable ? Math.min(found.rows, limit) : found.rows;
        visits += rows;
        limit = Infinity;
        continue;
      }
      const { name } = DERIVED.exec(line.detail)?.groups ?? {};
      // A materialized table is computed as a whole.
      const below = this.#visit(line.id, isRead && line.detail.startsWith("CO-ROUTINE "));
      visits += isCorrelated(line) ? rows * below : below;
      if (line.detail.startsWith("RECURSIVE STEP")) visits = Infinity;
      if (name !== undefined) this.#derived.set(name, below);
    }
    return visits;
  }

  /** Returns the rows that a loop finds at once; null if the line is not a loop. */
  #loopOf({ id, detail }: PlanLine, hasList: boolean): { readonly rows: number; readonly isTable: boolean } | null {
    const known = (rows: number): { readonly rows: number; readonly isTable: boolean } => ({ rows, isTable: false });
    if (detail === "MULTI-INDEX OR") {
      return known(this.#below(id).reduce((sum, line) => sum + this.#visit(line.id, false), 0));
    }
    const { name = "", rest = "" } = this.#tableOf(detail);
    if (name === "") return null;
    const isRow = name === "CONSTANT" && rest === " ROW";
    const sought = isRow ? 1 : this.#soughtBy(name, detail, rest);
    if (sought === 1 && !hasList) return known(1);
    const rows = this.#sizes.rowsOf(name);
    if (rows !== undefined) return { rows: Math.min(rows, hasList ? Infinity : sought), isTable: true };
    return known(this.#derived.get(name) ?? (rest.startsWith(" VIRTUAL TABLE") ? LISTED : Infinity));
  }

  /** Returns the table or alias of a loop, which a plan does not quote, and the text after it. */
  #tableOf(detail: string): { readonly name?: string; readonly rest?: string } {
    const [verb = ""] = VERB.exec(detail) ?? [];
    const text = detail.slice(verb.length);
    const known = verb === "" ? undefined : this.#names.find((each) => text === each || text.startsWith(`${each} `));
    if (known === undefined) return LOOP.exec(detail)?.groups ?? {};
    return { name: known, rest: text.slice(known.length) };
  }

  /** Returns how many rows a loop finds by values of a key or index: one by a whole key; infinite without such values. */
  #soughtBy(name: string, detail: string, rest: string): number {
    if (!detail.startsWith("SEARCH ") || rest.includes(" AUTOMATIC ")) return Infinity;
    const byRowid = BY_ROWID.exec(rest);
    if (byRowid !== null) return /[<>]/.test(byRowid.groups?.["terms"] ?? "") ? Infinity : 1;
    const { index = null, terms } = { ...(BY_PRIMARY_KEY.exec(rest) ?? BY_INDEX.exec(rest))?.groups };
    // Without terms it is the first or last entry: `min` or `max`.
    if (terms === undefined) return index === null ? Infinity : 1;
    const equal = terms.split(" AND ").filter((term) => !NO_VALUE.test(term)).length;
    if (this.#sizes.isUnique(name, index, equal)) return 1;
    return equal > 0 ? SOUGHT : Infinity;
  }

  #below(parent: number): readonly PlanLine[] {
    return this.#lines.filter((line) => line.parent === parent);
  }
}

/**
 * Returns whether a statement scans all rows of a table once per row of another: in a correlated subquery, or as the inner loop
 * of a join.
 * @param isMeant says whether the table with an alias is of interest
 */
export function scansWithin(lines: readonly PlanLine[], isMeant: (alias: string) => boolean): boolean {
  const byId = new Map(lines.map((line) => [line.id, line]));
  const isWithinCorrelated = ({ parent }: PlanLine): boolean => {
    const around = byId.get(parent);
    return around !== undefined && (isCorrelated(around) || isWithinCorrelated(around));
  };
  // SQLite lists nested loops side by side, the outer loop first.
  const isInner = (line: PlanLine): boolean =>
    lines.find(({ parent, detail }) => parent === line.parent && LOOP.test(detail)) !== line;
  return lines.some((line) => {
    const { name = "" } = LOOP.exec(line.detail)?.groups ?? {};
    return line.detail.startsWith("SCAN ") && isMeant(name) && (isInner(line) || isWithinCorrelated(line));
  });
}

function isCorrelated({ detail }: PlanLine): boolean {
  return detail.startsWith("CORRELATED ");
}

/** Returns the names of the indexes that a statement uses. */
export function usedIndexes(lines: readonly PlanLine[]): readonly string[] {
  return lines.flatMap(({ detail }) => BY_INDEX.exec(detail)?.groups?.["index"] ?? []);
}
