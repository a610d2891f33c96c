import { sql } from "kysely";
import { edm, entityType, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { describe, expect, test } from "vitest";
import { ENGINES, type DatabaseName } from "../../engine/executors/engines.ts";

const Day = entityType("Day", {
  id: edm.int32().key(),
  day: edm.date().nullable(),
  at: edm.dateTimeOffset({ precision: 0 }).nullable(),
});
const TYPES: Readonly<Record<DatabaseName, readonly [day: string, at: string]>> = {
  sqlite: ["text", "text"],
  postgres: ["date", "timestamptz"],
  mariadb: ["date", "datetime"],
};
const DAYS = ["0000-01-01", "0000-02-28", "0000-03-01", "0000-12-31", "0001-01-01", "2024-02-29"];

/** Filters, and the identifiers of their rows. */
const FILTERS: ReadonlyArray<readonly [filter: string, ids: readonly number[]]> = [
  ["day eq 0000-01-01", [1]],
  ["day in (0000-03-01,0001-01-01)", [3, 5]],
  ["day ne 0000-01-01", [2, 3, 4, 5, 6]],
  ["day lt 0000-03-01", [1, 2]],
  ["day le 0000-12-31", [1, 2, 3, 4]],
  ["day gt 0000-02-28", [3, 4, 5, 6]],
  ["day ge 0000-12-31", [4, 5, 6]],
  ["day eq 0000-02-29", []],
  ["day lt 0000-02-29", [1, 2]],
  ["day gt 0000-02-29", [3, 4, 5, 6]],
  ["day gt -0001-12-31", [1, 2, 3, 4, 5, 6]],
  ["day le -0001-12-31", []],
  ["year(day) eq 0", [1, 2, 3, 4]],
  ["month(day) eq 2 and year(day) eq 0", [2]],
  ["at eq 0000-01-01T00:00:00Z", [1]],
  ["at lt 0000-02-29T12:00:00Z", [1, 2]],
  ["at ge 0000-02-29T12:00:00Z and at lt 0001-01-01T00:00:00Z", [3, 4]],
  ["year(at) eq 0", [1, 2, 3, 4]],
];

describe.each(ENGINES)("dates of the year 0 over $title", (engine) => {
  test("are stored, compared and sorted by their values", async () => {
    const { db, close } = await engine.open();
    try {
      const [day, at] = TYPES[engine.name];
      await sql`create table days (id integer primary key, day ${sql.raw(day)}, at ${sql.raw(at)})`.execute(db);
      const service = odataService({
        schemaCheck: false,
        propertyNaming: "camelCase",
        entitySets: [sqlEntitySet(Day, { db, table: "days", operations: ["read", "create"] })],
      });
      const send = async (path: string, init?: RequestInit): Promise<readonly [number, unknown]> => {
        const response = await service.fetch(new Request(`http://days.example/Days${path}`, init));
        return [response.status, await response.json()];
      };
      for (const [index, value] of DAYS.entries()) {
        const body = { id: index + 1, day: value, at: `${value}T00:00:00Z` };
        const init = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
        expect(await send("", init)).toMatchObject([201, body]);
      }
      for (const [filter, ids] of FILTERS) {
        const found = await send(`?$orderby=id&$select=id&$filter=${filter}`);
        expect([filter, ...found]).toMatchObject([filter, 200, { value: ids.map((id) => ({ id })) }]);
      }
      expect(await send("?$orderby=day desc&$select=day")).toMatchObject([
        200,
        { value: DAYS.toReversed().map((each) => ({ day: each })) },
      ]);
    } finally {
      await close();
    }
  });
});
