import type { PrimitiveType } from "../../edm/primitive-type.ts";

/** How the values of a type are computed with. */
export function numericKind({ name }: PrimitiveType): "integer" | "decimal" | "double" | "temporal" {
  switch (name) {
    case "Edm.Byte":
    case "Edm.SByte":
    case "Edm.Int16":
    case "Edm.Int32":
    case "Edm.Int64":
      return "integer";
    case "Edm.Decimal":
      return "decimal";
    case "Edm.Single":
    case "Edm.Double":
      return "double";
    default:
      return "temporal";
  }
}
