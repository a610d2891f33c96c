import { PRIMITIVE_TYPES } from "../../edm/primitive-type.ts";
import type { FilterClause } from "./clauses.ts";
import type { Expression } from "./expression.ts";

/** Joins conditions by `and`; null for none. Entities must meet all of them, so they can be applied one after another. */
export function allOf(operands: readonly Expression[]): FilterClause | null {
  const [first] = operands;
  if (first === undefined) return null;
  const type = PRIMITIVE_TYPES["Edm.Boolean"];
  return {
    expression: operands.length === 1 ? first : { kind: "logical", operator: "and", operands, type },
  };
}
