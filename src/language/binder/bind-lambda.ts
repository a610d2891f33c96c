import { PRIMITIVE_TYPES } from "../../edm/primitive-type.ts";
import type { CollectionPath, LambdaExpression, VariableExpression, Expression } from "../query/expression.ts";
import type { LambdaSyntax, SyntaxNode } from "../syntax/ast.ts";
import { toType } from "./bind-literal.ts";
import { invalidOption, type BindingScope } from "./binding-scope.ts";
import {
  type Operand,
  bound,
  collectionOf,
  describeOperand,
  isPrimitive,
  isScalar,
  type ScalarOperand,
  typeOf,
} from "./operand.ts";

/**
 * Binds a Boolean expression: a whole filter, the predicate of a lambda operator, or an operand of `and`, `or` or `not`.
 * @param operator the operator that the expression belongs to; undefined for the whole option
 * @throws ODataError `InvalidQueryOption` for an expression of another type
 */
export function bindBoolean(node: SyntaxNode, scope: BindingScope, operator?: string): Expression {
  const operand = scope.bind(node);
  if (isCondition(operand)) return toType(operand, PRIMITIVE_TYPES["Edm.Boolean"], scope);
  const place = operator === undefined ? `${scope.option} takes` : `'${operator}' takes`;
  const message = `${place} a Boolean expression such as 'Name eq value', not ${describeOperand(operand)}.${notAdvice(node, operator)}`;
  throw invalidOption(scope.option, node.position, message);
}

/** Returns whether an operand is a Boolean value, or null. */
export function isCondition(operand: Operand): operand is ScalarOperand {
  if (!isScalar(operand)) return false;
  const type = typeOf(operand);
  return type === null || isPrimitive(type, "Edm.Boolean");
}

/** `not Price add 5` means `(not Price) add 5`, which surprises many clients. */
function notAdvice(node: SyntaxNode, operator: string | undefined): string {
  return operator === "not" && node.kind !== "logical" ? " Put its operand in parentheses: not (…)." : "";
}

/**
 * Binds `Tags/any(t:t eq 'x')`, `Lines/any()` and `Lines/all(l:l/Price gt 5)`. In the predicate, a name that is not a
 * range variable is a property of the entity.
 * @throws ODataError `InvalidQueryOption` if the operator does not follow a collection, or the predicate is not Boolean
 * @see OData URL Conventions 4.0, section 5.1.1.5
 */
export function bindLambda(node: LambdaSyntax, scope: BindingScope): Operand {
  const { operator, predicate, variable, position } = node;
  const operand = scope.bind(node.source);
  const collection = collectionOf(operand);
  if (collection === undefined) {
    const message = `'${operator}' must follow a collection, not ${describeOperand(operand)}.`;
    throw invalidOption(scope.option, position, message);
  }
  const item = itemOf(collection, scope);
  const entitySet = collection.kind === "navigation" ? collection.target : null;
  const inner = scope.within({ name: variable, expression: item, entitySet });
  const bindings = predicate === null ? null : bindBoolean(predicate, inner, operator);
  return bound(toLambda({ operator, collection, depth: item.depth, predicate: bindings }), position);
}

/** Returns the range variable for the items of a collection in the predicate of the next lambda operator of a scope. */
export function itemOf({ type }: CollectionPath, scope: BindingScope): VariableExpression {
  return { kind: "variable", depth: scope.variables.length, type };
}

/** Makes the expression of a lambda operator. */
export function toLambda(
  parts: Omit<LambdaExpression, "kind" | "type">,
  type: LambdaExpression["type"] = PRIMITIVE_TYPES["Edm.Boolean"],
): LambdaExpression {
  return { kind: "lambda", ...parts, type };
}
