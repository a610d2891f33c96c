import { textOf, type CatalogueRow, type CatalogueSteps } from "./catalogue-steps.ts";
import type { ColumnSample, ObjectColumn, ObjectName } from "./database-schema.ts";
import { sqliteCategory } from "./sqlite-category.ts";
import { formsOf, HELPERS, LONGEST_FORM } from "./sqlite-forms.ts";

/** The first statement of a table shows how long a row takes. */
const FIRST_ROWS = 500;
const MOST_ROWS = 10_000;
const MOST_CELLS = 300_000;
const MILLISECONDS = 200;
/** SQLite limits the columns of a result to 2,000. */
const COLUMNS_PER_STATEMENT = 50;
const MOST_VALUES = 20;
const CLASSES = ["null", "integer", "real", "text", "blob"];
/** What a statement counts in a column before its forms: classes, long texts, and values. */
const FIXED = CLASSES.length + 2;
/** The number of rows comes first. */
const FIRST = 1;

/** A table or view to sample. */
export interface SampledTable extends ObjectName {
  readonly columns: readonly ObjectColumn[];
  /** The name of the rowid, by which the last rows are found; undefined without one. */
  readonly rowid: string | undefined;
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
 * because programs change the forms that they write. Reads fewer rows of wide or slow tables.
 * @param now returns milliseconds
 * @throws the error of SQLite, if the rows cannot be read
 */
export function* sampleSqliteTable(table: SampledTable, now: () => number): CatalogueSteps<TableSample> {
  const start = now();
  const first = yield* sampleRows(table, FIRST_ROWS);
  const elapsed = Math.max(now() - start, 1);
  if (first.rows !== null) return first;
  const affordable = Math.floor((FIRST_ROWS * (MILLISECONDS - elapsed)) / elapsed);
  const limit = Math.min(MOST_ROWS, affordable, Math.floor(MOST_CELLS / table.columns.length));
  return limit > FIRST_ROWS ? yield* sampleRows(table, limit) : first;
}

function* sampleRows(table: SampledTable, limit: number): CatalogueSteps<TableSample> {
  const samples = new Map<string, ColumnSample>();
  let rows = 0;
  for (let at = 0; at < table.columns.length; at += COLUMNS_PER_STATEMENT) {
    const columns = table.columns.slice(at, at + COLUMNS_PER_STATEMENT);
    const counted = columns.map(toCounted);
    const width = counted.reduce((sum, { forms }) => sum + FIXED + forms.length, FIRST);
    const [row = []] = yield { sql: sampleStatement(table, counted, limit), parameters: [], width };
    rows = Number(row[0]);
    let place = FIRST;
    for (const { name, forms } of counted) {
      const end = place + FIXED + forms.length;
      samples.set(name, toSample(rows, row.slice(place, end), forms));
      place = end;
    }
  }
  return { columns: samples, rows: rows < limit ? rows : null };
}

/** A column whose cells are counted. */
interface CountedColumn {
  readonly name: string;
  /** The names and conditions of its forms. */
  readonly forms: ReadonlyArray<readonly [name: string, condition: string]>;
  /** Whether its different values are of interest: they show the pair of a Boolean. */
  readonly hasValues: boolean;
}

function toCounted({ name, definition, scale, precision }: ObjectColumn): CountedColumn {
  const forms = Object.entries(formsOf(definition, scale, precision));
  return { name, forms, hasValues: sqliteCategory(definition) === "boolean" };
}

/** Quotes a name of SQLite. */
export function quoteSqlite(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Counts in one short statement: SQLite takes longer to compile a long one than to read the rows of most tables. */
function sampleStatement(table: SampledTable, columns: readonly CountedColumn[], limit: number): string {
  const cells = columns.map(({ name }, at) => `${cellOf(quoteSqlite(name))} as s${String(at)}`);
  const helpers = columns.flatMap(helpersOf);
  const counts = ["count(*)", ...columns.flatMap(countsOf)].map((count, at) => `${count} as c${String(at)}`);
  return `select ${counts.join(", ")} from (
    with s as materialized (select ${cells.join(", ")} ${rowsOf(table, limit)}),
      t as materialized (select ${["*", ...helpers].join(", ")} from s)
    select * from t)`;
}

/** Returns the conditions that forms of a column use, as cells of their own. */
function helpersOf({ forms }: CountedColumn, at: number): readonly string[] {
  const conditions = forms.map(([, condition]) => condition);
  return Object.entries(HELPERS)
    .filter(([name]) => conditions.some((condition) => new RegExp(`\\b${name}\\b`).test(condition)))
    .map(([name, condition]) => `${inColumn(condition, at)} as ${name}${String(at)}`);
}

/** Returns a condition over the cells of one column. */
function inColumn(condition: string, at: number): string {
  return condition.replaceAll(/\b[vlo]\b/g, (name) => `${name === "v" ? "s" : name}${String(at)}`);
}

/** Selects from the first half of the rows and the last half, or from the first rows of a table without rowid. */
function rowsOf({ schema, name, rowid }: SampledTable, limit: number): string {
  const from = `from ${quoteSqlite(schema)}.${quoteSqlite(name)}`;
  if (rowid === undefined) return `${from} limit ${String(limit)}`;
  const half = Math.ceil(limit / 2);
  const ids = (direction: string, count: number): string =>
    `select r from (select ${rowid} as r ${from} order by ${rowid} ${direction} limit ${String(count)})`;
  return `${from} where ${rowid} in (${ids("asc", half)} union all ${ids("desc", limit - half)})`;
}

/** Cuts long texts, and omits the bytes of blobs. */
function cellOf(column: string): string {
  return `case typeof(${column}) when 'text' then substr(${column}, 1, ${String(LONGEST_FORM + 1)}) when 'blob' then x'' else ${column} end`;
}

function countsOf({ forms, hasValues }: CountedColumn, at: number): readonly string[] {
  const cell = `s${String(at)}`;
  const classes = CLASSES.map((name) => `total(typeof(${cell}) = '${name}')`);
  const long = `total(typeof(${cell}) = 'text' and length(${cell}) > ${String(LONGEST_FORM)})`;
  const values = `json_group_array(distinct ${cell}) filter (where typeof(${cell}) in ('integer', 'text'))`;
  const found = forms.map(([, condition]) => `total(${inColumn(condition, at)})`);
  return [...classes, long, hasValues ? values : "'[]'", ...found];
}

function toSample(rows: number, cells: CatalogueRow, names: CountedColumn["forms"]): ColumnSample {
  const [nulls = 0, integers = 0, reals = 0, texts = 0, blobs = 0, long = 0] = cells.slice(0, FIXED - 1).map(Number);
  const forms: Record<string, number> = {};
  for (const [at, [name]] of names.entries()) {
    const count = Number(cells[FIXED + at]);
    if (count > 0) forms[name] = count;
  }
  const values = reals + blobs + long > 0 ? [] : valuesOf(textOf(cells[FIXED - 1]));
  return { rows, nulls, integers, reals, texts, blobs, forms, values };
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
