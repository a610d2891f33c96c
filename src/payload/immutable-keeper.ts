import { propertiesOfType } from "../edm/hierarchy.ts";
import type { EntityType, StructuralProperty } from "../edm/model.ts";
import { codecOf } from "../edm/value-codecs.ts";
import { type BodyObject, compileFieldWriter } from "./body-members.ts";
import { compileConversion, compileFieldReader } from "./property-reader.ts";

/**
 * Makes the step that copies values of the current entity to its replacement: immutable ones, because an update ignores the
 * values of the body, and given ones.
 * @param others further properties, whose values no body contains
 * @returns null without such properties; a step that throws Error if the current entity, as a handler returned it, has an
 * invalid value
 * @see OData Protocol 4.0, section 11.4.3
 */
export function compileImmutableKeeper(
  entityType: EntityType,
  others: readonly StructuralProperty[] = [],
): ((entity: BodyObject, current: object) => void) | null {
  const { hierarchy } = entityType;
  const own = [...propertiesOfType(entityType), ...(hierarchy === undefined ? [] : [hierarchy.discriminator])];
  const immutable = own.filter((each) => each.immutable && !each.isKey && !each.computed);
  const kept = [...immutable, ...others];
  if (kept.length === 0) return null;
  const steps = kept.map((property) => {
    const read = compileFieldReader(property.field);
    const put = compileFieldWriter(property.field);
    const convert = conversionOf(property, `${entityType.qualifiedName}/${property.name}`);
    return (entity: BodyObject, current: object): void => {
      const value = read(current);
      // A handler may omit ignored properties.
      if (value === undefined && others.includes(property)) return;
      put(entity, value === null || value === undefined ? null : convert(value));
    };
  });
  return (entity, current) => {
    for (const step of steps) step(entity, current);
  };
}

/** Structured values remain as the application returned them. */
function conversionOf(property: StructuralProperty, path: string): (value: unknown) => unknown {
  const isPlain = property.type.kind !== "ComplexType" && !property.isCollection;
  return isPlain ? compileConversion(codecOf(property), path) : (value) => value;
}
