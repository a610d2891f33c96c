import { Kysely, sql } from "kysely";
import { action, type Context, complexType, edm, entityType, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";

const db = new Kysely<object>({ dialect: sqliteDialect(":memory:") });
await sql`create table products (id integer primary key, name text not null unique, price text not null)`.execute(db);

const NewProduct = complexType("NewProduct", { name: edm.string(), price: edm.decimal({ scale: 2 }) });
const Product = entityType("Product", { id: edm.int32().key().computed(), ...NewProduct.properties });
const products = sqlEntitySet(Product, { db, table: "products", operations: ["read", "create"] });

const importProducts = action({
  params: { rows: edm.collection(edm.complex(NewProduct)) },
  returns: edm.collection(edm.int32()),
  handler: async ({ rows }, ctx: Context) => {
    const saved = await ctx.sets(products).createMany(rows);
    return saved.map(({ id }) => id);
  },
});

const shop = odataService({ entitySets: [products], actions: { importProducts } });
const send = async (rows: object[]) => {
  const init = { method: "POST", body: JSON.stringify({ rows }), headers: { "Content-Type": "application/json" } };
  const response = await shop.fetch(new Request("http://shop.example/importProducts", init));
  console.log(response.status, await response.text());
};
await send([
  { Name: "Tea", Price: 4 },
  { Name: "Coffee", Price: 9.5 },
]);
await send([
  { Name: "Milk", Price: 1 },
  { Name: "Tea", Price: 5 },
]);
