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
  scanString,
  scanTimeOfDay,
  scanUtc,
} from "../../cells/json-cells.ts";
import type { JsonCell, JsonSyntax } from "../../columns/json-syntax.ts";
import type { SynchronousReader } from "../../connection/synchronous-reader.ts";
import type { Sql } from "../../statement/sql-form.ts";

const asItStands = (cell: Sql): Sql => cell;

/** Zero and one become booleans; any other cell is written as it is, and refused. */
const toBoolean = (cell: Sql): Sql =>
  sql`case ${cell} when 1 then json('true') when 0 then json('false') else ${cell} end`;

/** Whole numbers are written without a fraction, and negative zero as a text, which is refused. */
const toNumber = (cell: Sql): Sql =>
  sql`iif(${cell} = cast(${cell} as integer), iif(${cell} = 0 and atan2(${cell}, -1) < 0, '-0', cast(${cell} as integer)), ${cell})`;

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

/** A blob is not JSON, or malformed JSON in binary form. No text has more than 1,000,000,000 bytes. */
const REFUSED = /JSON cannot hold BLOB values|malformed JSON|string or blob too big/;

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

/** How SQLite writes rows as JSON. @see https://sqlite.org/json1.html */
export const SQLITE_JSON_SYNTAX: JsonSyntax = Object.freeze<JsonSyntax>({
  maxMembers: MAX_MEMBERS,
  page: (members, rows) => {
    const parts = members.flatMap(({ name, cell, toArgument }) => [sql.lit(name), toArgument(cell)]);
    const object = sql`json_object(${sql.join(parts)})`;
    // A blob may be JSON in binary form, which SQLite would write. It is greater than every other value.
    const hasBlob = sql.join(
      members.map(({ cell }) => sql`${cell} >= x''`),
      sql` or `,
    );
    const blobs = sql`count(*) filter (where ${hasBlob})`;
    return sql`select cast(group_concat(${object}) as blob), count(*), ${blobs} from (${rows})`;
  },
  writesDoubles,
  isRefused: (error) => error instanceof Error && REFUSED.test(error.message),
});
