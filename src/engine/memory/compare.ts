import { compareStrings } from "../../edm/text-codecs.ts";
import { asText, type PrimitiveValue } from "../../edm/value-codec.ts";
import { valueCodec } from "../../edm/value-codecs.ts";
import type { ScalarType } from "../../language/query/expression.ts";

/**
 * Compares two canonical values of one type, neither of them null: negative, zero or positive; NaN for a NaN operand.
 */
export type CompareValues = (left: PrimitiveValue, right: PrimitiveValue) => number;

/** Compares two canonical values or nulls of one type for sorting: negative, zero or positive, never NaN. */
type OrderValues = (left: PrimitiveValue | null, right: PrimitiveValue | null) => number;

/**
 * How the values of a type are compared: by JavaScript's own operators (`native`), natively for equality and by code
 * point for order (`text`), natively for equality and by a function for order (`named`), or by a function (`coded`).
 */
type ComparisonFamily = "native" | "text" | "named" | "coded";

/** The order of sort keys, and a function that must see each key before it is compared. */
interface KeyOrder {
  readonly order: OrderValues;
  readonly noteKey: (key: PrimitiveValue | null) => void;
}

const HIGH_UNIT = /[\uD800-\uFFFF]/;

/** Returns how the values of a type are compared. */
export function comparisonFamily(type: ScalarType): ComparisonFamily {
  if (type.kind === "EnumType") return "named";
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
    case "Edm.Date":
      // Canonical dates are equal only if their strings are equal; other temporal values may differ in trailing zeros.
      return "named";
    default:
      return "coded";
  }
}

/**
 * Returns the comparison of two values of a type for the relational operators: NaN is neither less nor greater nor
 * equal.
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
 * Returns a total order of the values of a type for `$orderby`, ascending: null first, then NaN (which equals itself
 * here), then all others by `valueComparison`, so from -INF to INF.
 * @param type null where all values are null
 * @see OData Protocol 4.0, section 11.2.5.2; docs/reference/orderby.md
 */
export function keyOrder(type: ScalarType | null): KeyOrder {
  if (type === null) return { order: () => 0, noteKey: noteNothing };
  switch (comparisonFamily(type)) {
    case "native":
      return { order: orderNatively, noteKey: noteNothing };
    case "text":
      return textOrder();
    default: {
      const compare = valueComparison(type);
      const order: OrderValues = (left, right) =>
        left === null || right === null ? orderNulls(left, right) : compare(left, right);
      return { order, noteKey: noteNothing };
    }
  }
}

function noteNothing(): void {
  // Most orders do not depend on their keys.
}

/**
 * Orders strings. JavaScript's own `<` is more than twice as fast as `compareStrings`, and correct if one of the two
 * strings has no code unit from the surrogates on.
 */
function textOrder(): KeyOrder {
  let isPlain = true;
  const noteKey = (key: PrimitiveValue | null): void => {
    if (isPlain && typeof key === "string" && HIGH_UNIT.test(key)) isPlain = false;
  };
  const order: OrderValues = (left, right) => {
    if (typeof left !== "string" || typeof right !== "string") return orderNulls(left, right);
    if (!isPlain) return compareStrings(left, right);
    if (left === right) return 0;
    return left < right ? -1 : 1;
  };
  return { order, noteKey };
}

/** Orders values by JavaScript operators. Most comparisons end in the first lines; NaN compares false to all values. */
function orderNatively(left: PrimitiveValue | null, right: PrimitiveValue | null): number {
  if (left === null || right === null) return orderNulls(left, right);
  if (left < right) return -1;
  if (left > right) return 1;
  if (left === right) return 0;
  return Number(!Number.isNaN(left)) - Number(!Number.isNaN(right));
}

function orderNulls(left: PrimitiveValue | null, right: PrimitiveValue | null): number {
  return Number(left !== null) - Number(right !== null);
}
