import { tooLongText } from "../../base/errors/odata-error.ts";
import type { PrimitiveValue } from "../../edm/value-codec.ts";
import {
  bytesOfCharacters,
  bytesOfPart,
  MAX_TEXT_BYTES,
  mostBytes,
  textParts,
} from "../../language/query/computed-text.ts";
import type { CallExpression, Expression } from "../../language/query/expression.ts";
import type { CompiledExpression } from "./evaluation.ts";

/** A computed text of fewer bytes takes no longer than other expressions. */
const LONG_TEXT = 1 << 16;

/** Makes a closure that judges the lengths of the parts of a text before it is computed. */
export function withinLimit(
  call: CallExpression,
  compute: CompiledExpression,
  compile: (expression: Expression) => CompiledExpression,
): CompiledExpression {
  const parts = textParts(call);
  if (parts === null) return compute;
  const limit = mostBytes(call);
  const compiled = parts.map(({ expression, most }) => ({ read: compile(expression), most: most && compile(most) }));
  return (entity, evaluation) => {
    const values: PrimitiveValue[] = [];
    let most = 0;
    for (const part of compiled) {
      const value = part.read(entity, evaluation);
      if (value === null) return null;
      most += mostBytesOf(value);
      values.push(value);
    }
    // The clock is read after the entity.
    if (most >= LONG_TEXT) evaluation.isLong = true;
    if (most > limit) {
      let bytes = 0;
      for (const [index, value] of values.entries()) {
        const count = compiled[index]?.most?.(entity, evaluation);
        const cut = count === undefined || count === null ? limit + 1 : bytesOfCharacters(count);
        bytes += Math.min(cut, bytesOfPart(value, limit));
        if (bytes > limit) throw tooLongText(MAX_TEXT_BYTES);
      }
    }
    return compute(entity, evaluation);
  };
}

/** Returns a number of bytes that a part does not exceed. */
function mostBytesOf(value: PrimitiveValue): number {
  return value instanceof Uint8Array ? 2 * value.byteLength : 3 * String(value).length;
}
