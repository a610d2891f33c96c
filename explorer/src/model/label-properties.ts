import type { Property, StructuredType } from "./model.ts";

/** Text properties whose values together name an entity for people, in their order. */
export type LabelProperties = readonly Property[];

type Labelled = Pick<StructuredType, "name" | "key" | "properties" | "statedLabel">;

/** Names without capitals and underscores. */
const [FULL, PLAIN, TITLE] = [/^(?:display|full)name$/u, /^name$/u, /^(?:title|label|caption|subject)$/u];
const [FIRST, LAST] = [/^(?:first|given|fore)name$/u, /^(?:last|family)name$|^surname$/u];
/** Names of other things than the entity come last. */
const [OWN, ANY] = [/(?<!user|login|nick|file|path|host|middle|contact|ship|bill)(?:name|title)$/u, /(?:name|title)$/u];
/** Texts that say where somebody is, or how to reach somebody, name nothing. */
const NO_LABEL =
  /(?:address|street|city|region|state|province|country|postalcode|zip|zipcode|phone|mobile|fax|mail|url|link|website|hash|token|password|salt|locale|currency|type|kind|status)(?:line)?\d*$/u;

/** Returns the properties that name an entity for people: stated by an annotation, or by their names; none if nothing says so. */
export function nameProperties(type: Labelled): LabelProperties {
  const texts = textsOf(type);
  const own = plainName(type);
  const first = (pattern: RegExp): LabelProperties => texts.filter((each) => pattern.test(plainName(each))).slice(0, 1);
  const ofType = texts.filter((each) => [`${own}name`, `${own}title`, own].includes(plainName(each))).slice(0, 1);
  const person = [FIRST, LAST].flatMap(first);
  const stated = type.statedLabel.flatMap((name) => type.properties.get(name) ?? []);
  const names = [stated, first(FULL), first(PLAIN), ofType, person.length === 2 ? person : []];
  return [...names, first(TITLE), first(OWN), first(ANY)].find(({ length }) => length > 0) ?? [];
}

/** Returns the properties that identify an entity for people: those that name it, otherwise its first text; none without texts. */
export function labelProperties(type: Labelled): LabelProperties {
  const names = nameProperties(type);
  return names.length > 0
    ? names
    : textsOf(type)
        .filter((each) => !NO_LABEL.test(plainName(each)))
        .slice(0, 1);
}

/** Returns the label of an entity, from values such as an answer has them; null if they have no text. */
export function labelText(label: LabelProperties, values: unknown): string | null {
  const members = new Map<string, unknown>(Object.entries(typeof values === "object" ? (values ?? {}) : {}));
  const texts = label.map(({ name }) => members.get(name)).filter((text) => typeof text === "string");
  return texts.flatMap((text) => text.trim() || []).join(" ") || null;
}

function plainName({ name }: { readonly name: string }): string {
  return name.replaceAll("_", "").toLowerCase();
}

function textsOf({ properties, key }: Labelled): LabelProperties {
  const texts = [...properties.values()].filter(({ type }) => type.kind === "primitive" && type.name === "Edm.String");
  return texts.filter((each) => !each.isCollection && each.mediaType === null && !key.includes(each));
}
