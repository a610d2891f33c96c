import { Kysely, sql } from "kysely";
import { edm, entityType, odataService, type ODataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";

interface Database {
  readonly orders: { readonly id: number };
}

const Order = entityType("Order", { id: edm.int32().key(), note: edm.string().nullable() });

async function start(): Promise<ODataService> {
  const db = new Kysely<Database>({ dialect: sqliteDialect(":memory:") });
  await sql`create table orders (id integer primary key, branch integer not null, note text not null)`.execute(db);
  return odataService({
    schemaCheck: false,
    entitySets: [sqlEntitySet(Order, { db, table: "orders", operations: ["read", "create"] })],
  });
}

/** A service that waits for its database, with one error (C08) and one warning (C04). */
export const service: Promise<ODataService> = start();
