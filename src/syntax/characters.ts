const DIGIT = 1;
const HEX = 2;
const NAME_START = 4;
const NAME_PART = 8;

/** Classes of the ASCII characters by code. */
const CLASSES: Uint8Array = classify();

const UNICODE_NAME_START = /^[\p{L}\p{Nl}]$/u;
const UNICODE_NAME_PART = /^[\p{L}\p{Nl}\p{Nd}\p{Mn}\p{Mc}\p{Pc}\p{Cf}]$/u;

function classify(): Uint8Array {
  const classes = new Uint8Array(128);
  for (let code = 0; code < 128; code += 1) {
    const character = String.fromCharCode(code);
    if (/[0-9]/.test(character)) classes[code] = DIGIT | HEX | NAME_PART;
    else if (/[A-Fa-f]/.test(character)) classes[code] = HEX | NAME_START | NAME_PART;
    else if (/[A-Za-z_]/.test(character)) classes[code] = NAME_START | NAME_PART;
  }
  return classes;
}

/** Tells whether a character code (NaN behind the end of a text) has one of the ASCII classes of a mask. */
function isOfClass(code: number, mask: number): boolean {
  return ((CLASSES[code] ?? 0) & mask) !== 0;
}

/** Tells whether a character code is that of `0` to `9`. */
export function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

/** Tells whether a character code is that of a hexadecimal digit. */
export function isHexDigit(code: number): boolean {
  return isOfClass(code, HEX);
}

/** Tells whether digits stand at `offset` and behind it. */
export function hasTwoDigits(text: string, offset: number): boolean {
  return isDigit(text.charCodeAt(offset)) && isDigit(text.charCodeAt(offset + 1));
}

/** The offset behind the decimal digits that start at `start`. */
export function skipDigits(text: string, start: number): number {
  let offset = start;
  while (isDigit(text.charCodeAt(offset))) offset += 1;
  return offset;
}

/**
 * The offset behind the name that starts at `start`; `start` itself when no name starts there.
 * @see ABNF rule odataIdentifier
 */
export function skipName(text: string, start: number): number {
  let offset = start + nameCharacterLength(text, start, NAME_START, UNICODE_NAME_START);
  if (offset === start) return start;
  for (;;) {
    const length = nameCharacterLength(text, offset, NAME_PART, UNICODE_NAME_PART);
    if (length === 0) return offset;
    offset += length;
  }
}

/**
 * The offset behind the name, or names with dots between them, that start at `start`; `start` when there is none.
 * @see ABNF rules odataIdentifier, namespace
 */
export function skipDottedName(text: string, start: number): number {
  let end = skipName(text, start);
  while (end > start && text.charCodeAt(end) === 46) {
    const next = skipName(text, end + 1);
    if (next === end + 1) break;
    end = next;
  }
  return end;
}

/** Tells whether a name could go on with the character at `offset`. */
export function isNamePart(text: string, offset: number): boolean {
  return nameCharacterLength(text, offset, NAME_PART, UNICODE_NAME_PART) > 0;
}

/** The length in code units of the character at `offset` when it belongs to the class, else 0. */
function nameCharacterLength(text: string, offset: number, mask: number, unicode: RegExp): number {
  const code = text.charCodeAt(offset);
  if (code < 128) return isOfClass(code, mask) ? 1 : 0;
  const point = text.codePointAt(offset);
  if (point === undefined) return 0;
  const character = String.fromCodePoint(point);
  return unicode.test(character) ? character.length : 0;
}

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
