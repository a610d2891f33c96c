import { edm, entityType, hasMany, hasRequired } from "odatakit";

const SOLD = {
  id: edm.int32().key(),
  name: edm.string(),
  categoryId: edm.int32(),
  price: edm.double(),
  stock: edm.int32(),
  discontinued: edm.boolean(),
} as const;

/** The columns of the table `products`. */
export const Product = entityType("Product", SOLD);

/** The elements of the array. */
export const Item = entityType("Item", SOLD);

/** The columns of the table `customers`. */
export const Customer = entityType("Customer", {
  id: edm.int32().key(),
  name: edm.string(),
  city: edm.string(),
  region: edm.string().nullable(),
  email: edm.string().nullable(),
});

/** The columns of the table `lines`. */
export const Line = entityType("Line", {
  id: edm.int32().key(),
  orderId: edm.int32(),
  productId: edm.int32(),
  quantity: edm.int32(),
  price: edm.double(),
});

/** All columns of the table `orders` except its key. */
const ORDERED = {
  customerId: edm.int32(),
  orderDate: edm.dateTimeOffset({ precision: 0 }),
  shippedDate: edm.dateTimeOffset({ precision: 0 }).nullable(),
  status: edm.string(),
  freight: edm.double(),
  paid: edm.boolean(),
  shipName: edm.string(),
  shipCity: edm.string(),
  shipRegion: edm.string().nullable(),
  trackingId: edm.guid(),
  note: edm.string().nullable(),
} as const;

/** The columns of the table `orders`. */
export const Order = entityType("Order", { id: edm.int32().key(), ...ORDERED });

/** The columns of the table `drafts`: orders that clients write. */
export const Draft = entityType("Draft", {
  id: edm.int32().key().computed(),
  ...ORDERED,
  version: edm.int32().computed(),
});

/** From an order to its customer and its lines. */
export const ORDER_NAVIGATION = {
  customer: hasRequired(Customer, { on: { customerId: "id" }, target: "Customers" }),
  lines: hasMany(Line, { on: { id: "orderId" }, target: "Lines" }),
} as const;

/** From a line to its product. */
export const LINE_NAVIGATION = {
  product: hasRequired(Product, { on: { productId: "id" }, target: "Products" }),
} as const;
