import type { QueryParameter } from "../../../src/language/query/clauses.ts";
import type { Expression } from "../../../src/language/query/expression.ts";

/** A bound expression as one line: `(Price:Decimal gt ?0:Decimal)`. */
export function summary(expression: Expression): string {
  switch (expression.kind) {
    case "parameter":
      return `?${expression.index}:${short(expression.type)}`;
    case "literal":
      return `${String(expression.value)}:${short(expression.type)}`;
    case "null":
      return expression.type === null ? "null" : `null:${short(expression.type)}`;
    case "it":
      return "$it";
    case "property": {
      const { source, property } = expression;
      return source.kind === "it" ? property.name : `${summary(source)}/${property.name}`;
    }
    case "root":
      return `$root/${expression.entitySet.name}(${expression.key.map(summary).join(",")})`;
    case "navigation": {
      const { source, navigationProperty } = expression;
      return source.kind === "it" ? navigationProperty.name : `${summary(source)}/${navigationProperty.name}`;
    }
    case "variable":
      return `#${expression.depth}`;
    case "lambda": {
      const { collection, operator, depth, predicate } = expression;
      const test = predicate === null ? "" : `#${depth}: ${summary(predicate)}`;
      return `${summary(collection)}/${operator}(${test})`;
    }
    case "count":
      return `${summary(expression.collection)}/$count`;
    case "comparison": {
      const type = expression.operandType === null ? "null" : short(expression.operandType);
      return `(${summary(expression.left)} ${expression.operator} ${summary(expression.right)}):${type}`;
    }
    case "arithmetic":
      return `(${summary(expression.left)} ${expression.operator} ${summary(expression.right)}):${short(expression.type)}`;
    case "logical":
      return `(${expression.operands.map(summary).join(` ${expression.operator} `)})`;
    case "not":
      return `not(${summary(expression.operand)})`;
    case "negate":
      return `-(${summary(expression.operand)}):${short(expression.type)}`;
    case "call":
      return `${expression.name}(${expression.arguments.map(summary).join(",")}):${short(expression.type)}`;
    case "in":
      return `(${summary(expression.operand)} in ${expression.items.map(summary).join(",")})`;
    case "has":
      return `(${summary(expression.operand)} has ${summary(expression.flags)})`;
    case "convert":
      return `${short(expression.type)}(${summary(expression.operand)})`;
  }
}

function short(type: { readonly name: string }): string {
  return type.name.replace("Edm.", "");
}

/** Writes each parameter as `literal:type`, with `!` if zero is refused. */
export function parameterSummary(parameters: readonly QueryParameter[]): readonly string[] {
  return parameters.map(({ literal, type, refuseZero }) => `${literal}:${short(type)}${refuseZero ? "!" : ""}`);
}
