import { edm, entityType } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { db } from "./database.ts";

export const Product = entityType("Product", {
  id: edm.int32().key().computed(),
  name: edm.string({ maxLength: 100 }),
  price: edm.decimal({ precision: 10, scale: 2 }),
});

export const products = sqlEntitySet(Product, {
  db,
  table: "products",
  operations: ["read"],
  // The table holds cents.
  columns: { price: { name: "price_cents", storage: "scaled" } },
});
