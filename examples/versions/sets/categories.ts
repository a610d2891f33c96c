import { arraySource, edm, entitySet, entityType } from "odatakit";

export const Category = entityType("Category", {
  id: edm.int32().key(),
  categoryName: edm.string({ maxLength: 40 }),
});

export const CATEGORIES = [
  { id: 1, categoryName: "Chairs" },
  { id: 2, categoryName: "Tables" },
];

/** Part of both versions: each applies its own names and limits to this one declaration. */
export const categories = entitySet(Category, {
  queryable: () => arraySource(Category, CATEGORIES),
  getByKey: (key) => CATEGORIES.find(({ id }) => id === key) ?? null,
});
