import { isInteger, PRIMITIVE_TYPES, type PrimitiveType, type PrimitiveTypeName } from "../edm/primitive-type.ts";
import type { ArithmeticOperator, ScalarType } from "../query/expression.ts";
import { isPrimitive } from "./operand.ts";

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

function isNumeric(type: ScalarType): type is PrimitiveType {
  return type.kind === "PrimitiveType" && NUMERIC_ORDER.includes(type.name);
}

/**
 * Returns the type in which values of two types are compared: their common type, the wider of two numeric types, or
 * DateTimeOffset for Date and DateTimeOffset; undefined if they cannot be compared.
 * @see OData URL Conventions 4.0, section 5.1.1.8 (numeric promotion)
 */
export function comparisonType(left: ScalarType, right: ScalarType): ScalarType | undefined {
  if (left === right) return left;
  if (isNumeric(left) && isNumeric(right)) return widerType(left, right);
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
