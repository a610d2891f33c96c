import { isODataError } from "../../base/errors/odata-error.ts";
import { parseJson } from "../../base/json/parse-json.ts";
import { isJsonObject, type JsonValue } from "../../base/json/write-json.ts";
import { keptPer } from "../../base/memo.ts";
import { messageOf } from "../../base/message-of.ts";
import { withScale } from "../../edm/decimal.ts";
import type { StructuralProperty, ComplexType } from "../../edm/model.ts";
import type { PrimitiveValue } from "../../edm/value-codec.ts";
import { codecOf } from "../../edm/value-codecs.ts";
import type { RowGuard, Sql, SqlForm } from "../statement/sql-form.ts";
import type { JsonCell } from "./json-syntax.ts";
import type { StorageForm } from "./storage-option.ts";

/** How one column stores the values of a property. */
export interface ColumnFormat {
  readonly form: SqlForm;
  /** Returns the expression to select: the column, or a cast that keeps all digits. */
  readonly toSelected: (column: Sql) => Sql;
  /**
   * Returns an expression with the same value as `toSelected`, but without functions that depend on the session, which
   * databases on several machines refuse in `returning`. Null without such an expression; absent if `toSelected` is one itself.
   */
  readonly toReturned?: ((column: Sql) => Sql) | null | undefined;
  /**
   * Returns the cell, or null for a cell that `toValue` cannot read. Absent if a column of the type has no such cells, or if the
   * database cannot test for them.
   */
  readonly readable?: ((column: Sql) => Sql) | undefined;
  /**
   * Returns the canonical value of a selected cell that is not null.
   * @throws Error if the cell contains no value of the property's type
   */
  readonly toValue: (cell: unknown) => PrimitiveValue;
  /**
   * Returns an expression over the column that equals a written cell unless the database has rounded it. Absent if the
   * database does not round, or the bare column can be compared.
   */
  readonly compared?: (column: Sql) => Sql;
  /** Returns the JSON text of a cell if its form alone proves that it is valid; null otherwise. */
  readonly toJson?: ToJson | undefined;
  /** How the database itself writes values as JSON; absent if it cannot, or not as `toValue` reads them. */
  readonly json?: JsonCell | undefined;
  /**
   * Returns the cell to store for a value, as the form binds it; undefined for a value that the column cannot store
   * exactly. The default is the only cell of the value in the form.
   */
  readonly toCell?: ((value: PrimitiveValue) => unknown) | undefined;
  /** Casts the placeholder of a cell to store, if it differs from those that are compared; absent: as the form does. */
  readonly placeStored?: ((cell: Sql) => Sql) | undefined;
  /** Whether the database may silently round the stored value. A column with `compared` may round too. */
  readonly mayRound?: boolean | undefined;
  /** Whether values that the database finds equal have the same text, so that it can compare the values of an ETag. */
  readonly isExact?: boolean | undefined;
}

/** How one kind of database stores values in columns. */
export interface ColumnFormats {
  /**
   * Returns the format of a primitive or enumeration property in a column.
   * @param storage as given in `columns`; undefined for the default of the type
   * @returns null if values of the type cannot be stored this way
   */
  readonly columnFormat: (property: StructuralProperty, storage: StorageForm | undefined) => ColumnFormat | null;
  /** How collections are stored in arrays of the database; absent if it has no arrays. */
  readonly arrays?: ArraySyntax;
  /** Returns the text of a column with JSON, as an expression to select. */
  readonly documentText: (column: Sql) => Sql;
  /** How rows with too many bytes are refused before they are sent; absent: the driver does so. */
  readonly rowGuard?: RowGuard | undefined;
}

