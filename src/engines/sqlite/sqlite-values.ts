import type { SQLInputValue, SQLOutputValue } from "node:sqlite";

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
export function withNumbers(row: Record<string, SQLOutputValue> | SQLOutputValue[]): void {
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
