import { type FilterCondition, type FilterNode, NO_FILTER, readFilter, writeFilter } from "../../query/filter-tree.ts";
import { filterableProperties } from "../../query/operators.ts";
import { type ResolvedPath, memberAt } from "../../query/resolve-type.ts";
import { type View, withOptions } from "../../state/view.ts";
import type { Column, ValueShape } from "./column.ts";

/** Returns the parts of the filter of a view that must all be met. */
export function partsOf(view: View): readonly FilterNode[] {
  const tree = readFilter(view.options.get("$filter") ?? "");
  return tree.operator === "and" && !tree.isNegated ? tree.items : [tree];
}

/** Returns the conditions on properties that must all be met. */
export function conditionsOf(view: View): readonly FilterCondition[] {
  return partsOf(view).filter((part) => part.kind === "condition");
}

/** Returns a view with other parts of its filter. */
export function withParts(view: View, items: readonly FilterNode[]): View {
  const text = writeFilter({ ...NO_FILTER, items });
  return withOptions(view, { $filter: text === "" ? null : text, row: null });
}

/** A path that a condition may begin with. */
export interface FilterTarget {
  readonly path: string;
  readonly shape: ValueShape;
}

/** Returns what rows can be filtered by: the properties of the set, or the columns of groups. */
export function filterTargets(place: ResolvedPath, columns: readonly Column[], view: View): readonly FilterTarget[] {
  const { set, type } = place;
  if (!view.options.has("$apply") && set?.type === type) {
    return filterableProperties(set).map(({ path, property }) => ({ path, shape: property }));
  }
  const filterable = columns.filter(({ isFilterable }) => isFilterable);
  return filterable.flatMap(({ name, shape }) => (shape === null ? [] : [{ path: name, shape }]));
}

/** Returns the shape of the values of a path; null if the model does not have it. */
export function shapeAt({ type }: ResolvedPath, columns: readonly Column[], path: string): ValueShape | null {
  return columns.find(({ name }) => name === path)?.shape ?? memberAt(type, path)?.property ?? null;
}
