import { Kysely, sql } from "kysely";
import { edm, entityType, odataService } from "odatakit";
import { sqlEntitySet, sqlTableOf } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";

const db = new Kysely<object>({ dialect: sqliteDialect(":memory:") }); // or a file: sqliteDialect("shop.db")
await sql`create table orders (id integer primary key, customer_id integer not null, total integer not null)`.execute(
  db,
);
await sql`insert into orders values (1, 7, 1999)`.execute(db);

const Order = entityType("Order", {
  id: edm.int64().key(),
  customerId: edm.int32(),
  total: edm.decimal({ precision: 12, scale: 2 }),
});
const orders = sqlEntitySet(Order, {
  db,
  table: "orders",
  operations: ["read"],
  columns: { customerId: "customer_id", total: { storage: "scaled" } },
});

const shop = odataService({ entitySets: [orders] });
const target = "http://shop.example/Orders?$filter=Total gt 10.5&$select=Id,Total";
console.log(await (await shop.fetch(new Request(target))).text());
console.log(
  sqlTableOf(orders)
    ?.columns.map(({ property, column }) => `${property}: ${String(column)}`)
    .join(),
);
await db.destroy();
