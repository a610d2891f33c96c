import { textOrNull, type CatalogueSteps } from "../../introspect/catalogue-steps.ts";
import type { ColumnSample, ObjectColumn, ObjectName } from "../../introspect/database-schema.ts";
import type { WantedTable } from "../../introspect/schema.ts";
import { sqliteCategory } from "./sqlite-category.ts";

/** The first statement of a table shows how large a row is. */
const FIRST_ROWS = 500;
const MOST_ROWS = 10_000;
const MOST_CELLS = 300_000;
/** Characters and bytes that SQLite reads for the sample of one table. */
const MOST_CHARACTERS = 50_000_000;
/** A view whose first rows need more is left out. */
const VIEW_MILLISECONDS = 2000;
/** A view whose sample needs more is omitted, too: its types must not depend on the speed of the machine. */
const VIEW_SAMPLE_MILLISECONDS = 10_000;
/** SQLite limits the columns of a result to 2,000. */
const COLUMNS_PER_STATEMENT = 50;
const MOST_VALUES = 20;
/** An empty JSON array. */
const NO_ITEMS = "[]";
/** The number of results of a statement for each column: the codes, values, and cells. */
const PARTS = 3;
/** The number of rows and the characters of their cells come first. */
const FIRST = 2;
/** The character that represents code 0. */
const ZERO = 48;
/** The code of a cell is its class, and a bit above the classes for each of its forms. */
const CLASSES = ["nulls", "integers", "reals", "texts", "longs", "blobs"] as const;
const CLASS_BITS = 3;

/** A table or view to sample. */
interface SampledTable extends ObjectName {
  readonly columns: readonly ObjectColumn[];
  /** The order of the rows by an index, to find the last ones; empty without an index, as for a view. */
  readonly order: readonly RowOrder[];
  /** Whether it is a view, which may compute many rows for a few. */
  readonly isView: boolean;
  /** A condition that ends the statement after its time; absent: none. */
  readonly alive?: string | undefined;
}

/** A column, or the rowid, that orders rows. */
export interface RowOrder {
  readonly name: string;
  /** Null for that of the column. */
  readonly collation: string | null;
  readonly isDescending: boolean;
}

/** The content of the rows of a table. */
interface TableSample {
  /** By the name of the column. */
  readonly columns: ReadonlyMap<string, ColumnSample>;
  /** The number of rows; null if not all were read. */
  readonly rows: number | null;
}

/**
 * Counts storage classes and forms of the cells: of up to 10,000 rows, half of them the first and half the last ones,
 * because programs change the forms that they write. Reads fewer rows of tables with many columns or long cells. The same
 * rows have the same sample, however busy the machine is.
 * @throws the error of SQLite, if the rows cannot be read
 */
export function* sampleSqliteTable(table: SampledTable): CatalogueSteps<TableSample> {
  const first = yield* sampleRows(table, FIRST_ROWS, VIEW_MILLISECONDS);
  if (first.rows !== null) return first;
  const characters = Math.max(first.characters / FIRST_ROWS, 1);
  const limit = Math.min(
    MOST_ROWS,
    ...[MOST_CELLS / table.columns.length, MOST_CHARACTERS / characters].map(Math.floor),
  );
  return limit > FIRST_ROWS ? yield* sampleRows(table, limit, VIEW_SAMPLE_MILLISECONDS) : first;
}

function* sampleRows(
  table: SampledTable,
  limit: number,
  milliseconds: number,
): CatalogueSteps<TableSample & { readonly characters: number }> {
  const samples = new Map<string, ColumnSample>();
  let rows = 0;
  let characters = 0;
  for (let at = 0; at < table.columns.length; at += COLUMNS_PER_STATEMENT) {
    const columns = table.columns.slice(at, at + COLUMNS_PER_STATEMENT);
    const counted = columns.map(toCounted);
    const width = FIRST + PARTS * counted.length;
    const limits = table.isView ? { milliseconds } : {};
    const rowsOf = sqliteTable(table);
    const [row = []] = yield { sql: sampleStatement(table, counted, limit), parameters: [], width, rowsOf, ...limits };
    rows = Number(row[0]);
    characters += Number(row[1]);
    for (const [index, column] of counted.entries()) {
      const [codes, values, cells] = row.slice(FIRST + PARTS * index).map(textOrNull);
      const days = yield* countDays(cells ?? NO_ITEMS);
      samples.set(column.name, toSample(rows, { codes: codes ?? "", values: values ?? NO_ITEMS, days }, column.forms));
    }
  }
  return { columns: samples, rows: rows < limit ? rows : null, characters };
}

/** A column whose cells are counted. */
interface CountedColumn {
  readonly name: string;
  readonly forms: ReadonlyArray<readonly [name: string, conditions: FormConditions]>;
  /** Whether its different values are of interest: they show the pair of a Boolean. */
  readonly hasValues: boolean;
  /** Whether its cells are read, for forms of dates and times. */
  readonly hasDays: boolean;
}

function toCounted({ name, definition, scale, precision }: ObjectColumn): CountedColumn {
  const forms = Object.entries(formsOf(definition, scale, precision));
  const hasValues = sqliteCategory(definition) === "boolean";
  return { name, forms, hasValues, hasDays: mayHoldDays(definition) };
}

