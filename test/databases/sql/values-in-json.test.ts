import { describe, expect, test } from "vitest";
import { valuesOfEntity } from "../../../src/databases/read/read-page.ts";
import { SQLITE_MARK } from "../../../src/databases/sqlite/dialect/marks.ts";

/** Reads marks of the last of two entities. */
function read(last: string, names: readonly string[]) {
  const first = '{"Id":1}';
  const bytes = new TextEncoder().encode(`${first},${last}`);
  const lastStart = first.length + 1;
  const toMark = (cell: unknown) => (cell === null || cell === undefined ? undefined : SQLITE_MARK.read(cell));
  const nullable = (cell: unknown) => (cell === null ? null : toMark(cell));
  const terms = names.map((name) => ({ name, toMark: name === "Name" ? nullable : toMark }));
  return valuesOfEntity({ bytes, length: 2, total: 2, lastStart, previousStart: 0 }, terms);
}

describe("the marks in the last entity of a page as JSON", () => {
  test("are the cells of its members, as rows have them", () => {
    const entity =
      '{"Id":7,"Big":9007199254740993,"Even":9007199254740994,"Price":1.5,"Huge":1.0e+300,"Flag":true,"Name":null}';
    expect(read(entity, ["Big", "Even", "Id", "Price", "Huge", "Flag", "Name"])).toEqual([
      9_007_199_254_740_993n,
      9_007_199_254_740_994n,
      7,
      1.5,
      1e300,
      1,
      null,
    ]);
  });

  test.each([
    ["of a text that is not an entity", "7", ["Id"]],
    ["of a member that is missing", '{"Id":7}', ["Id", "Big"]],
    ["null of a property without nulls", '{"Id":null}', ["Id"]],
    ["of a text with replaced bytes", '{"Id":"Zo\uFFFD"}', ["Id"]],
  ])("are unknown if there is one %s", (_title, last, names) => {
    expect(read(last, names)).toBeNull();
  });
});
