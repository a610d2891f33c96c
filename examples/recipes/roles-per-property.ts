import { Kysely, sql } from "kysely";
import { edm, entityType, odataService, role } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";

const db = new Kysely<object>({ dialect: sqliteDialect(":memory:") });
await sql`create table products (
  id integer primary key, name text not null, price integer not null, cost integer not null
)`.execute(db);
await sql`insert into products values (1, 'Chair', 40, 25)`.execute(db);

const Product = entityType("Product", {
  id: edm.int32().key(),
  name: edm.string(),
  price: edm.int32(),
  cost: edm.int32(),
});
const products = sqlEntitySet(Product, {
  db,
  table: "products",
  operations: ["read", "patch"],
  authorization: {
    properties: {
      price: { update: role("manager") },
      cost: { read: role("manager") },
    },
  },
});
const shop = odataService({
  entitySets: [products],
  authenticate: ({ headers }) => ({ roles: [headers.get("X-Role") ?? ""] }),
});

const send = async (role: string, method: string, path: string, body?: string) => {
  const accept = { "X-Role": role, Accept: "application/json;odata.metadata=none" };
  const headers = { ...accept, ...(body && { "Content-Type": "application/json" }) };
  const response = await shop.fetch(
    new Request(`http://shop.example/${path}`, { method, headers, ...(body && { body }) }),
  );
  console.log(role, method, response.status, await response.text());
};
await send("clerk", "GET", "Products(1)");
await send("clerk", "GET", "Products?$filter=Cost%20gt%2020");
await send("clerk", "PATCH", "Products(1)", '{"Name":"Stool","Price":40}');
await send("clerk", "PATCH", "Products(1)", '{"Price":30}');
await send("manager", "PATCH", "Products(1)", '{"Price":30}');
await db.destroy();
