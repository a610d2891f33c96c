import { allRows, authenticated, edm, entityType, hasRequired, role } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { Customer } from "./customer.ts";
import { db } from "./database.ts";
import { Product } from "./product.ts";

export const Order = entityType("Order", {
  id: edm.int32().key().computed(),
  customerId: edm.int32(),
  productId: edm.int32(),
  quantity: edm.int32(),
  placedOn: edm.date(),
});

export const orders = sqlEntitySet(Order, {
  db,
  table: "orders",
  operations: ["read", "create", "patch", "delete"],
  columns: { customerId: "customer_id", productId: "product_id", placedOn: "placed_on" },
  navigation: {
    customer: hasRequired(() => Customer, { on: { customerId: "id" }, target: "Customers" }),
    product: hasRequired(() => Product, { on: { productId: "id" }, target: "Products" }),
  },
  authorization: {
    read: authenticated(),
    all: role("staff"),
    // Staff choose the customer of an order.
    properties: { customerId: { create: role("staff"), update: role("staff") } },
    rows: (user, order) => (user.roles.includes("staff") ? allRows : order.customerId.eq(user.customerId)),
  },
});