/** How one kind of database stores a collection of primitive values in an array. */
export interface ArraySyntax {
  /** Returns the items of a column as a table for `from`, with one row per item. */
  readonly items: (column: Sql, alias: string) => Sql;
  /** Returns the item of a row of `items`. */
  readonly item: (alias: string) => Sql;
  /** Returns the number of items; null if the column is null. */
  readonly length: (column: Sql) => Sql;
  /** Returns the expression to select: a JSON array of texts and nulls. @param toSelected selects one item */
  readonly toSelected: (column: Sql, toSelected: (item: Sql) => Sql) => Sql;
  /** Returns the array to bind. @param cells of the items: null, or as the format of the item encodes it */
  readonly write: (
    cells: ReadonlyArray<string | number | bigint | boolean | Uint8Array | null>,
    item: StructuralProperty,
  ) => unknown;
  /** Casts the placeholder of a written array. */
  readonly place: (cell: Sql, item: StructuralProperty) => Sql;
  /** Returns an expression over a column that equals a written array unless the database has rounded an item. */
  readonly compared: (column: Sql, item: StructuralProperty) => Sql;
}

type ToJson = (cell: unknown, ieee754Compatible: boolean) => string | null;

/** Reads a cell that is not null; returns null if it is not a value of the form. */
export type ReadCell = (cell: unknown) => PrimitiveValue | null;

/**
 * Makes the format of a column.
 * @param read reads a cell; if it returns null or throws, `toValue` throws an error that names the property
 * @param others the differences from a column that is selected without a cast
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
      `The database contains ${describe(cell)} where ${property.name}, an ${property.type.name}, is expected.${reason}`,
      { cause },
    );
  };
  return Object.freeze<ColumnFormat>({ form, toSelected: (column) => column, toValue, ...others });
}

/** Returns the only cell of a value; undefined if the value lies between two cells or cannot be bound. */
export function onlyCell({ floor, ceiling }: SqlForm, value: PrimitiveValue): unknown {
  try {
    const cell = floor(value);
    return floor === ceiling || cell === ceiling(value) ? cell : undefined;
  } catch (error) {
    if (isODataError(error)) return undefined;
    throw error;
  }
}

/** Returns a format whose errors name the column, and the table if it is known. */
export function locatedFormat(format: ColumnFormat, column: string, table: string | undefined): ColumnFormat {
  const { toValue } = format;
  const place = table === undefined ? `Column "${column}"` : `Column "${column}" of table "${table}"`;
  return Object.freeze<ColumnFormat>({
    ...format,
    toValue: (cell) => {
      try {
        return toValue(cell);
      } catch (cause) {
        const reason = messageOf(cause);
        // The log takes both names from the error.
        throw Object.assign(new Error(`${place}: ${reason}`, { cause }), { table, column });
      }
    },
  });
}

/** Returns a reader that reads a cell like a value from a handler. */
export function ofCodec(property: StructuralProperty): ReadCell {
  return codecOf(property).fromHandler;
}

/** Returns a reader that writes Decimals with a constant scale in its digits. */
export function readInScale({ type, facets: { scale } }: StructuralProperty, read: ReadCell): ReadCell {
  if (type.name !== "Edm.Decimal" || typeof scale !== "number") return read;
  return (cell) => {
    const value = read(cell);
    return typeof value === "string" ? withScale(value, scale) : value;
  };
}

/** Describes a cell for the log; long texts are truncated. */
function describe(cell: unknown): string {
  if (typeof cell === "string") return JSON.stringify(cell.slice(0, 40));
  if (typeof cell === "number" || typeof cell === "bigint" || typeof cell === "boolean") return String(cell);
  return cell instanceof Uint8Array ? "bytes" : `a value of type ${typeof cell}`;
}

/** The maximum nesting of arrays and objects in a stored document. */
export const MAX_DOCUMENT_DEPTH = 200;

/** Reads a JSON value that is not null as a value of a property, or as an item of its collection. */
type ReadValue = (value: JsonValue) => unknown;

/**
 * Makes the reader of a column with JSON text: a collection, or a complex value by the application's keys. Values have
 * the format of OData JSON; numbers keep all their digits.
 * @param withIgnored whether complex values have their ignored members, too
 * @returns a reader that returns null for null and throws an Error if the text is not a value of the property
 */
