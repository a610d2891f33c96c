import { sqliteCategory } from "./sqlite-category.ts";

/** The forms that `ColumnSample` counts in SQLite, by category, as conditions of SQL over a cell `v`. */

const DATE = "[0-9][0-9][0-9][0-9]-[01][0-9]-[0-3][0-9]";
const MINUTES = "[0-2][0-9]:[0-5][0-9]";
const SECONDS = `${MINUTES}:[0-5][0-9]`;
const GUID = [8, 4, 4, 4, 12].map((count) => "[0-9a-fA-F]".repeat(count)).join("-");
/** 2100-01-01 in seconds since 1970. */
const LAST_SECOND = 4_102_444_800;
/** Smaller numbers are more likely years, days such as 20240229, or identifiers. */
const LEAST_SECOND = 100_000_000;
/** Julian days of 1970-01-01 and 2100-01-01. */
const JULIAN_1970 = 2_440_587.5;
const JULIAN_2100 = 2_488_069.5;
const GREATEST_EXACT = Number.MAX_SAFE_INTEGER;

/** No form is longer. Longer texts are cut behind it. */
export const LONGEST_FORM = 40;

const ofText = (condition: string): string => `typeof(v) = 'text' and ${condition}`;
const ofInteger = (condition: string): string => `typeof(v) = 'integer' and ${condition}`;

/** Whether a text is so long, or ends in a point and 1 to 12 digits after so many characters. */
const endsIn = (length: number, text: string): string => {
  const digits = `substr(${text}, ${String(length + 2)})`;
  const isFraction = `substr(${text}, ${String(length + 1)}, 1) = '.' and length(${digits}) between 1 and 12 and ${digits} not glob '*[^0-9]*'`;
  return `(length(${text}) = ${String(length)} or (${isFraction}))`;
};

/** SQLite accepts 24:00 and 2024-02-30, and returns another day. */
const isDay = (text: string): string => `date(substr(${text}, 1, 10)) = substr(${text}, 1, 10)`;
const isBefore24 = (text: string, at: number): string => `substr(${text}, ${String(at)}, 2) < '24'`;
const isLocal = (text: string, separator: string): string =>
  `((${text} glob '${DATE}${separator}${MINUTES}' or (${text} glob '${DATE}${separator}${SECONDS}*' and ${endsIn(19, text)})) and ${isDay(text)} and ${isBefore24(text, 12)})`;

/** OData accepts offsets up to 14 hours. */
const IS_ZONED =
  "(v glob '*Z' or (v glob '*[+-][01][0-9]:[0-5][0-9]' and (substr(v, -5, 2) < '14' or substr(v, -5) = '14:00')))";
const WITHOUT_ZONE = "(case when v glob '*Z' then substr(v, 1, length(v) - 1) else substr(v, 1, length(v) - 6) end)";

/** Digits such as 202402291200 or 2402291200: a day, an hour and a minute. */
const IS_CLOCK = `v >= ${String(LEAST_SECOND)} and v / 1000000 % 100 between 1 and 12 and v / 10000 % 100 between 1 and 31 and v / 100 % 100 < 24 and v % 100 < 60`;

/** Conditions by the names of forms. */
type Forms = Readonly<Record<string, string>>;

/** Conditions that forms of dates and times use: without a zone, with a zone. Each is computed once for a cell. */
const IS_LOCAL_TEXT = ofText(isLocal("v", "[ T]"));
const IS_ZONED_TEXT = ofText(`${IS_ZONED} and ${isLocal(WITHOUT_ZONE, "[ T]")}`);

