import { sql } from "kysely";
import { action, edm, entityType, hasMany, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type AnyDatabase, ENGINES, type OpenDatabase } from "../../engine/executors/engines.ts";
import { MULTIPART, multipart, received, type ReceivedPart, type SentPart } from "../http/batch-model.ts";
import { noFailures } from "../http/model.ts";

const Order = entityType("Order", {
  id: edm.int32().key(),
  text: edm.string(),
  total: edm.int32().nullable(),
  version: edm.int32().computed().nullable(),
});
const Line = entityType("Line", { id: edm.int32().key(), orderId: edm.int32(), amount: edm.int32() });

const STORED = { id: 0, text: "", total: null as number | null, version: 0 };

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

  /** Changes orders in the open transaction, and returns their columns. */
  const change = async (keys: readonly number[], text: string, transaction: unknown) => {
    const open = (transaction ?? db) as AnyDatabase;
    const found = [];
    for (const id of keys) {
      await sql`update orders set text = ${text}, version = version + 1 where id = ${id}`.execute(open);
      const { rows } = await sql<typeof STORED>`select id, text, total, version from orders where id = ${id}`.execute(
        open,
      );
      found.push(rows[0] ?? STORED);
    }
    return found;
  };

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
      actions: {
        Name: action({
          bound: "entity",
          transactional: true,
          params: { text: edm.string() },
          returns: Order,
          handler: async (key, { text }, { transaction }) => (await change([key], text, transaction))[0] ?? STORED,
        }),
        NameAll: action({
          bound: "collection",
          transactional: true,
          params: { text: edm.string() },
          returns: edm.collection(Order),
          handler: ({ text }, { transaction }) => change([1, 2], text, transaction),
        }),
      },
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
    const actions = {
      NameFirst: action({
        transactional: true,
        params: { text: edm.string() },
        returns: Order,
        handler: async ({ text }, { transaction }) => (await change([1], text, transaction))[0] ?? STORED,
      }),
    };
    const service = odataService({ logger: noFailures, batch: { json: true }, entitySets: [orders, lines], actions });
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

  test("of actions are their entities as the change set leaves them", async () => {
    const { service, get } = shop();
    await sql`insert into orders values (1, 'a', 0, 1), (2, 'a', 0, 1)`.execute(db);
    const operations: readonly SentPart[] = [
      { request: "POST Orders(1)/Name", id: "1", body: { text: "b" } },
      { request: "POST Orders/NameAll", id: "2", body: { text: "c" } },
      { request: "POST NameFirst", id: "3", body: { text: "d" } },
      { request: "PATCH Orders(1)", id: "4", body: { Text: "e" } },
      // The hook of the line changes the total of its order.
      { request: "POST Lines", id: "5", body: { Id: 3, OrderId: 1, Amount: 7 } },
    ];
    const init = { method: "POST", headers: MULTIPART, body: multipart([operations]) };
    const response = await service.fetch(new Request("http://a.example/$batch", init));
    const [found] = received(response.headers.get("content-type") ?? undefined, await response.text());
    const [one, all, bare] = found as readonly ReceivedPart[];
    const { etag, json } = await get("Orders(1)");
    const { json: other } = await get("Orders(2)");
    expect(json).toMatchObject({ Id: 1, Text: "e", Total: 7 });
    expect([one?.status, one?.headers["ETag"], one?.json]).toEqual([200, etag, json]);
    // Links of single entities only.
    const { "@odata.context": _first, "@odata.id": _id, ...first } = json;
    const { "@odata.context": _second, "@odata.id": _other, ...second } = other;
    expect([all?.status, all?.json]).toMatchObject([200, { value: [first, second] }]);
    const { "@odata.etag": _etag, ...plain } = first;
    expect([bare?.status, bare?.json]).toEqual([200, plain]);
  });
});
