import type { Property, StructuredType } from "./model.ts";

const USUAL = /^(?:name|title|label|caption|display_?name|full_?name|subject|.*(?:name|title))$/iu;

/**
 * Returns the property whose value names an entity for people: a text with a usual name, otherwise the first text that is no
 * part of the key; null if there is none.
 */
export function labelProperty(type: StructuredType): Property | null {
  const texts = [...type.properties.values()].filter((property) => isText(property) && !type.key.includes(property));
  return texts.find(({ name }) => USUAL.test(name)) ?? texts[0] ?? null;
}

function isText({ type, isCollection, mediaType }: Property): boolean {
  return !isCollection && mediaType === null && type.kind === "primitive" && type.name === "Edm.String";
}
