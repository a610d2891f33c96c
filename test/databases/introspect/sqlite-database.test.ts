import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runSteps } from "../../../src/databases/introspect/catalogue-steps.ts";
import type { DatabaseSchema } from "../../../src/databases/introspect/database-schema.ts";
import { readSqliteDatabase } from "../../../src/databases/sqlite/introspect/sqlite-database.ts";
import type { OpenDatabase } from "../../engine/executors/engines.ts";
import { openSample } from "../../fixtures/databases/load.ts";
import { columnOf, objectOf, openHostile, readSchema, runOver, SQLITE } from "./sqlite-hostile.ts";

let opened: OpenDatabase;
let schema: DatabaseSchema;

beforeAll(async () => {
  opened = await openHostile();
  schema = await readSchema(opened.db);
});

afterAll(async () => opened.close());

describe("the reader of SQLite", () => {
  test("names the product, and sorts its objects", () => {
    expect(schema).toMatchObject({ kind: "sqlite", product: /^SQLite 3\.\d+/, defaultSchema: "main" } as never);
    const names = schema.objects.map(({ name }) => name);
    expect(names).toEqual(names.toSorted((left, right) => (left < right ? -1 : 1)));
    expect(names.some((name) => name.startsWith("sqlite_"))).toBe(false);
  });

  test.each([
    ["int_key", ["id"]],
    ["without_rowid", ["id"]],
    ["text_key", ["code"]],
    ["no_key", []],
  ])("the key of %s", (name, expected) => {
    expect(objectOf(schema, name).primaryKey).toEqual(expected);
  });

  test.each([
    ["user", "id", true],
    ["descending", "id", false],
    ["int_key", "id", false],
    ["without_rowid", "id", false],
  ])("whether SQLite numbers %s.%s", (table, column, expected) => {
    expect(columnOf(schema, table, column).isIdentity).toBe(expected);
  });

  test.each([
    ["no_key", "rowid"],
    ["hidden_rowid", "_rowid_"],
    ["no_rowid_left", undefined],
    ["without_rowid", undefined],
    ["v_user", undefined],
  ])("the rowid of %s", (name, expected) => {
    expect(objectOf(schema, name).rowid).toBe(expected);
  });

  test.each([
    ["_prisma_migrations", "migrations"],
    ["v_broken", "unreadable"],
    ["v_no_function", "unreadable"],
    ["user", undefined],
  ])("why %s is omitted", (name, code) => {
    expect(objectOf(schema, name).omission?.code).toBe(code);
  });

  test("foreign keys name tables and columns in their letter case, and the primary key by default", () => {
    expect(objectOf(schema, "users").foreignKeys).toEqual([
      {
        name: null,
        columns: ["user_id"],
        target: { schema: "main", name: "user" },
        targetColumns: ["id"],
        comment: null,
      },
    ]);
  });

  test("samples count storage classes, forms and values", () => {
    expect(columnOf(schema, "loose", "c_int_text").sample).toMatchObject({
      rows: 4,
      nulls: 1,
      integers: 1,
      reals: 1,
      texts: 1,
    });
    expect(columnOf(schema, "loose", "c_bool").sample?.forms).toEqual({ "zero-or-one": 3 });
    expect(columnOf(schema, "loose", "c_bool_text").sample?.values).toEqual(["false", "true"]);
    expect(columnOf(schema, "strict_types", objectOf(schema, "strict_types").columns[0]?.name ?? "").sample).toBeNull();
  });

  test("reads few statements for a sample database", async () => {
    const chinook = await openSample(SQLITE, "chinook");
    let statements = 0;
    const steps = readSqliteDatabase();
    const { objects } = await runSteps(
      steps,
      runOver(chinook.db, () => (statements += 1)),
    );
    await chinook.close();
    expect(objects.length).toBe(11);
    // One or two for each table, and those of the catalogue.
    expect(statements).toBeLessThan(2 * 11 + 10);
  });
});
