import type { ComplexType, EntityType, StructuralProperty } from "./model.ts";

/**
 * Returns how clients name the property at the end of a path of properties, which may be those of another model of the
 * same types: wire names with slashes between.
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
