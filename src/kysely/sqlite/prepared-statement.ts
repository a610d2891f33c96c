import type { SQLInputValue, SQLOutputValue, StatementSync, DatabaseSync } from "node:sqlite";
import { BoundedCache } from "../../base/bounded-cache.ts";
import { withNumbers } from "./sqlite-values.ts";

/** A row of objects by column name, or of cells in the order of the columns. */
export type RowForm = "objects" | "arrays";

/** The row of a form. */
export type RowOf<F extends RowForm> = F extends "arrays" ? SQLOutputValue[] : Record<string, SQLOutputValue>;

/** What a statement that answers no rows did. */
export interface SqliteChanges {
  readonly changes: bigint;
  readonly lastInsertRowid: bigint;
}

/** Characters and bytes of bound values, together, that a statement may keep until it is next run. */
const MAX_KEPT = 1024;

/**
 * One prepared statement, with rows of one form. After each run, failed or not, it releases large bound values: SQLite
 * would keep its copies of them as long as the statement itself is kept.
 *
 * Integers are read as numbers, which is fast and fails on one beyond ±(2^53 - 1). Then the statement is run once more
 * with integers as bigint, and so ever after; those that fit become numbers again. So a cell has the same form whichever
 * way it was read.
 */
export class PreparedStatement<F extends RowForm> {
  readonly sql: string;
  /** Whether it answers rows: a `select`, a `returning`, some pragmas. */
  readonly hasRows: boolean;
  readonly #statement: StatementSync;
  #readsBigInts = false;

  constructor(sql: string, statement: StatementSync, form: F) {
    this.sql = sql;
    this.#statement = statement;
    this.hasRows = statement.columns().length > 0;
    statement.setReturnArrays(form === "arrays");
  }

  /** All rows of a statement that may be run twice: a `select`. */
  select(values: readonly SQLInputValue[]): readonly RowOf<F>[] {
    if (this.#readsBigInts) return this.all(values);
    try {
      return this.#all(values);
    } catch (error) {
      if (!isBeyondNumber(error)) throw error;
      return this.all(values);
    }
  }

  /** The first row of a `select`; undefined when there is none. */
  selectFirst(values: readonly SQLInputValue[]): RowOf<F> | undefined {
    if (this.#readsBigInts) return this.#firstWithBigInts(values);
    try {
      return this.#first(values);
    } catch (error) {
      if (!isBeyondNumber(error)) throw error;
      return this.#firstWithBigInts(values);
    }
  }

  /** All rows of any statement; it is run once. */
  all(values: readonly SQLInputValue[]): readonly RowOf<F>[] {
    this.#readBigInts();
    const rows = this.#all(values);
    for (const row of rows) withNumbers(row);
    return rows;
  }

  /** Runs a statement that answers no rows. */
  run(values: readonly SQLInputValue[]): SqliteChanges {
    this.#readBigInts();
    try {
      const { changes, lastInsertRowid } = this.#statement.run(...values);
      return { changes: BigInt(changes), lastInsertRowid: BigInt(lastInsertRowid) };
    } finally {
      this.#release(values);
    }
  }

  /** The rows one after another. Until the generator is done or returned the statement must not be run again. */
  *iterate(values: readonly SQLInputValue[]): Generator<RowOf<F>, void, undefined> {
    this.#readBigInts();
    try {
      for (const row of this.#statement.iterate(...values)) {
        withNumbers(row);
        yield row as RowOf<F>;
      }
    } finally {
      this.#release(values);
    }
  }

  #firstWithBigInts(values: readonly SQLInputValue[]): RowOf<F> | undefined {
    this.#readBigInts();
    const row = this.#first(values);
    if (row !== undefined) withNumbers(row);
    return row;
  }

  #readBigInts(): void {
    if (this.#readsBigInts) return;
    this.#statement.setReadBigInts(true);
    this.#readsBigInts = true;
  }

  // The types of node:sqlite know rows as objects alone; the constructor chose the form.

  #all(values: readonly SQLInputValue[]): readonly RowOf<F>[] {
    try {
      return this.#statement.all(...values) as readonly RowOf<RowForm>[] as readonly RowOf<F>[];
    } finally {
      this.#release(values);
    }
  }

  #first(values: readonly SQLInputValue[]): RowOf<F> | undefined {
    try {
      return this.#statement.get(...values) as RowOf<RowForm> | undefined as RowOf<F> | undefined;
    } finally {
      this.#release(values);
    }
  }

  /** Clears the bound values where they are large; small ones are cheaper to keep. */
  #release(values: readonly SQLInputValue[]): void {
    if (sizeOf(values) <= MAX_KEPT) return;
    try {
      this.#clear();
    } catch {
      // Resetting a statement whose iterator failed reports that failure once more, and only then is it reset.
      this.#clear();
    }
  }

  /** `iterate` replaces all bound values by those that it is given; it runs nothing before its first row is read. */
  #clear(): void {
    this.#statement.iterate();
  }
}

/** Characters and bytes of the values that have a length. */
function sizeOf(values: readonly SQLInputValue[]): number {
  let size = 0;
  for (const value of values) {
    if (typeof value === "string") size += value.length;
    else if (typeof value === "object" && value !== null) size += value.byteLength;
  }
  return size;
}

/** Whether reading failed for an integer that no number holds exactly. */
function isBeyondNumber(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ERR_OUT_OF_RANGE";
}

/** White space, semicolons and comments: what may follow a statement. */
const NO_STATEMENT = /^(?:[\s;]|--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/)*$/;

/** The prepared statements of one connection by their text: those used last, up to a number of them. */
export class PreparedStatements<F extends RowForm> {
  readonly #database: DatabaseSync;
  readonly #form: F;
  readonly #kept: BoundedCache<string, PreparedStatement<F>>;

  /** @param capacity most statements kept, at least 1 */
  constructor(database: DatabaseSync, form: F, capacity: number) {
    this.#database = database;
    this.#form = form;
    this.#kept = new BoundedCache(capacity);
  }

  /** The statement of a text, for use at once. */
  get(sql: string): PreparedStatement<F> {
    const statement = this.take(sql);
    this.giveBack(statement);
    return statement;
  }

  /**
   * The statement of a text, to be given back after use: until then nobody else gets it. A statement that an iterator
   * is open on cannot be run a second time, so another reader of the same text gets one of its own.
   * @throws Error when the text is no single statement
   */
  take(sql: string): PreparedStatement<F> {
    const kept = this.#kept.take(sql);
    if (kept !== undefined) return kept;
    const statement = this.#database.prepare(sql);
    // SQLite prepares the first statement and would leave the others undone in silence.
    if (!NO_STATEMENT.test(sql.slice(statement.sourceSQL.length))) {
      throw new Error(`Only one SQL statement can be run at a time; after the first there is more: ${sql}`);
    }
    return new PreparedStatement(sql, statement, this.#form);
  }

  /** Keeps a statement as the one used last. The one used longest ago goes when there are too many. */
  giveBack(statement: PreparedStatement<F>): void {
    this.#kept.set(statement.sql, statement);
  }
}
