import { sql } from "kysely";
import { asText } from "../../../edm/canonical-form.ts";
import { toScaled } from "../../../edm/decimal.ts";
import { parseDuration, totalSecondsOf } from "../../../edm/duration.ts";
import { MAX_PRECISION } from "../../cells/instant.ts";
import { textMark, type Conversion, type Sql, type SqlForm } from "../../statement/sql-form.ts";
import { PG_FORMS } from "./forms.ts";

/** The picoseconds of a microsecond, and the microseconds of other units. */
const PICOSECONDS = 10n ** 6n;
const SECOND = 10n ** 6n;
const MINUTE = 60n * SECOND;
const HOUR = 60n * MINUTE;
const DAY = 24n * HOUR;
/** The longest interval without months in microseconds, and intervals beyond it. */
const MOST = (2n ** 31n - 1n) * DAY + DAY - 1n;
const ABOVE_ALL = "P178000000Y";
const BELOW_ALL = "P-178000000Y";
/** The result of `extract(epoch)`. */
const EPOCH = /^(-?)(\d+)\.(\d+)$/;

const TO_SECONDS: Conversion = {
  form: PG_FORMS.temporal.seconds,
  apply: (operand) => sql`extract(epoch from ${operand})::numeric`,
};
const asInterval = (place: Sql): Sql => sql`${place}::interval`;

/**
 * Edm.Duration as interval, which PostgreSQL compares as durations with days of 24 hours. Bound strings are ISO 8601 with a
 * sign before each number, the only notation that does not depend on `IntervalStyle`.
 */
export const PG_INTERVAL: SqlForm = Object.freeze<SqlForm>({
  name: "interval",
  floor: (value) => {
    const [below] = microsecondsAround(asText(value));
    if (below > MOST) return writeInterval(MOST);
    return below < -MOST ? BELOW_ALL : writeInterval(below);
  },
  ceiling: (value) => {
    const [, above] = microsecondsAround(asText(value));
    if (above < -MOST) return writeInterval(-MOST);
    return above > MOST ? ABOVE_ALL : writeInterval(above);
  },
  exact: null,
  mayBeNull: false,
  place: asInterval,
  mark: textMark(intervalText),
  fromKey: asInterval,
  comparable: TO_SECONDS,
  computable: TO_SECONDS,
});

/** Selects an interval in a notation that does not depend on `IntervalStyle`, with a sign before each number. */
function intervalText(value: Sql): Sql {
  const part = (name: string): Sql => sql`extract(${sql.raw(name)} from ${value})`;
  const months = sql`'P', ${part("year")} * 12 + ${part("month")}, 'M'`;
  const clock = sql`'DT', ${part("hour")}, 'H', ${part("minute")}, 'M', ${part("second")}, 'S'`;
  return sql`case when ${value} is not null then concat(${months}, ${part("day")}, ${clock}) end`;
}

/**
 * Selects the seconds of an interval. Selects the months of an interval with months, because months vary in length. Neither
 * text depends on `IntervalStyle`.
 */
export function selectInterval(column: Sql): Sql {
  const months = sql`(extract(year from ${column}) * 12 + extract(month from ${column}))`;
  const hasDaysOnly = sql`extract(year from ${column}) = 0 and extract(month from ${column}) = 0`;
  return sql`(case when ${hasDaysOnly} then extract(epoch from ${column})::text else ${months}::text || ' mon' end)`;
}

/** Reads the result of `selectInterval`. */
export function readInterval(cell: unknown): string | null {
  const match = EPOCH.exec(String(cell));
  if (match === null) throw new Error("An interval with months or years has no fixed length. Store days and seconds.");
  const [, sign = "", whole = "", fraction = ""] = match;
  const seconds = BigInt(whole);
  const [days, rest] = [seconds / 86_400n, seconds % 86_400n];
  const [hours, minutes] = [rest / 3600n, (rest % 3600n) / 60n];
  const digits = fraction.replace(/0+$/, "");
  const last = digits === "" ? String(rest % 60n) : `${String(rest % 60n)}.${digits}`;
  const parts = [
    [hours, `${String(hours)}H`],
    [minutes, `${String(minutes)}M`],
    [last === "0" ? 0n : 1n, `${last}S`],
  ] as const;
  const time = parts.flatMap(([count, text]) => (count === 0n ? [] : [text])).join("");
  const day = days === 0n ? "" : `${String(days)}D`;
  if (day === "" && time === "") return "PT0S";
  return parseDuration(`${sign}P${day}${time === "" ? "" : `T${time}`}`);
}

function microsecondsAround(duration: string): readonly [below: bigint, above: bigint] {
  const total = toScaled(totalSecondsOf(duration), MAX_PRECISION);
  const cut = total / PICOSECONDS;
  if (cut * PICOSECONDS === total) return [cut, cut];
  return total < 0n ? [cut - 1n, cut] : [cut, cut + 1n];
}

function writeInterval(microseconds: bigint): string {
  const sign = microseconds < 0n ? "-" : "";
  const size = microseconds < 0n ? -microseconds : microseconds;
  const [days, hours, minutes] = [size / DAY, (size % DAY) / HOUR, (size % HOUR) / MINUTE];
  const [seconds, fraction] = [(size % MINUTE) / SECOND, size % SECOND];
  const signed = (count: bigint): string => `${sign}${String(count)}`;
  const clock = `${signed(hours)}H${signed(minutes)}M${signed(seconds)}.${String(fraction).padStart(6, "0")}S`;
  return `P${signed(days)}DT${clock}`;
}
