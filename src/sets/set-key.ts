import type { EntityType, StructuralProperty } from "../edm/model.ts";
import { InvalidValueError, type PrimitiveValue } from "../edm/value-codec.ts";
import { codecOf } from "../edm/value-codecs.ts";
import { fieldOf } from "../memory/compile-property.ts";
import { isEntity } from "../memory/entity.ts";

/**
 * Returns a key in canonical form, as handlers get it from a URL.
 * @param key the value of a single key, or an object of the values of a composite one
 * @throws TypeError for what is no key of the type
 */
export function toKey({ key: properties, name }: EntityType, key: unknown, call: string): unknown {
  const [single] = properties;
  if (properties.length === 1 && single !== undefined) return valueOf(single, key, call);
  if (!isEntity(key)) throw new TypeError(`${call}: the key of ${name} is an object of ${fieldsOf(properties)}.`);
  return Object.freeze(
    Object.fromEntries(
      properties.map((property) => [property.field, valueOf(property, fieldOf(key, property.field), call)]),
    ),
  );
}

function valueOf(property: StructuralProperty, value: unknown, call: string): PrimitiveValue {
  const { field, type } = property;
  if (value === null || value === undefined) throw new TypeError(`${call}: the key has no value for \`${field}\`.`);
  try {
    return codecOf(property).fromHandler(value);
  } catch (error) {
    if (!(error instanceof InvalidValueError)) throw error;
    throw new TypeError(`${call}: the key has a value for \`${field}\` that is none of ${type.name}.`, {
      cause: error,
    });
  }
}

function fieldsOf(properties: readonly StructuralProperty[]): string {
  return properties.map(({ field }) => `\`${field}\``).join(", ");
}
