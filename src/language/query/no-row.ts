import { PRIMITIVE_TYPES } from "../../edm/primitive-type.ts";
import type { FilterClause } from "./clauses.ts";
import type { Expression } from "./expression.ts";

const BOOLEAN = PRIMITIVE_TYPES["Edm.Boolean"];

/** A condition that is false for every row, in a form that every database supports. */
export const NO_ROW: FilterClause = Object.freeze<FilterClause>({
  expression: {
    kind: "comparison",
    operator: "eq",
    left: { kind: "literal", value: false, type: BOOLEAN } satisfies Expression,
    right: { kind: "literal", value: true, type: BOOLEAN } satisfies Expression,
    operandType: BOOLEAN,
    type: BOOLEAN,
  },
});
