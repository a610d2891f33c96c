import { asText } from "../edm/canonical-form.ts";
import type { EnumType } from "../edm/model.ts";
import type { Expression, HasExpression } from "../query/expression.ts";
import type { CompiledExpression, CompiledPredicate } from "./compiled-expression.ts";

/**
 * Compiles `operand has flags`: whether all bits of the right value are set in the left; null when one is null.
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
  return (entity, values) => {
    const left = operand(entity, values);
    const right = flags(entity, values);
    if (left === null || right === null) return null;
    const bits = flagBits(type, asText(right));
    return (flagBits(type, asText(left)) & bits) === bits;
  };
}

/**
 * The bits of a canonical enum value as a signed 32-bit integer: member names separated by commas, or a number where no
 * member has that value.
 */
function flagBits(type: EnumType, text: string): number {
  const whole = type.members.get(text);
  if (whole !== undefined) return whole | 0;
  let bits = 0;
  for (const name of text.split(",")) bits |= type.members.get(name.trim()) ?? Number(name);
  return bits;
}
