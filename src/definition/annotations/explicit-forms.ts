import type { ExpectedType } from "./vocabulary-types.ts";

const NUMBERS: readonly string[] = ["Float", "Decimal", "Int"];

/** The explicit forms of constants that a type of the namespace Edm allows. Types without an entry have one of their name. */
const EDM_FORMS: ReadonlyMap<string, readonly string[]> = new Map([
  ["Boolean", ["Bool"]],
  ["Byte", ["Int"]],
  ["SByte", ["Int"]],
  ["Int16", ["Int"]],
  ["Int32", ["Int"]],
  ["Int64", ["Int"]],
  ["Decimal", ["Decimal", "Int"]],
  ["Double", NUMBERS],
  ["Single", NUMBERS],
  ["AnyPropertyPath", ["AnyPropertyPath", "PropertyPath", "NavigationPropertyPath"]],
  ["ModelElementPath", ["ModelElementPath", "AnyPropertyPath", "PropertyPath", "NavigationPropertyPath"]],
]);

/**
 * Returns why an explicit form, such as `{ $Int: 5 }`, cannot be a value of a type: the right form. A path to a value can be
 * a value of every type except those of paths.
 * @param form without the dollar sign
 * @returns null for a possible form
 */
export function rightForm(form: string, type: ExpectedType): string | null {
  if (type.kind === "any" || form === "LabeledElementReference") return null;
  const isPath = type.kind === "edm" && type.name.endsWith("Path");
  if (form === "Path") return isPath ? 'a text with the path, such as "name"' : null;
  switch (type.kind) {
    case "edm":
      return rightOf(form, EDM_FORMS.get(type.name) ?? [type.name]);
    case "enum":
      return rightOf(form, ["EnumMember"]);
    case "operation":
    case "listProperty":
      return rightOf(form, ["String"]);
    case "collection":
      return "an array";
    case "record":
      return `an object: the properties of ${type.name}`;
  }
}

function rightOf(form: string, allowed: readonly string[]): string | null {
  return allowed.includes(form) ? null : allowed.map((name) => `{ $${name}: … }`).join(" or ");
}
