import { dateToDateTimeOffset } from "../../edm/date-time-offset.ts";
import type { LooseInteger } from "../../edm/decimal-arithmetic.ts";
import { decimalFromNumber } from "../../edm/decimal.ts";
import type { PrimitiveType } from "../../edm/primitive-type.ts";
import { asText, type PrimitiveValue } from "../../edm/value-codec.ts";

/**
 * Makes the conversion of canonical values (not null) from one type to a wider one: integers to Int64, Decimal, Single
 * and Double; Decimal to Single and Double, to the nearest; Date to DateTimeOffset at midnight UTC. The result is null
 * for a value that the target type does not have, such as NaN as Decimal.
 */
export function conversion(target: PrimitiveType): (value: PrimitiveValue) => PrimitiveValue | null {
  switch (target.name) {
    case "Edm.Byte":
    case "Edm.SByte":
    case "Edm.Int16":
    case "Edm.Int32":
    case "Edm.Single":
    case "Edm.Double":
      return toDouble;
    case "Edm.Int64":
      return (value) => BigInt(toLooseInteger(value));
    case "Edm.Decimal":
      return toDecimal;
    case "Edm.DateTimeOffset":
      return toDateTimeOffset;
    default:
      return (value) => value;
  }
}

/** Converts a canonical number to the nearest double. */
export function toDouble(value: PrimitiveValue): number {
  return typeof value === "number" ? value : Number(value);
}

/** Converts a canonical value of an integer type to an integer. */
export function toLooseInteger(value: PrimitiveValue): LooseInteger {
  if (typeof value === "bigint") return value;
  if (typeof value !== "number") throw new TypeError(`An integer was expected, not a ${typeof value}.`);
  return value;
}

function toDecimal(value: PrimitiveValue): string | null {
  return typeof value === "number" ? decimalFromNumber(value) : String(value);
}

function toDateTimeOffset(value: PrimitiveValue): string {
  const text = asText(value);
  return text.includes("T") ? text : dateToDateTimeOffset(text);
}
