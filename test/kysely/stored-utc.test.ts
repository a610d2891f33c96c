import { sql } from "kysely";
import { edm, entityType, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { describe, expect, test } from "vitest";
import { ENGINES } from "../executors/engines.ts";

/**
 * Columns that hold UTC and know no time zone. The sessions of the servers, and this process, have zones of their own.
 */

const Visit = entityType("Visit", {
  id: edm.int32().key(),
  at: edm.dateTimeOffset({ precision: 3 }).nullable(),
});
const TYPES = { sqlite: "text", postgres: "timestamp", mariadb: "datetime(6)" } as const;

describe.each(ENGINES)("over $title", (engine) => {
  test('reads, filters and writes a column with storage: "utc" in UTC', async () => {
    const { db, close } = await engine.open();
    await sql`create table visits (id integer primary key, at ${sql.raw(TYPES[engine.name])})`.execute(db);
    const stored = engine.name === "sqlite" ? "2024-02-29T12:30:00.125Z" : "2024-02-29 12:30:00.125";
    await sql`insert into visits values (1, ${stored}), (2, null)`.execute(db);
    const service = odataService({
      propertyNaming: "camelCase",
      entitySets: [
        sqlEntitySet(Visit, {
          db,
          table: "visits",
          operations: ["read", "create", "patch"],
          columns: { at: { storage: "utc" } },
        }),
      ],
    });
    const send = async (target: string, method = "GET", body?: object): Promise<string> => {
      const headers = { Accept: "application/json;odata.metadata=none", "Content-Type": "application/json" };
      const given = body === undefined ? {} : { body: JSON.stringify(body) };
      return (await service.fetch(new Request(`http://h${target}`, { method, headers, ...given }))).text();
    };
    expect(await send("/Visits")).toBe('{"value":[{"id":1,"at":"2024-02-29T12:30:00.125Z"},{"id":2,"at":null}]}');
    const found = '{"value":[{"id":1}]}';
    for (const filter of [
      "at eq 2024-02-29T13:30:00.125%2B01:00",
      "at le now()",
      "hour(at) eq 12",
      "at lt 2024-03-01",
    ]) {
      expect(await send(`/Visits?$select=id&$filter=${filter}`), filter).toBe(found);
    }
    expect(await send("/Visits", "POST", { id: 3, at: "2024-10-27T02:30:00.5+02:00" })).toBe(
      '{"id":3,"at":"2024-10-27T00:30:00.500Z"}',
    );
    await close();
  });
});
