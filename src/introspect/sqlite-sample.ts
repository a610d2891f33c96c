import { textOrNull, type CatalogueSteps } from "./catalogue-steps.ts";
import type { ColumnSample, ObjectColumn, ObjectName } from "./database-schema.ts";
import { sqliteCategory } from "./sqlite-category.ts";
import { DAY_FORMS, DAYS_STATEMENT, formsOf, LONGEST_FORM, mayHoldDays } from "./sqlite-forms.ts";

/** The first statement of a table shows how large a row is. */
const FIRST_ROWS = 500;
const MOST_ROWS = 10_000;
const MOST_CELLS = 300_000;
/** Characters and bytes that SQLite reads for the sample of one table. */
const MOST_CHARACTERS = 50_000_000;
/** A view whose first rows need more is left out. */
const VIEW_MILLISECONDS = 2000;
/** So is a view whose sample needs more: its types must not depend on how much of it fits some time. */
const VIEW_SAMPLE_MILLISECONDS = 10_000;
/** SQLite limits the columns of a result to 2,000. */
const COLUMNS_PER_STATEMENT = 50;
const MOST_VALUES = 20;
/** An empty JSON array. */
const NO_ITEMS = "[]";
/** What a statement reads of each column: the codes, values, and cells. */
const PARTS = 3;
/** The number of rows and the characters of their cells come first. */
const FIRST = 2;
/** The character that stands for code 0. */
const ZERO = 48;
/** The code of a cell is its class, and a bit above the classes for each of its forms. */
const CLASSES = ["nulls", "integers", "reals", "texts", "longs", "blobs"] as const;
const CLASS_BITS = 3;

/** A table or view to sample. */
export interface SampledTable extends ObjectName {
  readonly columns: readonly ObjectColumn[];
  /** What orders the rows by an index, so that the last ones are found; empty without one, as for a view. */
  readonly order: readonly RowOrder[];
  /** Whether it is a view, which may compute many rows for a few. */
  readonly isView: boolean;
}

/** A column, or the rowid, that orders rows. */
export interface RowOrder {
  readonly name: string;
  /** Null for that of the column. */
  readonly collation: string | null;
  readonly isDescending: boolean;
}

/** What the rows of a table contain. */
export interface TableSample {
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
    const [row = []] = yield { sql: sampleStatement(table, counted, limit), parameters: [], width, ...limits };
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
  /** The names and conditions of its forms. */
  readonly forms: ReadonlyArray<readonly [name: string, condition: string]>;
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

/** Quotes a name of SQLite. */
export function quoteSqlite(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Counts in one short statement: SQLite takes longer to compile a long one than to read the rows of most tables. */
function sampleStatement(table: SampledTable, columns: readonly CountedColumn[], limit: number): string {
  const names = columns.map(({ name }) => quoteSqlite(name));
  const cells = names.map((name, at) => `${cellOf(name)} as s${String(at)}`);
  // SQLite knows the length of bytes, and of a text that it reads anyway.
  const length = names.map((name) => `coalesce(length(${name}), 0)`).join(" + ");
  const counts = ["count(*)", "total(characters)", ...columns.flatMap(partsOf)];
  return `select ${counts.map((part, at) => `${part} as c${String(at)}`).join(", ")} from (
    with s as materialized (select ${cells.join(", ")}, ${length} as characters ${rowsOf(table, limit)}) select * from s)`;
}

/** Selects from the first half of the rows and the last half, or from the first rows of a view. */
function rowsOf({ schema, name, order }: SampledTable, limit: number): string {
  const from = `from ${quoteSqlite(schema)}.${quoteSqlite(name)}`;
  if (order.length === 0) return `${from} limit ${String(limit)}`;
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

/** Cuts long texts, and omits the bytes of blobs. */
function cellOf(column: string): string {
  return `case typeof(${column}) when 'text' then substr(${column}, 1, ${String(LONGEST_FORM + 1)}) when 'blob' then x'' else ${column} end`;
}

/** One character for each cell makes a shorter statement than a count for each class and form. */
function partsOf({ forms, hasValues, hasDays }: CountedColumn, at: number): readonly string[] {
  const cell = `s${String(at)}`;
  const code = `case typeof(${cell}) when 'null' then 0 when 'integer' then 1 when 'real' then 2 when 'text' then 3 + (length(${cell}) > ${String(LONGEST_FORM)}) else 5 end`;
  const bits = forms.map(
    ([, condition], bit) =>
      ` + ${String(2 ** (CLASS_BITS + bit))} * ((${condition.replaceAll(/\bv\b/g, cell)}) is true)`,
  );
  const values = `json_group_array(distinct ${cell}) filter (where typeof(${cell}) in ('integer', 'text'))`;
  const cells = `json_group_array(${cell}) filter (where typeof(${cell}) in ('integer', 'real', 'text'))`;
  return [
    `group_concat(char(${String(ZERO)} + ${code}${bits.join("")}), '')`,
    hasValues ? values : "null",
    hasDays ? cells : "null",
  ];
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
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes.charCodeAt(at) - ZERO;
    const kind = code % 2 ** CLASS_BITS;
    classes[kind] = (classes[kind] ?? 0) + 1;
    for (let bit = 0, rest = code >> CLASS_BITS; rest > 0; bit += 1, rest >>= 1) {
      if (rest % 2 === 1) bits[bit] = (bits[bit] ?? 0) + 1;
    }
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
