import type { Property, StructuredType } from "./model.ts";

const USUAL = /^(?:name|title|label|caption|display_?name|full_?name|subject|.*(?:name|title))$/iu;

/** Returns the text property whose name says that it names an entity for people; null if there is none. */
export function nameProperty(type: StructuredType): Property | null {
  return textsOf(type).find(({ name }) => USUAL.test(name)) ?? null;
}

/** Returns the property whose value tells an entity from others: one that names it, otherwise its first text; null without texts. */
export function labelProperty(type: StructuredType): Property | null {
  return nameProperty(type) ?? textsOf(type)[0] ?? null;
}

function textsOf(type: StructuredType): readonly Property[] {
  return [...type.properties.values()].filter((property) => isText(property) && !type.key.includes(property));
}

function isText({ type, isCollection, mediaType }: Property): boolean {
  return !isCollection && mediaType === null && type.kind === "primitive" && type.name === "Edm.String";
}
