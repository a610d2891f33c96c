/** How the keys of properties become wire names. */
export type NamingPolicy = "PascalCase" | "camelCase" | "asDeclared";

/** The naming policies. */
export const NAMING_POLICIES: readonly NamingPolicy[] = Object.freeze(["PascalCase", "camelCase", "asDeclared"]);

/** The identifiers of most applications. V8 takes a millisecond to read the letters of all scripts, where a pattern has them. */
const ASCII_IDENTIFIER = /^[A-Za-z_]\w{0,127}$/;
const MAX_IDENTIFIER_LENGTH = 128;
const MAX_NAMESPACE_LENGTH = 511;
const RESERVED_NAMESPACES: ReadonlySet<string> = new Set(["Edm", "odata", "System", "Transient"]);

/**
 * Returns the default name of an entity set, the plural of the name of its type. A consonant and `y` become `ies`; a name
 * that ends in `s`, `sh`, `ch`, `x` or `z` gets `es`; any other name gets `s`. Irregular plurals are not known.
 * @see docs/reference/entity-sets.md
 */
export function pluralOf(typeName: string): string {
  if (/[bcdfghjklmnpqrstvwxz]y$/iu.test(typeName)) return `${typeName.slice(0, -1)}ies`;
  return /(?:s|sh|ch|x|z)$/iu.test(typeName) ? `${typeName}es` : `${typeName}s`;
}

/**
 * Returns whether a string is a simple identifier: a letter or underscore, then letters, digits and underscores of any
 * script, at most 128 characters.
 * @see OData CSDL 4.0, section 17.2
 */
export function isSimpleIdentifier(text: string): boolean {
  if (ASCII_IDENTIFIER.test(text)) return true;
  const isIdentifier = /^[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Nd}\p{Mn}\p{Mc}\p{Pc}\p{Cf}]*$/u.test(text);
  return isIdentifier && Array.from(text).length <= MAX_IDENTIFIER_LENGTH;
}

/**
 * Returns whether a string can be the namespace of a schema: identifiers separated by dots, but not a reserved name.
 * @see OData CSDL 4.0, sections 5.1.1 and 17.1
 */
export function isNamespace(text: string): boolean {
  const isShort = text.length <= MAX_NAMESPACE_LENGTH;
  return isShort && text.split(".").every(isSimpleIdentifier) && !RESERVED_NAMESPACES.has(text);
}

/**
 * Returns the wire name of a key. `PascalCase` capitalizes the first letter. `camelCase` converts leading capitals to lower
 * case, except the last of several before a lower-case letter: `URLValue` becomes `urlValue`, `ID` becomes `id`.
 * `asDeclared` changes nothing.
 */
export function toWireName(field: string, policy: NamingPolicy): string {
  if (policy === "asDeclared") return field;
  const isAscii = ASCII_IDENTIFIER.test(field);
  if (policy === "PascalCase") return field.replace(isAscii ? /^[a-z]/ : /^\p{Ll}/u, (letter) => raised(letter));
  const leading = isAscii ? /^[A-Z](?:[A-Z]*(?![a-z]))?/ : /^\p{Lu}(?:\p{Lu}*(?!\p{Ll}))?/u;
  return field.replace(leading, (capitals) => capitals.toLowerCase());
}

/** Keeps letters whose capital is longer, such as ß. */
function raised(letter: string): string {
  const capital = letter.toUpperCase();
  return capital.length === letter.length ? capital : letter;
}
