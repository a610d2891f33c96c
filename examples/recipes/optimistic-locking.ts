import { Kysely, sql } from "kysely";
import { edm, entityType, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";

const db = new Kysely<object>({ dialect: sqliteDialect(":memory:") });
await sql`create table products (id integer primary key, stock integer not null, version integer not null)`.execute(db);
await sql`insert into products values (1, 5, 1)`.execute(db);

const Product = entityType("Product", {
  id: edm.int32().key(),
  stock: edm.int32({ minimum: 0 }),
  version: edm.int32().computed(),
});
const products = sqlEntitySet(Product, {
  db,
  table: "products",
  operations: ["read", "patch"],
  rowVersion: "version",
  etag: ["version"],
  requireIfMatch: true,
});
const shop = odataService({ entitySets: [products] });

const url = "http://shop.example/Products(1)";
const save = async (stock: number, ifMatch?: string) => {
  const headers = { "Content-Type": "application/json", ...(ifMatch && { "If-Match": ifMatch }) };
  const response = await shop.fetch(new Request(url, { method: "PATCH", headers, body: `{"Stock":${stock}}` }));
  console.log(stock, response.status);
};
const seen = (await shop.fetch(new Request(url))).headers.get("ETag") ?? "";
await save(4);
await save(4, seen);
await save(3, seen);
await db.destroy();
