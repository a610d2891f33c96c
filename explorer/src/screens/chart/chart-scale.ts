/** The least and the greatest value. */
type Domain = readonly [least: number, greatest: number];

/** Returns the domain of values; null without one. A single value gets a margin. Bars need 0 in theirs. */
export function domainOf(values: readonly (number | null)[], hasZero = false): Domain | null {
  const numbers = values.filter((value) => value !== null && Number.isFinite(value)) as readonly number[];
  if (numbers.length === 0) return null;
  const zero = hasZero ? [0] : [];
  const [least, greatest] = [Math.min(...numbers, ...zero), Math.max(...numbers, ...zero)];
  if (least < greatest) return [least, greatest];
  const margin = Math.abs(least) / 2 || 1;
  return hasZero ? [0, 1] : [least - margin, greatest + margin];
}

/** Returns the function that maps a domain to pixels. The range may run backwards, as that of a vertical axis. */
export function linearScale([least, greatest]: Domain, [from, to]: Domain): (value: number) => number {
  // Halves: the difference of the greatest numbers is infinite.
  const extent = greatest / 2 - least / 2;
  return (value) => from + (extent === 0 ? 0.5 : (value / 2 - least / 2) / extent) * (to - from);
}

/** Returns about so many round numbers from below a domain to above it: steps are 1, 2 or 5 times a power of ten. */
export function numberTicks([least, greatest]: Domain, count: number): readonly number[] {
  const size = greatest / count - least / count;
  const power = 10 ** Math.floor(Math.log10(size));
  const step = power * ([1, 2, 5].find((digit) => digit * power >= size * 0.999999999) ?? 10);
  const [first, last] = [Math.floor(least / step + 1e-9), Math.ceil(greatest / step - 1e-9)];
  if (!(step > 1e-300) || !Number.isFinite((last - first) * step)) return [least, greatest];
  // Steps that are not exact, such as tenths, would show more than the 15 digits of doubles.
  const values = Array.from({ length: last - first + 1 }, (_, at) => Number(((first + at) * step).toPrecision(15)));
  return [...new Set(values)];
}

/** Returns the format of the numbers of an axis: large ones in thousands or millions, fractions with equally many digits. */
export function numberFormat(ticks: readonly number[], locale?: string): Intl.NumberFormat {
  const most = Math.max(...ticks.map(Math.abs));
  if (most >= 100_000) return new Intl.NumberFormat(locale, { notation: "compact", maximumFractionDigits: 2 });
  if (most < 1e-9) return new Intl.NumberFormat(locale, { notation: "scientific" });
  const digits = Math.max(...ticks.map((tick) => String(tick).split(".")[1]?.length ?? 0));
  return new Intl.NumberFormat(locale, { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** Returns the number that a value of the service is; null for none, and for INF, -INF and NaN. */
export function toNumber(value: unknown): number | null {
  const isNumber = typeof value === "number" || (typeof value === "string" && value.trim() !== "");
  return isNumber && Number.isFinite(Number(value)) ? Number(value) : null;
}

/** Returns the milliseconds since 1970 of a date or a point in time; null for none. */
export function toTime(value: unknown): number | null {
  // Browsers read milliseconds at most.
  const time = typeof value === "string" ? Date.parse(value.replace(/(\.\d{3})\d+/u, "$1")) : Number.NaN;
  return Number.isNaN(time) ? null : time;
}
