import type { PropertyType } from "../model/model.ts";
import type { EntityValues } from "./entity.ts";

/** A column of a CSV file. The type is null if it is not known, such as of a total. */
export interface CsvColumn {
  readonly title: string;
  /** Names from the row to the value: `["Customer", "Name"]`. */
  readonly path: readonly string[];
  readonly type: PropertyType | null;
  /** Returns the value of a row where it is not that of the path alone. */
  readonly read?: (row: EntityValues) => unknown;
}

export const MAX_CSV_ROWS = 100_000;

/** A CSV file that grows page by page. It has exact values; an empty cell is null, `""` an empty text. @see RFC 4180 */
export class CsvFile {
  rows = 0;
  readonly #columns: readonly CsvColumn[];
  readonly #parts: string[];

  constructor(columns: readonly CsvColumn[]) {
    this.#columns = columns;
    // Excel takes a file without a byte order mark for another encoding.
    this.#parts = [`\uFEFF${columns.map(({ title }) => toCell(title, null)).join(",")}\r\n`];
  }

  get isFull(): boolean {
    return this.rows >= MAX_CSV_ROWS;
  }

  /** Adds a page of rows, and returns how many of them the file could still take. */
  append(page: readonly unknown[]): number {
    const added = page.slice(0, MAX_CSV_ROWS - this.rows);
    for (const row of added) {
      const valueOf = ({ path, read }: CsvColumn): unknown => read?.(row as EntityValues) ?? valueAt(row, path);
      const cells = this.#columns.map((column) => toCell(valueOf(column), column.type));
      this.#parts.push(`${cells.join(",")}\r\n`);
    }
    this.rows += added.length;
    return added.length;
  }

  toBlob(): Blob {
    return new Blob(this.#parts, { type: "text/csv;charset=utf-8" });
  }
}

/** Returns the value of a path in a row: null if a value on the way is null, undefined if the row lacks it. */
export function valueAt(row: unknown, path: readonly string[]): unknown {
  return path.reduce((value, name) => {
    if (value === null) return null;
    const isMember = typeof value === "object" && value !== null && Object.hasOwn(value, name);
    return isMember ? (value as EntityValues)[name] : undefined;
  }, row);
}

/**
 * The places where a spreadsheet would begin a formula: at the start of a cell, and after a character that some of them take for
 * the end of a cell. They skip blanks, control characters and invisible ones.
 * @see https://owasp.org/www-community/attacks/CSV_Injection
 */
const FORMULA = /(?<=^|[;\t\r\n])(?=(?:(?![\t\r\n])[\s\p{Cc}\p{Cf}])*[=+\-@\uFF0B\uFF0D\uFF1D\uFF20])|^(?=[\t\r\n])/gu;
const NUMBER = /^-?\d+(?:\.\d+)?(?:e[-+]?\d+)?$/iu;

function toCell(value: unknown, type: PropertyType | null): string {
  if (value === null || value === undefined) return "";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  // Numbers keep their signs. Totals are numbers as text, whose type is not known.
  const isNumber = NUMBER.test(text) && (type === null || (type.kind === "primitive" && type.name !== "Edm.String"));
  const cell = isNumber ? text : text.replaceAll(FORMULA, "'");
  return cell === "" || /[",\r\n]|^\s|\s$/u.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
