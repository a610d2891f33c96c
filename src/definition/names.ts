/** How the application's keys become wire names. */
export type NamingPolicy = "PascalCase" | "camelCase" | "asDeclared";

/** The naming policies. */
export const NAMING_POLICIES: readonly NamingPolicy[] = Object.freeze(["PascalCase", "camelCase", "asDeclared"]);

const IDENTIFIER = /^[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Nd}\p{Mn}\p{Mc}\p{Pc}\p{Cf}]*$/u;
const MAX_IDENTIFIER_LENGTH = 128;
const MAX_NAMESPACE_LENGTH = 511;
const RESERVED_NAMESPACES: ReadonlySet<string> = new Set(["Edm", "odata", "System", "Transient"]);

/**
 * The name of an entity set that states none: the plural of its type's name. A consonant and `y` become `ies`; a name
 * that ends in `s`, `sh`, `ch`, `x` or `z` gets `es`; any other `s`. Irregular plurals are not known.
 * @see specification, Entity set
 */
export function pluralOf(typeName: string): string {
  if (/[bcdfghjklmnpqrstvwxz]y$/iu.test(typeName)) return `${typeName.slice(0, -1)}ies`;
  return /(?:s|sh|ch|x|z)$/iu.test(typeName) ? `${typeName}es` : `${typeName}s`;
}

/**
 * Tells whether a text is a simple identifier: a letter or underscore, then letters, digits and underscores of any
 * script, at most 128 characters.
 * @see OData CSDL 4.0, section 17.2
 */
export function isSimpleIdentifier(text: string): boolean {
  return IDENTIFIER.test(text) && Array.from(text).length <= MAX_IDENTIFIER_LENGTH;
}

/**
 * Tells whether a text can be the namespace of a schema: identifiers with dots between them, none of the reserved ones.
 * @see OData CSDL 4.0, sections 5.1.1 and 17.1
 */
export function isNamespace(text: string): boolean {
  const isShort = text.length <= MAX_NAMESPACE_LENGTH;
  return isShort && text.split(".").every(isSimpleIdentifier) && !RESERVED_NAMESPACES.has(text);
}

/**
 * The wire name of a key. `PascalCase` raises the first letter; `camelCase` lowers it, or all but the last of several
 * capitals before a small letter (`URLValue` is `urlValue`, `ID` is `id`); `asDeclared` changes nothing.
 */
export function toWireName(field: string, policy: NamingPolicy): string {
  if (policy === "asDeclared") return field;
  if (policy === "PascalCase") return field.replace(/^\p{Ll}/u, (letter) => raised(letter));
  return field.replace(/^\p{Lu}(?:\p{Lu}*(?!\p{Ll}))?/u, (capitals) => capitals.toLowerCase());
}

/** Letters that grow by raising, such as ß, stay as they are. */
function raised(letter: string): string {
  const capital = letter.toUpperCase();
  return capital.length === letter.length ? capital : letter;
}
