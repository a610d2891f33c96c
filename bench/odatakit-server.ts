/** Ours: the same requests, answered by what an application would declare. */
import { Kysely } from "kysely";
import { odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { serve } from "odatakit/node";
import { sqliteDialect } from "odatakit/sqlite";
import { Order, Product } from "./model.ts";
import { PREFIX } from "./scenarios.ts";
import { databaseFile, reportTo } from "./server-messages.ts";

const db = new Kysely({ dialect: sqliteDialect(databaseFile()) });
const service = odataService({
  prefix: PREFIX,
  entitySets: [
    sqlEntitySet(Order, { db, table: "orders", operations: ["read"], maxTop: null }),
    sqlEntitySet(Product, { db, table: "products", operations: ["read"] }),
  ],
});

const { port } = await serve(service, { port: 0, host: "127.0.0.1" });
reportTo(port);
