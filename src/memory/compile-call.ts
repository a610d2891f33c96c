import { required } from "../base/required.ts";
import { asText, type PrimitiveValue } from "../edm/value-codec.ts";
import type { RoundingMode } from "../query/clauses.ts";
import type { CallExpression } from "../query/expression.ts";
import { requireParameter } from "./compare-date-object.ts";
import type { CompiledExpression, Evaluation } from "./evaluation.ts";

/** A call with compiled arguments, from which the implementation of a function makes its closure. */
export interface CallSite {
  readonly expression: CallExpression;
  readonly operands: readonly CompiledExpression[];
  readonly roundingMode: RoundingMode;
}

/** Makes the closure of a call, which returns null when an argument is null. */
export type CompileCall = (site: CallSite) => CompiledExpression;

/** A function of one string. */
export function ofText(compute: (text: string, evaluation: Evaluation) => PrimitiveValue): CompileCall {
  return (site) => {
    const operand = operandAt(site, 0);
    return (entity, evaluation) => {
      const value = operand(entity, evaluation);
      return value === null ? null : compute(readText(value, evaluation), evaluation);
    };
  };
}

/** A function of two strings. */
export function ofTwoTexts(compute: (first: string, second: string) => PrimitiveValue): CompileCall {
  return (site) => {
    const left = operandAt(site, 0);
    const parameter = site.expression.arguments[1];
    if (parameter?.kind === "parameter") return ofTextAndParameter(compute, left, parameter.index);
    const right = operandAt(site, 1);
    return (entity, evaluation) => {
      const first = left(entity, evaluation);
      if (first === null) return null;
      const second = right(entity, evaluation);
      return second === null ? null : compute(readText(first, evaluation), asText(second));
    };
  };
}

/** A function of a string and a parameter, which is the most common second argument. */
function ofTextAndParameter(
  compute: (first: string, second: string) => PrimitiveValue,
  left: CompiledExpression,
  index: number,
): CompiledExpression {
  return (entity, evaluation) => {
    const first = left(entity, evaluation);
    return first === null ? null : compute(readText(first, evaluation), asText(requireParameter(evaluation, index)));
  };
}

function readText(value: PrimitiveValue, evaluation: Evaluation): string {
  const text = asText(value);
  evaluation.readText(text.length);
  return text;
}

/** Returns a compiled argument of a call. @throws Error for a missing one, which the binder has rejected before */
export function operandAt({ expression, operands }: CallSite, index: number): CompiledExpression {
  return required(operands[index], `${expression.name} lacks argument ${String(index + 1)}.`);
}
