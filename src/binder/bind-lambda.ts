import { PRIMITIVE_TYPES } from "../edm/primitive-type.ts";
import type { CollectionPath, LambdaExpression, VariableExpression } from "../query/expression.ts";
import type { LambdaSyntax } from "../syntax/ast.ts";
import { bindBoolean } from "./bind-boolean.ts";
import { invalidOption } from "./binding-error.ts";
import type { BindingScope } from "./binding-scope.ts";
import { type Operand, bound, collectionOf, describeOperand } from "./operand.ts";

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
export function toLambda(parts: Omit<LambdaExpression, "kind" | "type">): LambdaExpression {
  return { kind: "lambda", ...parts, type: PRIMITIVE_TYPES["Edm.Boolean"] };
}
