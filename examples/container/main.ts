import process from "node:process";
import { arraySource, edm, entitySet, entityType, odataService } from "odatakit";
import { serve } from "odatakit/node";

const Product = entityType("Product", { id: edm.int32().key(), name: edm.string() });
const rows = [{ id: 1, name: "Chair" }];

const shop = odataService({
  prefix: "/odata",
  publicUrl: process.env["PUBLIC_URL"],
  entitySets: [
    entitySet(Product, {
      queryable: () => arraySource(Product, rows),
      getByKey: (id) => rows.find((row) => row.id === id) ?? null,
    }),
  ],
});

const server = await serve(shop, {
  // Other machines reach the process through the network of the container.
  host: "0.0.0.0",
  port: Number(process.env["PORT"] ?? 8080),
  health: "/healthz",
  ready: "/readyz",
  // Docker ends a container ten seconds after SIGTERM.
  drainTimeout: 8000,
});
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void server.close());
