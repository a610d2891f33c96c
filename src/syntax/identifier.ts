const FIRST = /^[\p{L}\p{Nl}_]$/u;
const FURTHER = /^[\p{L}\p{Nl}\p{Nd}\p{Mn}\p{Mc}\p{Pc}\p{Cf}_]$/u;
const MAX_IDENTIFIER_LENGTH = 128;

/**
 * Tells whether a text is a simple identifier: a letter or underscore, then letters, digits, underscores, at most
 * 128 characters.
 * @see OData CSDL 4.0, section 17.2; ABNF odataIdentifier
 */
export function isIdentifier(text: string): boolean {
  const end = identifierEnd(text, 0);
  return end > 0 && end === text.length;
}

/**
 * Tells whether a text is made of identifiers with dots between them, such as `Namespace.Type`.
 * @param minimum how many identifiers it must have at least: 2 for a qualified name
 * @see ABNF qualifiedEntityTypeName, namespace
 */
export function isQualifiedName(text: string, minimum: number): boolean {
  let parts = 0;
  for (let start = 0; ;) {
    const end = identifierEnd(text, start);
    if (end === start) return false;
    parts += 1;
    if (end === text.length) return parts >= minimum;
    if (text[end] !== ".") return false;
    start = end + 1;
  }
}

/**
 * Finds the end of the identifier that begins at an offset.
 * @returns the offset behind its last character; the start itself when there is no identifier, or one too long
 */
export function identifierEnd(text: string, start: number): number {
  let end = start;
  let length = 0;
  while (end < text.length) {
    const code = text.codePointAt(end) ?? 0;
    if (!isIdentifierCharacter(code, length === 0)) break;
    length += 1;
    if (length > MAX_IDENTIFIER_LENGTH) return start;
    end += code > 0xffff ? 2 : 1;
  }
  return end;
}

function isIdentifierCharacter(code: number, isFirst: boolean): boolean {
  if (code < 0x80) {
    if ((code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || code === 0x5f) return true;
    return !isFirst && code >= 0x30 && code <= 0x39;
  }
  return (isFirst ? FIRST : FURTHER).test(String.fromCodePoint(code));
}
