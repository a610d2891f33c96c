import { required } from "../../base/required.ts";
import type { EnumType } from "../../edm/model.ts";
import { PRIMITIVE_TYPES, type PrimitiveType } from "../../edm/primitive-type.ts";
import type { Expression, ParameterExpression, ScalarType } from "../query/expression.ts";
import type { LiteralSyntax } from "../syntax/ast.ts";
import { invalidOption, unsupportedOption, didYouMean, quotedName, type BindingContext } from "./binding-scope.ts";
import type { LiteralOperand, ScalarOperand } from "./operand.ts";

/**
 * Finds the type of a literal by its spelling.
 * @throws ODataError `InvalidQueryOption` for a literal of an undeclared enumeration, `UnsupportedQueryOption` for a
 *   geographic literal
 * @see OData URL Conventions 4.0, section 5.1.1.6.1
 */
export function bindLiteral(syntax: LiteralSyntax, context: BindingContext): LiteralOperand {
  const { literal, position } = syntax;
  if (literal.type === "geo") {
    throw unsupportedOption(context.option, position, "Geographic and geometric values are not supported.");
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
  const message = `Unknown enumeration type ${quotedName(qualifiedName)}.${didYouMean(qualifiedName, declared)}`;
  throw invalidOption(context.option, position, message);
}

/**
 * Converts an operand to a type: a literal becomes a parameter, null gets the type, and a value of another type is wrapped
 * in a conversion.
 * @param type a type that the operand can have, such as the result of `commonType`
 * @param refuseZero whether a literal zero is an error here
 */
export function toType(
  operand: ScalarOperand,
  type: ScalarType,
  context: BindingContext,
  refuseZero: boolean = false,
): Expression {
  if (operand.kind === "null") return { kind: "null", type };
  if (operand.kind === "literal") {
    if (operand.type.kind !== "EnumType" || type.kind === "EnumType") {
      return toParameter(operand, type, context, refuseZero);
    }
    return { kind: "convert", operand: toParameter(operand, operand.type, context), type };
  }
  const { expression } = operand;
  if (operand.type === type || type.kind !== "PrimitiveType") return expression;
  if (expression.kind === "parameter") return retyped(expression, type, context);
  return { kind: "convert", operand: expression, type };
}

/** Adds the literal of a computed name as a parameter of another type, as if the request had the literal instead of the name. */
function retyped({ index }: ParameterExpression, type: PrimitiveType, { parameters }: BindingContext): Expression {
  const source = required(parameters[index], "A parameter has no literal.");
  return { kind: "parameter", index: parameters.push({ ...source, type }) - 1, type };
}

/**
 * Makes a literal a parameter of the query. The other parameters are as for `toType`.
 * @param least the least value of a number; absent: any
 */
export function toParameter(
  { syntax }: LiteralOperand,
  type: ScalarType,
  { parameters, option }: BindingContext,
  refuseZero: boolean = false,
  least?: number,
): ParameterExpression {
  const index = parameters.length;
  parameters.push({ literal: syntax.index, type, option, refuseZero, ...(least !== undefined && { least }) });
  return { kind: "parameter", index, type };
}
