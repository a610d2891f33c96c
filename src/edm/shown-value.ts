import { fractionOf, toEpochSeconds } from "./date-time-offset.ts";
import { withoutFinalZeros } from "./decimal.ts";
import type { EnumType } from "./model.ts";
import type { PrimitiveType } from "./primitive-type.ts";
import { addDurations, addDurationToDateTimeOffset } from "./temporal-arithmetic.ts";
import { asNumber, asText, type PrimitiveValue } from "./value-codec.ts";

const START = "1970-01-01T00:00:00Z";

/**
 * Returns the function that chooses the text of a value that no row contains: equal values get the same text, so that all
 * databases answer alike. Decimals, times and timestamps have no zeros at their end, and timestamps are in UTC. Undefined
 * for types whose values have a single text.
 * @see docs/reference/apply.md
 */
export function shownValueOf({
  name,
}: PrimitiveType | EnumType): ((value: PrimitiveValue) => PrimitiveValue) | undefined {
  switch (name) {
    case "Edm.Single":
    case "Edm.Double":
      // Negative zero equals zero.
      return (value) => asNumber(value) + 0;
    case "Edm.Decimal":
    case "Edm.TimeOfDay":
      return (value) => withoutFinalZeros(asText(value));
    case "Edm.Duration":
      return (value) => addDurations("PT0S", asText(value)) ?? value;
    case "Edm.DateTimeOffset":
      return (value) => toUtc(asText(value)) ?? value;
    default:
      return undefined;
  }
}

function toUtc(value: string): string | null {
  const { text, start, end } = fractionOf(value);
  const seconds = toEpochSeconds(value);
  const fraction = withoutFinalZeros(`0.${text.slice(start, Math.max(start, end))}0`).slice(1);
  const length = `PT${String(Math.abs(seconds))}S`;
  const whole = addDurationToDateTimeOffset(START, seconds < 0 ? `-${length}` : length);
  return whole === null ? null : `${whole.slice(0, -1)}${fraction}Z`;
}
