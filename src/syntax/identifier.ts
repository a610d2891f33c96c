import { skipDottedName, skipName } from "./characters.ts";

/**
 * Tells whether a text is a simple identifier: a letter or underscore, then letters, digits and underscores.
 * @see OData CSDL 4.0, section 17.2; ABNF odataIdentifier
 */
export function isIdentifier(text: string): boolean {
  return text !== "" && skipName(text, 0) === text.length;
}

/**
 * Tells whether a text is one identifier or several with dots between them, such as `Namespace.Type`.
 * @see ABNF namespace, qualifiedEntityTypeName
 */
export function isDottedName(text: string): boolean {
  return text !== "" && skipDottedName(text, 0) === text.length;
}
