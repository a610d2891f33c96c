import { sql } from "kysely";
import { complexType, edm, entityType, enumType, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { describe, expect, test } from "vitest";
import { ENGINES, type AnyDatabase, type OpenDatabase } from "../../engine/executors/engines.ts";

const Kind = enumType("Kind", { A: 0, B: 1 });
const Rights = enumType("Rights", { Read: 1, Write: 2 }, { isFlags: true });
const Part = complexType("Part", { size: edm.int32() });
const Cell = entityType("Cell", {
  id: edm.int32().key(),
  small: edm.int32().nullable(),
  big: edm.int64().nullable(),
  cost: edm.decimal({ precision: 12, scale: 2 }).nullable(),
  unit: edm.decimal({ precision: 12, scale: 2 }).nullable(),
  kind: edm.enum(Kind).nullable(),
  rights: edm.enum(Rights).nullable(),
  day: edm.date().nullable(),
  moment: edm.dateTimeOffset({ precision: 3 }).nullable(),
  epoch: edm.dateTimeOffset({ precision: 3 }).nullable(),
  julian: edm.dateTimeOffset({ precision: 3 }).nullable(),
  written: edm.dateTimeOffset({ precision: 3 }).nullable(),
  midnight: edm.date().nullable(),
  tags: edm.collection(edm.string()),
  part: edm.complex(Part).nullable(),
  parts: edm.collection(edm.complex(Part)),
});
const columns = {
  cost: { storage: "text" },
  unit: { storage: "scaled" },
  moment: { storage: "text" },
  epoch: { storage: "epoch" },
  julian: { storage: "julian" },
  written: { storage: "sqlite-datetime" },
  midnight: { storage: "sqlite-datetime" },
  part: { storage: "json" },
} as const;
const NAMES = Object.keys(Cell.properties).slice(1);

/** Cells of text columns that are not values of their properties. */
const WRONG: ReadonlyArray<readonly [property: string, cell: string]> = [
  ["small", "1.5"],
  ["small", "99999999999"],
  ["big", "one"],
  ["big", "9223372036854775808"],
  ["cost", "1,5"],
  ["unit", "1.5"],
  ["kind", "C"],
  ["rights", "Read"],
  ["moment", "2024-02-30T00:00:00Z"],
  ["written", "2024-01-01"],
  ["written", "2024-13-01 00:00:00"],
  ["midnight", "2024-01-01 12:00:00"],
  ["midnight", "today"],
  ["tags", "{}"],
  ["part", "[]"],
  ["part", "{"],
  ["part", '{"size":"large"}'],
  ["parts", '[{"size":1},2]'],
];

async function createCells({ db }: OpenDatabase): Promise<void> {
  await sql`create table cells (id integer primary key, ${sql.join(
    NAMES.map((name) => sql`${sql.id(name)} ${sql.raw("varchar(60)")}`),
  )})`.execute(db);
}

async function failureOf(db: AnyDatabase, target: string): Promise<readonly [status: number, logged: string]> {
  let logged = "";
  const logger = {
    error: (_message: string, fields?: unknown) => void (logged = String((fields as { err: unknown }).err)),
    warn: () => {},
    info: () => {},
  };
  const service = odataService({
    logger,
    schemaCheck: false,
    propertyNaming: "camelCase",
    entitySets: [sqlEntitySet(Cell, { db, table: "cells", operations: ["read"], columns })],
  });
  const response = await service.fetch(new Request(`http://service.example${target}`));
  await response.text();
  return [response.status, logged];
}

describe.each(ENGINES.filter(({ name }) => name !== "mariadb"))("text columns with other values: $title", (engine) => {
  test("fail the request, and the log names the property", async () => {
    const open = await engine.open();
    await createCells(open);
    for (const [name, cell] of WRONG) {
      await sql`delete from cells`.execute(open.db);
      await sql`insert into cells (id, ${sql.id(name)}) values (1, ${cell})`.execute(open.db);
      const [status, logged] = await failureOf(open.db, `/Cells?$select=${name}`);
      expect([status, logged], `${name} ${cell}`).toEqual([
        500,
        expect.stringMatching(new RegExp(`Column "${name}"|where ${name},`, "i")),
      ]);
    }
    await open.close();
  });
});

describe("columns of SQLite with cells of another type", () => {
  test.each<[property: string, cell: unknown]>([
    ["small", 1.5],
    ["small", 2n ** 60n],
    ["cost", new Uint8Array([1])],
    ["moment", 5],
    ["moment", new Uint8Array([1])],
    ["epoch", "soon"],
    ["epoch", 2n ** 62n],
    ["julian", "soon"],
    ["julian", 1e300],
    ["written", 5],
    ["tags", 5],
    ["part", 5],
  ])("%s: %s fails the request", async (name, cell) => {
    const [engine] = ENGINES.filter((each) => each.name === "sqlite");
    if (engine === undefined) return;
    const { db, close } = await engine.open();
    await sql`create table cells (id integer primary key, ${sql.join(NAMES.map((each) => sql.id(each)))})`.execute(db);
    await sql`insert into cells (id, ${sql.id(name)}) values (1, ${cell})`.execute(db);
    const [status, logged] = await failureOf(db, `/Cells?$select=${name}`);
    expect([status, logged]).toEqual([500, expect.stringMatching(new RegExp(`Column "${name}"|where ${name},`, "i"))]);
    await close();
  });
});
