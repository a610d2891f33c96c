import { sql } from "kysely";
import { keptPerForeign } from "../../../base/memo.ts";
import { decimalOfReal } from "../../../edm/decimal-arithmetic.ts";
import { fromScaled } from "../../../edm/decimal.ts";
import { integerBounds, type SmallIntegerTypeName, smallIntegerBounds } from "../../../edm/integer-bounds.ts";
import type { StructuralProperty } from "../../../edm/model.ts";
import { fractionDigits } from "../../../edm/shown-value.ts";
import { toHex } from "../../cells/hex.ts";
import { BEFORE_ALL_TEXTS, BEHIND_ALL_TEXTS } from "../../cells/instant.ts";
import {
  scanBoolean,
  scanDate,
  scanDouble,
  scanGuid,
  scanInt64,
  scanInteger,
  scanName,
  scanTimeOfDay,
  scanUtc,
} from "../../cells/json-cells.ts";
import { scanString } from "../../cells/json-text.ts";
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
} from "../../cells/text-cells.ts";
import {
  ofCodec,
  onlyCell,
  type ColumnFormat,
  type ColumnFormats,
  type ReadCell,
} from "../../columns/column-format.ts";
import { furtherCells, JSON_PAGE, type JsonCell, type JsonPart, type JsonSyntax } from "../../columns/json-syntax.ts";
import type { SynchronousReader } from "../../connection/synchronous-reader.ts";
import { columnFormatOf, type ColumnParts, type ColumnRow, type ColumnTable } from "../../forms/column-table.ts";
import { storedFormats } from "../../forms/stored-instants.ts";
import { readString, readTimestamp } from "../../forms/text-columns.ts";
import type { Sql, SqlForm } from "../../statement/sql-form.ts";
import {
  DECIMAL_FORM,
  REAL_DECIMAL_FORM,
  bareRealForm,
  roundedRealForm,
  scaledDecimalForm,
  ANY_CASE_GUID_FORM,
  ANY_TEXT_FORM,
  BINARY_FORM,
  BOOLEAN_FORM,
  DOUBLE_FORM,
  SQLITE_ENUMS,
  SQLITE_MAPPED,
  GUID_FORM,
  HEX_FORM,
  INTEGER_FORM,
  STRING_COLUMN_FORM,
  textOfCell,
} from "./forms.ts";
import { asItStands } from "./marks.ts";
import {
  READABLE,
  BARE_TESTS,
  FUNCTION_TESTS,
  readableInteger,
  readableTexts,
  type ReadableTexts,
  NO_YEAR,
  SQLITE_STORED_INSTANTS,
} from "./readable-cells.ts";
import { DATE_FORM, DURATION_FORM, INSTANT_FORM, TIME_FORM, utcForm } from "./temporal-forms.ts";

// A plus removes the affinity of an operand: otherwise a text such as '1' would equal the number.

/** Zero and one become booleans; any other cell is written as it is, and refused. */
const toBoolean = (cell: Sql): Sql =>
  sql`case +${cell} when 1 then json('true') when 0 then json('false') else ${cell} end`;

/** Whole numbers are written without a fraction, and negative zero as a text, which is refused. */
const toNumber = (cell: Sql): Sql =>
  sql`iif(+${cell} = +cast(${cell} as integer), iif(${cell} = 0 and atan2(${cell}, -1) < 0, '-0', cast(${cell} as integer)), ${cell})`;

const double: JsonCell = { toArgument: toNumber, scan: scanDouble, isDouble: true };

const integerJson = (name: SmallIntegerTypeName): JsonCell => ({
  toArgument: asItStands,
  scan: scanInteger(...smallIntegerBounds(name)),
});

/** How SQLite writes the values of each type in its default storage; without an entry, rows are read instead. */
const SQLITE_JSON: Readonly<Record<string, JsonCell>> = Object.freeze<Record<string, JsonCell>>({
  "Edm.Boolean": { toArgument: toBoolean, scan: scanBoolean },
  "Edm.Byte": integerJson("Edm.Byte"),
  "Edm.SByte": integerJson("Edm.SByte"),
  "Edm.Int16": integerJson("Edm.Int16"),
  "Edm.Int32": integerJson("Edm.Int32"),
  "Edm.Int64": { toArgument: asItStands, scan: scanInt64 },
  "Edm.Single": double,
  "Edm.Double": double,
  "Edm.String": { toArgument: asItStands, scan: scanString },
  "Edm.Guid": { toArgument: asItStands, scan: scanGuid },
  "Edm.Date": { toArgument: asItStands, scan: scanDate },
  "Edm.TimeOfDay": { toArgument: asItStands, scan: scanTimeOfDay },
  "Edm.DateTimeOffset": { toArgument: asItStands, scan: scanUtc },
});

