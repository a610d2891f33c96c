import { PRIMITIVE_TYPES } from "../edm/primitive-type.ts";
import type { Expression } from "../query/expression.ts";
import type { SyntaxNode } from "../syntax/ast.ts";
import { toType } from "./bind-literal.ts";
import { invalidOption } from "./binding-error.ts";
import type { BindingScope } from "./binding-scope.ts";
import { describeOperand, isPrimitive, isScalar, typeOf } from "./operand.ts";

const BOOLEAN = PRIMITIVE_TYPES["Edm.Boolean"];

/**
 * Binds a Boolean expression: a whole filter, the predicate of a lambda operator, or an operand of `and`, `or` or `not`.
 * @param operator the operator that the expression belongs to; undefined for the whole option
 * @throws ODataError `InvalidQueryOption` for an expression of another type
 */
export function bindBoolean(node: SyntaxNode, scope: BindingScope, operator?: string): Expression {
  const operand = scope.bind(node);
  if (isScalar(operand)) {
    const type = typeOf(operand);
    if (type === null || isPrimitive(type, "Edm.Boolean")) return toType(operand, BOOLEAN, scope);
  }
  const place = operator === undefined ? `${scope.option} takes` : `'${operator}' takes`;
  const message = `${place} a Boolean expression such as 'Name eq value', not ${describeOperand(operand)}.${notAdvice(node, operator)}`;
  throw invalidOption(scope.option, node.position, message);
}

/** `not Price gt 5` means `(not Price) gt 5`, which surprises many clients. */
function notAdvice(node: SyntaxNode, operator: string | undefined): string {
  return operator === "not" && node.kind !== "logical" ? " Put its operand in parentheses: not (…)." : "";
}
