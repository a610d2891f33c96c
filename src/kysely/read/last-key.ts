import type { StructuralProperty } from "../../edm/model.ts";
import type { PrimitiveValue } from "../../edm/value-codec.ts";
import type { JsonEntities, KeyContinuation, Page, SourceQuery } from "../../query/source.ts";
import { lastValuesOf } from "../../query/values-in-json.ts";

/**
 * Returns the key of the last entity of a page.
 * @param key the properties of the key, which the page contains
 * @returns null if an entity as JSON does not tell its key; undefined if a row does not tell where it is
 * @throws Error for a row without a key; errors of a cell that cannot be read
 */
export function lastKeyOf(
  page: Page,
  key: readonly StructuralProperty[],
): readonly PrimitiveValue[] | null | undefined {
  if (page.json !== undefined) return keyInJson(page.json, key);
  const row = page.entities.at(-1);
  const { rowShape } = page;
  if (rowShape === undefined || !Array.isArray(row)) throw new Error("The last row of a chunk has no layout.");
  const cells: readonly unknown[] = row;
  const isPlaced = key.every((property) => {
    const column = rowShape.columns.get(property);
    return column?.kind !== "scalar" || column.tellsPlace?.(cells[column.index], false) !== false;
  });
  if (!isPlaced) return undefined;
  return key.map((property) => {
    const column = rowShape.columns.get(property);
    const value = column?.kind === "scalar" ? column.toValue(cells[column.index]) : null;
    if (value === null) throw new Error(`A row has no value for ${property.name}, which is part of its key.`);
    return value;
  });
}

/** Whether the last entity as JSON tells where the next chunk begins. */
export function tellsKey({ json }: SourceQuery, { key }: KeyContinuation): boolean {
  return key.every((each) => json?.selected.some(({ property }) => property === each) === true);
}

function keyInJson(json: JsonEntities, key: readonly StructuralProperty[]): readonly PrimitiveValue[] | null {
  const values = lastValuesOf(json, key);
  const present = values?.filter((value) => value !== null);
  return present?.length === key.length ? present : null;
}