/** How SQLite writes names of enumeration members. */
const SQLITE_NAME_JSON = (names: ReadonlySet<string>): JsonCell => ({
  toArgument: asItStands,
  scan: scanName(names),
});

/** A function of older versions takes no more arguments: a name and a value for each member. */
const MAX_MEMBERS = 63;

/**
 * The messages of refused JSON: a blob is not JSON, or malformed JSON in binary form. No text has more than 1,000,000,000 bytes.
 * `odata_spend_entities` throws the last message.
 */
const REFUSED = /JSON cannot hold BLOB values|malformed JSON|string or blob too big|too many entities for JSON/;

/** Numbers with up to 17 digits, and negative zero. Older versions write 15 digits. */
const SAMPLES: readonly number[] = [0.15000000000000002, 123_456_789.12345679, -2.2250738585072014e-308, 0.1, 4.35];

const writesDoubles = keptPerForeign((reader: SynchronousReader): boolean => {
  try {
    const texts = reader.readOne(`select ${SAMPLES.map(() => "json_array(?)").join(", ")}, atan2(?, -1) < 0`, [
      ...SAMPLES,
      -0,
    ]);
    const isExact = SAMPLES.every((sample, index) => Number(String(texts?.[index]).slice(1, -1)) === sample);
    return isExact && texts?.[SAMPLES.length] === 1;
  } catch {
    // This SQLite has no mathematical functions.
    return false;
  }
});

const objectOf = (parts: readonly JsonPart[]): Sql =>
  sql`json_object(${sql.join(parts.flatMap(({ name, argument }) => [sql.lit(name), argument]))})`;

/**
 * Tests whether a cell of a row is a blob, which may be JSON in binary form that SQLite would write. It is greater than every
 * other value.
 */
function hasBlob(parts: readonly JsonPart[]): Sql | null {
  const cells = parts.map(({ cell }) => cell).filter((cell) => cell !== null);
  if (cells.length === 0) return null;
  return sql.join(
    cells.map((cell) => sql`${cell} >= x''`),
    sql` or `,
  );
}

/** How SQLite writes entities as JSON. @see https://sqlite.org/json1.html */
export const SQLITE_JSON_SYNTAX: JsonSyntax = Object.freeze<JsonSyntax>({
  isForPlainPages: true,
  // Without an index, statements are not used.
  needsListLimit: false,
  keepsCells: true,
  idOf: (start, key) => sql`iif(typeof(${key}) = 'integer', ${start} || ${key} || ')', null)`,
  constant: (text) => sql.lit(text),
  maxMembers: MAX_MEMBERS,
  page: (parts, rows, { total, marks }) => {
    const blob = hasBlob(parts);
    const blobs = blob === null ? sql`0` : sql`count(*) filter (where ${blob})`;
    const bytes = sql`cast(group_concat(${objectOf(parts)}) as blob)`;
    const others = furtherCells(3, total === null ? marks : [total, ...marks]);
    return sql`select ${bytes} as "c0", ${blobs} as "c1", count(*) as "c2"${others} from (${rows}) as ${sql.id(JSON_PAGE)}`;
  },
  // A blob is refused, as a member is.
  markAt: (value, position) => sql`json_extract(json_group_array(${value}), '$[' || ${position} || ']')`,
  entity: (parts, from) => {
    const blob = hasBlob(parts);
    const object = objectOf(parts);
    return sql`(select ${blob === null ? object : sql`case when ${blob} then 'bytes' else ${object} end`}${from})`;
  },
  entities: (parts, from, { execution, most }) => {
    const blob = hasBlob(parts);
    const noBlob = blob === null ? sql`` : sql` and total(${blob}) = 0`;
    const isWithin = sql`odata_spend_entities(${execution}, count(*), ${most})`;
    return sql`(select case when ${isWithin}${noBlob} then json_group_array(${objectOf(parts)}) end${from})`;
  },
  writesDoubles: (reader) => reader !== null && writesDoubles(reader),
  isRefused: (error) => isRefusal(error) || (error instanceof Error && isRefusal(error.cause)),
});

function isRefusal(error: unknown): boolean {
  return error instanceof Error && REFUSED.test(error.message);
}

const INTEGER = /^(?:0|-?[1-9]\d{0,18})$/;

const integer = (property: StructuralProperty): ColumnParts => ({
  form: INTEGER_FORM,
  readable: readableInteger(...integerBounds(property.type.name)),
  json: SQLITE_JSON[property.type.name],
});

