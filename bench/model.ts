import { edm, entityType } from "odatakit";

/** The columns of the table `products`. */
export const Product = entityType("Product", {
  id: edm.int32().key(),
  name: edm.string(),
  categoryId: edm.int32(),
  price: edm.double(),
  stock: edm.int32(),
  discontinued: edm.boolean(),
});

/** The columns of the table `orders`. */
export const Order = entityType("Order", {
  id: edm.int32().key(),
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
});