/** The counts of forms by their names. */
type FormCounts = ReadonlyArray<readonly [name: string, count: number]>;

/** @param cells a JSON array */
function* countDays(cells: string): CatalogueSteps<FormCounts> {
  if (cells === NO_ITEMS) return [];
  const [counts = []] = yield { sql: DAYS_STATEMENT, parameters: [cells], width: DAY_FORMS.length };
  return DAY_FORMS.map((name, at) => [name, Number(counts[at])]);
}

/** Returns a table or view as statements name it. */
export function sqliteTable({ schema, name }: ObjectName): WantedTable {
  return { text: `${quoteSqlite(schema)}.${quoteSqlite(name)}`, names: [schema, name] };
}

/** Quotes a name of SQLite. */
export function quoteSqlite(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Counts in one short statement: SQLite takes longer to compile a long one than to read the rows of most tables. */
function sampleStatement(table: SampledTable, columns: readonly CountedColumn[], limit: number): string {
  const names = columns.map(({ name }) => quoteSqlite(name));
  const cells = names.map((name, at) => `${cutCell(name)} as s${String(at)}`);
  // SQLite knows the length of bytes, and of a text that it reads anyway.
  const length = names.map((name) => `coalesce(length(${name}), 0)`).join(" + ");
  const counts = ["count(*)", "total(characters)", ...columns.flatMap(partsOf)];
  // With a limit, SQLite computes the cells of one row after another, and stores none.
  return `select ${counts.map((part, at) => `${part} as c${String(at)}`).join(", ")} from (
    select ${cells.join(", ")}, ${length} as characters ${fromRows(table, limit)} limit ${String(limit)})`;
}

/** Selects from the first half of the rows and the last half, or from all rows of a view. */
function fromRows(table: SampledTable, limit: number): string {
  const { order, alive } = table;
  const from = `from ${sqliteTable(table).text}`;
  if (order.length === 0) return `${from}${alive === undefined ? "" : ` where ${alive}`}`;
  const half = Math.ceil(limit / 2);
  const names = order.map((each) => each.name).join(", ");
  const halfOf = (isLast: boolean, count: number): string => {
    const terms = order.map(({ name: each, collation, isDescending }) => {
      const collated = collation === null ? each : `${each} collate ${quoteSqlite(collation)}`;
      return `${collated} ${isDescending === isLast ? "asc" : "desc"}`;
    });
    return `select * from (select ${names} ${from} order by ${terms.join(", ")} limit ${String(count)})`;
  };
  return `${from} where (${names}) in (${halfOf(false, half)} union all ${halfOf(true, limit - half)})`;
}

/** Cuts long texts, and omits the bytes of long blobs. */
function cutCell(column: string): string {
  const cut = `case typeof(${column}) when 'text' then substr(${column}, 1, ${String(LONGEST_FORM + 1)}) when 'blob' then x'' else ${column} end`;
  return `case when length(${column}) > ${String(LONGEST_FORM)} then ${cut} else ${column} end`;
}

/** One character for each cell makes a shorter statement than a count for each class and form. */
function partsOf({ forms, hasValues, hasDays }: CountedColumn, at: number): readonly string[] {
  const cell = `s${String(at)}`;
  const codeOf = (kind: keyof FormConditions, code: string): string => {
    const bits = forms.map(([, { [kind]: condition }], bit) =>
      condition === undefined
        ? ""
        : ` + ${String(2 ** (CLASS_BITS + bit))} * ((${condition.replaceAll(/\bv\b/g, cell)}) is true)`,
    );
    return `char(${String(ZERO)} + ${code}${bits.join("")})`;
  };
  const text = codeOf("text", `3 + (length(${cell}) > ${String(LONGEST_FORM)})`);
  const code = `case typeof(${cell}) when 'text' then ${text} when 'integer' then ${codeOf("integer", "1")} when 'real' then ${codeOf("real", "2")} when 'null' then '0' else '5' end`;
  const values = `json_group_array(distinct ${cell}) filter (where typeof(${cell}) in ('integer', 'text'))`;
  const cells = `json_group_array(${cell}) filter (where typeof(${cell}) in ('integer', 'real', 'text'))`;
  return [`group_concat(${code}, '')`, hasValues ? values : "null", hasDays ? cells : "null"];
}

interface SampledParts {
  readonly codes: string;
  /** A JSON array. */
  readonly values: string;
  readonly days: FormCounts;
}

function toSample(rows: number, { codes, values, days }: SampledParts, forms: CountedColumn["forms"]): ColumnSample {
  const classes = CLASSES.map(() => 0);
  const bits = forms.map(() => 0);
  // The cells are many, but their codes few.
  const cellsOf = new Uint32Array(2 ** (CLASS_BITS + forms.length));
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes.charCodeAt(at) - ZERO;
    cellsOf[code] = (cellsOf[code] ?? 0) + 1;
  }
  for (const [code, cells] of cellsOf.entries()) {
    const kind = code % 2 ** CLASS_BITS;
    classes[kind] = (classes[kind] ?? 0) + cells;
    for (const bit of bits.keys()) if (((code >> (CLASS_BITS + bit)) & 1) === 1) bits[bit] = (bits[bit] ?? 0) + cells;
  }
  const [nulls = 0, integers = 0, reals = 0, texts = 0, longs = 0, blobs = 0] = classes;
  const counts = [...days, ...forms.map(([name], bit) => [name, bits[bit] ?? 0] as const)];
  return {
    rows,
    nulls,
    integers,
    reals,
    texts: texts + longs,
    blobs,
    forms: Object.fromEntries(counts.filter(([, count]) => count > 0)),
    values: reals + blobs + longs > 0 ? [] : valuesOf(values),
  };
}

