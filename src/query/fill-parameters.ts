import type { PrimitiveValue } from "../edm/value-codec.ts";
import type { Expression, LiteralExpression, ParameterExpression } from "./expression.ts";
import { mapChildren } from "./walk-expression.ts";

/**
 * An expression with the values of its parameters in place: what leaves the framework, where no shape is kept.
 * @param expression a bound expression; its depth is limited by the parser
 * @param values the values of the parameters, by index
 */
export function fillParameters(expression: Expression, values: readonly PrimitiveValue[]): Expression {
  if (expression.kind === "parameter") return fillParameter(expression, values);
  return mapChildren(expression, (child) => fillParameters(child, values));
}

function fillParameter({ index, type }: ParameterExpression, values: readonly PrimitiveValue[]): LiteralExpression {
  const value = values[index];
  if (value === undefined) throw new Error(`Parameter ${String(index)} has no value.`);
  return { kind: "literal", value, type };
}
