import type { SQLInputValue, SQLOutputValue, StatementSync, DatabaseSync } from "node:sqlite";
import { queryTimeout, tooMuchMemory } from "../../../base/errors/odata-error.ts";
import { BoundedCache } from "../../../base/memo.ts";

/** Rows as objects by column name, or as arrays of cells in the order of the columns. */
type RowForm = "objects" | "arrays";

/** A row of the given form. */
export type RowInForm<F extends RowForm> = F extends "arrays" ? SQLOutputValue[] : Record<string, SQLOutputValue>;

/** The effect of a statement without rows. */
interface SqliteChanges {
  readonly changes: bigint;
  readonly lastInsertRowid: bigint;
}

/** The maximum total size of bound values, in characters and bytes, that a statement may keep until its next run. */
const MAX_KEPT = 1024;

/**
 * One prepared statement with rows of one form. After each run, failed or not, it releases large bound values, since SQLite
 * would otherwise keep copies of them as long as the statement is cached.
 *
 * Integers are read as numbers, which is fast but fails beyond ±(2^53 - 1). In that case the statement runs again, now and
 * later with integers as bigint; integers that fit are converted back to numbers. A cell therefore always has the same form.
 */
export class PreparedStatement<F extends RowForm> {
  readonly sql: string;
  /** Whether it returns rows: a `select`, a `returning`, some pragmas. */
  readonly hasRows: boolean;
  readonly #statement: StatementSync;
  #readsBigInts = false;

  constructor(sql: string, statement: StatementSync, form: F) {
    this.sql = sql;
    this.#statement = statement;
    this.hasRows = statement.columns().length > 0;
    statement.setReturnArrays(form === "arrays");
    statement.setReadBigInts(false);
  }

  /** Returns all rows of a `select`. The statement may run twice. */
  select(values: readonly SQLInputValue[]): readonly RowInForm<F>[] {
    if (this.#readsBigInts) return this.all(values);
    try {
      return this.#all(values);
    } catch (error) {
      if (!isBeyondNumber(error)) throw error;
      return this.all(values);
    }
  }

  /** Returns the first row of a `select`; undefined without rows. */
  selectFirst(values: readonly SQLInputValue[]): RowInForm<F> | undefined {
    if (this.#readsBigInts) return this.#firstWithBigInts(values);
    try {
      return this.#first(values);
    } catch (error) {
      if (!isBeyondNumber(error)) throw error;
      return this.#firstWithBigInts(values);
    }
  }

  /**
   * Visits the rows of a `select` until a visit returns false. The statement may run twice.
   * @param begin is called before each run. Returns the visit of a row
   */
  visit(values: readonly SQLInputValue[], begin: () => (row: RowInForm<F>) => boolean): void {
    try {
      if (this.#readsBigInts) return visitRows(this.iterate(values), begin());
      visitRows(this.#statement.iterate(...values) as Iterable<RowInForm<F>>, begin());
      this.#release(values);
    } catch (error) {
      this.#reset();
      if (!isBeyondNumber(error)) throw error;
      visitRows(this.iterate(values), begin());
    }
  }

  /** Returns all rows of any statement. It runs once. */
  all(values: readonly SQLInputValue[]): readonly RowInForm<F>[] {
    this.#readBigInts();
    const rows = this.#all(values);
    for (const row of rows) withNumbers(row);
    return rows;
  }

  /** Runs a statement without rows. */
  run(values: readonly SQLInputValue[]): SqliteChanges {
    this.#readBigInts();
    try {
      const { changes, lastInsertRowid } = this.#statement.run(...values);
      return { changes: BigInt(changes), lastInsertRowid: BigInt(lastInsertRowid) };
    } finally {
      this.#release(values);
    }
  }

  /** Yields the rows one by one. The statement must not run again before the generator is finished. */
  *iterate(values: readonly SQLInputValue[]): Generator<RowInForm<F>, void, undefined> {
    this.#readBigInts();
    try {
      for (const row of this.#statement.iterate(...values)) {
        withNumbers(row);
        yield row as RowInForm<F>;
      }
    } finally {
      this.#release(values);
    }
  }

  #firstWithBigInts(values: readonly SQLInputValue[]): RowInForm<F> | undefined {
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

  // The types of node:sqlite know only rows as objects; the constructor chose the form.

  #all(values: readonly SQLInputValue[]): readonly RowInForm<F>[] {
    try {
      return this.#statement.all(...values) as readonly RowInForm<RowForm>[] as readonly RowInForm<F>[];
    } finally {
      this.#release(values);
    }
  }

  #first(values: readonly SQLInputValue[]): RowInForm<F> | undefined {
    try {
      return this.#statement.get(...values) as RowInForm<RowForm> | undefined as RowInForm<F> | undefined;
    } finally {
      this.#release(values);
    }
  }

  /** Clears large bound values; small ones are cheaper to keep. */
  #release(values: readonly SQLInputValue[]): void {
    if (sizeOfValues(values) > MAX_KEPT) this.#reset();
  }

  #reset(): void {
    try {
      this.#clear();
    } catch {
      // The first reset of a statement whose iterator failed throws that error again; the second one resets it.
      this.#clear();
    }
  }