const DEFAULTS: Omit<ColumnTable["defaults"], "Edm.DateTimeOffset" | "Edm.Decimal" | "Edm.Duration"> = {
  "Edm.Boolean": () => ({
    form: BOOLEAN_FORM,
    readable: READABLE.boolean,
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
    readable: READABLE.int64,
    read: readInt64,
    toSelected: selectInteger,
    toJson: int64Text,
    json: SQLITE_JSON["Edm.Int64"],
  }),
  "Edm.Single": () => ({
    form: DOUBLE_FORM,
    readable: READABLE.double,
    read: readDouble,
    json: SQLITE_JSON["Edm.Single"],
  }),
  "Edm.Double": () => ({
    form: DOUBLE_FORM,
    readable: READABLE.double,
    read: readDouble,
    toJson: doubleText,
    json: SQLITE_JSON["Edm.Double"],
  }),
  "Edm.String": () => ({
    form: STRING_COLUMN_FORM,
    readable: READABLE.text,
    read: readString,
    toJson: stringText,
    json: SQLITE_JSON["Edm.String"],
  }),
  "Edm.Guid": () => ({ form: GUID_FORM, readable: READABLE.guid, toJson: guidText, json: SQLITE_JSON["Edm.Guid"] }),
  "Edm.Binary": () => ({ form: BINARY_FORM, readable: READABLE.bytes }),
  "Edm.Date": (property) => ({
    form: DATE_FORM,
    readable: READABLE.date,
    read: (cell) => (typeof cell === "string" && cell.startsWith(NO_YEAR) ? null : ofCodec(property)(cell)),
    toCell: withinYears(DATE_FORM),
    json: SQLITE_JSON["Edm.Date"],
  }),
  "Edm.TimeOfDay": () => ({
    form: TIME_FORM,
    readable: READABLE.time,
    toCell: (value) => value,
    json: SQLITE_JSON["Edm.TimeOfDay"],
  }),
};

/** How SQLite stores a primitive or enumeration property, in a column or within a document. */
export const sqliteColumnFormat: ColumnFormats["columnFormat"] = formatsWith(
  readableTexts(FUNCTION_TESTS),
  roundedRealForm,
);

/** The same for a dialect without the functions of `sqliteDialect`. */
export const bareSqliteColumnFormat: ColumnFormats["columnFormat"] = formatsWith(
  readableTexts(BARE_TESTS),
  bareRealForm,
);

function formatsWith(readable: ReadableTexts, roundedReal: (scale: number) => SqlForm): ColumnFormats["columnFormat"] {
  const decimal: ColumnRow = (property) => ({
    form: DECIMAL_FORM,
    readable: readable.decimal,
    read: (cell) => (typeof cell === "string" ? STORED_TEXTS.decimal(cell) : ofCodec(property)(cell)),
  });
  const utcTimestamp: ColumnRow = (property) => ({ ...utcParts(property), readable: readable.timestamp });
  return columnFormatOf(() => ({
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
      "Edm.Decimal real": ({ facets: { scale } }) => ({
        form: typeof scale === "number" ? roundedReal(scale) : REAL_DECIMAL_FORM,
        readable: READABLE.real,
        // A filter finds neither texts nor integers beyond doubles.
        read: (cell) => (typeof cell === "number" ? decimalOfReal(cell, scale) : null),
        toCell: (value) => onlyCell(REAL_DECIMAL_FORM, value),
      }),
      "Edm.Decimal scaled": ({ facets: { scale } }) => (typeof scale === "number" ? scaledParts(scale) : null),
      "Edm.DateTimeOffset utc": utcTimestamp,
      "Edm.DateTimeOffset text": () => ({ form: INSTANT_FORM, readable: readable.timestamp, read: readTimestamp }),
      "Edm.String hex": () => ({
        form: HEX_FORM,
        readable: READABLE.bytes,
        read: (cell) => (cell instanceof Uint8Array ? toHex(cell) : null),
        toCell: HEX_FORM.floor,
        isExact: true,
      }),
      "Edm.String text": () => ({ form: ANY_TEXT_FORM, read: readString, toSelected: textOfCell, mayRound: true }),
      "Edm.Guid text": () => ({
        form: ANY_CASE_GUID_FORM,
        readable: READABLE.guid,
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
  }));
}

function scaledParts(scale: number): ColumnParts {
  const form = scaledDecimalForm(scale);
  const read: ReadCell = (cell) => {
    const integer = readInt64(cell);
    return integer === null ? null : fromScaled(integer, scale);
  };
  return {
    form,
    readable: READABLE.int64,
    read,
    toSelected: selectInteger,
    toJson: scaledText(scale),
    toCell: wholeCell(form),
  };
}

function utcParts(property: StructuralProperty): ColumnParts {
  const form = utcForm(fractionDigits(property));
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
