import { Kysely, sql, type Transaction } from "kysely";
import { type Context, edm, entityType, odataError, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";

const db = new Kysely<object>({ dialect: sqliteDialect(":memory:") });
await sql`create table products (id integer primary key, price int not null)`.execute(db);
await sql`create table lines (id integer primary key, productId int not null, price int not null, number int not null)`.execute(
  db,
);
await sql`create table counters (name text primary key, value int not null)`.execute(db);
await sql`insert into products (id, price) values (7, 12)`.execute(db);
await sql`insert into counters (name, value) values ('line', 0)`.execute(db);

const Product = entityType("Product", { id: edm.int32().key(), price: edm.int32() });
const Line = entityType("Line", {
  id: edm.int32().key(),
  productId: edm.int32(),
  price: edm.int32(),
  number: edm.int32(),
});

const products = sqlEntitySet(Product, { db, table: "products", operations: ["read"] });

async function priceOf(id: number, ctx: Context): Promise<number> {
  const product = await ctx.sets(products).get(id);
  if (product === null) throw odataError(409, "NoProduct", "There is no such product.", { target: "ProductId" });
  return product.price;
}

async function nextNumber(ctx: Context): Promise<number> {
  const { rows } = await sql<{ value: number }>`
    update counters set value = value + 1 where name = 'line' returning value`.execute(
    ctx.transaction as Transaction<object>,
  );
  return rows[0]?.value ?? 0;
}

const lines = sqlEntitySet(Line, {
  db,
  table: "lines",
  operations: ["read", "create", "patch"],
  set: {
    price: {
      create: async ({ input, ctx }) => priceOf(input.productId, ctx),
      update: async ({ input, current, ctx }) =>
        input.productId === undefined ? (await current()).price : priceOf(input.productId, ctx),
    },
    number: { create: async ({ ctx }) => nextNumber(ctx) },
  },
});
const shop = odataService({ entitySets: [products, lines] });

const init = {
  method: "POST",
  headers: { "Content-Type": "application/json", Accept: "application/json;odata.metadata=none" },
  body: '{"Id":1,"ProductId":7,"Price":1}',
};
console.log(await (await shop.fetch(new Request("http://shop.example/Lines", init))).text());
await db.destroy();
