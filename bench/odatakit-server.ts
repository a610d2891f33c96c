/** Our server: handles the same requests with the declarations of an application. */
import { arraySource, entitySet, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { serve } from "odatakit/node";
import { makeItems } from "./array-items.ts";
import { Customer, Draft, Item, Line, LINE_NAVIGATION, Order, ORDER_NAVIGATION, Product } from "./model.ts";
import { openDatabase } from "./open-database.ts";
import { PREFIX } from "./scenarios.ts";
import { databasePlace, reportTo } from "./server-messages.ts";

const db = openDatabase(databasePlace());
const items = makeItems();
const operations = ["read"] as const;
const service = odataService({
  prefix: PREFIX,
  batch: { json: true },
  entitySets: [
    sqlEntitySet(Order, {
      db,
      table: "orders",
      operations,
      maxTop: null,
      navigation: ORDER_NAVIGATION,
      applyEnabled: true,
      computeEnabled: true,
    }),
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
    entitySet(Item, { queryable: () => arraySource(Item, items) }),
  ],
});

const { port } = await serve(service, { port: 0, host: "127.0.0.1" });
reportTo(port);
