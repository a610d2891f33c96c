import type { EntityType, ValueType } from "./model.ts";

/**
 * Returns the name of a type as clients see it: `Edm.Int32`, or the qualified name of a declared type. An enumeration that is
 * published as texts is `Edm.String`.
 */
export function typeName(type: ValueType | EntityType): string {
  if (type.kind === "PrimitiveType") return type.name;
  return type.kind === "EnumType" && type.isText === true ? "Edm.String" : type.qualifiedName;
}
