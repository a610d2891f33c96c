/** The used members of a Temporal object; only a ZonedDateTime has the last two. */
interface TemporalObject {
  toString(): string;
  readonly offsetNanoseconds?: number;
  toInstant?(): { toString(): string };
}

const NANOSECONDS_PER_MINUTE = 60e9;

/**
 * Returns the ISO timestamp of a `Date` or `Temporal` object, recognised by its tag to support polyfills; null for any other
 * object, such as a `Temporal.PlainDateTime`, which has no offset.
 */
export function dateTimeOffsetText(value: unknown): string | null {
  if (value instanceof Date) return instantText(value);
  if (hasTag(value, "Temporal.ZonedDateTime")) return zonedText(value);
  return hasTag(value, "Temporal.Instant") ? withoutPlus(value.toString()) : null;
}

/** Returns the ISO date of a `Date` (its day in UTC) or `Temporal.PlainDate`; null for any other value. */
export function dateText(value: unknown): string | null {
  if (value instanceof Date) {
    const text = instantText(value);
    return text === null ? null : text.slice(0, text.indexOf("T"));
  }
  return hasTag(value, "Temporal.PlainDate") ? withoutAnnotation(withoutPlus(value.toString())) : null;
}

/** Returns the ISO time of a `Temporal.PlainTime`; null for any other value. */
export function timeOfDayText(value: unknown): string | null {
  return hasTag(value, "Temporal.PlainTime") ? value.toString() : null;
}

/** Returns the ISO duration of a `Temporal.Duration`, which may have years, months or weeks; null for any other value. */
export function durationText(value: unknown): string | null {
  return hasTag(value, "Temporal.Duration") ? value.toString() : null;
}

/** Returns null for an invalid Date. */
function instantText(value: Date): string | null {
  return Number.isNaN(value.getTime()) ? null : withoutPlus(value.toISOString());
}

/** Removes the sign and zeros of years outside 0 to 9999, which JavaScript writes as `+012024` or `-000044`. */
function withoutPlus(text: string): string {
  const match = /^([+-])0{0,2}(\d{4,6})(?=-)/.exec(text);
  if (match === null) return text;
  return `${match[1] === "-" ? "-" : ""}${match[2] ?? ""}${text.slice(match[0].length)}`;
}

/** Removes annotations such as `[Europe/Berlin]` and `[u-ca=hebrew]`. */
function withoutAnnotation(text: string): string {
  const bracket = text.indexOf("[");
  return bracket < 0 ? text : text.slice(0, bracket);
}

/** Writes a value whose offset has seconds in UTC, because its text rounds the offset and so changes the instant. */
function zonedText(value: TemporalObject): string {
  const hasSeconds = (value.offsetNanoseconds ?? 0) % NANOSECONDS_PER_MINUTE !== 0;
  const text = hasSeconds ? value.toInstant?.().toString() : undefined;
  return withoutAnnotation(withoutPlus(text ?? value.toString()));
}

function hasTag(value: unknown, tag: string): value is TemporalObject {
  return (
    typeof value === "object" && value !== null && Symbol.toStringTag in value && value[Symbol.toStringTag] === tag
  );
}
