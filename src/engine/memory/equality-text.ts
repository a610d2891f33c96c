import { fractionOf, toEpochSeconds } from "../../edm/date-time-offset.ts";
import { withoutFinalZeros } from "../../edm/decimal.ts";
import { totalSecondsOf } from "../../edm/duration.ts";
import { asNumber, asText, type PrimitiveValue } from "../../edm/value-codec.ts";
import { valueCodec } from "../../edm/value-codecs.ts";
import type { ScalarType } from "../../language/query/expression.ts";

/** Returns the text of a canonical value. */
type TextOf = (value: PrimitiveValue) => string;

/**
 * Returns the function whose texts are equal exactly for equal values of a type: `1.0` and `1.00`, the same instant at two
 * offsets, `-0` and `0`. NaN equals itself.
 * @see docs/reference/apply.md
 */
export function equalityText(type: ScalarType): TextOf {
  switch (type.name) {
    case "Edm.Single":
    case "Edm.Double":
      // Adding zero converts -0 to 0.
      return (value) => String(asNumber(value) + 0);
    case "Edm.Decimal":
    case "Edm.TimeOfDay":
      return (value) => withoutFinalZeros(asText(value));
    case "Edm.DateTimeOffset":
      return (value) => instantText(asText(value));
    case "Edm.Duration":
      return (value) => lengthText(asText(value));
    case "Edm.Binary": {
      const codec = valueCodec(type);
      return (value) => codec.toText(value);
    }
    default:
      return String;
  }
}

function instantText(value: string): string {
  const { text, start, end } = fractionOf(value);
  return withoutFinalZeros(`${String(toEpochSeconds(value))}.${text.slice(start, Math.max(start, end))}0`);
}

function lengthText(value: string): string {
  const text = withoutFinalZeros(totalSecondsOf(value));
  return text === "-0" ? "0" : text;
}
