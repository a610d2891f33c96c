import { fractionOf, toEpochSeconds } from "./date-time-offset.ts";
import { scaleOf, withoutFinalZeros, withScale } from "./decimal.ts";
import type { StructuralProperty } from "./model.ts";
import { addDurations, addDurationToDateTimeOffset } from "./temporal-arithmetic.ts";
import { MAX_FRACTION_DIGITS } from "./time-of-day.ts";
import { asNumber, asText, type PrimitiveValue } from "./value-codec.ts";

const START = "1970-01-01T00:00:00Z";

/** The fraction digits of a timestamp if the property declares no precision. */
export const DEFAULT_PRECISION = 3;

/** Returns how many fraction digits tables show of a property. One without a declared precision has the maximum. */
export function fractionDigits(
  { facets: { precision = MAX_FRACTION_DIGITS } }: Pick<StructuralProperty, "facets">,
  most: number = MAX_FRACTION_DIGITS,
): number {
  return precision === MAX_FRACTION_DIGITS ? DEFAULT_PRECISION : Math.min(precision, most);
}

/**
 * Returns the function that chooses the text of a value that no row contains: equal values get the same text, so that all
 * databases answer alike. A Decimal with a constant scale has its digits, and a timestamp, which is in UTC, those of its
 * precision; further zeros at the end are left out. Undefined for types whose values have a single text.
 * @param property its facets are those of the property that the value comes from; none for a computed value
 * @param digits the fraction digits of its timestamps, if a column determines them
 * @see docs/reference/apply.md
 */
export function shownValueOf(
  property: Pick<StructuralProperty, "type" | "facets">,
  digits: number = property.facets.precision === undefined ? 0 : fractionDigits(property),
): ((value: PrimitiveValue) => PrimitiveValue) | undefined {
  const { type, facets } = property;
  switch (type.name) {
    case "Edm.Single":
    case "Edm.Double":
      // Negative zero equals zero.
      return (value) => asNumber(value) + 0;
    case "Edm.Decimal": {
      const scale = typeof facets.scale === "number" ? facets.scale : 0;
      return (value) => withScale(withoutFinalZeros(asText(value)), scale);
    }
    case "Edm.TimeOfDay":
      return (value) => withoutFinalZeros(asText(value));
    case "Edm.Duration":
      return (value) => addDurations("PT0S", asText(value)) ?? value;
    case "Edm.DateTimeOffset":
      return (value) => toUtc(asText(value), digits) ?? value;
    default:
      return undefined;
  }
}

function toUtc(value: string, digits: number): string | null {
  const { text, start, end } = fractionOf(value);
  const seconds = toEpochSeconds(value);
  const written = withoutFinalZeros(`0.${text.slice(start, Math.max(start, end))}0`);
  const fraction = withScale(written, Math.max(digits, scaleOf(written))).slice(1);
  const length = `PT${String(Math.abs(seconds))}S`;
  const whole = addDurationToDateTimeOffset(START, seconds < 0 ? `-${length}` : length);
  return whole === null ? null : `${whole.slice(0, -1)}${fraction}Z`;
}
