import type { StructuralProperty } from "../../edm/model.ts";
import type { SelectedProperty } from "../../language/query/clauses.ts";
import type { RowShape, ScalarColumn } from "../../language/query/row-shape.ts";
import { translateValue, type RowValue, type ValueContext } from "./row-value.ts";

/**
 * Adds the columns of computed values to those of declared properties.
 * @param add selects a value, and returns the index of its cell
 */
export function withComputed(
  columns: RowShape["columns"],
  wanted: readonly SelectedProperty[],
  context: ValueContext,
  add: (value: RowValue, property: StructuralProperty) => number,
): RowShape["columns"] {
  const computed = wanted.flatMap(({ property, computed: expression }) => {
    if (expression === undefined) return [];
    const value = translateValue(expression, property, context);
    const { toValue, toJson } = value.format;
    const column: ScalarColumn = {
      kind: "scalar",
      index: add(value, property),
      toValue: (cell) => (cell === null ? null : toValue(cell)),
      toJson,
      unreadable: value.unreadable,
    };
    return [[property, Object.freeze(column)] as const];
  });
  return computed.length === 0 ? columns : new Map([...columns, ...computed]);
}
