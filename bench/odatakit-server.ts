/** Our server: handles the same requests with the declarations of an application. */
import { Kysely } from "kysely";
import { odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { serve } from "odatakit/node";
import { sqliteDialect } from "odatakit/sqlite";
import { Customer, Draft, Line, LINE_NAVIGATION, Order, ORDER_NAVIGATION, Product } from "./model.ts";
import { PREFIX } from "./scenarios.ts";
import { databasePlace, reportTo, SYNCHRONOUS } from "./server-messages.ts";

const db = new Kysely({ dialect: sqliteDialect(databasePlace(), { synchronous: SYNCHRONOUS }) });
const operations = ["read"] as const;
const service = odataService({
  prefix: PREFIX,
  entitySets: [
    sqlEntitySet(Order, { db, table: "orders", operations, maxTop: null, navigation: ORDER_NAVIGATION }),
    sqlEntitySet(Line, { db, table: "lines", operations, navigation: LINE_NAVIGATION }),
    sqlEntitySet(Customer, { db, table: "customers", operations }),
    sqlEntitySet(Product, { db, table: "products", operations }),
    sqlEntitySet(Draft, {
      db,
      table: "drafts",
      operations: ["read", "create", "patch"],
      rowVersion: "version",
      etag: ["version"],
    }),
  ],
});

const { port } = await serve(service, { port: 0, host: "127.0.0.1" });
reportTo(port);
