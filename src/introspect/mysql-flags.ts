import { isYes, type CatalogueRow, type CatalogueSteps } from "./catalogue-steps.ts";
import type { ColumnSample, ObjectColumn, SchemaObject } from "./database-schema.ts";
import { quoteName } from "./quote-name.ts";

/** Rows of a sample: half of them the first and half the last ones. */
const MOST_ROWS = 10_000;
/** What a statement returns for each column. */
const PARTS = 3;

/** Returns whether a column has the type `boolean` of MariaDB, which is an integer of one byte. */
export function isFlagColumn({ definition }: Pick<ObjectColumn, "definition">): boolean {
  return definition === "tinyint(1)";
}

/**
 * Adds samples of the columns that may contain other numbers than 0 and 1. An index knows all of its rows; of other columns
 * the statement reads the first and the last 5,000 rows in the order of the primary key.
 * @see https://mariadb.com/kb/en/boolean/
 */
export function* withFlagSamples(object: SchemaObject): CatalogueSteps<SchemaObject> {
  const flags = object.columns.filter((column) => isFlagColumn(column) && column.isSelectable);
  if (flags.length === 0 || object.omission !== null) return object;
  let row: CatalogueRow | undefined;
  try {
    [row] = yield { sql: sampleStatement(object, flags), parameters: [], width: 1 + PARTS * flags.length };
  } catch {
    // Requests will report that the rows cannot be read.
    return object;
  }
  const [rows = 0, ...counts] = row ?? [];
  const samples = new Map(
    flags.map(({ name, nullable }, at) => {
      const [cells, zeroOrOne, hasOthers] = counts.slice(PARTS * at);
      return [
        name,
        toSample(Number(rows), Number(cells), Number(zeroOrOne), { nullable, hasOthers: isYes(hasOthers) }),
      ];
    }),
  );
  return {
    ...object,
    columns: object.columns.map((column) => ({ ...column, sample: samples.get(column.name) ?? column.sample })),
  };
}

function sampleStatement(object: SchemaObject, flags: readonly ObjectColumn[]): string {
  const from = `from ${quoteName(object.schema, "mysql")}.${quoteName(object.name, "mysql")}`;
  const leading = new Set(object.indexes.map(({ columns }) => columns[0]?.name));
  const counts = flags.flatMap(({ name }, at) => {
    const cell = `s${String(at)}`;
    const column = quoteName(name, "mysql");
    const others = `exists(select 1 ${from} where ${column} < 0 or ${column} > 1)`;
    return [`count(${cell})`, `coalesce(sum(${cell} in (0, 1)), 0)`, leading.has(name) ? others : "0"];
  });
  const parts = ["count(*)", ...counts].map((part, at) => `${part} as c${String(at)}`);
  return `select ${parts.join(", ")} from (${rowsOf(object, flags, from)}) as s`;
}

function rowsOf({ primaryKey, columns }: SchemaObject, flags: readonly ObjectColumn[], from: string): string {
  const cells = flags.map(({ name }, at) => `${quoteName(name, "mysql")} as s${String(at)}`).join(", ");
  const isKnown = primaryKey.every((name) => columns.some((column) => column.name === name && column.isSelectable));
  if (primaryKey.length === 0 || !isKnown) return `select ${cells} ${from} limit ${String(MOST_ROWS)}`;
  const half = (direction: string): string => {
    const order = primaryKey.map((name) => `${quoteName(name, "mysql")} ${direction}`).join(", ");
    return `(select ${cells} ${from} order by ${order} limit ${String(MOST_ROWS / 2)})`;
  };
  return `${half("asc")} union all ${half("desc")}`;
}

function toSample(
  rows: number,
  cells: number,
  zeroOrOne: number,
  { nullable, hasOthers }: { readonly nullable: boolean; readonly hasOthers: boolean },
): ColumnSample {
  // Rows beyond the sample count as one more.
  const others = hasOthers && zeroOrOne === cells ? 1 : 0;
  const nulls = nullable ? Math.max(1, rows - cells) : 0;
  const integers = cells + others;
  const none = { reals: 0, texts: 0, blobs: 0, values: [] };
  return { ...none, rows: nulls + integers, nulls, integers, forms: { "zero-or-one": zeroOrOne } };
}
