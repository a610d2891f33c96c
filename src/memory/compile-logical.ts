import { asText } from "../edm/canonical-form.ts";
import { hasEnumFlags } from "../edm/enum-codec.ts";
import type { Expression, HasExpression } from "../query/expression.ts";
import type { CompiledExpression, CompiledPredicate } from "./evaluation.ts";

/**
 * Compiles three-valued `and`: false when an operand is false, else null when one is null, else true. Operands after a
 * false one are not evaluated.
 * @see OData URL Conventions 4.0, section 5.1.1.1.7
 */
export function compileAnd(operands: readonly CompiledExpression[]): CompiledPredicate {
  return compileJunction(operands, false);
}

/**
 * Compiles three-valued `or`: true when an operand is true, else null when one is null, else false. Operands after a
 * true one are not evaluated.
 * @see OData URL Conventions 4.0, section 5.1.1.1.8
 */
export function compileOr(operands: readonly CompiledExpression[]): CompiledPredicate {
  return compileJunction(operands, true);
}

/** @param decisive the value of an operand that decides the result */
function compileJunction(operands: readonly CompiledExpression[], decisive: boolean): CompiledPredicate {
  const [first, second] = operands;
  if (first !== undefined && second !== undefined && operands.length === 2) {
    return (entity, evaluation) => {
      const left = first(entity, evaluation);
      if (left === decisive) return decisive;
      const right = second(entity, evaluation);
      if (right === decisive) return decisive;
      return left === null || right === null ? null : !decisive;
    };
  }
  return (entity, evaluation) => {
    let result: boolean | null = !decisive;
    for (const operand of operands) {
      const value = operand(entity, evaluation);
      if (value === decisive) return decisive;
      if (value === null) result = null;
    }
    return result;
  };
}

/** Compiles three-valued `not`: null for null. @see OData URL Conventions 4.0, section 5.1.1.1.9 */
export function compileNot(operand: CompiledExpression): CompiledPredicate {
  return (entity, evaluation) => {
    const value = operand(entity, evaluation);
    return value === null ? null : value === false;
  };
}

/**
 * Compiles `operand has flags`: whether all flags of the right value are set in the left; null when one is null.
 * @param compile compiles an operand
 * @see OData URL Conventions 4.0, section 5.1.1.1.10
 */
export function compileHas(
  expression: HasExpression,
  compile: (operand: Expression) => CompiledExpression,
): CompiledPredicate {
  const type = expression.operand.type;
  if (type === null || expression.operand.kind === "null") return () => null;
  if (type.kind !== "EnumType") throw new Error(`"has" needs an enumeration, not ${type.name}.`);
  const operand = compile(expression.operand);
  const flags = compile(expression.flags);
  return (entity, evaluation) => {
    const left = operand(entity, evaluation);
    const right = flags(entity, evaluation);
    if (left === null || right === null) return null;
    return hasEnumFlags(type, asText(left), asText(right));
  };
}
