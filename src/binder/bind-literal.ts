import type { EnumType } from "../edm/model.ts";
import { PRIMITIVE_TYPES } from "../edm/primitive-type.ts";
import type { Expression, ScalarType } from "../query/expression.ts";
import type { LiteralSyntax } from "../syntax/ast.ts";
import { invalidOption, unsupportedOption, didYouMean, quotedName } from "./binding-error.ts";
import type { BindingContext } from "./binding-scope.ts";
import type { LiteralOperand, ScalarOperand } from "./operand.ts";

/**
 * Reads the type of a literal from its spelling.
 * @throws ODataError `InvalidQueryOption` for the literal of an enumeration that is not declared,
 *   `UnsupportedQueryOption` for a geographic one
 * @see OData URL Conventions 4.0, section 5.1.1.6.1
 */
export function bindLiteral(syntax: LiteralSyntax, context: BindingContext): LiteralOperand {
  const { literal, position } = syntax;
  if (literal.type === "geo") {
    throw unsupportedOption(context.option, position, "Geographic and geometric values are not offered.");
  }
  const type =
    literal.type === "enum" ? enumTypeOf(literal.typeName ?? "", position, context) : PRIMITIVE_TYPES[literal.type];
  return { kind: "literal", syntax, type, position };
}

function enumTypeOf(qualifiedName: string, position: number, context: BindingContext): EnumType {
  const { enumTypes } = context.model;
  const type = enumTypes.get(qualifiedName.slice(qualifiedName.lastIndexOf(".") + 1));
  if (type?.qualifiedName === qualifiedName) return type;
  const declared = Array.from(enumTypes.values(), (enumType) => enumType.qualifiedName);
  const message = `There is no enumeration type ${quotedName(qualifiedName)}.${didYouMean(qualifiedName, declared)}`;
  throw invalidOption(context.option, position, message);
}

/**
 * Gives an operand the type that its place asks for: a literal becomes a parameter, null keeps the type beside it, and
 * any other value of another type is converted.
 * @param type a type that the operand can take, as `commonType` and its like find it
 * @param refuseZero whether a literal zero is an error at this place
 */
export function toType(
  operand: ScalarOperand,
  type: ScalarType,
  context: BindingContext,
  refuseZero: boolean = false,
): Expression {
  if (operand.kind === "null") return { kind: "null", type };
  if (operand.kind === "literal") {
    const index = context.parameters.length;
    context.parameters.push({ literal: operand.syntax.index, type, option: context.option, refuseZero });
    return { kind: "parameter", index, type };
  }
  if (operand.type === type || type.kind !== "PrimitiveType") return operand.expression;
  return { kind: "convert", operand: operand.expression, type };
}
