import { sql } from "kysely";
import { edm, entityType, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { describe, expect, test } from "vitest";
import { ENGINES } from "../../engine/executors/engines.ts";

const Measure = entityType("Measure", { id: edm.int32().key(), ratio: edm.double().nullable() });
const Required = entityType("Measure", { id: edm.int32().key(), ratio: edm.double() });

describe.each(ENGINES)("a Double with odata.metadata=full over $title", ({ open }) => {
  test.each([
    [1, '"ratio":1.5}'],
    [2, '"ratio":null}'],
  ])("of entity %s", async (id, end) => {
    const { db, close } = await open();
    try {
      await sql`create table measures (id integer primary key, ratio double precision)`.execute(db);
      await sql`insert into measures values (1, 1.5), (2, null)`.execute(db);
      const service = odataService({
        propertyNaming: "asDeclared",
        entitySets: [sqlEntitySet(Measure, { db, table: "measures", operations: ["read"] })],
      });
      const response = await service.fetch(
        new Request(`http://localhost/Measures(${String(id)})`, {
          headers: { Accept: "application/json;odata.metadata=full" },
        }),
      );
      expect([response.status, response.headers.get("Content-Type")]).toEqual([
        200,
        "application/json;odata.metadata=full",
      ]);
      const text = await response.text();
      expect(text.slice(text.indexOf('"id"'))).toBe(`"id":${String(id)},${end}`);
    } finally {
      await close();
    }
  });

  test("that is null although it must have a value is a logged 500", async () => {
    const { db, close } = await open();
    const errors: string[] = [];
    try {
      await sql`create table measures (id integer primary key, ratio double precision)`.execute(db);
      await sql`insert into measures values (2, null)`.execute(db);
      const service = odataService({
        propertyNaming: "asDeclared",
        schemaCheck: false,
        logger: {
          error: (_message, { err }) => void errors.push(String(err)),
          warn: () => undefined,
          info: () => undefined,
        },
        entitySets: [sqlEntitySet(Required, { db, table: "measures", operations: ["read"] })],
      });
      const response = await service.fetch(
        new Request("http://localhost/Measures(2)", { headers: { Accept: "application/json;odata.metadata=full" } }),
      );
      expect([response.status, response.headers.get("Content-Type")]).toEqual([
        500,
        "application/json;odata.metadata=minimal",
      ]);
      expect(await response.json()).toMatchObject({ error: { code: "InternalServerError" } });
      expect(errors).toEqual([
        "Error: Default.Measure/ratio: the handler returned null, but the property is not nullable.",
      ]);
    } finally {
      await close();
    }
  });
});
