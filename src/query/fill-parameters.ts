import type { PrimitiveValue } from "../edm/value-codec.ts";
import { assertNever } from "../errors/assert-never.ts";
import type { Expression } from "./expression.ts";

/**
 * An expression with the values of its parameters in place: what leaves the framework, where no shape is kept.
 * @param expression a bound expression; its depth is limited by the parser
 * @param values the values of the parameters, by index
 */
export function fillParameters(expression: Expression, values: readonly PrimitiveValue[]): Expression {
  const fill = (operand: Expression): Expression => fillParameters(operand, values);
  switch (expression.kind) {
    case "parameter": {
      const value = values[expression.index];
      if (value === undefined) throw new Error(`Parameter ${String(expression.index)} has no value.`);
      return { kind: "literal", value, type: expression.type };
    }
    case "literal":
    case "null":
    case "it":
    case "variable":
    case "property":
    case "count":
      return expression;
    case "lambda":
      return expression.predicate === null ? expression : { ...expression, predicate: fill(expression.predicate) };
    case "comparison":
    case "arithmetic":
      return { ...expression, left: fill(expression.left), right: fill(expression.right) };
    case "logical":
      return { ...expression, operands: expression.operands.map(fill) };
    case "not":
    case "negate":
    case "convert":
      return { ...expression, operand: fill(expression.operand) };
    case "call":
      return { ...expression, arguments: expression.arguments.map(fill) };
    case "in":
      return { ...expression, operand: fill(expression.operand), items: expression.items.map(fill) };
    case "has":
      return { ...expression, operand: fill(expression.operand), flags: fill(expression.flags) };
    default:
      return assertNever(expression);
  }
}
