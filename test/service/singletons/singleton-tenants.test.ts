import { Kysely, sql } from "kysely";
import { edm, entityType, odataService, singleton } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { expect, test } from "vitest";
import { nodeDoor } from "../http/doors.ts";
import { noFailures } from "../http/model.ts";

const User = entityType("User", { id: edm.int32().key(), name: edm.string() });

async function openTenant(name: string): Promise<Kysely<object>> {
  const db = new Kysely<object>({ dialect: sqliteDialect(":memory:") });
  await sql`create table users (id integer primary key, name text not null)`.execute(db);
  await sql`insert into users values (1, ${name})`.execute(db);
  return db;
}

test("a singleton over a table per tenant is the entity in the database of the tenant", async () => {
  const tenants = { north: await openTenant("Nora"), south: await openTenant("Sol") };
  const users = sqlEntitySet(User, {
    db: ({ request }) => {
      const id = request.headers.get("x-tenant") === "south" ? "south" : "north";
      return { id, db: tenants[id] };
    },
    table: "users",
    operations: ["read", "patch"],
  });
  const service = odataService({
    prefix: "/odata",
    logger: noFailures,
    entitySets: [users],
    singletons: [singleton(User, { name: "Me", from: users, key: () => 1 })],
  });
  const send = nodeDoor.to(service);
  const south = { "x-tenant": "south", "content-type": "application/json" };
  expect((await send("/odata/Me/Name")).json).toMatchObject({ value: "Nora" });
  expect((await send("/odata/Me/Name", south)).json).toMatchObject({ value: "Sol" });
  expect((await send("/odata/Me", south, "PATCH", '{"Name":"Sole"}')).status).toBe(200);
  expect((await send("/odata/Me", south)).json).toMatchObject({ Name: "Sole" });
  expect((await send("/odata/Me")).json).toMatchObject({ Name: "Nora" });
  for (const db of Object.values(tenants)) await db.destroy();
});
