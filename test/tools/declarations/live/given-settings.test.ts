import { sql } from "kysely";
import { odataService } from "odatakit";
import { introspectDatabase, type IntrospectOptions } from "odatakit/introspect";
import { describe, expect, test } from "vitest";
import { ENGINES, type AnyDatabase } from "../../../engine/executors/engines.ts";

const TABLES = [
  "create table kinds (id int primary key, name varchar(20))",
  "create table parts (id int primary key, sold int not null, kind_id int not null, n int, foreign key (kind_id) references kinds (id))",
  "insert into kinds values (0, 'a'), (1, 'b')",
  "insert into parts values (1, 0, 0, 1), (2, 1, 1, 1), (3, 2, 1, null)",
  "create view sums as select kind_id, n from parts",
];

async function withTables(engine: (typeof ENGINES)[number], use: (db: AnyDatabase) => Promise<void>): Promise<void> {
  const { db, close } = await engine.open();
  try {
    for (const statement of TABLES) await sql.raw(statement).execute(db);
    await use(db);
  } finally {
    for (const drop of ["view if exists sums", "table parts", "table kinds"]) await sql.raw(`drop ${drop}`).execute(db);
    await close();
  }
}

async function read(db: AnyDatabase, options: IntrospectOptions, path: string) {
  const { entitySets, warnings } = await introspectDatabase(db, { include: ["kinds", "parts", "sums"], ...options });
  const logger = { error: () => undefined, warn: () => undefined, info: () => undefined };
  const service = odataService({ prefix: "/odata", entitySets, logger });
  const response = await service.fetch(new Request(`http://h/odata/${path}`));
  return { status: response.status, text: await response.text(), warnings };
}

describe.each(ENGINES)("$title", (engine) => {
  test("a cell that a mapped Boolean does not have is null", async () => {
    await withTables(engine, async (db) => {
      const { status, text } = await read(db, { map: { "Parts.Sold": "boolean(0,1)" } }, "Parts?$select=Id,Sold");
      expect([status, JSON.parse(text)]).toMatchObject([
        200,
        { value: [{ Sold: false }, { Sold: true }, { Sold: null }] },
      ]);
    });
  });

  test("a mapped enumeration, number, text and time are read, filtered and declared", async () => {
    await withTables(engine, async (db) => {
      const map = { "Parts.Sold": "enum(No=0,Yes=1)", "Parts.N": "epoch-seconds", "Kinds.Name": "enum(a,b)" };
      const first = await read(db, { map }, "Parts?$filter=Sold eq 'Yes'&$select=Id,Sold,N");
      expect([first.status, JSON.parse(first.text)]).toMatchObject([
        200,
        { value: [{ Sold: "Yes", N: expect.stringMatching(/^1970-01-01T00:00:01/) as unknown }] },
      ]);
      const all = await read(db, { map }, "Parts?$select=Sold&$expand=Kind($select=Name)&$orderby=Id");
      expect([all.status, JSON.parse(all.text)]).toMatchObject([
        200,
        { value: [{ Sold: "No", Kind: { Name: "a" } }, { Sold: "Yes", Kind: { Name: "b" } }, { Sold: null }] },
      ]);
      const metadata = await read(db, { map }, "$metadata");
      expect(metadata.text).toMatch(
        /<EnumType Name="PartSold">\s*<Member Name="No" Value="0"\/>\s*<Member Name="Yes" Value="1"\/>/,
      );
      const texts = await read(db, { map: { "Parts.Sold": "string" } }, "Parts?$filter=Sold eq '2'&$select=Sold");
      expect([texts.status, JSON.parse(texts.text)]).toMatchObject([200, { value: [{ Sold: "2" }] }]);
      const numbers = await read(db, { map: { "Parts.Sold": "number" } }, "Parts?$filter=Sold gt 1&$select=Sold");
      expect([numbers.status, JSON.parse(numbers.text)]).toMatchObject([200, { value: [{ Sold: 2 }] }]);
      if (engine.name === "sqlite") return;
      await expect(read(db, { map: { "Kinds.Name": "number" } }, "Kinds")).rejects.toThrow(
        /Kinds\.Name cannot have the type `number`: its column is .*, no number\./,
      );
    });
  });

  test("a mapped column has no navigation", async () => {
    await withTables(engine, async (db) => {
      const { status, text, warnings } = await read(db, { map: { "Parts.KindId": "boolean(0,1)" } }, "Parts?$top=1");
      expect([status, text]).toEqual([200, expect.stringContaining('"KindId":false')]);
      const message = "is no navigation: Parts.KindId is mapped to another type";
      expect(
        warnings.filter(({ code }) => code === "mapped-key").map(({ place, message: found }) => [place, found]),
      ).toEqual([
        ["Kinds.Parts", message],
        ["Parts.Kind", message],
      ]);
    });
  });

  test("a mapped key is refused", async () => {
    await withTables(engine, async (db) => {
      await expect(read(db, { map: { "Parts.Id": "boolean(0,1)" } }, "Parts")).rejects.toThrow(
        /Parts\.Id is a part of the key/,
      );
    });
  });

  test("a given key that rows share is ignored with a warning, and the other sets are served", async () => {
    await withTables(engine, async (db) => {
      const { status, warnings } = await read(db, { keys: { sums: ["kind_id"], parts: ["kind_id"] } }, "Parts(1)");
      const shared = warnings.filter(({ code }) => code === "shared-key");
      expect([status, shared.map(({ message }) => message)]).toEqual([
        200,
        ["parts", "sums"].map(
          () => "has rows with the same values of the given key kind_id, so the given key is ignored",
        ),
      ]);
      expect(shared[0]?.flag).toMatch(/^--key "(?:\w+\.)?parts=kind_id,<column>"$/);
      expect(warnings.filter(({ code }) => code === "no-key").map(({ place }) => place.replace(/^.*\./, ""))).toEqual([
        "sums",
      ]);
    });
  });

  test("a table without a unique index has the key that is given, or found in the data", async () => {
    await withTables(engine, async (db) => {
      await sql`create table logs (at varchar(20) not null, msg varchar(20) not null, n int)`.execute(db);
      await sql`insert into logs values ('a', 'x', 1), ('a', 'y', 1), ('b', 'x', null)`.execute(db);
      try {
        for (const keys of [{ logs: ["at", "msg"] }, { "*": "unique" as const }]) {
          const { status, text } = await read(db, { keys, include: ["logs", "parts"] }, "Logs?$top=5");
          expect([status, JSON.parse(text)]).toMatchObject([200, { value: [{}, {}, {}] }]);
          const one = await read(db, { keys, include: ["logs"] }, "Logs(At='a',Msg='y')");
          const isRowid = engine.name === "sqlite" && !("logs" in keys);
          expect([one.status, one.text]).toEqual(
            isRowid ? [400, one.text] : [200, expect.stringContaining('"Msg":"y"')],
          );
        }
      } finally {
        await sql`drop table logs`.execute(db);
      }
    });
  });

  test("a given key excludes rows with null", async () => {
    await withTables(engine, async (db) => {
      const { status, text } = await read(db, { keys: { sums: ["kind_id", "n"] } }, "Sums");
      expect([status, JSON.parse(text)]).toMatchObject([
        200,
        {
          value: [
            { KindId: 0, N: 1 },
            { KindId: 1, N: 1 },
          ],
        },
      ]);
    });
  });
});
