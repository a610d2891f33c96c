import { textOf, type CatalogueRow, type CatalogueSteps } from "./catalogue-steps.ts";
import type { ColumnSample, ObjectColumn, ObjectName } from "./database-schema.ts";
import { formsOf, LONGEST_FORM, type Forms } from "./sqlite-forms.ts";

/** The first statement of a table shows how long a row takes. */
const FIRST_ROWS = 500;
const MOST_ROWS = 10_000;
const MOST_CELLS = 300_000;
const MILLISECONDS = 200;
/** SQLite limits the terms of a compound `select` to 500. */
const COLUMNS_PER_STATEMENT = 100;
const MOST_VALUES = 20;
const CLASSES = ["null", "integer", "real", "text", "blob"];
/** Position of the column, rows, classes, long texts, and values come before the forms. */
const FIRST_FORM = 4 + CLASSES.length;

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
  for (let at = 0; at < table.columns.length; at += COLUMNS_PER_STATEMENT) {
    const columns = table.columns.slice(at, at + COLUMNS_PER_STATEMENT);
    const forms = columns.map(({ definition, scale, precision }) => formsOf(definition, scale, precision));
    const most = Math.max(...forms.map((each) => Object.keys(each).length));
    const sql = sampleStatement({ ...table, columns }, { forms, most, limit });
    for (const row of yield { sql, parameters: [], width: FIRST_FORM + most }) {
      const place = Number(row[0]);
      const column = columns[place];
      if (column !== undefined) samples.set(column.name, toSample(row, Object.keys(forms[place] ?? {})));
    }
  }
  const rows = Math.max(0, ...Array.from(samples.values(), (sample) => sample.rows));
  return { columns: samples, rows: rows < limit ? rows : null };
}

/** Quotes a name of SQLite. */
export function quoteSqlite(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function sampleStatement(
  table: SampledTable,
  { forms, most, limit }: { readonly forms: readonly Forms[]; readonly most: number; readonly limit: number },
): string {
  const cells = table.columns.map(({ name }, at) => `${cellOf(quoteSqlite(name))} as s${String(at)}`).join(", ");
  const counts = forms.map((each, at) => countsOf(at, each, most));
  return `with s as materialized (${rowsOf(table, cells, limit)}) ${counts.join(" union all ")}`;
}

/** Selects the first half of the rows and the last half without them, or the first rows of a table without rowid. */
function rowsOf({ schema, name, rowid }: SampledTable, cells: string, limit: number): string {
  const from = `${quoteSqlite(schema)}.${quoteSqlite(name)}`;
  if (rowid === undefined) return `select ${cells} from ${from} limit ${String(limit)}`;
  const half = Math.ceil(limit / 2);
  const firstHalf = `from ${from} order by ${rowid} limit ${String(half)}`;
  const last = `(select max(r) from (select ${rowid} as r ${firstHalf}))`;
  return `select * from (select ${cells} ${firstHalf}) union all
    select * from (select ${cells} from ${from} where ${rowid} > ${last} order by ${rowid} desc limit ${String(limit - half)})`;
}

/** Cuts long texts, and omits the bytes of blobs. */
function cellOf(column: string): string {
  return `case typeof(${column}) when 'text' then substr(${column}, 1, ${String(LONGEST_FORM + 1)}) when 'blob' then x'' else ${column} end`;
}

function countsOf(at: number, forms: Forms, most: number): string {
  const cell = `s${String(at)}`;
  const classes = CLASSES.map((name) => `total(typeof(v) = '${name}')`);
  const long = `total(typeof(v) = 'text' and length(v) > ${String(LONGEST_FORM)})`;
  const values = `(select json_group_array(d) from (select distinct ${cell} as d from s where typeof(${cell}) in ('integer', 'text') limit ${String(MOST_VALUES + 1)}))`;
  const conditions = Object.values(forms);
  const counts = Array.from({ length: most }, (_, place) => `total(${conditions[place] ?? "0"})`);
  const all = [String(at), "count(*)", ...classes, long, values, ...counts];
  return `select ${all.map((each, place) => `${each} as c${String(place)}`).join(", ")} from (select ${cell} as v from s)`;
}

function toSample(row: CatalogueRow, names: readonly string[]): ColumnSample {
  const [rows = 0, nulls = 0, integers = 0, reals = 0, texts = 0, blobs = 0, long = 0] = row.slice(1, 8).map(Number);
  const forms: Record<string, number> = {};
  for (const [at, name] of names.entries()) {
    const count = Number(row[FIRST_FORM + at]);
    if (count > 0) forms[name] = count;
  }
  const values = reals + blobs + long > 0 ? [] : valuesOf(textOf(row[FIRST_FORM - 1]));
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