  /** Replaces all bound values with none: `iterate` binds at once but runs nothing before its first row is read. */
  #clear(): void {
    this.#statement.iterate();
  }
}

function visitRows<Row>(rows: Iterable<Row>, visit: (row: Row) => boolean): void {
  for (const row of rows) if (!visit(row)) return;
}

/** Returns the total length of strings and bytes. */
function sizeOfValues(values: readonly unknown[]): number {
  let size = 0;
  for (const value of values) {
    if (typeof value === "string") size += value.length;
    else if (ArrayBuffer.isView(value)) size += value.byteLength;
  }
  return size;
}

/** Whether reading failed because of an integer that a number cannot represent exactly. */
function isBeyondNumber(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ERR_OUT_OF_RANGE";
}

/** Text that may follow a statement: white space, semicolons and comments. */
const NO_STATEMENT = /^(?:[\s;]|--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/)*$/;

/** The length of kept texts on average: SQLite takes about 15 bytes for each character of a statement. */
const MAX_AVERAGE = 4096;

/** A cache of the prepared statements of one connection, by their text. It evicts the least recently used. */
export class PreparedStatements<F extends RowForm> {
  readonly #database: DatabaseSync;
  readonly #form: F;
  readonly #kept: BoundedCache<string, PreparedStatement<F>>;

  /** @param capacity the maximum number of cached statements, at least 1 */
  constructor(database: DatabaseSync, form: F, capacity: number) {
    this.#database = database;
    this.#form = form;
    this.#kept = new BoundedCache(capacity, { most: capacity * MAX_AVERAGE, weightOf: ({ length }) => length });
  }

  /** Returns the statement of a text, for immediate use. */
  get(sql: string): PreparedStatement<F> {
    const statement = this.take(sql);
    this.giveBack(statement);
    return statement;
  }

