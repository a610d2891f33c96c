import { Kysely, sql } from "kysely";
import { edm, entityType, now, odataService, role } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";

const db = new Kysely<object>({ dialect: sqliteDialect(":memory:") });
await sql`create table orders (
  id integer primary key, status text not null, placed text not null, changedBy text, changedAt text
)`.execute(db);
await sql`insert into orders (id, status, placed) values
  (1, 'open', '2026-05-20T08:00:00.000Z'), (2, 'open', '2026-03-01T08:00:00.000Z'), (3, 'open', '2026-02-01T08:00:00.000Z')`.execute(
  db,
);

const Order = entityType("Order", {
  id: edm.int32().key(),
  status: edm.string(),
  placed: edm.dateTimeOffset({ precision: 3 }),
  changedBy: edm.string().nullable(),
  changedAt: edm.dateTimeOffset({ precision: 3 }).nullable(),
});
const orders = sqlEntitySet(Order, {
  db,
  table: "orders",
  operations: ["read", "patch"],
  authorization: { update: role("clerk") },
  set: { changedBy: { update: ({ user }) => user.id ?? null }, changedAt: { update: now } },
});
const shop = odataService({ entitySets: [orders] });

async function closeUnpaid(before: string): Promise<number> {
  return shop.run({ id: "nightly", roles: ["clerk"] }, (ctx) =>
    ctx.inTransaction(async (inner) => {
      const open = inner.sets(orders);
      const late = await open.query({ filter: (each) => each.status.eq("open").and(each.placed.lt(before)) });
      for (const { id } of late) await open.patch(id, { status: "closed" });
      return late.length;
    }),
  );
}

console.log(`${await closeUnpaid("2026-05-01T00:00:00.000Z")} orders closed`);
const all = await shop.run(null, (ctx) => ctx.sets(orders).query({}));
for (const { id, status, changedBy } of all) console.log(id, status, changedBy);
await db.destroy();
