import type { StructuralProperty } from "../../edm/model.ts";
import type { PrimitiveValue } from "../../edm/value-codec.ts";
import { codecOf } from "../../edm/value-codecs.ts";
import { isODataError } from "../../errors/odata-error.ts";
import type { Sql, SqlForm } from "../statement/sql-form.ts";
import type { StorageForm } from "./storage-option.ts";

/** How one column holds the values of a property. */
export interface ColumnFormat {
  readonly form: SqlForm;
  /** What is selected: the column, or a cast that keeps all digits. */
  readonly toSelected: (column: Sql) => Sql;
  /**
   * The canonical value of a selected cell, not null.
   * @throws Error when the cell holds no value of the property's type
   */
  readonly toValue: (cell: unknown) => PrimitiveValue;
  /**
   * Makes of the column what equals a written cell, unless the database has rounded it. Absent where the database does
   * not round, or compares the column as it stands.
   */
  readonly compared?: (column: Sql) => Sql;
  /** The JSON text of a cell, where its form alone tells that it is one; null otherwise. */
  readonly toJson?: ToJson | undefined;
  /**
   * Returns the cell to store for a value, as the form binds it; undefined for a value that the column cannot hold
   * exactly. The default is the one cell of the form.
   */
  readonly toCell?: ((value: PrimitiveValue) => unknown) | undefined;
  /** Whether the database may store another value in silence, for it rounds digits away; so it may where `compared` is there. */
  readonly mayRound?: boolean | undefined;
  /** Whether values that the database finds equal have one text, so that it can compare the values of an ETag. */
  readonly isExact?: boolean | undefined;
}

/** How one kind of database holds values in columns. */
export interface ColumnFormats {
  /**
   * The format of a primitive or enumeration property in a column.
   * @param storage as `columns` says; undefined for the default of the type
   * @returns null when values of the type cannot be stored so
   */
  readonly columnFormat: (property: StructuralProperty, storage: StorageForm | undefined) => ColumnFormat | null;
  /** How collections stand in arrays of the database; absent where it has none. */
  readonly arrays?: ArraySyntax;
  /** What is selected of a column with JSON: its text. */
  readonly documentText: (column: Sql) => Sql;
}

/** How one kind of database stores a collection of primitive values in an array of its own. */
export interface ArraySyntax {
  /** The items of a column behind `from`, as rows of `value`. */
  readonly items: (column: Sql, alias: string) => Sql;
  /** The item of a row of `items`. */
  readonly item: (alias: string) => Sql;
  /** The number of items; null where the column is null. */
  readonly length: (column: Sql) => Sql;
  /** The selected cell: a JSON array of texts and nulls. @param toSelected selects one item */
  readonly toSelected: (column: Sql, toSelected: (item: Sql) => Sql) => Sql;
  /** Writes the cells of the items, each null or as the format of the item encodes it. */
  readonly write: (
    cells: ReadonlyArray<string | number | bigint | boolean | null>,
    item: StructuralProperty,
  ) => unknown;
  /** Wraps the place of a written array. */
  readonly place: (cell: Sql, item: StructuralProperty) => Sql;
  /** Makes of a column what equals a written array, unless the database has rounded an item. */
  readonly compared: (column: Sql, item: StructuralProperty) => Sql;
}

/** Writes the JSON text of a cell, or null. */
type ToJson = (cell: unknown, ieee754Compatible: boolean) => string | null;

/** Reads a cell that is not null; null when it is no value of the form. */
export type ReadCell = (cell: unknown) => PrimitiveValue | null;

/**
 * Makes the format of a column.
 * @param read what `toValue` does, but that null or an error of it is told with the name of the property
 * @param others what differs from a column that is selected as it stands
 */
export function makeColumnFormat(
  property: StructuralProperty,
  form: SqlForm,
  read: ReadCell,
  others: Partial<ColumnFormat> = {},
): ColumnFormat {
  const toValue = (cell: unknown): PrimitiveValue => {
    let cause: unknown;
    try {
      const value = read(cell);
      if (value !== null) return value;
    } catch (error) {
      cause = error;
    }
    const reason = cause instanceof Error ? ` ${cause.message}` : "";
    throw new Error(
      `The database holds ${describe(cell)} where ${property.name}, an ${property.type.name}, is expected.${reason}`,
      { cause },
    );
  };
  return Object.freeze<ColumnFormat>({ form, toSelected: (column) => column, toValue, ...others });
}

/** The one cell of a value; undefined where the value lies between two cells, or beyond what can be bound at all. */
export function onlyCell({ floor, ceiling }: SqlForm, value: PrimitiveValue): unknown {
  try {
    const cell = floor(value);
    return cell === ceiling(value) ? cell : undefined;
  } catch (error) {
    if (isODataError(error)) return undefined;
    throw error;
  }
}

/** The format with errors that name the column, and the table where it is known. */
export function locatedFormat(format: ColumnFormat, column: string, table: string | undefined): ColumnFormat {
  const { toValue } = format;
  const place = table === undefined ? `Column "${column}"` : `Column "${column}" of table "${table}"`;
  return Object.freeze<ColumnFormat>({
    ...format,
    toValue: (cell) => {
      try {
        return toValue(cell);
      } catch (cause) {
        const reason = cause instanceof Error ? cause.message : String(cause);
        // The log reads both names.
        throw Object.assign(new Error(`${place}: ${reason}`, { cause }), { table, column });
      }
    },
  });
}

/** Reads a cell as a handler's value is read. */
export function ofCodec(property: StructuralProperty): ReadCell {
  return codecOf(property).fromHandler;
}

/** What a cell holds, for the log; long texts are cut. */
function describe(cell: unknown): string {
  if (typeof cell === "string") return JSON.stringify(cell.slice(0, 40));
  if (typeof cell === "number" || typeof cell === "bigint" || typeof cell === "boolean") return String(cell);
  return cell instanceof Uint8Array ? "bytes" : `a value of type ${typeof cell}`;
}
