import { Kysely, sql } from "kysely";
import { action, edm, entityType, odataError, odataService, role } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";

const db = new Kysely<object>({ dialect: sqliteDialect(":memory:") });
await sql`create table products (id integer primary key, stock integer not null)`.execute(db);
await sql`create table orders (id integer primary key, productId integer not null, amount integer not null)`.execute(
  db,
);
await sql`insert into products values (1, 5)`.execute(db);

const Product = entityType("Product", { id: edm.int32().key(), stock: edm.int32() });
const Order = entityType("Order", { id: edm.int32().key().computed(), productId: edm.int32(), amount: edm.int32() });
const orders = sqlEntitySet(Order, {
  db,
  table: "orders",
  operations: ["read", "create"],
  authorization: { create: role("clerk") },
});
const products = sqlEntitySet(Product, {
  db,
  table: "products",
  operations: ["read", "patch"],
  actions: {
    order: action({
      bound: "entity",
      params: { amount: edm.int32() },
      returns: edm.int32(),
      handler: (id, { amount }, ctx) =>
        ctx.inTransaction(async (ctx) => {
          const product = await ctx.set.get(id, { forUpdate: true });
          if (product === null || product.stock < amount) return odataError(409, "OutOfStock", "The stock is too low.");
          await ctx.set.patch(id, { stock: product.stock - amount });
          // Customers may not create orders themselves: this handler does it for them.
          await ctx.sets(orders, { trusted: true }).create({ productId: id, amount });
          return ctx.sets(orders).count({ filter: (each) => each.productId.eq(id) });
        }),
    }),
  },
});

const shop = odataService({ entitySets: [products, orders] });
const init = { method: "POST", headers: { "Content-Type": "application/json" }, body: '{"amount":3}' };
console.log(await (await shop.fetch(new Request("http://shop.example/Products(1)/order", init))).text());
await db.destroy();
