/** What is used of a Temporal object; the last two are of a ZonedDateTime. */
interface TemporalObject {
  toString(): string;
  readonly offsetNanoseconds?: number;
  toInstant?(): { toString(): string };
}

const NANOSECONDS_PER_MINUTE = 60e9;

/**
 * The ISO text of a JavaScript `Date` or `Temporal` object, recognised by its tag so that polyfills count too; null
 * when the object has none, or none of the wanted kind without guessing: a `Temporal.PlainDateTime` has no offset.
 */
export function dateTimeOffsetText(value: unknown): string | null {
  if (value instanceof Date) return instantText(value);
  if (hasTag(value, "Temporal.ZonedDateTime")) return zonedText(value);
  return hasTag(value, "Temporal.Instant") ? withoutPlus(value.toString()) : null;
}

/** The ISO date of a `Date` (its day in UTC) or `Temporal.PlainDate`; null for anything else. */
export function dateText(value: unknown): string | null {
  if (value instanceof Date) {
    const text = instantText(value);
    return text === null ? null : text.slice(0, text.indexOf("T"));
  }
  return hasTag(value, "Temporal.PlainDate") ? withoutAnnotation(withoutPlus(value.toString())) : null;
}

/** The ISO time of a `Temporal.PlainTime`; null for anything else. */
export function timeOfDayText(value: unknown): string | null {
  return hasTag(value, "Temporal.PlainTime") ? value.toString() : null;
}

/** The ISO duration of a `Temporal.Duration`; null for anything else. It may have years, months or weeks. */
export function durationText(value: unknown): string | null {
  return hasTag(value, "Temporal.Duration") ? value.toString() : null;
}

/** Null for an invalid Date. */
function instantText(value: Date): string | null {
  return Number.isNaN(value.getTime()) ? null : withoutPlus(value.toISOString());
}

/** JavaScript writes years outside 0 to 9999 with a sign and six digits: `+012024`, `-000044`. */
function withoutPlus(text: string): string {
  const match = /^([+-])0{0,2}(\d{4,6})(?=-)/.exec(text);
  if (match === null) return text;
  return `${match[1] === "-" ? "-" : ""}${match[2] ?? ""}${text.slice(match[0].length)}`;
}

/** `[Europe/Berlin]`, `[u-ca=hebrew]`: what Temporal appends. */
function withoutAnnotation(text: string): string {
  const bracket = text.indexOf("[");
  return bracket < 0 ? text : text.slice(0, bracket);
}

/** The text rounds an offset that has seconds, and so would move the instant: such a value is written in UTC. */
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
