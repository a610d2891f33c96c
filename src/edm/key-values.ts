import type { EntityType, StructuralProperty } from "./model.ts";
import type { PrimitiveValue } from "./value-codec.ts";

/**
 * Returns the values of a key in the application's form, in the order of its properties.
 * @param key the value of a single key, or an object of the values of a composite one by field
 * @throws TypeError if a value is missing
 */
export function keyValues(properties: readonly StructuralProperty[], key: unknown): readonly PrimitiveValue[] {
  // The spread makes `__proto__` an ordinary field.
  const members: Readonly<Record<string, unknown>> = properties.length === 1 ? {} : { ...(key as object) };
  return properties.map(({ name, field }) => {
    const value = properties.length === 1 ? key : members[field];
    if (isPrimitiveValue(value)) return value;
    throw new TypeError(`The key lacks a value for ${name}.`);
  });
}

/** Returns the key of an entity in the application's form. */
export function keyIn({ key: properties }: EntityType, entity: object): unknown {
  const [single] = properties;
  if (single !== undefined && properties.length === 1) return Reflect.get(entity, single.field);
  return Object.freeze(Object.fromEntries(properties.map(({ field }) => [field, Reflect.get(entity, field)])));
}

/** Returns a key in the application's form as an object with the key fields of the entity. */
export function keyFields({ key: properties }: EntityType, key: unknown): object {
  const values = keyValues(properties, key);
  return Object.fromEntries(properties.map(({ field }, index) => [field, values[index]]));
}

function isPrimitiveValue(value: unknown): value is PrimitiveValue {
  return value instanceof Uint8Array || ["boolean", "number", "bigint", "string"].includes(typeof value);
}
