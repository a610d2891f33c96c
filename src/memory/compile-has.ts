import { asText } from "../edm/canonical-form.ts";
import { hasEnumFlags } from "../edm/enum-codec.ts";
import type { Expression, HasExpression } from "../query/expression.ts";
import type { CompiledExpression, CompiledPredicate } from "./compiled-expression.ts";

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
