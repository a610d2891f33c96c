import { isYes, type CatalogueRow, type CatalogueSteps } from "./catalogue-steps.ts";
import type { ObjectColumn, SchemaObject } from "./database-schema.ts";
import { quoteName } from "./quote-name.ts";

/** The databases whose types have cells that no property can have. */
type Kind = "postgres" | "mysql";

/** Rows from each end of a table. */
const ROWS_OF_END = 5000;

/** A test of the cells of a column. */
interface CellTest {
  /** The condition that a cell has no value. */
  readonly sampled: string;
  /** A condition for such cells that an index on the column serves. */
  readonly indexed: string;
  /** Finds such a cell in the text of a default. */
  readonly inDefault: RegExp;
}

const beyond = (name: string, least: string, most: string, inDefault: RegExp): CellTest => {
  const test = `(${name} < ${least} or ${name} >= ${most})`;
  return { sampled: test, indexed: test, inDefault };
};

const POSTGRES: Readonly<Record<string, (name: string) => CellTest>> = {
  // NaN and infinity are greater than all numbers. Older versions have no literal of infinity.
  numeric: (name) => beyond(name, "-1e131000", "1e131000", /nan|infinity/i),
  time: (name) => ({ sampled: `${name} = '24:00'`, indexed: `${name} = '24:00'`, inDefault: /24:00/ }),
  ...Object.fromEntries(
    ["date", "timestamp", "timestamptz"].map((type) => [
      type,
      (name: string) => beyond(name, "'0001-01-01 BC'", "'10000-01-01'", /infinity/i),
    ]),
  ),
};

const zeroDate = (name: string): CellTest => ({
  sampled: `not coalesce(month(${name}) > 0 and dayofmonth(${name}) > 0, true)`,
  indexed: `${name} < '0000-01-01'`,
  inDefault: /-00/,
});

const MYSQL: Readonly<Record<string, (name: string) => CellTest>> = {
  date: zeroDate,
  datetime: zeroDate,
  timestamp: zeroDate,
  // MariaDB gives the number 0 to a value that was not a label. A label may be empty.
  enum: (name) => ({ sampled: `${name} + 0 = 0`, indexed: `${name} = 0`, inDefault: /^(?!)/ }),
};

const TESTS: Readonly<Record<Kind, typeof POSTGRES>> = { postgres: POSTGRES, mysql: MYSQL };

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
export function* withUnreadableSamples(object: SchemaObject, kind: Kind): CatalogueSteps<SchemaObject> {
  if (object.kind !== "table" || object.omission !== null) return object;
  const tested = object.columns.flatMap((column): readonly TestedColumn[] => {
    const test = TESTS[kind][column.type];
    if (test === undefined || column.nullable || !column.isSelectable) return [];
    const name = quoteName(column.name, kind);
    return [{ column, name, test: test(name) }];
  });
  if (tested.length === 0) return object;
  let found: CatalogueRow | undefined;
  try {
    [found] = yield { sql: sampleStatement(object, tested, kind), parameters: [], width: tested.length };
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

function sampleStatement(object: SchemaObject, tested: readonly TestedColumn[], kind: Kind): string {
  const from = `from ${quoteName(object.schema, kind)}.${quoteName(object.name, kind)}`;
  const leading = new Set(object.indexes.map(({ columns }) => columns[0]?.name));
  const parts = tested.map(({ column, test }, at) => {
    const sampled = `coalesce(max(s.s${String(at)}), 0)`;
    const known = `exists(select 1 ${from} where ${test.indexed})`;
    const isFound = leading.has(column.name) ? `(${sampled} > 0 or ${known})` : `${sampled} > 0`;
    return `case when ${isFound} then 1 else 0 end as c${String(at)}`;
  });
  return `select ${parts.join(", ")} from (${rowsOf(object, tested, from, kind)}) as s`;
}

function rowsOf(
  { primaryKey, columns }: SchemaObject,
  tested: readonly TestedColumn[],
  from: string,
  kind: Kind,
): string {
  const cells = tested
    .map(({ test }, at) => `case when ${test.sampled} then 1 else 0 end as s${String(at)}`)
    .join(", ");
  const isKnown = primaryKey.every((name) => columns.some((column) => column.name === name && column.isSelectable));
  if (primaryKey.length === 0 || !isKnown) return `select ${cells} ${from} limit ${String(2 * ROWS_OF_END)}`;
  const end = (direction: string): string => {
    const order = primaryKey.map((name) => `${quoteName(name, kind)} ${direction}`).join(", ");
    return `(select ${cells} ${from} order by ${order} limit ${String(ROWS_OF_END)})`;
  };
  return `${end("asc")} union all ${end("desc")}`;
}
