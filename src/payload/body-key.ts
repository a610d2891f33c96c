import { describeValue } from "../edm/invalid-value.ts";
import type { EntityType } from "../edm/model.ts";
import type { PrimitiveValue } from "../edm/value-codec.ts";
import { codecOf } from "../edm/value-codecs.ts";
import { protocolError } from "../errors/odata-error.ts";

/** The key values of a body, in the order of the type's key; undefined for missing values. */
export type BodyKey = ReadonlyArray<PrimitiveValue | undefined>;

/**
 * Checks that the key of a body, if any, equals the key of the URL. It compares values, not texts.
 * @param key the key of the URL, in the application's form
 * @throws ODataError `KeyMismatch`, target `key`
 * @see docs/reference/writing.md
 */
export function checkKeyMatch(entityType: EntityType, bodyKey: BodyKey, key: unknown): void {
  const values = keyValues(entityType, key);
  for (const [index, property] of entityType.key.entries()) {
    const own = bodyKey[index];
    const expected = values[index];
    if (own === undefined || expected === undefined) continue;
    const codec = codecOf(property);
    if (codec.compare(own, expected) === 0) continue;
    const [ownText, expectedText] = [describeValue(codec.toText(own)), describeValue(codec.toText(expected))];
    throw protocolError(
      "KeyMismatch",
      `${property.name} is ${ownText} in the body and ${expectedText} in the URL: leave it out of the body, or write the key of the URL.`,
      { target: "key" },
    );
  }
}

/**
 * Returns the values of a key in the application's form, in the order of the type's key.
 * @param key the value of a single key, or an object of the values of a composite one by field
 */
export function keyValues(entityType: EntityType, key: unknown): readonly PrimitiveValue[] {
  // A bound key has canonical values, because the binder uses the same codecs.
  if (entityType.key.length === 1) return [key as PrimitiveValue];
  const parts = key as Readonly<Record<string, PrimitiveValue>>;
  return entityType.key.flatMap(({ field }) => {
    const part = parts[field];
    return part === undefined ? [] : [part];
  });
}

/** Returns a key in the application's form as an object with the key fields of the entity. */
export function keyFields(entityType: EntityType, key: unknown): object {
  const values = keyValues(entityType, key);
  return Object.fromEntries(entityType.key.map(({ field }, index) => [field, values[index]]));
}
