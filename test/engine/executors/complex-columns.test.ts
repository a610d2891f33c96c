import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import {
  createTable,
  tableService,
  memoryService,
  ask,
  WHOLE,
  SHOWN,
  EMPTY,
  ADDRESSES,
  missing,
} from "./complex-people.ts";
import { ENGINES } from "./engines.ts";

/** PATCH changes no more of the columns of a complex value than the body says. */

describe.each(ENGINES)("complex values in tables of $title", (engine) => {
  test("keep what other writers of other members write at the same time", async () => {
    const { db, close } = await engine.open();
    await createTable(db, engine);
    const service = tableService(db);
    await ask(service, "POST", "People", { Id: 1, ...WHOLE });
    const writes = [1, 2, 3, 4].flatMap((round) =>
      ADDRESSES.flatMap((name) => [
        { [name]: { Street: `s${String(round)}` } },
        { [name]: { City: `c${String(round)}` } },
        { [name]: { Geo: { Latitude: round } } },
        { [name]: { Geo: { Name: `g${String(round)}` } } },
      ]),
    );
    const statuses = await Promise.all(writes.map(async (body) => (await ask(service, "PATCH", "People(1)", body))[0]));
    expect(statuses).toEqual(writes.map(() => 200));
    const [, , body] = await ask(service, "GET", "People(1)");
    for (const name of ADDRESSES) {
      expect((body as Record<string, unknown>)[name]).toEqual({
        ...SHOWN,
        Street: expect.stringMatching(/^s[1-4]$/),
        City: expect.stringMatching(/^c[1-4]$/),
        Geo: {
          Latitude: expect.toSatisfy((value: number) => value >= 1 && value <= 4),
          Name: expect.stringMatching(/^g[1-4]$/),
        },
      });
    }
    await close();
  });

  test("keep members of JSON that the model does not know, and the digits of numbers", async () => {
    const { db, close } = await engine.open();
    await createTable(db, engine);
    const service = tableService(db);
    await ask(service, "POST", "People", { Id: 1, ...WHOLE });
    const stored =
      '{"city": "B", "secret": "kept", "other": [1.10, 9007199254740993, {"x": null}], "street": "A", "tags": [], "zip": "1", "geo": {"latitude": 1, "old": true}}';
    await sql`update people set office = ${stored}`.execute(db);
    expect((await ask(service, "PATCH", "People(1)", { Office: { City: "C", Geo: { Name: "n" } } }))[0]).toBe(200);
    const { rows } = await sql<{
      text: string;
    }>`select ${sql.raw(engine.name === "postgres" ? "office::text" : "office")} as text from people`.execute(db);
    expect(rows[0]?.text).toContain(
      engine.name === "postgres" ? "[1.10, 9007199254740993, " : "[1.10,9007199254740993,",
    );
    expect(JSON.parse(rows[0]?.text ?? "")).toEqual({
      city: "C",
      secret: "kept",
      other: [1.1, 9_007_199_254_740_992, { x: null }],
      street: "A",
      tags: [],
      zip: "1",
      geo: { latitude: 1, old: true, name: "n" },
    });
    await close();
  });

  test("in columns are not written when only nulls would be left", async () => {
    const { db, close } = await engine.open();
    await createTable(db, engine);
    const service = tableService(db);
    await ask(service, "POST", "People", { Id: 1, ...WHOLE });
    const message =
      "The value is stored in a column per member, so it cannot have only null members: write null instead.";
    const refused = [400, "no ETag", { error: { code: "InvalidBody", message, target: "Loose" } }];
    expect(await ask(service, "PATCH", "People(1)", { Loose: { A: null, B: null } })).toEqual(refused);
    expect((await ask(service, "PATCH", "People(1)", { Loose: { A: null } }))[0]).toBe(200);
    expect(await ask(service, "PATCH", "People(1)", { Loose: { B: null } })).toEqual(refused);
    expect((await ask(service, "PATCH", "People(1)", { Loose: null }))[0]).toBe(200);
    expect(await ask(service, "PATCH", "People(1)", { Loose: {} })).toEqual(refused);
    await close();
  });

  test("are judged by row rules as they are then", async () => {
    const { db, close } = await engine.open();
    await createTable(db, engine);
    for (const service of [memoryService("PascalCase", true), tableService(db, true)]) {
      await ask(service, "POST", "People", { Id: 1, ...EMPTY });
      expect((await ask(service, "PATCH", "People(1)", { Home: { City: "x" } }))[0]).toBe(200);
      expect((await ask(service, "PATCH", "People(1)", { Work: { Street: "x" } }))[0]).toBe(403);
      expect(await ask(service, "PATCH", "People(1)", { Work: {} })).toEqual(missing("Work/Street"));
      expect(await ask(service, "PATCH", "People(1)", { Away: { City: "x" } })).toEqual(missing("Away/Street"));
      expect((await ask(service, "GET", "People(1)"))[2]).toMatchObject({
        Home: { Street: "A", City: "x" },
        Work: null,
        Away: null,
      });
    }
    await close();
  });
});
