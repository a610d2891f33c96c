import type { EntityType, ValueType } from "../../edm/model.ts";
import { PRIMITIVE_TYPES, type PrimitiveTypeName, isInteger, type PrimitiveType } from "../../edm/primitive-type.ts";
import { typeName } from "../../edm/type-name.ts";
import type { CollectionPath, Expression, ScalarType, ArithmeticOperator } from "../query/expression.ts";
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
interface NullOperand {
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
}

/** An operand with a single value, as operators and functions require. */
export type ScalarOperand = LiteralOperand | NullOperand | (BoundOperand & { readonly type: ScalarType });

/** Wraps an expression with a single value. */
export function bound(expression: Expression & { readonly type: ScalarType }, position: number): Operand {
  const { type } = expression;
  return { kind: "bound", expression, type, isCollection: false, position };
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

/** Describes an operand for messages. */
export function describeOperand(operand: Operand): string {
  if (operand.kind === "null") return "null";
  if (operand.kind === "literal") return typeName(operand.type);
  return operand.isCollection ? `Collection(${typeName(operand.type)})` : typeName(operand.type);
}

/** The numeric types from narrow to wide. Of two types, the later one includes both. */
const NUMERIC_ORDER: readonly PrimitiveTypeName[] = [
  "Edm.Byte",
  "Edm.SByte",
  "Edm.Int16",
  "Edm.Int32",
  "Edm.Int64",
  "Edm.Decimal",
  "Edm.Single",
  "Edm.Double",
];

/** Returns the type by which values of a type are sorted: an enumeration that is published as texts goes by its names. */
export function sortedType(type: ScalarType): ScalarType {
  return type.kind === "EnumType" && type.isText === true ? PRIMITIVE_TYPES["Edm.String"] : type;
}

function isNumeric(type: ScalarType): type is PrimitiveType {
  return type.kind === "PrimitiveType" && NUMERIC_ORDER.includes(type.name);
}

/**
 * Returns the type in which values of two types are compared: their common type, the wider of two numeric types, or
 * String for texts and enumerations that are published as texts, DateTimeOffset for Date and DateTimeOffset; undefined if they
 * cannot be compared.
 * @see OData URL Conventions 4.0, section 5.1.1.8 (numeric promotion)
 */
export function comparisonType(left: ScalarType, right: ScalarType): ScalarType | undefined {
  if (left === right) return left;
  if (isNumeric(left) && isNumeric(right)) return widerType(left, right);
  if (typeName(left) === "Edm.String" && typeName(right) === "Edm.String") return PRIMITIVE_TYPES["Edm.String"];
  const isInstants = isInstantOrDate(left) && isInstantOrDate(right);
  return isInstants ? PRIMITIVE_TYPES["Edm.DateTimeOffset"] : undefined;
}

/** Returns the narrowest type that includes two numeric types. */
function widerType(left: PrimitiveType, right: PrimitiveType): PrimitiveType {
  const leftRank = NUMERIC_ORDER.indexOf(left.name);
  const rightRank = NUMERIC_ORDER.indexOf(right.name);
  // Neither Byte nor SByte includes the other.
  if (leftRank + rightRank === 1) return PRIMITIVE_TYPES["Edm.Int16"];
  return leftRank > rightRank ? left : right;
}

function isInstantOrDate(type: ScalarType): boolean {
  return isPrimitive(type, "Edm.DateTimeOffset") || isPrimitive(type, "Edm.Date");
}

/** The types of an arithmetic operation: those of its operands after conversion, and its result. */
export interface ArithmeticTypes {
  readonly left: PrimitiveType;
  readonly right: PrimitiveType;
  readonly result: PrimitiveType;
  /** Whether the operands are swapped, so that the temporal operand is on the left. */
  readonly isSwapped: boolean;
}

/**
 * Returns the types of `left operator right`; undefined if the operator does not support the operands. All integer
 * arithmetic is done in Int64.
 * @see OData URL Conventions 4.0, section 5.1.1.2
 */
export function arithmeticTypes(
  operator: ArithmeticOperator,
  left: ScalarType,
  right: ScalarType,
): ArithmeticTypes | undefined {
  if (isNumeric(left) && isNumeric(right)) {
    const type = arithmeticType(left, right);
    return unswapped(type, type, type);
  }
  if (left.kind === "EnumType" || right.kind === "EnumType") return undefined;
  const direct = temporalTypes(operator, left, right);
  if (direct !== undefined || (operator !== "add" && operator !== "mul")) return direct;
  const swapped = temporalTypes(operator, right, left);
  return swapped === undefined ? undefined : { ...swapped, isSwapped: true };
}

/** Returns the types of `left divby right`: as for `arithmeticTypes`, but integers are divided as Decimals. */
export function decimalTypes(
  operator: ArithmeticOperator,
  left: ScalarType,
  right: ScalarType,
): ArithmeticTypes | undefined {
  const decimal = PRIMITIVE_TYPES["Edm.Decimal"];
  if (isInteger(left) && isInteger(right)) return unswapped(decimal, decimal, decimal);
  return arithmeticTypes(operator, left, right);
}

/** Returns the type of `-x`; undefined if the type cannot be negated. */
export function negationType(type: ScalarType): PrimitiveType | undefined {
  if (isNumeric(type)) return arithmeticType(type, type);
  return isPrimitive(type, "Edm.Duration") ? PRIMITIVE_TYPES["Edm.Duration"] : undefined;
}

function arithmeticType(left: PrimitiveType, right: PrimitiveType): PrimitiveType {
  return isInteger(left) && isInteger(right) ? PRIMITIVE_TYPES["Edm.Int64"] : widerType(left, right);
}

/** Returns the types of an operation with the temporal operand, or the instant or date, on the left. */
function temporalTypes(
  operator: ArithmeticOperator,
  left: PrimitiveType,
  right: PrimitiveType,
): ArithmeticTypes | undefined {
  const duration = PRIMITIVE_TYPES["Edm.Duration"];
  if (operator === "add" || operator === "sub") {
    const isMoment = isInstantOrDate(left);
    if (right === duration && (isMoment || left === duration)) return unswapped(left, duration, left);
    if (operator === "add" || !isMoment || !isInstantOrDate(right)) return undefined;
    const type = left === right ? left : PRIMITIVE_TYPES["Edm.DateTimeOffset"];
    return unswapped(type, type, duration);
  }
  if (left !== duration || operator === "mod") return undefined;
  const factor = factorType(right);
  return factor === undefined ? undefined : unswapped(duration, factor, duration);
}

/** Returns the type by which a Duration is multiplied or divided: Decimal or Double. */
function factorType(type: PrimitiveType): PrimitiveType | undefined {
  if (isInteger(type)) return PRIMITIVE_TYPES["Edm.Decimal"];
  if (isPrimitive(type, "Edm.Single")) return PRIMITIVE_TYPES["Edm.Double"];
  return isNumeric(type) ? type : undefined;
}

function unswapped(left: PrimitiveType, right: PrimitiveType, result: PrimitiveType): ArithmeticTypes {
  return { left, right, result, isSwapped: false };
}
