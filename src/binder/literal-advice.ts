import { fromLiteral } from "../edm/literal.ts";
import { InvalidValueError } from "../edm/value-codec.ts";
import { type Operand, isScalar, typeOf } from "./operand.ts";

/**
 * What to write instead of a literal that does not meet the operand beside it: a sentence with a blank before it.
 * @returns nothing when the operand is no literal, or the one beside it has no type that a literal could have
 */
export function literalAdvice(operand: Operand, beside: Operand): string {
  if (operand.kind !== "literal" || !isScalar(beside)) return "";
  const type = typeOf(beside);
  if (type === null) return "";
  try {
    fromLiteral(operand.syntax.literal, type);
    return "";
  } catch (error) {
    if (error instanceof InvalidValueError) return ` ${error.message}`;
    throw error;
  }
}
