import type { StructuralProperty } from "../../edm/model.ts";
import type { ColumnFormat } from "./column-format.ts";

/**
 * Makes the reader of an array that was selected as a JSON array of texts.
 * @param format the format of an item
 * @returns a reader that answers null for null, and throws Error when a cell is no array of such items
 */
export function readArray({ name, type }: StructuralProperty, format: ColumnFormat): (cell: unknown) => unknown {
  const readItem = (item: unknown): unknown => {
    if (item === null) return null;
    if (typeof item === "string") return format.toValue(item);
    throw new Error(
      `The database holds an array of several dimensions where ${name}, a collection of ${type.name}, is expected.`,
    );
  };
  return (cell) => {
    if (cell === null || cell === undefined) return null;
    const items: unknown = typeof cell === "string" ? JSON.parse(cell) : null;
    if (Array.isArray(items)) return items.map(readItem);
    throw new Error(`The database holds no array where ${name}, a collection of ${type.name}, is expected.`);
  };
}
