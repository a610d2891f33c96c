import type { StructuralProperty, ValueType } from "../edm/model.ts";

/**
 * The value of `@odata.type` for a type: the name of a primitive type without `Edm.`, else the qualified name, behind
 * a hash sign.
 * @see OData JSON Format 4.0, section 4.5.3
 */
export function typeFragment(type: ValueType, isCollection: boolean): string {
  const name = type.kind === "PrimitiveType" ? type.name.slice("Edm.".length) : type.qualifiedName;
  return isCollection ? `#Collection(${name})` : `#${name}`;
}

/**
 * The control information that tells the type of a property's value where its JSON does not, such as
 * `"Price@odata.type":"#Decimal",`; empty where it does: a single String, Boolean or Double, and a single complex
 * value, which carries its type inside.
 * @see OData JSON Format 4.0, sections 3.1.2 and 4.5.3
 */
export function typeAnnotation({ name, type, isCollection }: StructuralProperty): string {
  if (!isCollection && (type.kind === "ComplexType" || isTypeOfJson(type))) return "";
  return typeAnnotationOf(name, type, isCollection);
}

/** The same for any property; a Double needs it where its value is one of the strings INF, -INF and NaN. */
export function typeAnnotationOf(name: string, type: ValueType, isCollection: boolean): string {
  return `${JSON.stringify(`${name}@odata.type`)}:${JSON.stringify(typeFragment(type, isCollection))},`;
}

function isTypeOfJson(type: ValueType): boolean {
  return type.name === "Edm.String" || type.name === "Edm.Boolean" || type.name === "Edm.Double";
}
