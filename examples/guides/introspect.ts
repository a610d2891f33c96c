import { Kysely, sql } from "kysely";
import { odataService } from "odatakit";
import { introspectDatabase } from "odatakit/introspect";
import { sqliteDialect } from "odatakit/sqlite";

const db = new Kysely<object>({ dialect: sqliteDialect(":memory:") });
await sql`create table customers (id integer primary key, name text not null, password_hash text)`.execute(db);
await sql`create table orders (id integer primary key, customer_id integer references customers)`.execute(db);

const { entitySets, warnings } = await introspectDatabase(db);
const shop = odataService({ prefix: "/odata", profile: "standard", entitySets });
console.log(await (await shop.fetch(new Request("http://shop.example/odata/Orders/$count"))).text());
for (const { place, message, flag } of warnings) console.log(place, message, flag);
await db.destroy();
