import { entitySet, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { describe, expect, test } from "vitest";
import { caseCount } from "../../cases.ts";
import { ENGINES } from "../../engine/executors/engines.ts";
import { thingRows } from "../../engine/executors/thing-rows.ts";
import { columns, Thing, shownRow, storableRows, thingsDatabase } from "../../engine/executors/things.ts";
import { noFailures } from "../../service/http/model.ts";
import { DISTRIBUTED } from "../distributed/distributed-engines.ts";
import { isDistributed } from "../distributed/watched-database.ts";

const ORIGIN = "http://service.example";
/** Fewer for databases other than SQLite, whose statements are asynchronous. */
const ROWS = { sqlite: 60, postgres: 15, mariadb: 15 } as const;
const JSON_TYPE = { "Content-Type": "application/json" };

type Service = ReturnType<typeof odataService>;

async function send(
  service: Service,
  method: string,
  target: string,
  body?: string,
): Promise<readonly [number, string]> {
  const response = await service.fetch(
    new Request(ORIGIN + target, { method, headers: JSON_TYPE, ...(body === undefined ? {} : { body }) }),
  );
  return [response.status, await response.text()];
}

describe.each([...ENGINES, ...DISTRIBUTED])("values written to $title", (engine) => {
  test("are read as written for every type in every storage form, by POST, PUT, PATCH and property", async () => {
    const rows = storableRows(thingRows(caseCount(ROWS[engine.name]), 3), engine.name).map(shownRow);
    const memory = odataService({
      propertyNaming: "camelCase",
      namespace: "Test",
      entitySets: [entitySet(Thing, { name: "Things", getByKey: (id) => rows.find((row) => row.id === id) ?? null })],
    });
    const expected: string[] = [];
    for (const { id } of rows) expected.push((await send(memory, "GET", `/Things(${String(id)})`))[1]);
    expect(expected.length).toBe(caseCount(ROWS[engine.name]));
    const { db, close } = await thingsDatabase(engine, []);
    const service = odataService({
      propertyNaming: "camelCase",
      namespace: "Test",
      logger: noFailures,
      entitySets: [
        sqlEntitySet(Thing, {
          name: "Things",
          db,
          distributed: isDistributed(db),
          table: "things",
          operations: ["read", "create", "replace", "patch", "delete"],
          columns,
        }),
      ],
    });
    for (const text of expected) {
      expect(await send(service, "POST", "/Things", text)).toEqual([201, text]);
    }
    for (const [index, text] of expected.entries()) {
      const { id } = JSON.parse(text) as { id: number };
      const target = `/Things(${String(id)})`;
      expect(await send(service, "GET", target)).toEqual([200, text]);
      // The values of another row, then its original values.
      const other = withId(expected[(index + 1) % expected.length] ?? "", id);
      expect(await send(service, "PATCH", target, other)).toEqual([200, withId(other, id)]);
      expect(await send(service, "PUT", target, text)).toEqual([200, text]);
    }
    for (const text of expected) {
      const { id } = JSON.parse(text) as { id: number };
      const target = `/Things(${String(id)})`;
      expect(await send(service, "DELETE", target)).toEqual([204, ""]);
      expect((await send(service, "GET", target))[0]).toBe(404);
    }
    await close();
  });
});

/** The same entity with another key. */
function withId(text: string, id: number): string {
  return text
    .replace(/"@odata\.id":"[^"]*"/, `"@odata.id":"${ORIGIN}/Things(${String(id)})"`)
    .replace(/"id":-?\d+/, `"id":${String(id)}`);
}
