/** The smallest application over a table: it is started from the built package. */
import { Kysely } from "kysely";
import { edm, entityType, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { serve } from "odatakit/node";
import { sqliteDialect } from "odatakit/sqlite";

const Order = entityType("Order", {
  id: edm.int32().key(),
  customerId: edm.int32(),
  orderDate: edm.dateTimeOffset({ precision: 0 }),
  status: edm.string(),
  freight: edm.double(),
});
const db = new Kysely({ dialect: sqliteDialect(process.argv[2] ?? "") });
const service = odataService({
  prefix: "/odata",
  entitySets: [sqlEntitySet(Order, { db, table: "orders", operations: ["read"] })],
});
const { port } = await serve(service, { port: 0, host: "127.0.0.1" });
process.stdout.write(String(port));
process.stdin.resume().once("end", () => process.exit());
