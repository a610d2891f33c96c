import type { PrimitiveValue } from "../edm/value-codec.ts";
import { assertNever } from "../errors/assert-never.ts";
import type { ComparisonOperator, Expression, PropertyExpression, ScalarType } from "../query/expression.ts";
import { comparisonFamily } from "./compare.ts";
import {
  canonicalKind,
  fieldOf,
  isInheritedName,
  toCanonical,
  type CanonicalKind,
  type ToCanonical,
} from "./compile-property.ts";
import type { CompiledPredicate } from "./compiled-expression.ts";

/** The operator that says the same with its operands exchanged. */
const MIRRORED: Readonly<Record<ComparisonOperator, ComparisonOperator>> = {
  eq: "eq",
  ne: "ne",
  gt: "lt",
  ge: "le",
  lt: "gt",
  le: "ge",
};

/** What a comparison of a property with a parameter is made from. */
interface PropertyComparison {
  readonly field: string;
  readonly index: number;
  readonly kind: CanonicalKind;
  readonly canonical: ToCanonical;
}

/**
 * Compiles the commonest comparison, a property of the entity with a parameter, to one closure; null where it is
 * another kind of comparison, or one whose type JavaScript's operators cannot compare.
 */
export function compilePropertyComparison(
  operator: ComparisonOperator,
  left: Expression,
  right: Expression,
  type: ScalarType,
): CompiledPredicate | null {
  if (right.kind === "property" && left.kind === "parameter") {
    return compilePropertyComparison(MIRRORED[operator], right, left, type);
  }
  if (left.kind !== "property" || right.kind !== "parameter" || !isPlain(left)) return null;
  const family = comparisonFamily(type);
  if (family === "coded" || (family === "text" && operator !== "eq" && operator !== "ne")) return null;
  return makeComparison(operator, {
    field: left.property.field,
    index: right.index,
    kind: canonicalKind(left.property.type),
    canonical: toCanonical(left),
  });
}

function isPlain({ source, property }: PropertyExpression): boolean {
  return source.kind === "it" && !isInheritedName(property.field);
}

/** Written out per operator: a comparison through another closure would cost as much again. */
function makeComparison(
  operator: ComparisonOperator,
  { field, index, kind, canonical }: PropertyComparison,
): CompiledPredicate {
  const read = (entity: object): PrimitiveValue | null => {
    const value = fieldOf(entity, field);
    return typeof value === kind ? (value as PrimitiveValue) : canonical(value);
  };
  const parameter = (values: readonly PrimitiveValue[]): PrimitiveValue => requireParameter(values[index], index);
  switch (operator) {
    case "eq":
      return (entity, values) => read(entity) === parameter(values);
    case "ne":
      return (entity, values) => read(entity) !== parameter(values);
    case "gt":
      return (entity, values) => {
        const value = read(entity);
        return value !== null && value > parameter(values);
      };
    case "ge":
      return (entity, values) => {
        const value = read(entity);
        return value !== null && value >= parameter(values);
      };
    case "lt":
      return (entity, values) => {
        const value = read(entity);
        return value !== null && value < parameter(values);
      };
    case "le":
      return (entity, values) => {
        const value = read(entity);
        return value !== null && value <= parameter(values);
      };
    default:
      return assertNever(operator);
  }
}

function requireParameter(value: PrimitiveValue | undefined, index: number): PrimitiveValue {
  if (value === undefined) throw new Error(`Parameter ${String(index)} of the query has no value.`);
  return value;
}
