import { sql } from "kysely";
import { edm, entityType, hasMany, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type AnyDatabase, ENGINES, type DatabaseName, type OpenDatabase } from "../../engine/executors/engines.ts";

const Order = entityType("Order", {
  id: edm.int32().key(),
  text: edm.string(),
  total: edm.int32().nullable(),
  version: edm.int32().computed().nullable(),
});
const Line = entityType("Line", { id: edm.int32().key(), orderId: edm.int32(), amount: edm.int32() });

/** Triggers that count the writes of a row, and that add lines to their order. MariaDB changes the row before it is written, and no value that was sent. */
const TRIGGERS: Readonly<Record<DatabaseName, readonly string[]>> = {
  sqlite: [
    `create trigger t1 after insert on orders begin update orders set version = 1, text = text || '!' where id = new.id; end`,
    `create trigger t2 after update of text on orders when old.version is not null begin update orders set version = old.version + 1 where id = new.id; end`,
    `create trigger t3 after insert on order_lines begin update orders set total = coalesce(total, 0) + new.amount where id = new.order_id; end`,
  ],
  postgres: [
    `create function count_order() returns trigger language plpgsql as $$ begin
      if pg_trigger_depth() > 1 then return null; end if;
      update orders set version = coalesce(version, 0) + 1, text = case when tg_op = 'INSERT' then text || '!' else text end where id = new.id;
      return null; end $$`,
    `create function add_line() returns trigger language plpgsql as $$ begin
      update orders set total = coalesce(total, 0) + new.amount where id = new.order_id; return null; end $$`,
    `create trigger t1 after insert or update on orders for each row execute function count_order()`,
    `create trigger t3 after insert on order_lines for each row execute function add_line()`,
  ],
  mariadb: [
    `create trigger t1 before insert on orders for each row set new.version = 1`,
    `create trigger t2 before update on orders for each row set new.version = if(new.text <> old.text, old.version + 1, old.version)`,
    `create trigger t3 after insert on order_lines for each row update orders set total = coalesce(total, 0) + new.amount where id = new.order_id`,
  ],
};

describe.each(ENGINES)("a table with triggers that change its row afterwards, over $title", (engine) => {
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
    for (const each of TRIGGERS[engine.name]) await sql.raw(each).execute(db);
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
      etag: ["version"],
      allowDeepInsert: true,
      navigation: { lines: hasMany(Line, { target: "Lines", on: { id: "orderId" } }) },
    });
    const lines = sqlEntitySet(Line, { ...place, table: "order_lines", columns: { orderId: "order_id" } });
    const service = odataService({ entitySets: [orders, lines] });
    return async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
      const type = body === undefined ? {} : { "Content-Type": "application/json" };
      const init = body === undefined ? {} : { body: JSON.stringify(body) };
      const request = new Request(`http://a.example/${path}`, { method, headers: { ...type, ...headers }, ...init });
      const response = await service.fetch(request);
      const text = await response.text();
      return {
        status: response.status,
        etag: response.headers.get("etag"),
        json: text === "" ? null : (JSON.parse(text) as object),
      };
    };
  };

  test("answers with the row and the ETag as the triggers leave them", async () => {
    const send = shop();
    const row = (others: object) => ({
      "@odata.context": "http://a.example/$metadata#Orders/$entity",
      "@odata.id": "http://a.example/Orders(1)",
      Id: 1,
      ...others,
    });
    const created = await send("POST", "Orders", { Id: 1, Text: "a" });
    const read = await send("GET", "Orders(1)");
    expect(created).toEqual({
      status: 201,
      etag: read.etag,
      json: row({ "@odata.etag": read.etag, Text: engine.name === "mariadb" ? "a" : "a!", Total: null, Version: 1 }),
    });
    let { etag } = read;
    for (const [method, path, body, status] of [
      ["PATCH", "Orders(1)", { Text: "b" }, 200],
      ["PUT", "Orders(1)", { Text: "c" }, 200],
      ["PUT", "Orders(1)/Text", { value: "d" }, 204],
    ] as const) {
      const written = await send(method, path, body, { "If-Match": etag ?? "" });
      const stored = await send("GET", "Orders(1)");
      expect([written.status, written.etag]).toEqual([status, stored.etag]);
      expect(stored.etag).not.toBe(etag);
      if (status === 200) expect(written.json).toEqual(stored.json);
      ({ etag } = stored);
    }
    expect((await send("DELETE", "Orders(1)", undefined, { "If-Match": etag ?? "" })).status).toBe(204);
  });

  test("a deep insert answers with the order as the triggers of its lines leave it", async () => {
    const send = shop();
    const lines = [
      { Id: 1, OrderId: 1, Amount: 3 },
      { Id: 2, OrderId: 1, Amount: 4 },
    ];
    const created = await send("POST", "Orders", { Id: 1, Text: "a", Lines: lines });
    const stored = await send("GET", "Orders(1)");
    expect([created.status, created.etag]).toEqual([201, stored.etag]);
    expect(created.json).toMatchObject({ ...stored.json, Total: 7, Lines: lines });
  });
});
