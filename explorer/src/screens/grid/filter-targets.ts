import { filterableProperties } from "../../query/operators.ts";
import { type ResolvedPath, memberAt } from "../../query/resolve-type.ts";
import type { Column, ValueShape } from "./column.ts";

/** A path that a condition may begin with. */
export interface FilterTarget {
  readonly path: string;
  readonly shape: ValueShape;
}

/** Returns what rows can be filtered by: the properties of the set, or the columns of groups. */
export function filterTargets(
  { set, type }: ResolvedPath,
  columns: readonly Column[],
  isApplied: boolean,
): readonly FilterTarget[] {
  if (!isApplied && set?.type === type) {
    return filterableProperties(set).map(({ path, property }) => ({ path, shape: property }));
  }
  return columns.flatMap(({ name, shape, isFilterable }) =>
    isFilterable && shape !== null ? [{ path: name, shape }] : [],
  );
}

/** Returns the shape of the values of a path; null if the model does not have it. */
export function shapeAt(place: ResolvedPath, columns: readonly Column[], path: string): ValueShape | null {
  return columns.find(({ name }) => name === path)?.shape ?? memberAt(place.type, path)?.property ?? null;
}
