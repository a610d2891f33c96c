import { isYes, type CatalogueSteps } from "../../introspect/catalogue-steps.ts";
import type { ColumnSample, ObjectColumn, SchemaObject } from "../../introspect/database-schema.ts";
import { quoteSqlite, sqliteTable } from "./sqlite-sample.ts";

/** Rows whose cells are read where no index separates their classes. */
const MOST_ROWS = 100_000;

/** The storage classes of cells, as `ColumnSample` counts them. */
const CLASSES = ["nulls", "integers", "reals", "texts", "blobs"] as const;

/**
 * Adds to the samples of keys the storage classes that other rows have: a key of several classes has another type, or is no
 * key. An index separates null, numbers, texts and bytes, so that one statement knows the classes of all rows; it reads
 * rows only to separate integers and reals, and for columns that begin no index.
 * @see https://sqlite.org/datatype3.html#comparisons
 */
export function* withKeyClasses(object: SchemaObject): CatalogueSteps<SchemaObject> {
  const { primaryKey, indexes, estimatedRows } = object;
  // The sample has all rows.
  if (object.kind !== "table" || estimatedRows !== null) return object;
  const unique = indexes.filter(({ isUnique }) => isUnique).flatMap(({ columns }) => columns);
  const keys = new Set([...primaryKey, ...unique.flatMap((column) => column?.name ?? [])]);
  const leading = new Set(indexes.map(({ columns }) => columns[0]?.name));
  const columns: ObjectColumn[] = [];
  for (const column of object.columns) {
    const { sample, isIdentity } = column;
    if (sample === null || isIdentity || !keys.has(column.name)) {
      columns.push(column);
      continue;
    }
    const rowsOf = sqliteTable(object);
    const from = `from ${rowsOf.text}`;
    const cell = quoteSqlite(column.name);
    const conditions = leading.has(column.name) ? indexedClasses(cell, from) : readClasses(cell, from);
    const found = conditions.map((condition, at) => `exists(${condition}) as c${String(at)}`);
    const [row = []] = yield { sql: `select ${found.join(", ")}`, parameters: [], width: CLASSES.length, rowsOf };
    columns.push({ ...column, sample: withClasses(sample, row.map(isYes)) });
  }
  return { ...object, columns };
}

/** In an index, null precedes numbers, numbers precede texts, and texts precede bytes. */
function indexedClasses(cell: string, from: string): readonly string[] {
  const numbers = `select ${cell} as v ${from} where ${cell} < '' limit ${String(MOST_ROWS)}`;
  return [
    `select 1 ${from} where ${cell} is null`,
    `select 1 from (${numbers}) where typeof(v) = 'integer'`,
    `select 1 from (${numbers}) where typeof(v) = 'real'`,
    `select 1 ${from} where ${cell} >= '' and ${cell} < x''`,
    `select 1 ${from} where ${cell} >= x''`,
  ];
}

function readClasses(cell: string, from: string): readonly string[] {
  const cells = `select ${cell} as v ${from} limit ${String(MOST_ROWS)}`;
  return ["null", "integer", "real", "text", "blob"].map(
    (type) => `select 1 from (${cells}) where typeof(v) = '${type}'`,
  );
}

/** Counts a row for each class that the sample lacks. */
function withClasses(sample: ColumnSample, isFound: readonly boolean[]): ColumnSample {
  const added = CLASSES.filter((name, at) => isFound[at] === true && sample[name] === 0);
  const counts = Object.fromEntries(added.map((name) => [name, 1]));
  return { ...sample, ...counts, rows: sample.rows + added.length };
}
