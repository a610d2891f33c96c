import { asDeclared, propertiesOfType, TYPE_FIELD } from "../../edm/hierarchy.ts";
import type { EntityType, StructuralProperty } from "../../edm/model.ts";
import type { DocumentObject } from "./open-api-document.ts";

/**
 * Returns the schema of an entity of a type or one derived from it: of any of the types that are not abstract.
 * @param make makes the schema of entities of one type
 * @param isChange whether it describes changes, which may be those of an abstract type
 */
export function ofTypes(
  type: EntityType,
  make: (type: EntityType) => DocumentObject,
  isChange = false,
): DocumentObject {
  if (type.hierarchy === undefined) return make(type);
  const types = [...type.hierarchy.types.values()].filter((each) => isChange || each.hierarchy?.isAbstract !== true);
  const anyOf = types.map((each) => {
    const schema = make(each);
    const named = { type: "string", enum: [`#${each.qualifiedName}`] };
    const { properties, required } = schema;
    const isDeclared = each === type;
    return {
      ...schema,
      title: each.name,
      properties: { [TYPE_FIELD]: named, ...(properties as DocumentObject) },
      required: isDeclared ? required : [TYPE_FIELD, ...((required as readonly string[] | undefined) ?? [])],
    };
  });
  return { anyOf };
}

/** Returns the properties in the bodies of entities of a type. */
export function bodyProperties(type: EntityType): readonly StructuralProperty[] {
  return propertiesOfType(type).map(asDeclared);
}
