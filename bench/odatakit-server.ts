/** Ours: the same requests, answered by what an application would declare. */
import { DatabaseSync } from "node:sqlite";
import { arraySource, entitySet, odataService, type EntityOf } from "odatakit";
import { serve } from "odatakit/node";
import { Order, Product } from "./model.ts";
import { PREFIX } from "./scenarios.ts";
import { databaseFile, reportTo } from "./server-messages.ts";

const database = new DatabaseSync(databaseFile(), { readOnly: true });
const orders = database.prepare("SELECT * FROM orders ORDER BY id").all() as unknown as EntityOf<typeof Order>[];
const products = database.prepare("SELECT * FROM products ORDER BY id").all() as unknown as EntityOf<typeof Product>[];
for (const order of orders) Object.assign(order, { paid: Number(order.paid) === 1 });
for (const product of products) Object.assign(product, { discontinued: Number(product.discontinued) === 1 });

const service = odataService({
  prefix: PREFIX,
  entitySets: [
    entitySet(Order, {
      queryable: () => arraySource(Order, orders),
      getByKey: (key) => orders[key - 1] ?? null,
      maxTop: null,
    }),
    entitySet(Product, { queryable: () => arraySource(Product, products) }),
  ],
});

const { port } = await serve(service, { port: 0, host: "127.0.0.1" });
reportTo(port);