  /**
   * Takes the statement of a text out of the cache; give it back after use. A statement with an open iterator cannot run a
   * second time, so a concurrent reader of the same text gets a different statement.
   * @throws Error if the text is not a single statement
   */
  take(sql: string): PreparedStatement<F> {
    const kept = this.#kept.take(sql);
    if (kept !== undefined) return kept;
    const statement = this.#database.prepare(sql);
    // SQLite prepares only the first statement and would silently ignore the others.
    if (!NO_STATEMENT.test(sql.slice(statement.sourceSQL.length))) {
      throw new Error(`Only one SQL statement can be run at a time, but more follows the first: ${sql}`);
    }
    return new PreparedStatement(sql, statement, this.#form);
  }

  /** Returns a statement to the cache, as the most recently used. */
  giveBack(statement: PreparedStatement<F>): void {
    this.#kept.set(statement.sql, statement);
  }
}

/** The effect of a statement that changes rows, as Kysely names it. */
interface ChangedRows {
  /** The rows of `returning`; none without it. */
  readonly rows: RowInForm<"objects">[];
  readonly numAffectedRows: bigint;
  /** The row id of the last inserted row, if the statement returns no rows and has changed any. */
  readonly insertId?: bigint;
}

/** Runs a statement that changes rows. @throws the errors of the database */
export function changeRows(statement: PreparedStatement<"objects">, values: readonly SQLInputValue[]): ChangedRows {
  if (statement.hasRows) {
    const rows = [...statement.all(values)];
    return { rows, numAffectedRows: BigInt(rows.length) };
  }
  const { changes, lastInsertRowid } = statement.run(values);
  return { rows: [], numAffectedRows: changes, ...(changes > 0n && { insertId: lastInsertRowid }) };
}

/** A number represents it exactly, and `node:sqlite` returns it as a number when it reads integers as numbers. */
const LEAST_INTEGER = -(2n ** 63n);

/**
 * Converts values for SQLite: a boolean to 0 or 1, a Date to UTC text with milliseconds (fixed width, so texts sort like
 * times), and a whole number to an INTEGER, because `node:sqlite` binds every number as REAL, so that 5 as text would be
 * `5.0`. NaN becomes NULL in SQLite.
 * @throws Error for any other kind of value, including undefined, which would silently become NULL
 */
export function toBoundValues(parameters: readonly unknown[]): SQLInputValue[] {
  return parameters.map(toBoundValue);
}

function toBoundValue(value: unknown, index: number): SQLInputValue {
  switch (typeof value) {
    case "string":
      return value;
    case "number":
      // Only a REAL keeps the sign of negative zero.
      return Number.isSafeInteger(value) && !Object.is(value, -0) ? BigInt(value) : value;
    case "boolean":
      return value ? 1n : 0n;
    case "bigint":
      if (BigInt.asIntN(64, value) === value) return value;
      throw refused(index, `the bigint ${String(value)}`, "an INTEGER of SQLite has 64 bits");
    case "object":
      if (value === null || value instanceof Uint8Array) return value;
      if (value instanceof Date) return toDateText(value, index);
      throw refused(index, Array.isArray(value) ? "an array" : "an object", "write it as text, such as JSON");
    case "undefined":
      throw refused(index, "undefined", "use null for NULL");
    default:
      throw refused(index, `a ${typeof value}`, "SQL has no such values");
  }
}

function toDateText(date: Date, index: number): string {
  if (Number.isNaN(date.getTime())) throw refused(index, "an invalid Date", "it represents no time");
  return date.toISOString();
}

function refused(index: number, what: string, why: string): Error {
  return new Error(`Value ${index + 1} of the SQL statement is ${what}: ${why}.`);
}

/** Converts each bigint of a row to a number if that is exact. It mutates the row, which has no other user yet. */
function withNumbers(row: Record<string, SQLOutputValue> | SQLOutputValue[]): void {
  if (Array.isArray(row)) {
    for (let at = 0; at < row.length; at += 1) row[at] = withNumber(row[at] ?? null);
    return;
  }
  for (const name of Object.keys(row)) row[name] = withNumber(row[name] ?? null);
}

function withNumber(cell: SQLOutputValue): SQLOutputValue {
  if (typeof cell !== "bigint") return cell;
  const number = Number(cell);
  return Number.isSafeInteger(number) || cell === LEAST_INTEGER ? number : cell;
}

/** When a commit waits for the disk. @see https://sqlite.org/pragma.html#pragma_synchronous */
export type Synchronous = "off" | "normal" | "full" | "extra";

/** Whether a writable file gets a write-ahead log, which it keeps, or stays as it is. */
export type JournalMode = "wal" | "keep";

/** The settings of a database. */
export interface SqliteSettings {
  readonly file: string;
  readonly readonly: boolean;
  /** Milliseconds to wait for a lock of another process. */
  readonly busyTimeout: number;
  readonly synchronous: Synchronous;
  readonly journalMode: JournalMode;
  /** The maximum number of prepared statements per connection and form of rows. */
  readonly statements: number;
  /** The most threads that run long reads; 0 for none. */
  readonly readerThreads: number;
  /** The most long reads that wait for a thread. */
  readonly maxQueuedQueries: number;
}

/** The longest time of a guarded statement in the main thread, in milliseconds. */
export const MAX_TIME_HERE = 5000;

/** Milliseconds between two readings of the memory. */
const MEMORY_KEPT = 10;

/** The conditions that end the statements of a connection before their time. */
interface WatchHooks {
  /** Whether the running statement is no longer needed. */
  readonly isCancelled?: () => boolean;
  /** Whether the running statement has filled the memory. */
  readonly isFull?: () => boolean;
}

/** A limit for the running statement of one connection. Its text calls `odata_alive()` in every loop. */
export class Watch {
  readonly #hooks: WatchHooks;
  #deadline = Infinity;
  #timeout = 0;
  #measured = 0;

  constructor(hooks: WatchHooks = {}) {
    this.#hooks = hooks;
  }

  /**
   * Starts the time of a statement.
   * @param timeout in milliseconds, for the message
   * @param remaining the rest of that time
   */
  begin(timeout: number, remaining: number = timeout): void {
    this.#timeout = timeout;
    this.#deadline = performance.now() + remaining;
  }

  /** Ends the time: statements without a limit may follow. */
  end(): void {
    this.#deadline = Infinity;
  }

  /** The function `odata_alive()` of SQL: always true. @throws ODataError if the statement must end */
  readonly alive = (): number => {
    const { isCancelled, isFull } = this.#hooks;
    const now = performance.now();
    if (now > this.#deadline || isCancelled?.() === true) throw queryTimeout(this.#timeout);
    if (isFull !== undefined && now - this.#measured > MEMORY_KEPT) {
      this.#measured = now;
      if (isFull()) throw tooMuchMemory();
    }
    return 1;
  };
}
