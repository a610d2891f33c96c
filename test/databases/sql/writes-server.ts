import process from "node:process";
import { Kysely } from "kysely";
import { serve } from "odatakit/node";
import { sqliteDialect } from "odatakit/sqlite";
import type { AnyDatabase } from "../../engine/executors/engines.ts";
import { orderService, passingHooks } from "./writes-model.ts";

/** A server over an SQLite file for a test that kills it, with hooks and values of `set` if the next argument says so. Prints its port when it listens. */
const [, , file = "", hooks] = process.argv;
const db: AnyDatabase = new Kysely({ dialect: sqliteDialect(file) });
const isHooked = hooks === "hooks";
const service = orderService(db, { errors: [] }, isHooked ? passingHooks() : {}, isHooked);
const { port } = await serve(service, { port: 0, host: "127.0.0.1" });
process.stdout.write(`${String(port)}\n`);
