/** What is sold, as it is kept: every version shows it in a way of its own. */
export const STOCK: readonly StockItem[] = [
  { id: 1, title: "Stool", cents: 2_450, categoryId: 1 },
  { id: 2, title: "Armchair", cents: 19_900, categoryId: 1 },
  { id: 3, title: "Desk", cents: 34_500, categoryId: 2 },
];

/** One thing that is sold. */
export interface StockItem {
  readonly id: number;
  readonly title: string;
  readonly cents: number;
  readonly categoryId: number;
}
