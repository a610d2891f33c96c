import type { JsonObject } from "../base/json/write-json.ts";
import type { EntityType } from "../edm/model.ts";
import type { PrimitiveValue } from "../edm/value-codec.ts";
import { type BodyKey, type BodyPlace, goOn } from "./body-members.ts";
import type { ValueReaders } from "./read-value.ts";

/** Makes the reader of the key members in the bodies of PUT and PATCH. */
export function compileKeyReader(
  { key }: EntityType,
  values: ValueReaders,
): (body: JsonObject, place: BodyPlace) => BodyKey {
  const parts = key.map((property) => ({ name: property.name, read: values.ofProperty(property) }));
  return (body, place) =>
    parts.map(({ name, read }) => {
      const value = body[name];
      try {
        // Key properties are neither complex nor collections nor nullable, so their readers return single values.
        return value === undefined ? undefined : (read(value, place, name) as PrimitiveValue);
      } catch (error) {
        return goOn(error, place);
      }
    });
}

/** Returns the key of a body whose key members are ignored, whatever they contain. @see OData Protocol 4.0, section 11.4.3 */
export function noKey(): BodyKey {
  return [];
}
