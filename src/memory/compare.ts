import { asText } from "../edm/canonical-form.ts";
import type { PrimitiveType } from "../edm/primitive-type.ts";
import type { PrimitiveValue } from "../edm/value-codec.ts";
import { valueCodec } from "../edm/value-codecs.ts";
import type { ScalarType } from "../query/expression.ts";

/** Compares two canonical values of one type, neither of them null: negative, zero or positive; NaN for a NaN operand. */
export type CompareValues = (left: PrimitiveValue, right: PrimitiveValue) => number;

/** Compares two canonical values or nulls of one type for sorting: negative, zero or positive, never NaN. */
export type OrderValues = (left: PrimitiveValue | null, right: PrimitiveValue | null) => number;

/**
 * How the values of a type are compared: by JavaScript's own operators (`native`), natively for equality only (`text`:
 * order is by code point), or by a function in every respect (`coded`).
 */
export type ComparisonFamily = "native" | "text" | "coded";

const FIRST_SURROGATE = 0xd8_00;
const FIRST_BEHIND_SURROGATES = 0xe0_00;

/**
 * Compares two strings by code point, which is the order of their UTF-8 bytes: what the binary collations of databases
 * do, so that every executor sorts alike. Letter case counts. (JavaScript's own `<` goes by code unit, and would place
 * U+1F600 before U+FF5E.)
 * @returns negative, zero or positive
 */
export function compareStrings(left: string, right: string): number {
  if (left === right) return 0;
  const end = Math.min(left.length, right.length);
  for (let at = 0; at < end; at += 1) {
    const leftUnit = left.charCodeAt(at);
    const rightUnit = right.charCodeAt(at);
    if (leftUnit !== rightUnit) return rankUnit(leftUnit) - rankUnit(rightUnit);
  }
  return left.length - right.length;
}

/** Moves surrogates, which stand for the code points from U+10000, behind all other code units. */
function rankUnit(unit: number): number {
  if (unit < FIRST_SURROGATE) return unit;
  return unit < FIRST_BEHIND_SURROGATES ? unit + 0x20_00 : unit - 0x8_00;
}

/** Tells how the values of a type are compared. */
export function comparisonFamily(type: ScalarType): ComparisonFamily {
  return type.kind === "EnumType" ? "coded" : primitiveFamily(type);
}

function primitiveFamily(type: PrimitiveType): ComparisonFamily {
  switch (type.name) {
    case "Edm.Boolean":
    case "Edm.Byte":
    case "Edm.SByte":
    case "Edm.Int16":
    case "Edm.Int32":
    case "Edm.Int64":
    case "Edm.Single":
    case "Edm.Double":
      return "native";
    case "Edm.String":
    case "Edm.Guid":
      return "text";
    default:
      return "coded";
  }
}

/**
 * The comparison of two values of a type, for the relational operators: NaN is neither less nor greater nor equal.
 * @see OData URL Conventions 4.0, section 5.1.1.1
 */
export function valueComparison(type: ScalarType): CompareValues {
  switch (comparisonFamily(type)) {
    case "native":
      return compareNatively;
    case "text":
      return (left, right) => compareStrings(asText(left), asText(right));
    default: {
      const codec = valueCodec(type);
      return (left, right) => codec.compare(left, right);
    }
  }
}

function compareNatively(left: PrimitiveValue, right: PrimitiveValue): number {
  if (left === right) return 0;
  if (left < right) return -1;
  return left > right ? 1 : Number.NaN;
}

/**
 * A total order of the values of a type for `$orderby`, ascending: null first, then NaN (which equals itself here),
 * then all others by `valueComparison`, so from -INF to INF.
 * @param type null where all values are null
 * @see decisions, Reading; OData Protocol 4.0, section 11.2.5.2
 */
export function valueOrder(type: ScalarType | null): OrderValues {
  if (type === null) return () => 0;
  if (comparisonFamily(type) === "native") return orderNatively;
  const compare = valueComparison(type);
  return (left, right) => (left === null || right === null ? orderNulls(left, right) : compare(left, right));
}

/** Most comparisons end in the first two lines; null and NaN are neither less nor greater than anything there. */
function orderNatively(left: PrimitiveValue | null, right: PrimitiveValue | null): number {
  if (left !== null && right !== null) {
    if (left < right) return -1;
    if (left > right) return 1;
    if (left === right) return 0;
    return Number(!Number.isNaN(left)) - Number(!Number.isNaN(right));
  }
  return orderNulls(left, right);
}

function orderNulls(left: PrimitiveValue | null, right: PrimitiveValue | null): number {
  return Number(left !== null) - Number(right !== null);
}