/** Returns no values if they are many, or integers beyond the numbers of JavaScript. */
function valuesOf(json: string): ReadonlyArray<number | string> {
  const values = JSON.parse(json) as ReadonlyArray<number | string>;
  const isExact = values.every((value) => typeof value === "string" || Number.isSafeInteger(value));
  return values.length <= MOST_VALUES && isExact ? values.toSorted(byValue) : [];
}

function byValue(left: number | string, right: number | string): number {
  if (typeof left !== typeof right) return typeof left === "number" ? -1 : 1;
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

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

/** The length of the longest form. Longer texts are cut after it. */
const LONGEST_FORM = 40;

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

/** Conditions over a cell `v` that is not null, by its storage class. Cells of other classes do not have the form. */
interface FormConditions {
  readonly text?: string;
  readonly integer?: string;
  readonly real?: string;
}

/** Conditions by the names of forms. */
type Forms = Readonly<Record<string, FormConditions>>;

/** Conditions that forms of dates and times use: without a zone, with a zone. Each is computed once for a cell. */
const IS_LOCAL_TEXT = ofText(isLocal("v", "[ T]"));
const IS_ZONED_TEXT = ofText(`${IS_ZONED} and ${isLocal(WITHOUT_ZONE, "[ T]")}`);

const DAYS: Readonly<Record<string, string>> = {
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
function mayHoldDays(definition: string): boolean {
  return ["date", "timestamp"].includes(sqliteCategory(definition));
}

/** The names of the forms that `DAYS_STATEMENT` counts, in the order of its columns. */
const DAY_FORMS: readonly string[] = Object.keys(DAYS);

/**
 * Counts forms of dates and times among the items of a JSON array. SQLite takes long to compile these conditions, so that
 * the columns of all tables share one statement.
 */
const DAYS_STATEMENT: string = `select ${Object.values(DAYS)
  .map((condition, at) => `total(${condition}) as c${String(at)}`)
  .join(", ")} from (
  with items as materialized (select value as v from json_each(?)),
    tested as materialized (select v, ${IS_LOCAL_TEXT} as is_local, ${IS_ZONED_TEXT} as is_zoned from items)
  select * from tested)`;

const NUMBERS: Forms = {
  "more-than-53-bits": { integer: `v not between ${String(-GREATEST_EXACT)} and ${String(GREATEST_EXACT)}` },
};
const ZERO_OR_ONE: Forms = { "zero-or-one": { integer: "v in (0, 1)" } };

const FLAG_TEXTS: Forms = { "zero-text": { text: "v = '0'" }, "one-text": { text: "v = '1'" } };

/** Returns the forms to count in a column of a declared type, besides those of dates and times. */
function formsOf(definition: string, scale: number | null, precision: number | null): Forms {
  switch (sqliteCategory(definition)) {
    case "boolean":
      return { ...ZERO_OR_ONE, ...NUMBERS };
    case "guid":
      return { guid: { text: `v glob '${GUID}'` }, ...NUMBERS };
    case "date":
    case "timestamp":
      return { ...ZERO_OR_ONE, ...NUMBERS };
    case "time":
      return {
        "iso-time": { text: `v glob '${SECONDS}*' and ${endsIn(8, "v")} and ${isBefore24("v", 1)}` },
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

/** The number without the digits that sums of doubles leave: 0.3 for 0.1 + 0.2. */
const EXACT = "cast(printf('%!.15g', v) as real)";

function decimalForms(scale: number | null, precision: number | null): Forms {
  const whole = "ltrim(v, '-')";
  const beyond =
    scale === null || precision === null
      ? {}
      : bothNumbers(`round(${EXACT}, ${String(scale)}) <> ${EXACT} or abs(v * 1.0) >= 1e${String(precision - scale)}`);
  return {
    "decimal-text": {
      text: `length(v) <= ${String(LONGEST_FORM)} and ${whole} glob '[0-9]*' and v not glob '?*-*' and v not glob '*[^0-9.-]*' and v not glob '*.*.*' and v not glob '*.'`,
    },
    "more-than-15-digits": {
      real: `${EXACT} <> v`,
      integer: "v not between -999999999999999 and 999999999999999",
    },
    "beyond-facets": beyond,
    infinite: { real: "v in (9e999, -9e999)" },
  };
}

function bothNumbers(condition: string): FormConditions {
  return { integer: condition, real: condition };
}
