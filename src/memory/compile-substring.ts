import { asText } from "../edm/canonical-form.ts";
import { substring } from "../edm/code-points.ts";
import type { PrimitiveValue } from "../edm/value-codec.ts";
import { operandAt, type CallSite } from "./compile-call.ts";
import type { CompiledExpression } from "./evaluation.ts";

/** Compiles `substring` with two or three arguments; null when one of them is null. */
export function compileSubstring(site: CallSite): CompiledExpression {
  const text = operandAt(site, 0);
  const start = operandAt(site, 1);
  const length = site.operands.length > 2 ? operandAt(site, 2) : () => Number.MAX_SAFE_INTEGER;
  return (entity, evaluation) => {
    const first = text(entity, evaluation);
    const second = start(entity, evaluation);
    const third = length(entity, evaluation);
    if (first === null || second === null || third === null) return null;
    return substring(asText(first), toIndex(second), toIndex(third));
  };
}

/** Converts an integer to a double. Beyond 2^53 it is inexact, but no string is that long. */
function toIndex(value: PrimitiveValue): number {
  return Number(value);
}
