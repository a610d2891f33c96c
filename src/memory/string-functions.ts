import { asText } from "../edm/canonical-form.ts";
import type { PrimitiveValue } from "../edm/value-codec.ts";
import { operandAt, type CallSite } from "./compile-call.ts";
import type { CompiledExpression } from "./evaluation.ts";

/**
 * String functions that count characters. A character is a Unicode code point, as in SQL, not a UTF-16 code unit.
 * @see OData URL Conventions 4.0, sections 5.1.1.4.1 to 5.1.1.4.9
 */

const SURROGATE = /[\uD800-\uDFFF]/;

/** Returns the number of characters. */
export function lengthOf(text: string): number {
  return SURROGATE.test(text) ? countCodePoints(text, text.length) : text.length;
}

/** Returns the number of characters before the first occurrence of `part`; -1 without one, 0 for an empty part. */
export function indexOf(text: string, part: string): number {
  const index = text.indexOf(part);
  return index > 0 && SURROGATE.test(text) ? countCodePoints(text, index) : index;
}

/**
 * Returns at most `length` characters from `start` (0 for the first). A negative start or length counts as 0; beyond
 * the end the result is empty.
 */
export function substring(text: string, start: number, length: number): string {
  const from = Math.max(start, 0);
  const count = Math.max(length, 0);
  if (!SURROGATE.test(text)) return text.slice(from, from + count);
  return Array.from(text)
    .slice(from, from + count)
    .join("");
}

/** Returns the number of code points in the first `end` code units; a lone surrogate counts as one. */
function countCodePoints(text: string, end: number): number {
  let count = 0;
  for (let at = 0; at < end; count += 1) at += (text.codePointAt(at) ?? 0) > 0xff_ff ? 2 : 1;
  return count;
}

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
