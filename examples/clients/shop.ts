import { arraySource, edm, entitySet, entityType, enumType, hasRequired, odataService } from "odatakit";
import { serve } from "odatakit/node";

const Category = entityType("Category", { id: edm.int32().key(), name: edm.string() });
const Product = entityType("Product", {
  id: edm.int32().key(),
  name: edm.string(),
  price: edm.decimal({ precision: 10, scale: 2 }),
  released: edm.date(),
  categoryId: edm.int32(),
});
const Status = enumType("Status", { New: 0, Paid: 1, Shipped: 2 });
const Order = entityType("Order", {
  id: edm.int32().key(),
  customer: edm.string(),
  number: edm.int64(),
  status: edm.enum(Status),
  orderedAt: edm.dateTimeOffset(),
  dueOn: edm.date(),
});

const numbers = Array.from({ length: 60 }, (_, index) => index + 1);
const twoDigits = (number: number) => String(number).padStart(2, "0");
const categories = ["Chairs", "Tables", "Lamps & more"].map((name, index) => ({ id: index + 1, name }));
const products = numbers.map((id) => ({
  id,
  name: `Product ${twoDigits(id)}`,
  price: `${String(id)}.50`,
  released: `2026-01-${twoDigits(1 + (id % 28))}`,
  categoryId: 1 + (id % 3),
}));
const orders = numbers.slice(0, 6).map((id) => ({
  id,
  customer: `Customer ${String(id)}`,
  number: 9_007_199_254_740_990n + BigInt(id),
  status: (["New", "Paid", "Shipped"] as const)[id % 3] ?? "New",
  orderedAt: `2026-03-${twoDigits(id)}T10:30:00Z`,
  dueOn: `2026-04-${twoDigits(id)}`,
}));

function inMemory<Row extends { readonly id: number }>(rows: Row[]) {
  const find = (id: number) => rows.find((row) => row.id === id) ?? null;
  return {
    getByKey: find,
    patch: (id: number, delta: object) => {
      const row = find(id);
      return row === null ? null : Object.assign(row, delta);
    },
    delete: (id: number) => {
      const row = find(id);
      if (row !== null) rows.splice(rows.indexOf(row), 1);
      return row !== null;
    },
  };
}

const shop = odataService({
  prefix: "/odata",
  namespace: "Shop",
  profile: "standard",
  cors: { origins: "*" },
  entitySets: [
    entitySet(Category, { queryable: () => arraySource(Category, categories), ...inMemory(categories) }),
    entitySet(Product, {
      queryable: () => arraySource(Product, products),
      ...inMemory(products),
      navigation: { category: hasRequired(Category, { target: "Categories", on: { categoryId: "id" } }) },
    }),
    entitySet(Order, { queryable: () => arraySource(Order, orders), ...inMemory(orders) }),
  ],
});
await serve(shop, { port: 3000 });
