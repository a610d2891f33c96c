import { sql } from "kysely";
import { BEFORE_ALL_TEXTS, BEHIND_ALL_TEXTS, MAX_PRECISION } from "../../../cells/instant.ts";
import {
  STORED_TEXTS,
  booleanText,
  doubleText,
  guidText,
  int32Text,
  int64Text,
  scaledText,
  stringText,
  utcText,
} from "../../../cells/text-cells.ts";
import { toHex } from "../../../cells/write-key-list.ts";
import { fromScaled } from "../../../edm/decimal.ts";
import type { StructuralProperty } from "../../../edm/model.ts";
import {
  ofCodec,
  onlyCell,
  type ColumnFormat,
  type ColumnFormats,
  type ReadCell,
} from "../../columns/column-format.ts";
import { columnFormatOf, type ColumnParts, type ColumnRow, type ColumnTable } from "../../forms/column-table.ts";
import { storedFormats } from "../../forms/stored-instants.ts";
import { fractionDigits, readString, readTimestamp } from "../../forms/text-columns.ts";
import type { Sql, SqlForm } from "../../statement/sql-form.ts";
import {
  DECIMAL_FORM,
  REAL_DECIMAL_FORM,
  scaledDecimalForm,
  ANY_CASE_GUID_FORM,
  BINARY_FORM,
  BOOLEAN_FORM,
  DOUBLE_FORM,
  SQLITE_ENUMS,
  SQLITE_MAPPED,
  GUID_FORM,
  HEX_FORM,
  INTEGER_FORM,
  STRING_COLUMN_FORM,
} from "./forms.ts";
import { SQLITE_JSON, SQLITE_NAME_JSON } from "./json.ts";
import { asItStands } from "./marks.ts";
import {
  BARE_TESTS,
  FUNCTION_TESTS,
  readableBoolean,
  readableBytes,
  readableDate,
  readableDouble,
  readableGuid,
  readableInt64,
  readableInteger,
  readableReal,
  readableText,
  readableTexts,
  readableTime,
  type ReadableTexts,
  NO_YEAR,
  SQLITE_STORED_INSTANTS,
} from "./readable-cells.ts";
import { DATE_FORM, DURATION_FORM, INSTANT_FORM, TIME_FORM, utcForm } from "./temporal-forms.ts";

const INTEGER = /^(?:0|-?[1-9]\d{0,18})$/;

const integer = (property: StructuralProperty): ColumnParts => ({
  form: INTEGER_FORM,
  readable: READABLE_INTEGERS[property.type.name],
  json: SQLITE_JSON[property.type.name],
});

const READABLE_INTEGERS: Readonly<Record<string, ColumnParts["readable"]>> = {
  "Edm.Byte": readableInteger(0, 255),
  "Edm.SByte": readableInteger(-128, 127),
  "Edm.Int16": readableInteger(-32_768, 32_767),
  "Edm.Int32": readableInteger(-2_147_483_648, 2_147_483_647),
};

const DEFAULTS: Omit<ColumnTable["defaults"], "Edm.DateTimeOffset" | "Edm.Decimal" | "Edm.Duration"> = {
  "Edm.Boolean": () => ({
    form: BOOLEAN_FORM,
    readable: readableBoolean,
    read: readBoolean,
    toJson: booleanText,
    json: SQLITE_JSON["Edm.Boolean"],
  }),
  "Edm.Byte": integer,
  "Edm.SByte": integer,
  "Edm.Int16": integer,
  "Edm.Int32": (property) => ({ ...integer(property), toJson: int32Text }),
  "Edm.Int64": () => ({
    form: INTEGER_FORM,
    readable: readableInt64,
    read: readInt64,
    toSelected: selectInteger,
    toJson: int64Text,
    json: SQLITE_JSON["Edm.Int64"],
  }),
  "Edm.Single": () => ({
    form: DOUBLE_FORM,
    readable: readableDouble,
    read: readDouble,
    json: SQLITE_JSON["Edm.Single"],
  }),
  "Edm.Double": () => ({
    form: DOUBLE_FORM,
    readable: readableDouble,
    read: readDouble,
    toJson: doubleText,
    json: SQLITE_JSON["Edm.Double"],
  }),
  "Edm.String": () => ({
    form: STRING_COLUMN_FORM,
    readable: readableText,
    read: readString,
    toJson: stringText,
    json: SQLITE_JSON["Edm.String"],
  }),
  "Edm.Guid": () => ({ form: GUID_FORM, readable: readableGuid, toJson: guidText, json: SQLITE_JSON["Edm.Guid"] }),
  "Edm.Binary": () => ({ form: BINARY_FORM, readable: readableBytes }),
  "Edm.Date": (property) => ({
    form: DATE_FORM,
    readable: readableDate,
    read: (cell) => (typeof cell === "string" && cell.startsWith(NO_YEAR) ? null : ofCodec(property)(cell)),
    toCell: withinYears(DATE_FORM),
    json: SQLITE_JSON["Edm.Date"],
  }),
  "Edm.TimeOfDay": () => ({
    form: TIME_FORM,
    readable: readableTime,
    toCell: (value) => value,
    json: SQLITE_JSON["Edm.TimeOfDay"],
  }),
};

