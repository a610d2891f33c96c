import { allRows, authenticated, edm, entityType, hasMany } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { db } from "./database.ts";
import { Order } from "./order.ts";

export const Customer = entityType("Customer", {
  id: edm.int32().key().computed(),
  name: edm.string({ maxLength: 100 }),
  country: edm.string({ maxLength: 2 }),
});

export const customers = sqlEntitySet(Customer, {
  db,
  table: "customers",
  operations: ["read"],
  navigation: { orders: hasMany(() => Order, { on: { id: "customerId" }, target: "Orders" }) },
  authorization: {
    all: authenticated(),
    rows: (user, customer) => (user.roles.includes("staff") ? allRows : customer.id.eq(user.customerId)),
  },
});
