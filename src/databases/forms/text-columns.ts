import { sql } from "kysely";
import { writeJsonString } from "../../base/json/write-json.ts";
import { required } from "../../base/required.ts";
import { fractionOf } from "../../edm/date-time-offset.ts";
import { roundDecimal } from "../../edm/decimal-arithmetic.ts";
import { fromScaled, parseDecimal } from "../../edm/decimal.ts";
import { integerBounds } from "../../edm/integer-bounds.ts";
import type { StructuralProperty } from "../../edm/model.ts";
import type { PrimitiveTypeName } from "../../edm/primitive-type.ts";
import { fractionDigits } from "../../edm/shown-value.ts";
import { asBytes, asText, type PrimitiveValue } from "../../edm/value-codec.ts";
import { unitsAround, readStoredTimestamp, roundedUp, toInstant } from "../cells/instant.ts";
import {
  guidText,
  int64Text,
  plainDoubleText,
  readBytes,
  readInteger,
  scaledText,
  shortIntegerText,
  stringText,
} from "../cells/text-cells.ts";
import { ofCodec, onlyCell, type ReadCell } from "../columns/column-format.ts";
import type { TextComparison } from "../introspect/schema.ts";
import { type Sql, type SqlForm, convertedForm, plainForm, type Conversion } from "../statement/sql-form.ts";
import type { CastForms } from "./cast-forms.ts";
import type { ColumnParts, ColumnRow, ColumnTable } from "./column-table.ts";
import { readDigits } from "./hex-form.ts";
import { SERVER_DIGITS } from "./temporal-forms.ts";

/** Returns the whole numbers within bounds. @param toText selects a number: a column may have digits after a point */
function within(toText: (column: Sql) => Sql, [least, greatest]: ReturnType<typeof integerBounds>) {
  return (column: Sql): Sql => {
    const isWithin = sql`${column} between ${sql.raw(String(least))} and ${sql.raw(String(greatest))}`;
    const isWhole = sql`${toText(column)} not like '%.%' and ${toText(column)} not like '%e%'`;
    return sql`(case when ${isWithin} and ${isWhole} then ${column} end)`;
  };
}

/** Types with a different column type in each database. */
type OwnType = "Edm.Boolean" | "Edm.Decimal" | "Edm.Date" | "Edm.TimeOfDay" | "Edm.DateTimeOffset";

/** The differences between databases whose cells are selected as text. */
export interface TextColumns extends Pick<ColumnTable, "selectNumber" | "stored"> {
  readonly forms: CastForms;
  readonly asText: (column: Sql) => Sql;
  /** Selects an integer, if not as other cells. */
  readonly integerText?: (column: Sql) => Sql;
  readonly doubleText: (column: Sql) => Sql;
  /** Returns the cell of a double, if comparisons use another cell. */
  readonly doubleCell?: (value: PrimitiveValue) => unknown;
  /** The same for Edm.Single, if it differs. */
  readonly singleCell?: (value: PrimitiveValue) => unknown;
  readonly hexadecimal: (column: Sql) => Sql;
  /** Casts the placeholder of bytes that are stored. */
  readonly boundBytes: (cell: Sql) => Sql;
  readonly stringText: (column: Sql) => Sql;
  readonly defaults: Readonly<Record<OwnType, ColumnRow>>;
  readonly duration: SqlForm;
  readonly textDecimal: SqlForm;
  readonly realDecimal: SqlForm;
  /** The same under a constant scale. */
  readonly roundedReal: (scale: number) => SqlForm;
  /** Returns a finite number of a column with doubles, otherwise null; absent if all are finite. */
  readonly finiteReal?: (column: Sql) => Sql;
  readonly scaledDecimal: (scale: number) => SqlForm;
  readonly textTimestamp: SqlForm;
  /** Whether a text is a timestamp that can be read. */
  readonly isTimestamp: (column: Sql) => Sql;
}

/**
 * Makes the column table of a database whose cells are selected as text, because drivers convert other types depending on
 * their settings and those of the session.
 */
