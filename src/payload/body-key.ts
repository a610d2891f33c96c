import { describeValue } from "../edm/invalid-value.ts";
import { keyValues } from "../edm/key-values.ts";
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
  for (const [index, expected] of keyValues(entityType.key, key).entries()) {
    const [property, own] = [entityType.key[index], bodyKey[index]];
    if (own === undefined || property === undefined) continue;
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
