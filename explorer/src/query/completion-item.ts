import type { EnumType, Model, PropertyType, StructuredType } from "../model/model.ts";
import { isCollection, type Member, typeAt } from "./resolve-type.ts";

/** What a list of suggestions shows of one. */
export interface CompletionItem {
  readonly label: string;
  readonly kind:
    | "set"
    | "operation"
    | "option"
    | "property"
    | "navigation"
    | "variable"
    | "function"
    | "operator"
    | "literal"
    | "step";
  readonly description: string | null;
  /** The text that replaces the word at the cursor. */
  readonly insert: string;
}

/** Suggestions for a place in a text. */
export interface Completion {
  /** The range that a chosen item replaces. */
  readonly from: number;
  readonly to: number;
  /** Those that begin with the word at the cursor come first, then those that contain it. */
  readonly items: readonly CompletionItem[];
}

/** Suggestions for the end of a text. */
export interface EndCompletion {
  /** The part of the text that a chosen item replaces. */
  readonly word: string;
  readonly items: readonly CompletionItem[];
}

/** No suggestions. */
export const NOTHING: EndCompletion = Object.freeze({ word: "", items: [] });

/** Makes a suggestion. */
export function item(
  kind: CompletionItem["kind"],
  label: string,
  description: string | null = null,
  insert: string = label,
): CompletionItem {
  return { label, kind, description, insert };
}

/** Makes the suggestions of a table of descriptions. Of a call, the text up to its first argument is inserted. */
export function table(
  kind: CompletionItem["kind"],
  rows: Readonly<Record<string, string | null>>,
): readonly CompletionItem[] {
  return Object.entries(rows).map(([label, description]) =>
    item(kind, label, description, label.replace(/(\(+)(?!\)$).*$/su, "$1")),
  );
}

/** Makes suggestions without descriptions of words separated by blanks. */
export function words(kind: CompletionItem["kind"], list: string): readonly CompletionItem[] {
  return list.split(" ").map((label) => item(kind, label));
}

/** Makes the suggestions of a type: its properties, then its navigations. */
export function memberItems(
  type: StructuredType,
  picks: (member: Member) => boolean = () => true,
): readonly CompletionItem[] {
  const properties = Array.from(type.properties.values(), (property): Member => ({ kind: "property", property }));
  const navigations = Array.from(type.navigations.values(), (navigation): Member => ({
    kind: "navigation",
    navigation,
  }));
  return [...properties, ...navigations].filter(picks).map(memberItem);
}

function memberItem(member: Member): CompletionItem {
  const { name, description } = member.navigation ?? member.property;
  const typeName = member.kind === "navigation" ? member.navigation.target.name : nameOfType(member.property.type);
  const shown = isCollection(member) ? `collection of ${typeName}` : typeName;
  return item(member.kind, name, description === null ? shown : `${shown} · ${description}`);
}

/** Returns the name of a type for people: `String`, `Color`. */
function nameOfType(type: PropertyType): string {
  switch (type.kind) {
    case "primitive":
      return type.name.replace(/^Edm\./u, "");
    case "enum":
      return type.enum.name;
    case "complex":
      return type.type.name;
  }
}

/** Makes the suggestions of the literals of an enumeration. */
export function enumItems({ qualifiedName, members }: EnumType): readonly CompletionItem[] {
  return members.map(({ name, description }) => item("literal", name, description, `${qualifiedName}'${name}'`));
}

/** Makes the suggestions of the literals that fit a member, for which one need not know how they are written. */
export function literalItems(member: Member | null): readonly CompletionItem[] {
  const type = member?.property?.type;
  const nothing = words("literal", "null");
  if (type?.kind === "enum") return [...enumItems(type.enum), ...nothing];
  return type?.kind === "primitive" && type.name === "Edm.Boolean" ? words("literal", "true false null") : nothing;
}

/** Makes the suggestions of the first segment of a path. */
export function rootItems({ sets, operations }: Model): readonly CompletionItem[] {
  const imports = operations.flatMap(({ importName, parameters, description, kind }) => {
    if (importName === null) return [];
    const signature = `${importName}(${parameters.map(({ name }) => name).join(",")})`;
    return [item("operation", signature, description, kind === "function" ? `${importName}(` : importName)];
  });
  return [...Array.from(sets.values(), ({ name, description }) => item("set", name, description)), ...imports];
}

/**
 * Suggests the next name of a path of members, such as that of `$select`.
 * @param picks which members may be named
 */
export function completePath(text: string, type: StructuredType, picks: (member: Member) => boolean): EndCompletion {
  const path = text.trimStart();
  const slash = path.lastIndexOf("/");
  const target = slash < 0 ? type : typeAt(type, path.slice(0, slash));
  return { word: path.slice(slash + 1), items: target === null ? [] : memberItems(target, picks) };
}

/** Returns the suggestions that fit a word, the best first. */
export function fitting(items: readonly CompletionItem[], word: string): readonly CompletionItem[] {
  const lower = word.toLowerCase();
  const places = items.map((each) => {
    const place = each.label.toLowerCase().indexOf(lower);
    return { each, place: place < 0 && each.insert.toLowerCase().startsWith(lower) ? 0 : place };
  });
  const found = places.filter(({ place }) => place >= 0);
  return [...found.filter(({ place }) => place === 0), ...found.filter(({ place }) => place > 0)].map(
    ({ each }) => each,
  );
}