export function textColumns(columns: TextColumns): ColumnTable {
  const { forms, asText: toSelected, textDecimal, scaledDecimal, textTimestamp, defaults: own } = columns;
  const integer = integerColumns(columns);
  const { doubleCell, singleCell } = columns;
  const written = doubleCell === undefined ? {} : { toCell: doubleCell };
  const double = {
    form: forms.double,
    read: readDouble,
    toSelected: columns.doubleText,
    toJson: plainDoubleText,
    ...written,
  };
  const defaults: Readonly<Record<PrimitiveTypeName, ColumnRow>> = {
    ...own,
    "Edm.Byte": integer,
    "Edm.SByte": integer,
    "Edm.Int16": integer,
    "Edm.Int32": integer,
    "Edm.Int64": (property) => ({ ...integer(property), read: readInteger, toJson: int64Text }),
    "Edm.Single": () => (singleCell === undefined ? double : { ...double, toCell: singleCell }),
    "Edm.Double": () => ({ ...double, mayRound: true }),
    "Edm.Decimal": (property) => ({ ...own["Edm.Decimal"](property), mayRound: true }),
    "Edm.String": () => ({
      form: forms.stringColumn,
      read: readString,
      toSelected: columns.stringText,
      toJson: stringText,
    }),
    "Edm.Guid": () => ({ form: forms.guid, toJson: guidText }),
    "Edm.Binary": () => binaryParts(columns),
    "Edm.TimeOfDay": (property) => ({ ...own["Edm.TimeOfDay"](property), toCell: timeCell, mayRound: true }),
    "Edm.Duration": () => ({ form: columns.duration }),
  };
  return {
    toSelected,
    defaults,
    stored: {
      "Edm.Decimal text": () => ({ form: textDecimal, read: readDecimal }),
      "Edm.Decimal real": (property) => realParts(property, columns),
      "Edm.Decimal scaled": ({ facets: { scale } }) =>
        typeof scale === "number" ? scaledParts(scale, scaledDecimal(scale)) : null,
      "Edm.DateTimeOffset text": () => timestampParts(textTimestamp, columns.isTimestamp),
      "Edm.String hex": () => hexParts(forms.hex, columns.hexadecimal),
      "Edm.Guid text": () => ({ form: forms.anyCaseGuid, toJson: guidText }),
      ...columns.stored,
    },
    enums: forms.enums,
    mapped: forms.mapped,
    selectNumber: columns.selectNumber,
    toNumber: numberOfText,
    readFlags: (cell) => {
      const integer = readInteger(cell);
      return integer === null ? null : Number(integer);
    },
  };
}

/** Makes the parts of a column of bytes. They are stored as bytes: their digits are twice as long, and take time to write. */
function binaryParts({ forms, hexadecimal: toSelected, boundBytes: placeStored }: TextColumns): ColumnParts {
  return { form: forms.binary, read: readBytes, toSelected, toCell: asBytes, placeStored };
}

/** Makes the row of the integer types except Edm.Int64. */
function integerColumns({ forms, asText, integerText }: TextColumns): ColumnRow {
  return (property) => {
    const bounds = integerBounds(property.type.name);
    return {
      form: forms.integer,
      read: smallIntegerReader(property),
      readable: within(integerText ?? asText, bounds),
      toJson: shortIntegerText(...bounds),
      ...(integerText && { toSelected: integerText }),
    };
  };
}

/** Makes the parts of a column of bytes whose digits are the value. */
export function hexParts(form: SqlForm, toSelected: (column: Sql) => Sql): ColumnParts {
  return { form, read: readDigits, toSelected, toJson: digitsText, isExact: true };
}

function timestampParts(form: SqlForm, isTimestamp: (column: Sql) => Sql): ColumnParts {
  return {
    form,
    read: readTimestamp,
    readable: (column) => sql`(case when ${isTimestamp(column)} then ${column} end)`,
  };
}

