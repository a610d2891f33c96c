import type { EnumType, Model, PropertyType, StructuredType } from "../model/model.ts";
import { isCollection, type Member } from "./resolve-type.ts";

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

/** Makes a suggestion. */
export function item(
  kind: CompletionItem["kind"],
  label: string,
  description: string | null = null,
  insert: string = label,
): CompletionItem {
  return { label, kind, description, insert };
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
export function nameOfType(type: PropertyType): string {
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

const FUNCTIONS: readonly (readonly [signature: string, description: string])[] = [
  ["contains(text,part)", "whether a text contains another"],
  ["startswith(text,part)", "whether a text begins with another"],
  ["endswith(text,part)", "whether a text ends with another"],
  ["tolower(text)", "in lower case"],
  ["toupper(text)", "in upper case"],
  ["length(text)", "number of characters"],
  ["indexof(text,part)", "position of the first occurrence, -1 without one"],
  ["substring(text,start,length)", "a part; the first character is 0"],
  ["trim(text)", "without blanks at both ends"],
  ["concat(text,text)", "one text after the other"],
  ["year(date)", "year of a date or time"],
  ["month(date)", "month, 1 to 12"],
  ["day(date)", "day of the month"],
  ["hour(time)", "hour, 0 to 23"],
  ["minute(time)", "minute, 0 to 59"],
  ["second(time)", "second, 0 to 59"],
  ["fractionalseconds(time)", "fraction of the second"],
  ["date(time)", "the date of a point in time"],
  ["time(time)", "the time of day of a point in time"],
  ["totaloffsetminutes(time)", "offset from UTC"],
  ["totalseconds(duration)", "a duration in seconds"],
  ["now()", "the time of the request"],
  ["mindatetime()", "the earliest point in time"],
  ["maxdatetime()", "the latest point in time"],
  ["round(number)", "to the nearest whole number"],
  ["floor(number)", "down to a whole number"],
  ["ceiling(number)", "up to a whole number"],
  ["cast(value,type)", "a value as another type"],
  ["isof(value,type)", "whether a value is of a type"],
];

/** Makes the suggestions of the functions of the standard. @see OData URL Conventions 4.0, section 5.1.1.4 */
export function functionItems(): readonly CompletionItem[] {
  return FUNCTIONS.map(([signature, description]) => {
    const call = signature.slice(0, signature.indexOf("(") + 1);
    return item("function", signature, description, signature.endsWith("()") ? signature : call);
  });
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
