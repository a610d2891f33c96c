import { isInteger, PRIMITIVE_TYPES, type PrimitiveType, type PrimitiveTypeName } from "../edm/primitive-type.ts";
import type { ArithmeticOperator, ScalarType } from "../query/expression.ts";
import { isPrimitive } from "./operand.ts";

/** The numeric types from narrow to wide: of two, the later one takes both. */
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

const NUMERIC_RANKS: ReadonlyMap<ScalarType, number> = new Map(
  NUMERIC_ORDER.map((name, rank) => [PRIMITIVE_TYPES[name], rank]),
);

/** Tells whether a type is one of the numeric types. */
function isNumeric(type: ScalarType): boolean {
  return NUMERIC_RANKS.has(type);
}

/**
 * The type in which values of two types are compared: their own, the wider of two numeric ones, or DateTimeOffset for
 * it and Date.
 * @returns undefined when they cannot be compared
 * @see OData URL Conventions 4.0, section 5.1.1.8 (numeric promotion); decisions, Keys and URLs (Date)
 */
export function comparisonType(left: ScalarType, right: ScalarType): ScalarType | undefined {
  if (left === right) return left;
  const leftRank = NUMERIC_RANKS.get(left);
  const rightRank = NUMERIC_RANKS.get(right);
  if (leftRank !== undefined && rightRank !== undefined) {
    // Neither of Byte and SByte takes the other.
    const wider = leftRank + rightRank === 1 ? "Edm.Int16" : NUMERIC_ORDER[Math.max(leftRank, rightRank)];
    return wider === undefined ? undefined : PRIMITIVE_TYPES[wider];
  }
  const isInstants = isInstantOrDate(left) && isInstantOrDate(right);
  return isInstants ? PRIMITIVE_TYPES["Edm.DateTimeOffset"] : undefined;
}

function isInstantOrDate(type: ScalarType): boolean {
  return isPrimitive(type, "Edm.DateTimeOffset") || isPrimitive(type, "Edm.Date");
}

/** The types of an arithmetic operation: what its operands become, and what it gives. */
export interface ArithmeticTypes {
  readonly left: PrimitiveType;
  readonly right: PrimitiveType;
  readonly result: PrimitiveType;
  /** Whether the operands change places, so that an executor meets the temporal one on the left. */
  readonly isSwapped: boolean;
}

/**
 * The types of `left operator right`. All integer arithmetic is done in Int64.
 * @returns undefined when the operator does not take such operands
 * @see OData URL Conventions 4.0, section 5.1.1.2
 */
export function arithmeticTypes(
  operator: ArithmeticOperator,
  left: ScalarType,
  right: ScalarType,
): ArithmeticTypes | undefined {
  if (isNumeric(left) && isNumeric(right)) {
    const type = arithmeticType(left, right);
    return type === undefined ? undefined : { left: type, right: type, result: type, isSwapped: false };
  }
  if (left.kind === "EnumType" || right.kind === "EnumType") return undefined;
  const direct = temporalTypes(operator, left, right);
  if (direct !== undefined || (operator !== "add" && operator !== "mul")) return direct;
  const swapped = temporalTypes(operator, right, left);
  return swapped === undefined ? undefined : { ...swapped, isSwapped: true };
}

/** The type of `-x`; undefined when there is none. */
export function negationType(type: ScalarType): PrimitiveType | undefined {
  return isPrimitive(type, "Edm.Duration") ? PRIMITIVE_TYPES["Edm.Duration"] : arithmeticType(type, type);
}

function arithmeticType(left: ScalarType, right: ScalarType): PrimitiveType | undefined {
  if (isInteger(left) && isInteger(right)) return PRIMITIVE_TYPES["Edm.Int64"];
  const type = isNumeric(left) ? comparisonType(left, right) : undefined;
  return type?.kind === "PrimitiveType" ? type : undefined;
}

/** With the temporal operand, or the moment of the two, on the left. */
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

/** What a Duration is multiplied with and divided by: a Decimal, or a Double. */
function factorType(type: PrimitiveType): PrimitiveType | undefined {
  if (isInteger(type)) return PRIMITIVE_TYPES["Edm.Decimal"];
  if (isPrimitive(type, "Edm.Single")) return PRIMITIVE_TYPES["Edm.Double"];
  return isNumeric(type) ? type : undefined;
}

function unswapped(left: PrimitiveType, right: PrimitiveType, result: PrimitiveType): ArithmeticTypes {
  return { left, right, result, isSwapped: false };
}
