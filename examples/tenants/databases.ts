import { Kysely, sql } from "kysely";
import { edm, entityType, odataError, odataService } from "odatakit";
import { type FindTenant, sqlEntitySet } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";

const databases = new Map<string, Kysely<object>>();
for (const id of ["acme", "zoo"]) {
  const db = new Kysely<object>({ dialect: sqliteDialect(":memory:") });
  await sql`create table orders (id integer primary key, customer text not null)`.execute(db);
  await sql`insert into orders values (1, ${`a customer of ${id}`})`.execute(db);
  databases.set(id, db);
}

const db: FindTenant = ({ user }) => {
  const id = user?.id ?? "";
  const found = databases.get(id);
  if (found === undefined) throw odataError(403, "NoTenant", "Your account belongs to no tenant.");
  return { id, db: found };
};
const Order = entityType("Order", { id: edm.int32().key(), customer: edm.string() });
const shop = odataService({
  entitySets: [sqlEntitySet(Order, { db, table: "orders", operations: ["read", "patch"] })],
  // Check a password or token here, and return the tenant of its owner.
  authenticate: ({ headers }) => ({ id: headers.get("Authorization") ?? "" }),
});

for (const Authorization of ["acme", "zoo", "other"]) {
  const request = new Request("http://shop.example/Orders(1)/Customer/$value", { headers: { Authorization } });
  const response = await shop.fetch(request);
  console.log(response.status, response.ok ? await response.text() : "");
}
for (const each of databases.values()) await each.destroy();
