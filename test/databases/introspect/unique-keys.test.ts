import { expect, test } from "vitest";
import { runSteps, type CatalogueRow } from "../../../src/databases/introspect/catalogue-steps.ts";
import { findUniqueKeys } from "../../../src/databases/introspect/unique-keys.ts";

const COLUMNS = ["a", "b", "c", "d"];

/** Searches rows that a database returns. */
async function search(
  rows: readonly CatalogueRow[],
  { columns = COLUMNS, duplicates = [] as readonly string[] } = {},
): Promise<readonly [found: unknown, statements: readonly string[]]> {
  const statements: string[] = [];
  const steps = findUniqueKeys([{ schema: "main", name: "v", columns }], { quote: '"' });
  const [found] = await runSteps(steps, ({ sql }) => {
    statements.push(sql);
    if (!sql.includes("group by")) return rows;
    return duplicates.some((each) => sql.includes(`group by ${each} `)) ? [[1]] : [];
  });
  return [found, statements];
}

test.each<readonly [string, readonly CatalogueRow[], unknown]>([
  [
    "one column",
    [
      [1, 1, "x"],
      [2, 1, "x"],
    ],
    ["a"],
  ],
  [
    "the first of several",
    [
      [1, 1, 1],
      [1, 2, 2],
    ],
    ["b"],
  ],
  [
    "two columns",
    [
      [1, 1, 1],
      [1, 2, 1],
      [2, 1, 1],
    ],
    ["a", "b"],
  ],
  [
    "three columns",
    [
      [1, 1, 1],
      [1, 1, 2],
      [1, 2, 1],
      [2, 1, 1],
    ],
    ["a", "b", "c"],
  ],
  [
    "not four columns",
    [
      [1, 1, 1, 1],
      [1, 1, 1, 2],
      [1, 1, 2, 1],
      [1, 2, 1, 1],
      [2, 1, 1, 1],
    ],
    "none",
  ],
  [
    "no column with null",
    [
      [null, 1],
      [2, 2],
    ],
    ["b"],
  ],
  [
    "no column with bytes",
    [
      [new Uint8Array([1]), 1],
      [new Uint8Array([2]), 2],
    ],
    ["b"],
  ],
  [
    "no column with long texts",
    [
      ["x".repeat(201), 1],
      ["y", 2],
    ],
    ["b"],
  ],
  [
    "no column with an empty text",
    [
      ["", 1],
      ["y", 2],
    ],
    ["b"],
  ],
  ["texts that differ in case", [["a"], ["A"]], ["a"]],
  ["times", [[new Date(1)], [new Date(2)]], ["a"]],
  ["flags", [[true], [false]], ["a"]],
  ["large integers", [[9007199254740993n], [9007199254740992n]], ["a"]],
  ["no column of equal rows", [[1], [1]], "none"],
  ["nothing without rows", [], "no rows"],
])("finds %s", async (_name, rows, expected) => {
  const columns = COLUMNS.slice(0, rows[0]?.length ?? 4);
  expect((await search(rows, { columns }))[0]).toEqual(expected);
});

test("the database compares rows beyond the first 20,000", async () => {
  const rows = Array.from({ length: 20_000 }, (_, at) => [at, at, 1, at]);
  const [found, statements] = await search(rows, { duplicates: ['"a"'] });
  expect(found).toEqual(["b"]);
  expect(statements.slice(1)).toEqual([
    'select 1 as c0 from "main"."v" group by "a" having count(*) > 1 or "a" is null limit 1',
    'select 1 as c0 from "main"."v" group by "b" having count(*) > 1 or "b" is null limit 1',
  ]);
  expect((await search(rows, { duplicates: ['"a"', '"b"', '"d"', '"a", "b"'] }))[0]).toBe("none");
});

test("a search that would compare more than a million rows is given up, however fast the machine is", async () => {
  const columns = Array.from({ length: 16 }, (_, at) => `c${String(at)}`);
  // The last row is equal to the first one, so that each combination of columns compares all rows.
  const rowsOf = (count: number): readonly CatalogueRow[] =>
    Array.from({ length: count }, (_, at) => columns.map(() => at % (count - 1)));
  expect((await search(rowsOf(2000), { columns }))[0]).toBe("too slow");
  expect((await search(rowsOf(1000), { columns }))[0]).toBe("none");
});

test("an object whose rows take too long has no key", async () => {
  const steps = findUniqueKeys([{ schema: "main", name: "v", columns: ["a"] }], { quote: '"' });
  const failed = await runSteps(steps, () => Promise.reject(new Error("late")));
  expect(failed).toEqual(["too slow"]);
});

test("an object without possible columns is not read", async () => {
  expect(await search([], { columns: [] })).toEqual(["none", []]);
});
