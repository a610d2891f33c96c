import { edm, entitySet, entityType } from "odatakit";
import { STOCK, type StockItem } from "../stock.ts";

const Product = entityType("Product", {
  id: edm.int32().key(),
  title: edm.string(),
  price: edm.double(),
});

const toProduct = ({ id, title, cents }: StockItem) => ({ id, title, price: cents / 100 });

/** Unchanged for the first clients. */
export const products = entitySet(Product, { getAll: () => STOCK.map(toProduct) });
