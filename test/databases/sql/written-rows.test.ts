import { sql } from "kysely";
import { odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { beforeEach, describe, expect, test } from "vitest";
import { noFailures } from "../../service/http/model.ts";
import { Order, ORDER_COLUMNS, ordersDatabase } from "./orders.ts";

const db = await ordersDatabase();
await sql`
  insert into "orders" values
    (1, 7, 'Chai', 'Paid', 3, '1.10', 1999, 0.5, 1, '01234567-89ab-cdef-0123-456789abcdef', '2024-02-29', '12:00:00',
     '2024-02-29T12:00:00.000Z', '2024-02-29T13:00:00+01:00', 'PT36H', 'Main Street', null, '["new","50%"]'),
    (2, 8, null, 'Draft', null, null, -5, null, null, null, null, null, '2024-01-01T00:00:00.500Z', null, null, null, null,
     null)`.execute(db);

const expectations: unknown[] = [];
beforeEach(() => {
  expectations.length = 0;
});

/** A table with write handlers of the application that find nothing to change. */
const service = odataService({
  prefix: "/s",
  namespace: "Test",
  entitySets: [
    sqlEntitySet(Order, {
      db,
      table: "orders",
      operations: ["read"],
      columns: ORDER_COLUMNS,
      etag: ["total", "name", "changed"],
      patch: (key, _, { expected }) => {
        expectations.push([key, expected]);
        return null;
      },
    }),
  ],
  logger: noFailures,
});

const send = (path: string, init: RequestInit = {}): Promise<Response> =>
  service.fetch(new Request(`http://service.example/s/${path}`, init));
const names = Object.keys(Order.properties).map((field) => field.slice(0, 1).toUpperCase() + field.slice(1));

describe("a property read from a row equals the member of the entity", () => {
  test.each(names)("%s", async (name) => {
    for (const id of [1, 2]) {
      for (const level of ["minimal", "full"]) {
        const headers = { Accept: `application/json;odata.metadata=${level}` };
        const entity = (await (await send(`Orders(${String(id)})`, { headers })).json()) as Record<string, unknown>;
        const answer = await send(`Orders(${String(id)})/${name}`, { headers });
        if (entity[name] === null) {
          expect([answer.status, await answer.text()]).toEqual([204, ""]);
        } else {
          const { value } = (await answer.json()) as { readonly value: unknown };
          expect([answer.status, value]).toEqual([200, entity[name]]);
        }
        expect(answer.headers.get("ETag")).toBe(entity["@odata.etag"]);
      }
    }
  });

  test.each([
    ["Id", "1"],
    ["Name", "Chai"],
    ["Status", "Paid"],
    ["Access", "Read,Write"],
    ["Price", "1.10"],
    ["Total", "19.99"],
    ["Paid", "true"],
    ["Token", "01234567-89ab-cdef-0123-456789abcdef"],
    ["Placed", "2024-02-29T12:00:00.000Z"],
    ["Changed", "2024-02-29T13:00:00+01:00"],
    ["Span", "PT36H"],
  ])("raw: %s", async (name, text) => {
    expect(await (await send(`Orders(1)/${name}/$value`)).text()).toBe(text);
  });

  test("raw: returns 404 for null, and 400 for a complex value or a collection", async () => {
    expect((await send("Orders(2)/Name/$value")).status).toBe(404);
    expect((await send("Orders(1)/ShipTo/$value")).status).toBe(400);
    expect((await send("Orders(1)/Tags/$value")).status).toBe(400);
  });

  test("returns 404 for a missing row", async () => {
    expect((await send("Orders(3)/Name")).status).toBe(404);
  });
});

describe("checks If-Match with the row", () => {
  const patch = (id: number, tags: string) =>
    send(`Orders(${String(id)})`, {
      method: "PATCH",
      headers: { "Content-Type": "application/json", "If-Match": tags },
      body: "{}",
    });

  test("passes the values of the ETag to the handler in canonical form", async () => {
    for (const id of [1, 2]) {
      const etag = (await send(`Orders(${String(id)})`)).headers.get("ETag") ?? "";
      // The handler finds nothing, which is 412 with If-Match.
      expect((await patch(id, etag)).status).toBe(412);
    }
    expect(expectations).toEqual([
      [1n, { total: "19.99", name: "Chai", changed: "2024-02-29T13:00:00+01:00" }],
      [2n, { total: "-0.05", name: null, changed: null }],
    ]);
  });

  test("does not call the handler for the tag of another row or for a missing row", async () => {
    const etag = (await send("Orders(1)")).headers.get("ETag") ?? "";
    expect((await patch(2, etag)).status).toBe(412);
    expect((await patch(3, "*")).status).toBe(412);
    expect(expectations).toEqual([]);
  });
});
