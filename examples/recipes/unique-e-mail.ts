import { Kysely, sql } from "kysely";
import { edm, entityType, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";

const db = new Kysely<object>({ dialect: sqliteDialect(":memory:") });
await sql`create table users (id integer primary key, email text not null)`.execute(db);
await sql`create unique index users_email on users (lower(email))`.execute(db);

const User = entityType("User", {
  id: edm.int32().key().computed(),
  email: edm.string({ pattern: "^[^@ ]+@[^@ ]+$", maxLength: 254 }),
});
const users = sqlEntitySet(User, {
  db,
  table: "users",
  operations: ["create", "patch"],
  constraints: { users_email: { target: "email", message: "Another user has this address." } },
});
const service = odataService({ entitySets: [users] });

const headers = { "Content-Type": "application/json" };
for (const email of ["ada@example.com", "Ada@Example.com", "ada"]) {
  const init = { method: "POST", headers, body: JSON.stringify({ Email: email }) };
  const response = await service.fetch(new Request("http://shop.example/Users", init));
  console.log(response.status, response.ok ? "" : await response.text());
}
await db.destroy();
