import { offsetStart } from "../edm/date-time-offset.ts";
import { durationFractionOf, wholeSecondsOf } from "../edm/duration.ts";
import type { PrimitiveValue, ValueCodec } from "../edm/value-codec.ts";

/** Minimum number of fraction digits in the `O` and `c` formats of .NET. */
const FRACTION_DIGITS = 7;

/**
 * Makes the function that returns the text of a value for its ETag. Equal values have the same text, however they are
 * written, such as `10:00:00.5` and `10:00:00.500`, or `PT36H` and `P1DT12H`. Offsets and scales of Decimals are significant.
 * @see docs/decisions/0005-etag-text.md
 */
export function etagTextOf(codec: ValueCodec): (value: PrimitiveValue) => string {
  switch (codec.type.name) {
    case "Edm.Boolean":
      return (value) => (value === true ? "True" : "False");
    case "Edm.DateTimeOffset":
      return (value) => roundTripTimestamp(codec.toText(value));
    case "Edm.TimeOfDay":
      return (value) => roundTripTime(codec.toText(value));
    case "Edm.Duration":
      return (value) => constantDuration(codec.toText(value));
    default:
      return (value) => codec.toText(value);
  }
}

/** Writes `2024-02-29T10:00:00Z` as `2024-02-29T10:00:00.0000000+00:00`, the format `O`. */
function roundTripTimestamp(text: string): string {
  const end = offsetStart(text);
  const offset = text.slice(end);
  return `${roundTripTime(text.slice(0, end))}${offset === "Z" ? "+00:00" : offset}`;
}

/** Writes `10:00:00.5` as `10:00:00.5000000`, the format `O`. */
function roundTripTime(text: string): string {
  const point = text.indexOf(".");
  const whole = point < 0 ? text : text.slice(0, point);
  return `${whole}.${normalFraction(point < 0 ? "" : text.slice(point + 1))}`;
}

/** Writes `PT36H0.5S` as `1.12:00:00.5000000`, the format `c`. */
function constantDuration(text: string): string {
  const { start, end } = durationFractionOf(text);
  const fraction = withoutTrailingZeros(text.slice(start, end));
  const total = Math.abs(wholeSecondsOf(text));
  const days = Math.floor(total / 86_400);
  const clock = [Math.floor(total / 3600) % 24, Math.floor(total / 60) % 60, total % 60];
  const time = clock.map((part) => String(part).padStart(2, "0")).join(":");
  const sign = text.startsWith("-") ? "-" : "";
  return `${sign}${days === 0 ? "" : `${String(days)}.`}${time}${fraction === "" ? "" : `.${normalFraction(fraction)}`}`;
}

function normalFraction(digits: string): string {
  return withoutTrailingZeros(digits).padEnd(FRACTION_DIGITS, "0");
}

function withoutTrailingZeros(digits: string): string {
  let end = digits.length;
  while (end > 0 && digits.charAt(end - 1) === "0") end -= 1;
  return digits.slice(0, end);
}