const DAYS: Forms = {
  "iso-date": ofText(`v glob '${DATE}' and ${isDay("v")}`),
  // The texts of `datetime()` and `CURRENT_TIMESTAMP`.
  "sqlite-date-time": `is_local and v glob '${DATE} ${SECONDS}*'`,
  "iso-date-time": "is_local",
  // As in OData.
  "iso-instant": `is_zoned and v glob '${DATE}T*'`,
  // With a blank in place of the T, too.
  "iso-date-time-zone": "is_zoned",
  // Texts that the storage "text" reads.
  "stored-date-time": `(is_local and v glob '${DATE} *') or (is_zoned and v glob '${DATE}T*')`,
  // 0 is the same time in both units.
  "epoch-seconds": ofInteger(`(v = 0 or v between ${String(LEAST_SECOND)} and ${String(LAST_SECOND)})`),
  "epoch-milliseconds": ofInteger(
    `(v = 0 or v between ${String(LEAST_SECOND * 1000)} and ${String(LAST_SECOND * 1000)})`,
  ),
  "julian-day": `typeof(v) in ('integer', 'real') and v between ${String(JULIAN_1970)} and ${String(JULIAN_2100)}`,
  "digits-date-time": ofInteger(`(v = 0 or (${IS_CLOCK}))`),
};

/** Returns whether a column of a declared type may contain dates and times, whose forms `DAYS_STATEMENT` counts. */
export function mayHoldDays(definition: string): boolean {
  return ["date", "timestamp"].includes(sqliteCategory(definition));
}

/** The names of the forms that `DAYS_STATEMENT` counts, in the order of its columns. */
export const DAY_FORMS: readonly string[] = Object.keys(DAYS);

/**
 * Counts forms of dates and times among the items of a JSON array. SQLite takes long to compile these conditions, so that
 * the columns of all tables share one statement.
 */
export const DAYS_STATEMENT: string = `select ${Object.values(DAYS)
  .map((condition, at) => `total(${condition}) as c${String(at)}`)
  .join(", ")} from (
  with items as materialized (select value as v from json_each(?)),
    tested as materialized (select v, ${IS_LOCAL_TEXT} as is_local, ${IS_ZONED_TEXT} as is_zoned from items)
  select * from tested)`;

const NUMBERS: Forms = {
  "more-than-53-bits": ofInteger(`v not between ${String(-GREATEST_EXACT)} and ${String(GREATEST_EXACT)}`),
};
const ZERO_OR_ONE: Forms = { "zero-or-one": ofInteger("v in (0, 1)") };

const FLAG_TEXTS: Forms = { "zero-text": ofText("v = '0'"), "one-text": ofText("v = '1'") };

/** Returns the forms to count in a column of a declared type, besides those of dates and times. */
export function formsOf(definition: string, scale: number | null, precision: number | null): Forms {
  switch (sqliteCategory(definition)) {
    case "boolean":
      return { ...ZERO_OR_ONE, ...NUMBERS };
    case "guid":
      return { guid: ofText(`v glob '${GUID}'`), ...NUMBERS };
    case "date":
    case "timestamp":
      return { ...ZERO_OR_ONE, ...NUMBERS };
    case "time":
      return {
        "iso-time": ofText(`v glob '${SECONDS}*' and ${endsIn(8, "v")} and ${isBefore24("v", 1)}`),
        ...NUMBERS,
      };
    case "decimal":
      return { ...decimalForms(scale, precision), ...NUMBERS };
    case "text":
      return FLAG_TEXTS;
    case "any":
    case "blob":
    case "integer":
    case "json":
    case "real":
      return NUMBERS;
  }
}

function decimalForms(scale: number | null, precision: number | null): Forms {
  const whole = "ltrim(v, '-')";
  const beyond =
    scale === null || precision === null
      ? "0"
      : `typeof(v) in ('integer', 'real') and (round(v, ${String(scale)}) <> v or abs(v * 1.0) >= 1e${String(precision - scale)})`;
  return {
    "decimal-text": ofText(
      `length(v) <= ${String(LONGEST_FORM)} and ${whole} glob '[0-9]*' and v not glob '?*-*' and v not glob '*[^0-9.-]*' and v not glob '*.*.*' and v not glob '*.'`,
    ),
    "more-than-15-digits":
      "(typeof(v) = 'real' and cast(printf('%!.15g', v) as real) <> v) or (typeof(v) = 'integer' and v not between -999999999999999 and 999999999999999)",
    "beyond-facets": beyond,
    infinite: "typeof(v) = 'real' and v in (9e999, -9e999)",
  };
}
