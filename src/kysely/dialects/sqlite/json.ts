import { sql } from "kysely";
import { keptPerForeign } from "../../../base/memo.ts";
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
} from "../../../cells/json-cells.ts";
import { scanString } from "../../../cells/json-text.ts";
import type { SynchronousReader } from "../../../connection/synchronous-reader.ts";
import { furtherCells, JSON_PAGE, type JsonCell, type JsonPart, type JsonSyntax } from "../../columns/json-syntax.ts";
import type { Sql } from "../../statement/sql-form.ts";

const asItStands = (cell: Sql): Sql => cell;

// A plus removes the affinity of an operand: otherwise a text such as '1' would equal the number.

/** Zero and one become booleans; any other cell is written as it is, and refused. */
const toBoolean = (cell: Sql): Sql =>
  sql`case +${cell} when 1 then json('true') when 0 then json('false') else ${cell} end`;

/** Whole numbers are written without a fraction, and negative zero as a text, which is refused. */
const toNumber = (cell: Sql): Sql =>
  sql`iif(+${cell} = +cast(${cell} as integer), iif(${cell} = 0 and atan2(${cell}, -1) < 0, '-0', cast(${cell} as integer)), ${cell})`;

const double: JsonCell = { toArgument: toNumber, scan: scanDouble, isDouble: true };

/** How SQLite writes the values of each type in its default storage; without an entry, rows are read instead. */
export const SQLITE_JSON: Readonly<Record<string, JsonCell>> = Object.freeze<Record<string, JsonCell>>({
  "Edm.Boolean": { toArgument: toBoolean, scan: scanBoolean },
  "Edm.Byte": { toArgument: asItStands, scan: scanInteger(0, 255) },
  "Edm.SByte": { toArgument: asItStands, scan: scanInteger(-128, 127) },
  "Edm.Int16": { toArgument: asItStands, scan: scanInteger(-32_768, 32_767) },
  "Edm.Int32": { toArgument: asItStands, scan: scanInteger(-2_147_483_648, 2_147_483_647) },
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
export const SQLITE_NAME_JSON = (names: ReadonlySet<string>): JsonCell => ({
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
  maxMembers: MAX_MEMBERS,
  page: (parts, rows, total, marks) => {
    const blob = hasBlob(parts);
    const blobs = blob === null ? sql`0` : sql`count(*) filter (where ${blob})`;
    const bytes = sql`cast(group_concat(${objectOf(parts)}) as blob)`;
    const others = furtherCells(3, total === null ? marks : [total, ...marks]);
    return sql`select ${bytes} as "c0", ${blobs} as "c1", count(*) as "c2"${others} from (${rows}) as ${sql.id(JSON_PAGE)}`;
  },
  // A blob is refused, as a member is.
  markAt: (value, position) => sql`json_extract(json_group_array(${value}), '$[' || ${position} || ']')`,
  objects: (parts, rows) =>
    sql`select ${objectOf(parts)} as "c0", ${hasBlob(parts) ?? sql`0`} as "c1" from (${rows}) as ${sql.id(JSON_PAGE)}`,
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
  isRefused: (error) => error instanceof Error && REFUSED.test(error.message),
});
