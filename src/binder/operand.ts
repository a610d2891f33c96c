import type { EntityType, ValueType } from "../edm/model.ts";
import { PRIMITIVE_TYPES, type PrimitiveTypeName } from "../edm/primitive-type.ts";
import type { CollectionPath, Expression, ScalarType } from "../query/expression.ts";
import type { LiteralSyntax } from "../syntax/ast.ts";

/** A part of an expression on the way to its bound form: literals get their type from what they stand beside. */
export type Operand = LiteralOperand | NullOperand | BoundOperand;

/** A literal that is not yet a parameter. */
export interface LiteralOperand {
  readonly kind: "literal";
  readonly syntax: LiteralSyntax;
  /** What its spelling says. */
  readonly type: ScalarType;
  readonly position: number;
}

/** The literal null. */
export interface NullOperand {
  readonly kind: "null";
  readonly position: number;
}

/** Everything else. */
export interface BoundOperand {
  readonly kind: "bound";
  readonly expression: Expression;
  /** Type of the value, or of each item when `isCollection`. */
  readonly type: ValueType | EntityType;
  readonly isCollection: boolean;
  readonly position: number;
}

/** An operand of one value: what operators and functions take. */
export type ScalarOperand = LiteralOperand | NullOperand | (BoundOperand & { readonly type: ScalarType });

/** Wraps an expression of one value. */
export function bound(expression: Expression & { readonly type: ScalarType }, position: number): Operand {
  return { kind: "bound", expression, type: expression.type, isCollection: false, position };
}

/** The collection that an operand is; undefined when it is none. */
export function collectionOf(operand: Operand): CollectionPath | undefined {
  if (operand.kind !== "bound" || !operand.isCollection) return undefined;
  const { expression } = operand;
  return expression.kind === "property" || expression.kind === "navigation" ? expression : undefined;
}

/** Tells whether an operand is one value of a primitive or enumeration type, or null. */
export function isScalar(operand: Operand): operand is ScalarOperand {
  return operand.kind !== "bound" || (!operand.isCollection && isScalarType(operand.type));
}

/** The type of an operand of one value; null for the literal null. */
export function typeOf(operand: ScalarOperand): ScalarType | null {
  return operand.kind === "null" ? null : operand.type;
}

/** Tells whether values of a type are single, without members. */
export function isScalarType(type: ValueType | EntityType): type is ScalarType {
  return type.kind === "PrimitiveType" || type.kind === "EnumType";
}

/** Tells whether a type is the primitive type of that name. */
export function isPrimitive(type: ScalarType | null, name: PrimitiveTypeName): boolean {
  return type === PRIMITIVE_TYPES[name];
}

/** How messages name a type: `Edm.String`, or the qualified name. */
export function typeName(type: ValueType | EntityType): string {
  return type.kind === "PrimitiveType" ? type.name : type.qualifiedName;
}

/** How messages name what an operand is. */
export function describeOperand(operand: Operand): string {
  if (operand.kind === "null") return "null";
  if (operand.kind === "literal") return typeName(operand.type);
  return operand.isCollection ? `Collection(${typeName(operand.type)})` : typeName(operand.type);
}
