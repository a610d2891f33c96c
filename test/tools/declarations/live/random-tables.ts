import fc from "fast-check";

/** A cell as a literal of SQL. */
export type Cell = string;

/** A table of SQLite with any declared types and any cells. */
export interface RandomTable {
  readonly name: string;
  readonly columns: ReadonlyArray<{ readonly name: string; readonly declared: string }>;
  readonly key: "composite" | "integer" | "none" | "text" | "unique";
  readonly isStrict: boolean;
  readonly isView: boolean;
  readonly rows: ReadonlyArray<readonly Cell[]>;
}

/** Splits lines at vertical bars. */
function partsOf(...lines: readonly string[]): readonly string[] {
  return lines.flatMap((line) => line.split("|"));
}

const DECLARED = partsOf(
  "|INT|INTEGER|BIGINT|TINYINT(1)|BOOLEAN|BIT|TEXT|VARCHAR(5)|NCHAR(3)|CLOB|REAL|DOUBLE PRECISION|FLOAT|NUMERIC",
  "DECIMAL(10,2)|DECIMAL(5)|MONEY|DATE|DATETIME|TIMESTAMP|TIME|UUID|JSON|BLOB|VARBINARY(4)|STRING|ANY|POINT",
);
const STRICT = partsOf("INT|INTEGER|REAL|TEXT|BLOB|ANY");

/** Names that generated code, URLs and statements must each write in their own way. */
const NAMES = partsOf("id|Name|order|a b|größe|q\"uote|it's|x.y|1st|日付|__odata|value|$x|%41");

const TEXTS = partsOf(
  "|0|1|12|-3.50|1e3|0x10| 7|007|NaN|Infinity|true|null|it's|a/b?c&d#e%|2024-02-29|2023-02-29|0000-00-00",
  "2024-02-29 12:30:00|2024-02-29T12:30:00Z|2024-02-29 12:30:00.123456789|2024-02-29T23:59:59+05:45|12:30|12:30:00.5",
  '24:00:00|9999-12-31|-0001-01-01|02/29/2024|[1,2]|{"a":1}|00000000-0000-4000-8000-000000000000',
  "00000000-0000-4000-8000-00000000000A|ünï 😀|%_|\n|9223372036854775808|99999999999999999999.99|0.1|-0",
);
const NUMBERS = partsOf(
  "0|1|2|-1|127|2147483648|9007199254740993|9223372036854775807|-9223372036854775808|0.5|-0.0|1e300|1e-300",
  "9e999|-9e999|0.1|123456.789|2460370.02|1709210000|1709210000000",
);

const text: fc.Arbitrary<Cell> = fc
  .oneof({ weight: 6, arbitrary: fc.constantFrom(...TEXTS) }, { weight: 1, arbitrary: fc.string({ maxLength: 4 }) })
  .map((value) => `'${value.replaceAll("'", "''").replaceAll("\0", "")}'`);
const number: fc.Arbitrary<Cell> = fc.oneof(
  fc.constantFrom(...NUMBERS),
  fc.integer().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
);
const blob: fc.Arbitrary<Cell> = fc
  .uint8Array({ maxLength: 17 })
  .map((bytes) => `x'${Buffer.from(bytes).toString("hex")}'`);
const empty = fc.constant("null");

/** Most columns have cells of one kind, and some have all kinds. */
const column = fc
  .oneof(
    ...[text, number, blob].map((each) => fc.constant({ weight: 1, arbitrary: each })),
    fc.constant({ weight: 3, arbitrary: fc.oneof(text, number, blob) }),
    fc.constantFrom(...TEXTS).map((one) => ({ weight: 1, arbitrary: fc.constant(`'${one.replaceAll("'", "''")}'`) })),
    fc.subarray([...NUMBERS], { minLength: 1 }).map((some) => ({ weight: 1, arbitrary: fc.constantFrom(...some) })),
  )
  .chain(({ arbitrary }) =>
    fc.array(fc.oneof({ weight: 5, arbitrary }, { weight: 1, arbitrary: empty }), { minLength: 6, maxLength: 6 }),
  );

/** Makes tables with any names, declared types, keys and cells. */
export const randomTable: fc.Arbitrary<RandomTable> = fc
  .record({
    names: fc.uniqueArray(fc.constantFrom(...NAMES), {
      minLength: 2,
      maxLength: 6,
      selector: (name) => name.toLowerCase(),
    }),
    table: fc.constantFrom("orders", "Order Details", "tbl_x", "2024", "Größen", "group", "a.b", "sets"),
    key: fc.constantFrom("composite", "integer", "none", "text", "unique" as const),
    isStrict: fc.boolean(),
    isView: fc.integer({ min: 0, max: 3 }).map((drawn) => drawn === 0),
    declared: fc.array(fc.constantFrom(...DECLARED), { minLength: 6, maxLength: 6 }),
    strict: fc.array(fc.constantFrom(...STRICT), { minLength: 6, maxLength: 6 }),
    cells: fc.array(column, { minLength: 6, maxLength: 6 }),
    length: fc.integer({ min: 0, max: 6 }),
  })
  .map(({ names, table, key, isStrict, isView, declared, strict, cells, length }) => ({
    name: table,
    key,
    isStrict,
    isView,
    columns: names.map((name, at) => ({ name, declared: (isStrict ? strict : declared)[at] ?? "" })),
    rows: Array.from({ length }, (_, row) => names.map((_name, at) => cells[at]?.[row] ?? "null")),
  }));

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Returns the statements that make the table; a row that its constraints refuse is left out. */
export function statementsOf({ name, columns, key, isStrict, isView, rows }: RandomTable): readonly string[] {
  const [first = "", second = ""] = columns.map((each) => quoted(each.name));
  const declared = columns.map((each, at) => {
    const isKey = at === 0 && (key === "integer" || key === "text");
    return `${quoted(each.name)} ${isKey && key === "integer" ? "INTEGER" : each.declared}${isKey ? " primary key" : ""}`;
  });
  if (key === "composite") declared.push(`primary key (${first}, ${second})`);
  if (key === "unique") declared.push(`unique (${first})`);
  const create = `create table ${quoted(name)} (${declared.join(", ")})${isStrict ? " strict" : ""}`;
  const inserts = rows.map((cells) => `insert or ignore into ${quoted(name)} values (${cells.join(", ")})`);
  return [create, ...inserts, ...(isView ? [`create view "the view" as select * from ${quoted(name)}`] : [])];
}