/** Under a constant scale, a `float` has the digits of the double that comparisons use. */
function realParts({ facets: { scale } }: StructuralProperty, columns: TextColumns): ColumnParts {
  const { realDecimal, roundedReal, finiteReal: readable, doubleText: toSelected } = columns;
  if (typeof scale !== "number") return { form: realDecimal, read: readDecimal, readable };
  const read: ReadCell = (cell) => {
    const decimal = readDecimal(cell);
    return decimal === null ? null : roundDecimal(decimal, "half-away-from-zero", scale);
  };
  const toCell = (value: PrimitiveValue): unknown => onlyCell(realDecimal, value);
  return { form: roundedReal(scale), read, readable, toSelected, toCell };
}

function scaledParts(scale: number, form: SqlForm): ColumnParts {
  const read: ReadCell = (cell) => {
    const units = readInteger(cell);
    return units === null ? null : fromScaled(units, scale);
  };
  const toCell = (value: PrimitiveValue): unknown => {
    const { floor, ceiling } = unitsAround(asText(value), scale);
    return floor === ceiling && BigInt.asIntN(64, floor) === floor ? String(floor) : undefined;
  };
  return { form, read, toJson: scaledText(scale), toCell };
}

function readDouble(cell: unknown): number | null {
  return typeof cell === "string" ? Number(cell) : null;
}

/** Reads a text. */
export function readString(cell: unknown): string | null {
  return typeof cell === "string" ? cell : null;
}

/** Returns the cell of a time; undefined for one with more digits than the column. */
function timeCell(value: PrimitiveValue): unknown {
  return /[1-9]/.test((asText(value).split(".")[1] ?? "").slice(SERVER_DIGITS)) ? undefined : value;
}

/** Makes the function that returns the cell of a timestamp; undefined for one with more digits than the property. */
export function timestampCell(property: StructuralProperty, form: SqlForm): (value: PrimitiveValue) => unknown {
  const digits = fractionDigits(property, SERVER_DIGITS);
  return (value) => {
    const { text, start, end } = fractionOf(asText(value));
    // Most values have as many digits as the property.
    const fits = end - start <= digits || roundedUp(toInstant(text), digits) === null;
    return fits ? onlyCell(form, value) : undefined;
  };
}

/** Returns the form of timestamps with so many fraction digits. */
export function timestampOf(digits: number, forms: readonly SqlForm[]): SqlForm {
  return required(forms[digits], `Timestamps cannot have ${String(digits)} fraction digits.`);
}

/** Makes the reader of an integer that fits a number, within the bounds of its type. */
function smallIntegerReader(property: StructuralProperty): ReadCell {
  const ofNumber = ofCodec(property);
  return (cell) => {
    const integer = readInteger(cell);
    return integer === null ? null : ofNumber(Number(integer));
  };
}

/** Reads a Decimal with all digits of the cell. */
export function readDecimal(cell: unknown): string | null {
  return typeof cell === "string" ? parseDecimal(cell) : null;
}

/** Reads a timestamp of any offset and width. */
export function readTimestamp(cell: unknown): string | null {
  return typeof cell === "string" ? readStoredTimestamp(cell) : null;
}

/** Reads a number that was selected as text; returns any other cell unchanged. */
function numberOfText(cell: unknown): unknown {
  return typeof cell === "string" && cell !== "" ? Number(cell) : cell;
}

/**
 * Makes the form of texts that the database compares in its own way, as in a foreign key.
 * @param bound converts bound texts and texts of key lists
 * @param column converts columns; by default as `bound`
 * @see docs/reference/storage.md
 */
export function comparedTextForm(
  { type, collation }: TextComparison,
  bound: Conversion["apply"],
  column: Conversion["apply"] = bound,
): SqlForm {
  const form = plainForm("compared text", asText, { place: bound, fromKey: bound });
  return convertedForm(`${type ?? "text"} by ${collation}`, asText, { form, apply: column });
}

/** Returns the JSON of bytes that were selected as digits. */
function digitsText(cell: unknown): string | null {
  const digits = readDigits(cell);
  return typeof digits === "string" ? writeJsonString(digits) : null;
}
