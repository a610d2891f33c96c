import type { CompiledExpression, CompiledPredicate } from "./compiled-expression.ts";

/**
 * Compiles three-valued `and`: false when an operand is false, else null when one is null, else true. Operands behind
 * a false one are not evaluated.
 * @see OData URL Conventions 4.0, section 5.1.1.1.7
 */
export function compileAnd(operands: readonly CompiledExpression[]): CompiledPredicate {
  const [first, second] = operands;
  if (first !== undefined && second !== undefined && operands.length === 2) {
    return (entity, evaluation) => {
      const left = first(entity, evaluation);
      if (left === false) return false;
      const right = second(entity, evaluation);
      if (right === false) return false;
      return left === null || right === null ? null : true;
    };
  }
  return (entity, evaluation) => {
    let result: true | null = true;
    for (const operand of operands) {
      const value = operand(entity, evaluation);
      if (value === false) return false;
      if (value === null) result = null;
    }
    return result;
  };
}

/**
 * Compiles three-valued `or`: true when an operand is true, else null when one is null, else false. Operands behind a
 * true one are not evaluated.
 * @see OData URL Conventions 4.0, section 5.1.1.1.8
 */
export function compileOr(operands: readonly CompiledExpression[]): CompiledPredicate {
  const [first, second] = operands;
  if (first !== undefined && second !== undefined && operands.length === 2) {
    return (entity, evaluation) => {
      const left = first(entity, evaluation);
      if (left === true) return true;
      const right = second(entity, evaluation);
      if (right === true) return true;
      return left === null || right === null ? null : false;
    };
  }
  return (entity, evaluation) => {
    let result: false | null = false;
    for (const operand of operands) {
      const value = operand(entity, evaluation);
      if (value === true) return true;
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
