import type { ComplexType, EntityType, StructuralProperty } from "./model.ts";

/**
 * Returns the wire names of a path of properties, separated by slashes. The properties may belong to another model of the
 * same types.
 */
export function wirePath(type: EntityType | undefined, path: readonly StructuralProperty[]): string {
  let owner: EntityType | ComplexType | undefined = type;
  const names = path.map((declared) => {
    const property: StructuralProperty = owner?.properties.find(({ field }) => field === declared.field) ?? declared;
    owner = property.type.kind === "ComplexType" ? property.type : undefined;
    return property.name;
  });
  return names.join("/");
}
