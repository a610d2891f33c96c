import { edm, entitySet, entityType, hasRequired } from "odatakit";
import { Category, CATEGORIES } from "../sets/categories.ts";
import { STOCK, type StockItem } from "../stock.ts";

const Product = entityType("Product", {
  id: edm.int32().key(),
  name: edm.string(),
  price: edm.decimal({ precision: 10, scale: 2 }),
  categoryId: edm.int32(),
});

const toProduct = ({ id, title, cents, categoryId }: StockItem) => ({
  id,
  name: title,
  price: (cents / 100).toFixed(2),
  categoryId,
});

function categoryOf(productId: number) {
  const item = STOCK.find(({ id }) => id === productId);
  return CATEGORIES.find(({ id }) => id === item?.categoryId) ?? null;
}

/** Has the same name as in the first version, but a different definition. */
export const products = entitySet(Product, {
  getAll: () => STOCK.map(toProduct),
  getByKey: (key) => STOCK.filter(({ id }) => id === key).map(toProduct)[0] ?? null,
  navigation: {
    category: hasRequired(Category, { target: "Categories", get: (key) => categoryOf(key) }),
  },
});
