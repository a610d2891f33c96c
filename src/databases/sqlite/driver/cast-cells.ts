import type { SQLInputValue, SQLOutputValue } from "node:sqlite";
import { castOf } from "../../../edm/cast.ts";
import { parseDate } from "../../../edm/date-time-offset.ts";
import { decimalFromBigInt, decimalFromNumber, withScale } from "../../../edm/decimal.ts";
import { isInteger, PRIMITIVE_TYPES, type PrimitiveType, type PrimitiveTypeName } from "../../../edm/primitive-type.ts";
import { parseTimeOfDay } from "../../../edm/time-of-day.ts";
import type { PrimitiveValue } from "../../../edm/value-codec.ts";
import { showInstant } from "../../cells/instant-cells.ts";
import { toInstant } from "../../cells/instant.ts";
import { STORED_TEXTS } from "../../cells/text-cells.ts";
import { unreadableArgument } from "./unreadable-argument.ts";

type Cell = Exclude<SQLOutputValue, null>;

/**
 * Casts a cell, for `odata_cast(source, target, digits, value)`.
 * @param digits `needed` for a computed value, `written` for any other; the least number of fraction digits of the text of a
 *   timestamp that is stored as a number, or of a Decimal with a constant scale
 * @returns null if the cast fails
 */
export function castCell(source: unknown, target: unknown, digits: unknown, cell: Cell): SQLInputValue {
  const type = PRIMITIVE_TYPES[source as PrimitiveTypeName];
  const wanted = PRIMITIVE_TYPES[target as PrimitiveTypeName];
  const value = readCell(type, cell);
  if (value === null) throw unreadableArgument(describeCell(cell), `an ${type.name}`);
  if (typeof digits === "bigint") {
    const text = String(value);
    return type.name === "Edm.Decimal" ? withScale(text, Number(digits)) : showInstant(toInstant(text), Number(digits));
  }
  return writeCell(wanted, castOf(type, wanted, digits === "needed" ? "needed" : "written")(value));
}

function readCell(type: PrimitiveType, cell: Cell): PrimitiveValue | null {
  switch (type.name) {
    case "Edm.Boolean":
      return Number(cell) === 1;
    case "Edm.Byte":
    case "Edm.SByte":
    case "Edm.Int16":
    case "Edm.Int32":
    case "Edm.Single":
    case "Edm.Double":
      return typeof cell === "bigint" || typeof cell === "number" ? Number(cell) : null;
    case "Edm.Int64":
      return typeof cell === "bigint" ? cell : null;
    case "Edm.Decimal":
      return readDecimal(cell);
    case "Edm.Binary":
      return cell instanceof Uint8Array ? cell : null;
    default:
      return typeof cell === "string" ? readText(type, cell) : null;
  }
}

/** Reads a Decimal: text, an INTEGER or a REAL, which means its shortest decimal. */
export function readDecimal(cell: Cell): string | null {
  if (typeof cell === "string") return STORED_TEXTS.decimal(cell);
  if (typeof cell === "number") return decimalFromNumber(cell);
  return typeof cell === "bigint" ? decimalFromBigInt(cell) : null;
}

function readText({ name }: PrimitiveType, text: string): string | null {
  switch (name) {
    case "Edm.Date":
      return parseDate(text);
    case "Edm.TimeOfDay":
      return parseTimeOfDay(text);
    case "Edm.DateTimeOffset":
      return STORED_TEXTS.timestamp(text);
    case "Edm.Duration":
      return STORED_TEXTS.duration(text);
    default:
      return text;
  }
}

/** Writes a result as the forms of SQLite do. It has no NaN, and `node:sqlite` stores every number as REAL. */
function writeCell(type: PrimitiveType, value: PrimitiveValue | null): SQLInputValue {
  if (typeof value === "boolean") return value ? 1n : 0n;
  if (typeof value !== "number") return value;
  if (isInteger(type)) return BigInt(value);
  return Number.isNaN(value) ? null : value;
}

/** Describes a cell in an error. */
export function describeCell(cell: Cell): string {
  if (cell instanceof Uint8Array) return "bytes";
  return typeof cell === "string" ? JSON.stringify(cell) : String(cell);
}
