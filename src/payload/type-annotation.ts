import type { StructuralProperty, ValueType } from "../edm/model.ts";

/**
 * Returns the value of `@odata.type` for a type: a hash sign, then the name of a primitive type without `Edm.`, or the
 * qualified name.
 * @see OData JSON Format 4.0, section 4.5.3
 */
export function typeFragment(type: ValueType, isCollection: boolean): string {
  const name = type.kind === "PrimitiveType" ? type.name.slice("Edm.".length) : type.qualifiedName;
  return isCollection ? `#Collection(${name})` : `#${name}`;
}

/**
 * Returns the type annotation of a property's value, such as `"Price@odata.type":"#Decimal",`. It is empty if the JSON
 * shows the type: for a single String, Boolean or Double, and for a single complex value, which contains its type.
 * @see OData JSON Format 4.0, sections 3.1.2 and 4.5.3
 */
export function typeAnnotation({ name, type, isCollection }: StructuralProperty): string {
  if (!isCollection && (type.kind === "ComplexType" || isTypeOfJson(type))) return "";
  return typeAnnotationOf(name, type, isCollection);
}

/** Returns the type annotation of any value. A Double needs it if its value is the string INF, -INF or NaN. */
export function typeAnnotationOf(name: string, type: ValueType, isCollection: boolean): string {
  return `${JSON.stringify(`${name}@odata.type`)}:${JSON.stringify(typeFragment(type, isCollection))},`;
}

function isTypeOfJson(type: ValueType): boolean {
  return type.name === "Edm.String" || type.name === "Edm.Boolean" || type.name === "Edm.Double";
}
