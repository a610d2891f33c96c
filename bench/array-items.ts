import { makeProduct, type Item } from "./database.ts";
import { seededRandom } from "./random.ts";

const ITEMS = 10_000;

/** Makes the array: the same elements in every process. */
export function makeItems(): readonly Item[] {
  const random = seededRandom(9);
  return Array.from({ length: ITEMS }, (_none, index) => makeProduct(index + 1, random));
}
