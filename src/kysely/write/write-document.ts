import type { StructuralProperty } from "../../edm/model.ts";
import type { PrimitiveValue } from "../../edm/value-codec.ts";
import { codecOf } from "../../edm/value-codecs.ts";
import { writeJsonString } from "../../json/write-json.ts";

/** Writes a value, not null, of a property, or of an item of its collection. */
type WriteValue = (value: unknown) => string;

/**
 * Makes what writes a collection, or a complex value by the application's keys, as JSON text: what `readDocument` reads.
 * @param property whose values are in canonical form, as bodies are read
 */
export function writeDocument(property: StructuralProperty): WriteValue {
  return writerOf(property, property.isCollection);
}

const writers = new WeakMap<StructuralProperty, WriteValue>();

function writerOf(property: StructuralProperty, isCollection: boolean): WriteValue {
  if (isCollection) {
    const writeItem = orNull(writerOf(property, false));
    return (value) => `[${(value as readonly unknown[]).map(writeItem).join(",")}]`;
  }
  const { type } = property;
  if (type.kind !== "ComplexType") {
    const codec = codecOf(property);
    return (value) => codec.toJson(value as PrimitiveValue, false);
  }
  return (value) => {
    const members = type.properties.map((member) => {
      const given: unknown = Object.hasOwn(value as object, member.field)
        ? Reflect.get(value as object, member.field)
        : null;
      return `${writeJsonString(member.field)}:${orNull(memberWriter(member))(given)}`;
    });
    return `{${members.join(",")}}`;
  };
}

/** Made once per member: a complex type may contain itself. */
function memberWriter(member: StructuralProperty): WriteValue {
  let writer = writers.get(member);
  if (writer === undefined) writers.set(member, (writer = writerOf(member, member.isCollection)));
  return writer;
}

function orNull(write: WriteValue): WriteValue {
  return (value) => (value === null || value === undefined ? "null" : write(value));
}