/** How SQLite stores a primitive or enumeration property, in a column or within a document. */
export const sqliteColumnFormat: ColumnFormats["columnFormat"] = formatsWith(readableTexts(FUNCTION_TESTS));

/** The same for a dialect without the functions of `sqliteDialect`. */
export const bareSqliteColumnFormat: ColumnFormats["columnFormat"] = formatsWith(readableTexts(BARE_TESTS));

function formatsWith(readable: ReadableTexts): ColumnFormats["columnFormat"] {
  const decimal: ColumnRow = (property) => ({
    form: DECIMAL_FORM,
    readable: readable.decimal,
    read: (cell) => (typeof cell === "string" ? STORED_TEXTS.decimal(cell) : ofCodec(property)(cell)),
  });
  const utcTimestamp: ColumnRow = (property) => ({ ...utcParts(property), readable: readable.timestamp });
  return columnFormatOf({
    toSelected: asItStands,
    defaults: {
      ...DEFAULTS,
      "Edm.Decimal": decimal,
      "Edm.DateTimeOffset": utcTimestamp,
      "Edm.Duration": () => ({
        form: DURATION_FORM,
        readable: readable.duration,
        read: (cell) => (typeof cell === "string" ? STORED_TEXTS.duration(cell) : null),
      }),
    },
    stored: {
      ...storedFormats(SQLITE_STORED_INSTANTS),
      "Edm.Decimal text": decimal,
      "Edm.Decimal real": (property) => ({
        form: REAL_DECIMAL_FORM,
        readable: readableReal,
        // A filter finds neither texts nor integers beyond doubles.
        read: (cell) => (typeof cell === "number" ? ofCodec(property)(cell) : null),
      }),
      "Edm.Decimal scaled": ({ facets: { scale } }) => (typeof scale === "number" ? scaledParts(scale) : null),
      "Edm.DateTimeOffset utc": utcTimestamp,
      "Edm.DateTimeOffset text": () => ({ form: INSTANT_FORM, readable: readable.timestamp, read: readTimestamp }),
      "Edm.String hex": () => ({
        form: HEX_FORM,
        readable: readableBytes,
        read: (cell) => (cell instanceof Uint8Array ? toHex(cell) : null),
        toCell: HEX_FORM.floor,
        isExact: true,
      }),
      "Edm.Guid text": () => ({
        form: ANY_CASE_GUID_FORM,
        readable: readableGuid,
        toJson: guidText,
        json: SQLITE_JSON["Edm.Guid"],
      }),
    },
    enums: SQLITE_ENUMS,
    nameJson: SQLITE_NAME_JSON,
    mapped: SQLITE_MAPPED,
    selectNumber: asItStands,
    toNumber: (cell) => (typeof cell === "bigint" ? Number(cell) : cell),
    readFlags: (cell) => (typeof cell === "number" ? cell : null),
  });
}

function scaledParts(scale: number): ColumnParts {
  const form = scaledDecimalForm(scale);
  const read: ReadCell = (cell) => {
    const integer = readInt64(cell);
    return integer === null ? null : fromScaled(integer, scale);
  };
  return {
    form,
    readable: readableInt64,
    read,
    toSelected: selectInteger,
    toJson: scaledText(scale),
    toCell: wholeCell(form),
  };
}

function utcParts(property: StructuralProperty): ColumnParts {
  const form = utcForm(fractionDigits(property, MAX_PRECISION));
  const json = SQLITE_JSON["Edm.DateTimeOffset"];
  return {
    form,
    read: readTimestamp,
    toJson: utcText,
    isExact: true,
    toCell: withinYears(form),
    json,
  };
}

/** Returns undefined for dates outside the years 0 to 9999. */
function withinYears(form: SqlForm): ColumnFormat["toCell"] {
  return (value) => {
    const cell = onlyCell(form, value);
    return cell === BEFORE_ALL_TEXTS || cell === BEHIND_ALL_TEXTS ? undefined : cell;
  };
}

/** Returns undefined for numbers that exceed 64 bits. */
function wholeCell(form: SqlForm): ColumnFormat["toCell"] {
  return (value) => {
    const cell = onlyCell(form, value);
    return typeof cell === "bigint" ? cell : undefined;
  };
}

/** Selects a cell as a literal of SQL: the digits of an INTEGER, which differ from a text of digits. */
function selectInteger(column: Sql): Sql {
  return sql`nullif(quote(${column}), 'NULL')`;
}

/** Reads an INTEGER, or its digits. */
function readInt64(cell: unknown): bigint | null {
  if (typeof cell !== "number" && typeof cell !== "bigint" && (typeof cell !== "string" || !INTEGER.test(cell))) {
    return null;
  }
  const integer = BigInt(cell);
  return BigInt.asIntN(64, integer) === integer ? integer : null;
}

function readBoolean(cell: unknown): boolean | null {
  if (cell === 1 || cell === true) return true;
  return cell === 0 || cell === false ? false : null;
}

function readDouble(cell: unknown): number | null {
  return typeof cell === "number" || typeof cell === "bigint" ? Number(cell) : null;
}
