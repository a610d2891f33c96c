import type { Property, StructuredType } from "./model.ts";

/** Returns the text property whose name says that it names an entity for people; null if there is none. */
export function nameProperty(type: StructuredType): Property | null {
  return textsOf(type).find(({ name }) => /^(?:label|caption|subject|.*(?:name|title))$/iu.test(name)) ?? null;
}

/** Returns the property that identifies an entity for people: its name, otherwise its first text; null without texts. */
export function labelProperty(type: StructuredType): Property | null {
  return nameProperty(type) ?? textsOf(type)[0] ?? null;
}

function textsOf({ properties, key }: StructuredType): readonly Property[] {
  const texts = [...properties.values()].filter(({ type }) => type.kind === "primitive" && type.name === "Edm.String");
  return texts.filter((each) => !each.isCollection && each.mediaType === null && !key.includes(each));
}
