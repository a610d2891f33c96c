import { Kysely, sql } from "kysely";
import { type Context, edm, entityType, now, odataService, resource, role } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";

const db = new Kysely<object>({ dialect: sqliteDialect(":memory:") });
await sql`create table orders (id integer primary key, status text not null, total integer not null)`.execute(db);
await sql`create table audit (
  id integer primary key, at text not null, userId text not null, orderId integer not null, change text not null
)`.execute(db);

const Entry = entityType("Entry", {
  id: edm.int32().key().computed(),
  at: edm.dateTimeOffset({ precision: 3 }),
  userId: edm.string(),
  orderId: edm.int32(),
  change: edm.string(),
});
const audit = sqlEntitySet(Entry, {
  name: "Audit",
  db,
  table: "audit",
  operations: ["read", "create"],
  // No client creates entries. The hooks below are trusted.
  authorization: { read: role("auditor"), create: resource(() => false) },
  set: { at: { create: now }, userId: { create: ({ user }) => user.id ?? "" } },
});

async function record(ctx: Context, orderId: number, before: object | null, after: object | null): Promise<void> {
  const change = JSON.stringify({ before, after });
  await ctx.sets(audit, { trusted: true }).create({ orderId, change });
}

const Order = entityType("Order", { id: edm.int32().key(), status: edm.string(), total: edm.int32() });
const orders = sqlEntitySet(Order, {
  db,
  table: "orders",
  operations: ["read", "create", "patch", "delete"],
  before: {
    patch: async ({ key, delta, current, ctx }) => record(ctx, key, await current(), delta),
    delete: async ({ key, current, ctx }) => record(ctx, key, await current(), null),
  },
  after: {
    create: ({ entity, ctx }) => record(ctx, entity.id, null, entity),
  },
});

const shop = odataService({
  entitySets: [orders, audit],
  authenticate: ({ headers }) => ({ id: headers.get("X-User") ?? "", roles: [] }),
});
const send = async (method: string, path: string, body?: string) => {
  const headers = { "X-User": "ann", ...(body && { "Content-Type": "application/json" }) };
  const response = await shop.fetch(
    new Request(`http://shop.example/${path}`, { method, headers, ...(body && { body }) }),
  );
  console.log(method, path, response.status);
};
await send("POST", "Orders", '{"Id":1,"Status":"new","Total":5}');
await send("PATCH", "Orders(1)", '{"Status":"paid"}');
await send("PATCH", "Orders(2)", '{"Status":"paid"}');
await send("POST", "Audit", '{"OrderId":1,"Change":"forged"}');
await send("DELETE", "Orders(1)");
const { rows } = await sql<{ userId: string; change: string }>`select * from audit`.execute(db);
for (const { userId, change } of rows) console.log(userId, change);
await db.destroy();