export function readDocument(property: StructuralProperty, withIgnored = false): (cell: unknown) => unknown {
  const read = documentReader(property, { isCollection: property.isCollection, withIgnored });
  return (cell) => {
    if (cell === null || cell === undefined) return null;
    if (typeof cell !== "string") throw wrongDocument(property, `a value of type ${typeof cell}`);
    try {
      const value = parseJson(cell, { maxDepth: MAX_DOCUMENT_DEPTH });
      return value === null ? null : read(value);
    } catch (cause) {
      throw wrongDocument(property, "invalid JSON for that type", cause);
    }
  };
}

interface DocumentForm {
  readonly isCollection: boolean;
  readonly withIgnored: boolean;
}

function documentReader(property: StructuralProperty, { isCollection, withIgnored }: DocumentForm): ReadValue {
  if (isCollection) {
    const readItem = documentReader(property, { isCollection: false, withIgnored });
    return (value) => {
      if (!isArray(value)) throw wrongDocument(property, "JSON that is not an array");
      return value.map((item) => (item === null ? null : readItem(item)));
    };
  }
  const { type } = property;
  if (type.kind === "ComplexType") return (value) => readObject(property, type, value, withIgnored);
  const codec = codecOf(property);
  // Quoted numbers are read too: some programs quote numbers with many digits.
  return readInScale(property, (value) => codec.fromJson(value as JsonValue, true));
}

/** Made once per member, since a complex type may contain itself. */
const memberReader = keptPer((member: StructuralProperty): ReadValue =>
  documentReader(member, { isCollection: member.isCollection, withIgnored: false }),
);
const wholeMemberReader = keptPer((member: StructuralProperty): ReadValue =>
  documentReader(member, { isCollection: member.isCollection, withIgnored: true }),
);

function readObject(property: StructuralProperty, type: ComplexType, value: JsonValue, withIgnored: boolean): unknown {
  if (!isJsonObject(value)) throw wrongDocument(property, "JSON that is not an object");
  const readMember = withIgnored ? wholeMemberReader : memberReader;
  const readOr = (member: StructuralProperty, none: unknown): readonly [string, unknown] => {
    const given = Object.hasOwn(value, member.field) ? (value[member.field] ?? null) : null;
    return [member.field, given === null ? none : readMember(member)(given)];
  };
  const members = type.properties.map((member) => readOr(member, null));
  if (!withIgnored) return Object.fromEntries(members);
  // Values that clients sent lack these members.
  const ignored = type.ignoredProperties.map((member) => readOr(member, member.isCollection ? [] : null));
  return Object.fromEntries([...members, ...ignored]);
}

function isArray(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** Makes the error for a cell that contains no value of a property. @param what describes the actual content */
export function wrongDocument({ name, type, isCollection }: StructuralProperty, what: string, cause?: unknown): Error {
  const wanted = isCollection ? `a collection of ${type.name}` : type.name;
  const reason = cause instanceof Error ? ` ${cause.message}` : "";
  return new Error(`The database contains ${what} where ${name}, ${wanted}, is expected.${reason}`, { cause });
}

/**
 * Makes the reader of an array that was selected as a JSON array of texts.
 * @param format the format of an item
 * @returns a reader that returns null for null and throws an Error if a cell is not an array of such items
 */
export function readArray({ name, type }: StructuralProperty, format: ColumnFormat): (cell: unknown) => unknown {
  const readItem = (item: unknown): unknown => {
    if (item === null) return null;
    if (typeof item === "string") return format.toValue(item);
    throw new Error(
      `The database contains an array of several dimensions where ${name}, a collection of ${type.name}, is expected.`,
    );
  };
  return (cell) => {
    if (cell === null || cell === undefined) return null;
    const items: unknown = typeof cell === "string" ? JSON.parse(cell) : null;
    if (Array.isArray(items)) return items.map(readItem);
    throw new Error(`The database contains no array where ${name}, a collection of ${type.name}, is expected.`);
  };
}
