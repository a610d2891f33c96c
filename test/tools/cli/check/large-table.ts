import { Kysely, sql } from "kysely";
import { edm, entityType, odataService, type ODataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";

interface Database {
  readonly orders: { readonly id: number };
}

const Order = entityType("Order", { id: edm.int32().key(), note: edm.string(), total: edm.double() });

async function start(): Promise<ODataService> {
  const db = new Kysely<Database>({ dialect: sqliteDialect(":memory:") });
  await sql`create table orders (id integer primary key, note text not null, total real not null)`.execute(db);
  await sql`
    with recursive ids (id) as (select 1 union all select id + 1 from ids where id <= 10000)
    insert into orders select id, 'note', 1.5 from ids
  `.execute(db);
  return odataService({
    schemaCheck: false,
    entitySets: [sqlEntitySet(Order, { db, table: "orders", operations: ["read"] })],
  });
}

/** A service over a table of more than 10,000 rows, with two properties that no index serves. */
export const service: Promise<ODataService> = start();
