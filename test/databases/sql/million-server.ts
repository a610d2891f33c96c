import process from "node:process";
import { Kysely } from "kysely";
import { edm, entityType, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { serve } from "odatakit/node";
import { sqliteDialect } from "odatakit/sqlite";
import { peakMemory } from "../../../bench/peak-memory.ts";
import type { AnyDatabase } from "../../engine/executors/engines.ts";

/** A server of large pages for a test that measures its memory. It sends its port, then its memory on each message. */
const Order = entityType("Order", {
  ID: edm.int32().key(),
  Status: edm.string(),
  Total: edm.double(),
  Note: edm.string().nullable(),
});

const [, , file = ""] = process.argv;
const db: AnyDatabase = new Kysely({ dialect: sqliteDialect(file) });
const service = odataService({
  defaults: { maxTop: null, maxPageSize: 10_000 },
  entitySets: [sqlEntitySet(Order, { db, table: "Orders", operations: ["read"] })],
  propertyNaming: "asDeclared",
  logger: { error: () => undefined, warn: () => undefined, info: () => undefined },
});
const { port } = await serve(service, {
  port: 0,
  host: "127.0.0.1",
});
process.on("message", () => process.send?.(peakMemory() / 1e6));
process.on("disconnect", () => process.exit());
process.send?.(port);
