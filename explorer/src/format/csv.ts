import type { PropertyType } from "../model/model.ts";

/** A column of a CSV file. */
export interface CsvColumn {
  readonly title: string;
  /** Names from the row to the value: `["Customer", "Name"]`. */
  readonly path: readonly string[];
  /** Null if it is not known, such as of a total. */
  readonly type: PropertyType | null;
}

/** Choices of a CSV file. */
export interface CsvOptions {
  /** Whether the file begins with a byte order mark, without which Excel takes it for another encoding. */
  readonly hasMark: boolean;
}

/** Most rows of a file that the page makes. */
export const MAX_CSV_ROWS = 100_000;

/**
 * A CSV file that grows page by page. It has the exact values of the service: numbers of any size arrive as text. An empty cell
 * is null, `""` an empty text. Text that a spreadsheet would run as a formula, since it begins with = + - @, a tab or a line
 * break, gets an apostrophe in front. Numbers and dates with a sign stay as they are.
 * @see RFC 4180; https://owasp.org/www-community/attacks/CSV_Injection
 */
export class CsvFile {
  /** How many rows it has. */
  rows = 0;
  readonly #columns: readonly CsvColumn[];
  readonly #parts: string[];

  constructor(columns: readonly CsvColumn[], { hasMark }: CsvOptions) {
    this.#columns = columns;
    const titles = columns.map(({ title }) => toCell(title, null)).join(",");
    this.#parts = [`${hasMark ? "\uFEFF" : ""}${titles}\r\n`];
  }

  /** Whether it has as many rows as a file may have. */
  get isFull(): boolean {
    return this.rows >= MAX_CSV_ROWS;
  }

  /**
   * Adds a page of rows.
   * @returns how many of them the file could still take
   */
  append(page: readonly unknown[]): number {
    const added = page.slice(0, MAX_CSV_ROWS - this.rows);
    const lines = added.map(
      (row) => `${this.#columns.map(({ path, type }) => toCell(valueAt(row, path), type)).join(",")}\r\n`,
    );
    this.#parts.push(lines.join(""));
    this.rows += added.length;
    return added.length;
  }

  /** Returns the file so far. */
  toBlob(): Blob {
    return new Blob(this.#parts, { type: "text/csv;charset=utf-8" });
  }
}

/** Returns the value of a path in a row; undefined if a value on the way is null. */
export function valueAt(row: unknown, path: readonly string[]): unknown {
  let value = row;
  for (const name of path) {
    if (!isRecord(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

/** What spreadsheets read as the beginning of a formula, also after blanks. */
const FORMULA = /^\s*[=+\-@\uFF0B\uFF0D\uFF1D\uFF20]|^[\t\r\n]/u;

function toCell(value: unknown, type: PropertyType | null): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const isSafe = type?.kind === "primitive" && type.name !== "Edm.String";
  const cell = !isSafe && FORMULA.test(text) && !isNumber(text, type) ? `'${text}` : text;
  return cell === "" || /[",\r\n]|^\s|\s$/u.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/** Totals without a known type are numbers as text. */
function isNumber(text: string, type: PropertyType | null): boolean {
  return type === null && /^-?\d+(?:\.\d+)?(?:E-?\d+)?$/u.test(text);
}
