import { type PlaceValue, valuesOfRow } from "./place.ts";
import type { Page } from "./source.ts";

/**
 * Returns the values that a database sorted the last row of a page by, for a query with `marked`.
 * @returns null if the page does not contain them exactly
 */
export function lastValuesOf({ entities, rowShape, json, valuesOf }: Page): readonly PlaceValue[] | null {
  if (json !== undefined) return valuesOf?.(json) ?? null;
  const row: unknown = entities.at(-1);
  return rowShape?.marks === undefined || !Array.isArray(row) ? null : valuesOfRow(row, rowShape.marks);
}
