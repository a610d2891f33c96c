import type { Aggregate } from "./clauses.ts";
import { itemOperand } from "./each-item.ts";

/** The scale of a Decimal without a declared one, when it is averaged. */
const UNDECLARED_SCALE = 10;

/** The digits that an average has beyond the scale of its operand. */
const FURTHER_DIGITS = 6;

/**
 * Returns the number of fraction digits to which the average of Decimals is rounded, half away from zero. All engines round
 * the exact quotient to as many, so that their results are equal.
 * @see docs/reference/apply.md
 */
export function averageScale({ expression }: Pick<Aggregate, "expression">): number {
  const operand = itemOperand(expression);
  const scale = operand?.kind === "property" ? operand.property.facets.scale : undefined;
  return (typeof scale === "number" ? scale : UNDECLARED_SCALE) + FURTHER_DIGITS;
}
