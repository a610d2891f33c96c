/**
 * The condition that every loop of a guarded statement evaluates: always true. It calls the function for one row of 64, at
 * random. `node:sqlite` frees the arguments and results of functions at the end of a statement only: 16 bytes per call.
 */
const ALIVE = "(random() & 63 or odata_alive())";

/** A quoted string or name, a comment, a parenthesis, a word, white space, or another character. */
const TOKENS = /'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|\[[^\]]*\]|--[^\n]*|\/\*[\s\S]*?\*\/|[()]|\w+|\s+|[^\s\w]/g;
const BLANK = /^(?:\s|--|\/\*)/;

/** The clauses that may follow the condition of a query. */
const AFTER_WHERE: ReadonlySet<string> = new Set("group having window order limit union except intersect".split(" "));

/** The words that begin the next join. */
const JOINS: ReadonlySet<string> = new Set("left inner cross full right outer join natural".split(" "));

/** A count of a whole table, which SQLite takes from the pages of an index. */
const COUNT_ALL = /^select count\(\*\) from "(?:[^"]|"")+" as "\w+"$/;

/** The text between two parentheses, as far as it is written. */
interface Open {
  isQuery: boolean;
  /** `from`: within the tables; `where`: within the condition. */
  part: "before" | "from" | "where" | "after";
  /** Whether the condition of a join must be closed by a parenthesis. */
  isJoined: boolean;
  /** Whether the last join is an inner one. */
  isInner: boolean;
  /** The alias of the last table. */
  alias: string | null;
  /** A column of the last table, and one of an earlier table, that the condition of its join names. */
  own: string | null;
  other: string | null;
  /** The aliases of the earlier tables. */
  readonly earlier: Set<string>;
  /** The conditions of inner joins. */
  readonly inner: string[];
}

/**
 * Adds a condition that is always true to each loop of a `select`, subqueries included, so that the statement can be stopped:
 * to `where`, and to the conditions of joins. For inner joins it names columns of the joined table and of an earlier one:
 * without the first SQLite would evaluate it in the outermost loop only, and without the second it would make no automatic
 * index of the joined table.
 */
export function guardText(sql: string): string {
  return COUNT_ALL.test(sql) ? sql : new Guard().write(sql);
}

class Guard {
  readonly #output: string[] = [];
  readonly #stack: Open[] = [];
  #open: Open = opened(false);
  /** The last tokens without blanks, in lower case: the latest first. */
  #last: readonly [string, string] = ["", ""];

  write(sql: string): string {
    for (const [token] of sql.matchAll(TOKENS)) {
      if (BLANK.test(token)) {
        this.#output.push(token);
        continue;
      }
      const word = token.toLowerCase();
      this.#add(token, word);
      this.#last = [word, this.#last[0]];
    }
    this.#endQuery();
    return this.#output.join("");
  }

  #add(token: string, word: string): void {
    if (token === "(") {
      this.#stack.push(this.#open);
      this.#open = opened(false);
    } else if (token === ")") {
      this.#endQuery();
      this.#open = this.#stack.pop() ?? opened(false);
    } else if (word === "select") {
      this.#open = opened(true);
    } else if (this.#last[0] === "." && token.startsWith('"')) {
      this.#noteColumn(token, word);
    } else if (this.#open.isQuery) {
      this.#addClause(this.#open, token, word);
      return;
    }
    this.#output.push(token);
  }

  #addClause(open: Open, token: string, word: string): void {
    if (AFTER_WHERE.has(word)) this.#endCondition(" ");
    if (open.part === "from" && JOINS.has(word)) this.#beginJoin(word);
    const isWhere = word === "where" && open.part === "from";
    if (isWhere) this.#closeJoin();
    this.#output.push(token);
    if (word === "from" && open.part === "before" && this.#last[0] !== "distinct") {
      open.part = "from";
    } else if (isWhere) {
      this.#output.push(` ${conditions(open)} and (`);
      open.part = "where";
    } else if (open.part === "from" && word === "on") {
      this.#output.push(` ${ALIVE} and (`);
      open.isJoined = true;
    } else if (open.part === "from" && this.#last[0] === "as") {
      open.alias = word;
    }
  }

  #beginJoin(word: string): void {
    // `left outer join` is one join.
    if (JOINS.has(this.#last[0])) return;
    this.#closeJoin();
    this.#open.isInner = word === "inner" || word === "cross" || word === "join";
  }

  /** Remembers the first columns in the condition of a join. */
  #noteColumn(token: string, word: string): void {
    const alias = this.#last[1];
    if (alias === word) return;
    // A subquery may have an alias of the same name, so its columns do not count.
    const query = this.#open.isQuery ? this.#open : this.#stack.findLast((each) => each.isQuery);
    if (query?.part !== "from") return;
    if (query.alias === alias) query.own ??= `${alias}.${token}`;
    else if (query.earlier.has(alias)) query.other ??= `${alias}.${token}`;
  }

  #endQuery(): void {
    if (this.#open.isQuery) this.#endCondition("");
  }

  #endCondition(after: string): void {
    const { part } = this.#open;
    this.#closeJoin();
    if (part === "where") this.#insert(`)${after}`);
    if (part === "from") this.#insert(` where ${conditions(this.#open)}${after}`);
    if (part !== "before") this.#open.part = "after";
  }

  #closeJoin(): void {
    const open = this.#open;
    if (open.isJoined) this.#insert(") ");
    open.isJoined = false;
    if (open.isInner && open.own !== null) {
      const columns = open.other === null ? [open.own] : [open.own, open.other];
      // SQLite would omit a test for null of a column that is never null.
      open.inner.push(`(${[ALIVE, ...columns.map((column) => `+${column} = 0`)].join(" or ")})`);
    }
    if (open.alias !== null) open.earlier.add(open.alias);
    open.alias = null;
    open.own = null;
    open.other = null;
    open.isInner = false;
  }

  /** Writes before the blanks that are already written: a comment may end with its line. */
  #insert(text: string): void {
    let at = this.#output.length;
    while (at > 0 && BLANK.test(this.#output[at - 1] ?? "")) at -= 1;
    this.#output.splice(at, 0, text);
  }
}

function conditions({ inner }: Open): string {
  return [ALIVE, ...inner].join(" and ");
}

function opened(isQuery: boolean): Open {
  return {
    isQuery,
    part: "before",
    isJoined: false,
    isInner: false,
    alias: null,
    own: null,
    other: null,
    earlier: new Set(),
    inner: [],
  };
}
