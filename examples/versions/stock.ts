/** The stored products. Every version presents them in its own way. */
export const STOCK: readonly StockItem[] = [
  { id: 1, title: "Stool", cents: 2_450, categoryId: 1 },
  { id: 2, title: "Armchair", cents: 19_900, categoryId: 1 },
  { id: 3, title: "Desk", cents: 34_500, categoryId: 2 },
];

/** One product. */
export interface StockItem {
  readonly id: number;
  readonly title: string;
  readonly cents: number;
  readonly categoryId: number;
}
