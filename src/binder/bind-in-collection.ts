import { PRIMITIVE_TYPES } from "../edm/primitive-type.ts";
import type { VariableExpression } from "../query/expression.ts";
import type { SyntaxNode } from "../syntax/ast.ts";
import { itemOf, toLambda } from "./bind-lambda.ts";
import { toType } from "./bind-literal.ts";
import { invalidOption } from "./binding-error.ts";
import type { BindingScope } from "./binding-scope.ts";
import { commonType } from "./common-type.ts";
import { literalAdvice } from "./literal-advice.ts";
import { type BoundOperand, type Operand, bound, collectionOf, describeOperand, isScalar, typeOf } from "./operand.ts";

/**
 * Binds `operand in Tags`: the same as `Tags/any(t:operand eq t)`.
 * @param operand the left operand, bound
 * @param list the path of the collection
 * @throws ODataError `InvalidQueryOption` for a path to anything else, and for items that the operand cannot be compared
 *   with
 * @see OData URL Conventions 4.01, section 5.1.1.1.12
 */
export function bindInCollection(operand: Operand, list: SyntaxNode, position: number, scope: BindingScope): Operand {
  const right = scope.bind(list);
  const collection = collectionOf(right);
  if (collection === undefined) {
    const message = `'in' takes a collection or a list of values such as (1,2,3), not ${describeOperand(right)}.`;
    throw invalidOption(scope.option, list.position, message);
  }
  const variable = itemOf(collection, scope);
  const item = toOperand(variable, list.position);
  const given = isScalar(operand) ? { type: typeOf(operand), isLiteral: operand.kind === "literal" } : undefined;
  const type =
    given === undefined || !isScalar(item) ? undefined : commonType(given, { type: typeOf(item), isLiteral: false });
  if (type === undefined || type === null || !isScalar(operand) || !isScalar(item)) {
    const fault = `'in' cannot look for ${describeOperand(operand)} in ${describeOperand(right)}.`;
    throw invalidOption(scope.option, position, fault + literalAdvice(operand, item));
  }
  const sides = { left: toType(operand, type, scope), right: toType(item, type, scope) };
  const boolean = PRIMITIVE_TYPES["Edm.Boolean"];
  const predicate = { kind: "comparison", operator: "eq", ...sides, operandType: type, type: boolean } as const;
  return bound(toLambda({ operator: "any", collection, depth: variable.depth, predicate }), position);
}

function toOperand(expression: VariableExpression, position: number): BoundOperand {
  return { kind: "bound", expression, type: expression.type, isCollection: false, position };
}
