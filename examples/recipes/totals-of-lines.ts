import { Kysely, sql } from "kysely";
import { type Context, edm, entityType, hasMany, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";

const db = new Kysely<object>({ dialect: sqliteDialect(":memory:") });
await sql`create table orders (id integer primary key, total int not null default 0, version int not null)`.execute(db);
await sql`create table lines (id integer primary key, orderId int not null, price int not null)`.execute(db);

const Order = entityType("Order", {
  id: edm.int32().key(),
  total: edm.int32().computed(),
  version: edm.int32().computed(),
});
const Line = entityType("Line", { id: edm.int32().key(), orderId: edm.int32().immutable(), price: edm.int32() });

const orders = sqlEntitySet(Order, {
  db,
  table: "orders",
  operations: ["read", "create", "patch"],
  allowDeepInsert: true,
  rowVersion: "version",
  etag: ["version"],
  navigation: { lines: hasMany(Line, { on: { id: "orderId" }, target: "Lines" }) },
});

async function sumUp({ entity, ctx }: { entity: { orderId: number }; ctx: Context }): Promise<void> {
  const { orderId } = entity;
  const parents = ctx.sets(orders, { trusted: true });
  await parents.get(orderId, { forUpdate: true });
  const own = await ctx.sets(lines, { trusted: true }).query({ filter: (line) => line.orderId.eq(orderId) });
  await parents.patch(orderId, { total: own.reduce((sum, { price }) => sum + price, 0) });
}
const lines = sqlEntitySet(Line, {
  db,
  table: "lines",
  operations: ["read", "create", "patch", "delete"],
  after: { create: sumUp, patch: sumUp, delete: sumUp },
});
const shop = odataService({ entitySets: [orders, lines] });

async function send(method: string, path: string, body?: object): Promise<void> {
  const headers = { "Content-Type": "application/json" };
  const init = body === undefined ? { method } : { method, headers, body: JSON.stringify(body) };
  const response = await shop.fetch(new Request(`http://shop.example/${path}`, init));
  const answer = await response.text();
  const order = await shop.fetch(new Request("http://shop.example/Orders(1)"));
  const { Total: total } = (await order.json()) as { Total: number };
  console.log(method, path, response.status, total);
  if (path !== "Orders") return;
  const shown = (JSON.parse(answer) as { Total: number }).Total;
  console.log("its response:", shown, response.headers.get("etag") === order.headers.get("etag"));
}
await send("POST", "Orders", {
  Id: 1,
  Lines: [
    { Id: 1, Price: 5 },
    { Id: 2, Price: 7 },
  ],
});
await send("POST", "Lines", { Id: 3, OrderId: 1, Price: 10 });
await send("PATCH", "Lines(1)", { Price: 6 });
await send("DELETE", "Lines(2)");
await db.destroy();
