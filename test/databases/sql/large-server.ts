import process from "node:process";
import { Kysely } from "kysely";
import { edm, entityType, hasMany, hasRequired, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { serve } from "odatakit/node";
import { postgresDialect } from "odatakit/postgres";
import { sqliteDialect } from "odatakit/sqlite";
import { Pool } from "pg";
import { peakMemory } from "../../../bench/peak-memory.ts";
import type { AnyDatabase } from "../../engine/executors/engines.ts";

/** A server of long texts with the usual limits, except that of time: a busy machine is slow. It sends its port, then its memory on each message. */
const Text = entityType("Text", { id: edm.int32().key(), body: edm.string() });
const Short = entityType("Short", { id: edm.int32().key(), body: edm.string() });
const Depot = entityType("Depot", { id: edm.int32().key(), note: edm.string() });
const Line = entityType("Line", { id: edm.int32().key(), orderId: edm.int32(), note: edm.string() });
const Order = entityType("Order", { id: edm.int32().key(), depotId: edm.int32() });

const [, , engine = "", url = ""] = process.argv;

function open(): AnyDatabase {
  if (engine === "sqlite") return new Kysely({ dialect: sqliteDialect(url) });
  return new Kysely({ dialect: postgresDialect({ pool: new Pool({ connectionString: url }) }) });
}

const on = { db: open(), operations: ["read"] } as const;
const service = odataService({
  profile: "standard",
  schemaCheck: false,
  defaults: { computeEnabled: true, queryTimeout: 100_000 },
  entitySets: [
    sqlEntitySet(Text, { ...on, table: "texts" }),
    sqlEntitySet(Short, { ...on, table: "shorts" }),
    sqlEntitySet(Depot, { ...on, table: "depots" }),
    sqlEntitySet(Line, { ...on, table: "order_lines", columns: { orderId: "order_id" } }),
    sqlEntitySet(Order, {
      ...on,
      table: "orders",
      columns: { depotId: "depot_id" },
      navigation: {
        depot: hasRequired(Depot, { on: { depotId: "id" }, target: "Depots" }),
        lines: hasMany(Line, { on: { id: "orderId" }, target: "Lines" }),
      },
    }),
  ],
  logger: { error: () => undefined, warn: () => undefined, info: () => undefined },
});
const { port } = await serve(service, { port: 0, host: "127.0.0.1" });
process.on("message", () => process.send?.(peakMemory() / 1e6));
process.on("disconnect", () => process.exit());
process.send?.(port);
