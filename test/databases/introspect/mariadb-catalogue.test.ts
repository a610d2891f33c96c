import { expect, test } from "vitest";
import type { CatalogueQuery } from "../../../src/databases/introspect/catalogue-steps.ts";
import { MY_TABLES } from "../../../src/databases/mariadb/introspect/catalogue.ts";

test("a connection without a database reads the schemas that statements name, or all", () => {
  for (const names of [["shop", "orders"], ["orders"]]) {
    const steps = MY_TABLES.readWanted([{ text: names.join("."), names }]);
    expect(steps.next().value).toMatchObject({ sql: "select database() as c0" });
    const { value, done } = steps.next([[null]]);
    expect(done).toBe(false);
    expect(value).toMatchObject({ sql: expect.stringContaining("version()") as unknown });
    steps.return({} as never);
  }
});

test("the number of rows is that of a table of the database, or of the schema that a statement names", () => {
  const parametersOf = (names: readonly string[]): CatalogueQuery["parameters"] =>
    MY_TABLES.estimate({ text: "", names }).parameters;
  expect([parametersOf(["shop", "orders"]), parametersOf(["orders"]), parametersOf([])]).toEqual([
    ["shop", "orders"],
    ["", "orders"],
    ["", ""],
  ]);
});

test("the advice for a text of another character set keeps whether the column may be null", () => {
  const { fix, statedSet } = MY_TABLES.texts ?? {};
  const column = { name: "a", definition: "varchar(9)" };
  const table = { text: "`t`", names: ["t"] };
  expect(fix?.(table as never, { ...column, nullable: true } as never)).toBe(
    "Change the column, with its default and comment: alter table `t` modify `a` varchar(9) character set utf8mb4 collate utf8mb4_nopad_bin",
  );
  expect(fix?.(table as never, { ...column, nullable: false } as never)).toMatch(/ not null$/u);
  expect(statedSet?.({} as never)).toBe("character set , ");
});
