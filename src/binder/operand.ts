import type { EntityType, ValueType } from "../edm/model.ts";
import { PRIMITIVE_TYPES, type PrimitiveTypeName } from "../edm/primitive-type.ts";
import type { CollectionPath, Expression, ScalarType } from "../query/expression.ts";
import type { LiteralSyntax } from "../syntax/ast.ts";

/** A part of an expression before conversion: a literal gets its type from the other operand. */
export type Operand = LiteralOperand | NullOperand | BoundOperand;

/** A literal that has not become a parameter yet. */
export interface LiteralOperand {
  readonly kind: "literal";
  readonly syntax: LiteralSyntax;
  readonly type: ScalarType;
  readonly position: number;
}

/** The literal null. */
export interface NullOperand {
  readonly kind: "null";
  readonly position: number;
}

/** Any other operand. */
export interface BoundOperand {
  readonly kind: "bound";
  readonly expression: Expression;
  /** Type of the value, or of each item when `isCollection`. */
  readonly type: ValueType | EntityType;
  readonly isCollection: boolean;
  readonly position: number;
  /** The growth factor of a computed text; absent: 1. */
  readonly growth?: number;
  /** The same for a text that `concat` takes part in; absent: 0. */
  readonly joined?: number;
}

/** An operand with a single value, as operators and functions require. */
export type ScalarOperand = LiteralOperand | NullOperand | (BoundOperand & { readonly type: ScalarType });

/** Wraps an expression with a single value. @param factors those of a computed text */
export function bound(
  expression: Expression & { readonly type: ScalarType },
  position: number,
  factors: Pick<BoundOperand, "growth" | "joined"> = {},
): Operand {
  const { type } = expression;
  const { growth = 1, joined = 0 } = factors;
  return { kind: "bound", expression, type, isCollection: false, position, growth, joined };
}

/** Returns the growth factor of an operand: stored texts and literals have 1. */
export function growthOf(operand: Operand): number {
  return operand.kind === "bound" ? (operand.growth ?? 1) : 1;
}

/** Returns the growth factor of a text that `concat` takes part in; 0 for other operands. */
export function joinedGrowthOf(operand: Operand): number {
  return operand.kind === "bound" ? (operand.joined ?? 0) : 0;
}

/** Returns the collection of an operand; undefined for a single value. */
export function collectionOf(operand: Operand): CollectionPath | undefined {
  if (operand.kind !== "bound" || !operand.isCollection) return undefined;
  const { expression } = operand;
  return expression.kind === "property" || expression.kind === "navigation" ? expression : undefined;
}

/** Returns whether an operand is a single primitive or enumeration value, or null. */
export function isScalar(operand: Operand): operand is ScalarOperand {
  return operand.kind !== "bound" || (!operand.isCollection && isScalarType(operand.type));
}

/** Returns the type of an operand; null for the literal null. */
export function typeOf(operand: ScalarOperand): ScalarType | null {
  return operand.kind === "null" ? null : operand.type;
}

/** Returns whether a type is a primitive or enumeration type. */
export function isScalarType(type: ValueType | EntityType): type is ScalarType {
  return type.kind === "PrimitiveType" || type.kind === "EnumType";
}

/** Returns whether a type is the primitive type of that name. */
export function isPrimitive(type: ScalarType | null, name: PrimitiveTypeName): boolean {
  return type === PRIMITIVE_TYPES[name];
}

/** Returns the name of a type for messages: `Edm.String`, or the qualified name. */
export function typeName(type: ValueType | EntityType): string {
  return type.kind === "PrimitiveType" ? type.name : type.qualifiedName;
}

/** Describes an operand for messages. */
export function describeOperand(operand: Operand): string {
  if (operand.kind === "null") return "null";
  if (operand.kind === "literal") return typeName(operand.type);
  return operand.isCollection ? `Collection(${typeName(operand.type)})` : typeName(operand.type);
}
