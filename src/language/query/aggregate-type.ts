import { isInteger, PRIMITIVE_TYPES, type PrimitiveTypeName } from "../../edm/primitive-type.ts";
import type { AggregateMethod } from "./clauses.ts";
import type { ScalarType } from "./expression.ts";

/** A method with an operand. */
export type OperandMethod = Exclude<AggregateMethod, "count">;

/** The methods with an operand, in the order of their listing. */
export const AGGREGATE_METHODS: readonly OperandMethod[] = ["sum", "min", "max", "average", "countdistinct"];

/** The types of sums, by that of the operand. */
const SUMS: Readonly<Partial<Record<PrimitiveTypeName, PrimitiveTypeName>>> = {
  "Edm.Byte": "Edm.Int64",
  "Edm.SByte": "Edm.Int64",
  "Edm.Int16": "Edm.Int64",
  "Edm.Int32": "Edm.Int64",
  "Edm.Int64": "Edm.Decimal",
  "Edm.Decimal": "Edm.Decimal",
  "Edm.Single": "Edm.Double",
  "Edm.Double": "Edm.Double",
  "Edm.Duration": "Edm.Duration",
};

const UNORDERED: ReadonlySet<string> = new Set(["Edm.Boolean", "Edm.Guid", "Edm.Binary"]);

/**
 * Returns the type of an aggregate; undefined if the method does not support the type of the operand.
 * @see docs/reference/apply.md
 */
export function aggregateType(method: OperandMethod, type: ScalarType): ScalarType | undefined {
  switch (method) {
    case "sum":
      return sumType(type);
    case "average":
      return type.kind === "PrimitiveType" && isInteger(type) ? PRIMITIVE_TYPES["Edm.Double"] : sumType(type);
    case "min":
    case "max":
      if (type.kind === "EnumType") return type.isFlags ? undefined : type;
      return UNORDERED.has(type.name) ? undefined : type;
    case "countdistinct":
      return PRIMITIVE_TYPES["Edm.Decimal"];
  }
}

function sumType(type: ScalarType): ScalarType | undefined {
  const sum = type.kind === "PrimitiveType" ? SUMS[type.name] : undefined;
  return sum === undefined ? undefined : PRIMITIVE_TYPES[sum];
}

/** Returns the methods that support a type. */
export function methodsFor(type: ScalarType): readonly OperandMethod[] {
  return AGGREGATE_METHODS.filter((method) => aggregateType(method, type) !== undefined);
}
