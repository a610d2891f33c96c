// Statements: docs/reference/batch.md#change-sets
import { sql } from "kysely";
import { edm, entityType, hasMany, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type AnyDatabase, ENGINES, type OpenDatabase } from "../executors/engines.ts";
import { MULTIPART, multipart, received, type ReceivedPart, type SentPart } from "../http/batch-model.ts";
import { noFailures } from "../http/model.ts";

const Order = entityType("Order", {
  id: edm.int32().key(),
  text: edm.string(),
  total: edm.int32().nullable(),
  version: edm.int32().computed().nullable(),
});
const Line = entityType("Line", { id: edm.int32().key(), orderId: edm.int32(), amount: edm.int32() });

describe.each(ENGINES)("the responses of a change set, over $title", (engine) => {
  let opened: OpenDatabase;
  let db: AnyDatabase;
  beforeAll(async () => {
    opened = await engine.open();
    ({ db } = opened);
    await sql`create table orders (id int not null primary key, text varchar(20) not null, total int, version int)`.execute(
      db,
    );
    await sql`create table order_lines (id int not null primary key, order_id int not null, amount int not null)`.execute(
      db,
    );
  });
  afterAll(() => opened.close());
  beforeEach(async () => {
    await sql`delete from order_lines`.execute(db);
    await sql`delete from orders`.execute(db);
  });

  const shop = () => {
    const place = { db, operations: ["read", "create", "replace", "patch", "delete"] } as const;
    const orders = sqlEntitySet(Order, {
      ...place,
      table: "orders",
      rowVersion: "version",
      etag: ["version"],
      allowDeepInsert: true,
      navigation: { lines: hasMany(Line, { target: "Lines", on: { id: "orderId" } }) },
      after: { create: ({ entity }) => ({ ...entity, text: `${entity.text}!` }) },
    });
    const lines = sqlEntitySet(Line, {
      ...place,
      table: "order_lines",
      columns: { orderId: "order_id" },
      after: {
        create: async ({ entity, ctx }) => {
          const order = await ctx.sets(orders).get(entity.orderId);
          await ctx.sets(orders).patch(entity.orderId, { total: (order?.total ?? 0) + entity.amount });
        },
      },
    });
    const service = odataService({ logger: noFailures, batch: { json: true }, entitySets: [orders, lines] });
    const get = async (path: string) => {
      const response = await service.fetch(new Request(`http://a.example/${path}`));
      return { etag: response.headers.get("etag"), json: (await response.json()) as Record<string, unknown> };
    };
    return { service, get };
  };

  const OPERATIONS: readonly SentPart[] = [
    { request: "POST Orders", id: "1", body: { Id: 1, Text: "a", Lines: [{ Id: 1, OrderId: 1, Amount: 1 }] } },
    { request: "PATCH $1", id: "2", body: { Text: "b" } },
    { request: "PUT $1/Text", id: "3", body: { value: "c" } },
    { request: "POST $1/Lines", id: "4", body: { Id: 2, OrderId: 1, Amount: 5 } },
    { request: "POST Lines", id: "5", body: { Id: 3, OrderId: 1, Amount: 7 } },
  ];

  test("are the entities and ETags as the change set leaves them, in multipart", async () => {
    const { service, get } = shop();
    const init = { method: "POST", headers: MULTIPART, body: multipart([OPERATIONS]) };
    const response = await service.fetch(new Request("http://a.example/$batch", init));
    const [found] = received(response.headers.get("content-type") ?? undefined, await response.text());
    const [created, patched, property, ...lines] = found as readonly ReceivedPart[];
    const { etag, json } = await get("Orders(1)");
    expect(json).toMatchObject({ Id: 1, Text: "c", Total: 13 });
    // The hook shows another text.
    expect([created?.status, created?.headers["ETag"], created?.json]).toEqual([
      201,
      etag,
      {
        ...json,
        "@odata.context": expect.any(String) as unknown,
        Text: "a!",
        Lines: [{ Id: 1, OrderId: 1, Amount: 1 }],
      },
    ]);
    expect([patched?.status, patched?.headers["ETag"], patched?.json]).toEqual([200, etag, json]);
    expect([property?.status, property?.headers["ETag"]]).toEqual([204, etag]);
    expect(lines.map(({ status }) => status)).toEqual([201, 201]);
  });

  test("also in JSON, and a change set that fails has no others", async () => {
    const { service, get } = shop();
    const send = async (operations: readonly SentPart[]) => {
      const requests = operations.map(({ request, id, body }) => {
        const [method, url] = request.split(" ");
        return { id, method, url, body, atomicityGroup: "g", headers: { "Content-Type": "application/json" } };
      });
      const headers = { "Content-Type": "application/json" };
      const init = { method: "POST", headers, body: JSON.stringify({ requests }) };
      const response = await service.fetch(new Request("http://a.example/$batch", init));
      const { responses } = (await response.json()) as {
        responses: ReadonlyArray<{ id: string; status: number; headers: Record<string, string>; body?: object }>;
      };
      return responses;
    };
    const responses = await send(OPERATIONS);
    const { etag, json } = await get("Orders(1)");
    expect(responses.map((each) => [each.id, each.status])).toEqual([
      ["1", 201],
      ["2", 200],
      ["3", 204],
      ["4", 201],
      ["5", 201],
    ]);
    for (const each of responses.slice(0, 3)) expect(each.headers["etag"]).toBe(etag);
    expect(responses[1]?.body).toEqual(json);
    const failed = await send([
      { request: "PATCH Orders(1)", id: "1", body: { Text: "d" } },
      { request: "POST Lines", id: "2", body: { Id: 3, OrderId: 1, Amount: 7 } },
    ]);
    expect(failed.map(({ status }) => status)).not.toContain(200);
    expect((await get("Orders(1)")).json).toEqual(json);
  });
});
