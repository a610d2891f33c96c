import { assertNever } from "../base/assert-never.ts";
import type { PrimitiveValue } from "../edm/value-codec.ts";
import type { Expression, LiteralExpression, ParameterExpression, PathSource } from "./expression.ts";

/**
 * An expression with the values of its parameters in place: what leaves the framework, where no shape is kept.
 * @param expression a bound expression; its depth is limited by the parser
 * @param values the values of the parameters, by index
 */
export function fillParameters(expression: Expression, values: readonly PrimitiveValue[]): Expression {
  const fill = (operand: Expression): Expression => fillParameters(operand, values);
  switch (expression.kind) {
    case "parameter":
      return fillParameter(expression, values);
    case "literal":
    case "null":
      return expression;
    case "it":
    case "variable":
    case "root":
    case "navigation":
    case "property":
      return fillPath(expression, values);
    case "count":
      return { ...expression, collection: fillPath(expression.collection, values) };
    case "lambda": {
      const { collection, predicate } = expression;
      return {
        ...expression,
        collection: fillPath(collection, values),
        predicate: predicate === null ? null : fill(predicate),
      };
    }
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

function fillParameter({ index, type }: ParameterExpression, values: readonly PrimitiveValue[]): LiteralExpression {
  const value = values[index];
  if (value === undefined) throw new Error(`Parameter ${String(index)} has no value.`);
  return { kind: "literal", value, type };
}

/** A path holds parameters in the keys of the entities that it begins with. */
function fillPath<Path extends PathSource>(path: Path, values: readonly PrimitiveValue[]): Path;
function fillPath(path: PathSource, values: readonly PrimitiveValue[]): PathSource {
  switch (path.kind) {
    case "it":
    case "variable":
      return path;
    case "root":
      return { ...path, key: path.key.map((part) => (part.kind === "parameter" ? fillParameter(part, values) : part)) };
    case "navigation":
      return { ...path, source: fillPath(path.source, values) };
    case "property":
      return { ...path, source: fillPath(path.source, values) };
    default:
      return assertNever(path);
  }
}
