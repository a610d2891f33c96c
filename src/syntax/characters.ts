import { isDigit } from "../edm/scan-digits.ts";

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

/** Returns whether a character code (NaN after the end of a text) has one of the ASCII classes of a mask. */
function isOfClass(code: number, mask: number): boolean {
  return ((CLASSES[code] ?? 0) & mask) !== 0;
}

/** Returns whether a character code is a hexadecimal digit. */
export function isHexDigit(code: number): boolean {
  return isOfClass(code, HEX);
}

/** Returns whether two digits begin at `offset`. */
export function hasTwoDigits(text: string, offset: number): boolean {
  return isDigit(text.charCodeAt(offset)) && isDigit(text.charCodeAt(offset + 1));
}

/** Returns the offset after the decimal digits that start at `start`. */
export function skipDigits(text: string, start: number): number {
  let offset = start;
  while (isDigit(text.charCodeAt(offset))) offset += 1;
  return offset;
}

/**
 * Returns the offset after the name that starts at `start`, or `start` itself without a name.
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
 * Returns the offset after the dotted name that starts at `start`, or `start` itself without a name.
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

/** Returns whether the character at `offset` could continue a name. */
export function isNamePart(text: string, offset: number): boolean {
  return nameCharacterLength(text, offset, NAME_PART, UNICODE_NAME_PART) > 0;
}

/** Returns the length in code units of the character at `offset` if it belongs to the class, else 0. */
function nameCharacterLength(text: string, offset: number, mask: number, unicode: RegExp): number {
  const code = text.charCodeAt(offset);
  if (code < 128) return isOfClass(code, mask) ? 1 : 0;
  const point = text.codePointAt(offset);
  if (point === undefined) return 0;
  const character = String.fromCodePoint(point);
  return unicode.test(character) ? character.length : 0;
}

/**
 * Returns whether a text is a simple identifier: a letter or underscore, then letters, digits and underscores.
 * @see OData CSDL 4.0, section 17.2; ABNF odataIdentifier
 */
export function isIdentifier(text: string): boolean {
  return text !== "" && skipName(text, 0) === text.length;
}

/**
 * Returns whether a text is an identifier or several identifiers separated by dots, such as `Namespace.Type`.
 * @see ABNF namespace, qualifiedEntityTypeName
 */
export function isDottedName(text: string): boolean {
  return text !== "" && skipDottedName(text, 0) === text.length;
}
