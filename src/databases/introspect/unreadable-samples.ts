import { isYes, type CatalogueRow, type CatalogueSteps } from "./catalogue-steps.ts";
import type { ObjectColumn, SchemaObject } from "./database-schema.ts";
import { type NameSyntax, quoteName } from "./quote-name.ts";

/** Rows from each end of a table. */
const ROWS_OF_END = 5000;

/** A test of the cells of a column. */
export interface CellTest {
  /** The condition that a cell has no value. */
  readonly sampled: string;
  /** A condition for such cells that an index on the column serves. */
  readonly indexed: string;
  /** Finds such a cell in the text of a default. */
  readonly inDefault: RegExp;
}

/** The tests of the cells that no property can have, of one kind of database. */
export interface CellTests extends NameSyntax {
  /** By the type of the column. */
  readonly byType: Readonly<Record<string, (name: string) => CellTest>>;
}

interface TestedColumn {
  readonly column: ObjectColumn;
  readonly name: string;
  readonly test: CellTest;
}

/**
 * Finds the columns of a table without null that hold cells which no property can have, such as infinity and zero dates. The
 * statement reads the first and the last 5,000 rows in the order of the primary key, so that the result is the same on a busy
 * machine. An index also finds infinity and the date of zeros among all other rows, but no date with a month or day of zero.
 * @see docs/guides/existing-databases.md
 */
export function* withUnreadableSamples(object: SchemaObject, tests: CellTests): CatalogueSteps<SchemaObject> {
  if (object.kind !== "table" || object.omission !== null) return object;
  const tested = object.columns.flatMap((column): readonly TestedColumn[] => {
    const test = tests.byType[column.type];
    if (test === undefined || column.nullable || !column.isSelectable) return [];
    const name = quoteName(column.name, tests);
    return [{ column, name, test: test(name) }];
  });
  if (tested.length === 0) return object;
  let found: CatalogueRow | undefined;
  try {
    [found] = yield { sql: sampleStatement(object, tested, tests), parameters: [], width: tested.length };
  } catch {
    // The columns may hold such cells.
    return object;
  }
  const holds = new Map(
    tested.map(({ column, test }, at) => {
      return [column.name, isYes(found?.[at]) || test.inDefault.test(column.defaultValue ?? "")];
    }),
  );
  const columns = object.columns.map((column) => {
    const holdsUnreadable = holds.get(column.name);
    return holdsUnreadable === undefined ? column : { ...column, holdsUnreadable };
  });
  return { ...object, columns };
}

function sampleStatement(object: SchemaObject, tested: readonly TestedColumn[], tests: CellTests): string {
  const from = `from ${quoteName(object.schema, tests)}.${quoteName(object.name, tests)}`;
  const leading = new Set(object.indexes.map(({ columns }) => columns[0]?.name));
  const parts = tested.map(({ column, test }, at) => {
    const sampled = `coalesce(max(s.s${String(at)}), 0)`;
    const known = `exists(select 1 ${from} where ${test.indexed})`;
    const isFound = leading.has(column.name) ? `(${sampled} > 0 or ${known})` : `${sampled} > 0`;
    return `case when ${isFound} then 1 else 0 end as c${String(at)}`;
  });
  return `select ${parts.join(", ")} from (${rowsOf(object, tested, from, tests)}) as s`;
}

function rowsOf(
  { primaryKey, columns }: SchemaObject,
  tested: readonly TestedColumn[],
  from: string,
  tests: CellTests,
): string {
  const cells = tested
    .map(({ test }, at) => `case when ${test.sampled} then 1 else 0 end as s${String(at)}`)
    .join(", ");
  const isKnown = primaryKey.every((name) => columns.some((column) => column.name === name && column.isSelectable));
  if (primaryKey.length === 0 || !isKnown) return `select ${cells} ${from} limit ${String(2 * ROWS_OF_END)}`;
  const end = (direction: string): string => {
    const order = primaryKey.map((name) => `${quoteName(name, tests)} ${direction}`).join(", ");
    return `(select ${cells} ${from} order by ${order} limit ${String(ROWS_OF_END)})`;
  };
  return `${end("asc")} union all ${end("desc")}`;
}
