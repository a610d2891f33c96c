import type { Property, StructuredType } from "./model.ts";

/** Returns the text property whose name says that it names an entity for people; null if there is none. */
export function nameProperty(type: StructuredType): Property | null {
  return textsOf(type).find(({ name }) => /^(?:label|caption|subject|.*(?:name|title))$/iu.test(name)) ?? null;
}

/** Returns the property whose value tells an entity from others: one that names it, otherwise its first text; null without texts. */
export function labelProperty(type: StructuredType): Property | null {
  return nameProperty(type) ?? textsOf(type)[0] ?? null;
}

function textsOf({ properties, key }: StructuredType): readonly Property[] {
  return [...properties.values()].filter((property) => {
    const { type, isCollection, mediaType } = property;
    const isText = type.kind === "primitive" && type.name === "Edm.String" && !isCollection && mediaType === null;
    return isText && !key.includes(property);
  });
}
