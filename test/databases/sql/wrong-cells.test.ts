import { Kysely, ParseJSONResultsPlugin, sql } from "kysely";
import { complexType, edm, entitySet, entityType, enumType, odataService } from "odatakit";
import { sqlEntitySet, sqlSource } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { describe, expect, test } from "vitest";
import type { AnyDatabase } from "./orders.ts";

const Kind = enumType("Kind", { A: 0, B: 1 });
const Marks = enumType("Marks", { One: 1, Two: 2 }, { isFlags: true });
const Part = complexType("Part", { size: edm.int32() });
const Cell = entityType("Cell", {
  id: edm.int32().key(),
  big: edm.int64().nullable(),
  cost: edm.decimal({ precision: 12, scale: 2 }).nullable(),
  kind: edm.enum(Kind).nullable(),
  moment: edm.dateTimeOffset({ precision: 3 }).nullable(),
  tags: edm.collection(edm.string()),
  part: edm.complex(Part).nullable(),
  flag: edm.boolean().nullable(),
  ratio: edm.double().nullable(),
  marks: edm.enum(Marks).nullable(),
});
const columns = { cost: { storage: "scaled" }, moment: { storage: "epoch" }, part: { storage: "json" } } as const;

/** A table whose columns accept anything, since they have no type. */
async function databaseWith(column: string, cell: unknown): Promise<AnyDatabase> {
  const db: AnyDatabase = new Kysely({ dialect: sqliteDialect(":memory:") });
  await sql`create table cells (id integer primary key, big, cost, kind, moment, tags, part, flag, ratio, marks)`.execute(
    db,
  );
  await sql`insert into cells (id, ${sql.id(column)}) values (1, ${cell})`.execute(db);
  return db;
}

async function answerTo(db: AnyDatabase, target: string): Promise<readonly [number, string, string]> {
  let logged = "";
  const logger = {
    error: (_message: string, fields?: unknown) => void (logged = String((fields as { err: unknown }).err)),
    warn: () => {},
    info: () => {},
  };
  const service = odataService({
    logger,
    propertyNaming: "camelCase",
    entitySets: [sqlEntitySet(Cell, { db, table: "cells", operations: ["read"], columns })],
  });
  const response = await service.fetch(new Request(`http://service.example${target}`));
  return [response.status, await response.text(), logged];
}

describe("a cell that is not a value of its property", () => {
  test.each<[column: string, cell: unknown]>([
    ["big", "0012"],
    ["big", ""],
    ["big", " 12 "],
    ["big", "0x10"],
    ["big", "-0"],
    ["big", "9999999999999999999"],
    ["big", "-9223372036854775809"],
    ["big", 1.5],
    ["cost", "00012"],
    ["cost", ""],
    ["cost", "-0012"],
    ["cost", "9999999999999999999"],
    ["kind", 0],
    ["kind", "0"],
    ["kind", "Z"],
    ["moment", 1.5],
    ["moment", 1e20],
    ["tags", "{"],
    ["tags", "[1]"],
    ["tags", "['a']"],
    ["part", '{"size":"a"}'],
    ["part", '{"size":1,"size":2}'],
    ["flag", 2],
    ["flag", "true"],
    ["ratio", "1.5"],
    ["marks", "One"],
  ])("%s: %j returns 500, and the log names the property", async (column, cell) => {
    const db = await databaseWith(column, cell);
    for (const target of [`/Cells?$select=${column}`, `/Cells(1)?$select=${column}`]) {
      const [status, , logged] = await answerTo(db, target);
      expect(status).toBe(500);
      expect(logged).toMatch(new RegExp(`where ${column}, `, "i"));
    }
    await db.destroy();
  });

  test.each<[column: string, cell: unknown, expected: string]>([
    ["big", 9_223_372_036_854_775_807n, "9223372036854775807"],
    ["big", -9_223_372_036_854_775_808n, "-9223372036854775808"],
    ["big", 999_999_999_999_999_999n, "999999999999999999"],
    ["big", 0, "0"],
    ["cost", 9_223_372_036_854_775_807n, "92233720368547758.07"],
    ["cost", -5, "-0.05"],
    ["cost", 0, "0.00"],
    ["flag", 0, "false"],
    ["ratio", 3, "3"],
    ["ratio", 9_007_199_254_740_994n, "9007199254740994"],
    ["marks", 3, '"One,Two"'],
    ["moment", -1, '"1969-12-31T23:59:59.999Z"'],
  ])("%s: %s is a value", async (column, cell, expected) => {
    const db = await databaseWith(column, cell);
    const [status, text] = await answerTo(db, `/Cells?$select=${column}`);
    const entity = `{"@odata.id":"http://service.example/Cells(1)","${column}":${expected}}`;
    expect([status, text]).toEqual([200, expect.stringContaining(`"value":[${entity}]`)]);
    await db.destroy();
  });
});

test("plugins of Kysely that change results leave those of a transaction alone", async () => {
  const db = (await databaseWith("tags", '["a"]')).withPlugin(new ParseJSONResultsPlugin());
  await db.transaction().execute(async (transaction) => {
    const service = odataService({
      propertyNaming: "camelCase",
      entitySets: [entitySet(Cell, { queryable: () => sqlSource(Cell, { db: transaction, from: "cells", columns }) })],
    });
    const response = await service.fetch(new Request("http://service.example/Cells?$select=tags"));
    expect(await response.text()).toContain('"value":[{"tags":["a"]}]');
  });
  await db.destroy();
});
