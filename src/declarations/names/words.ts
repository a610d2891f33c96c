const MAX_LENGTH = 128;
/** The digits of the hash that ends a shortened name. */
const HASH_DIGITS = 8;

/**
 * Splits a name of a database into words: runs of letters, digits and their marks. A name without a small letter is
 * converted to lower case; other words keep their capitals. A name without letters and digits has one word that spells its
 * characters, such as `U25` for `%`.
 */
export function wordsOf(name: string): readonly string[] {
  const composed = name.normalize("NFC");
  const words = composed.match(/[\p{L}\p{Nl}\p{Nd}][\p{L}\p{Nl}\p{Nd}\p{Mn}\p{Mc}]*/gu);
  if (words === null) return [spelled(composed)];
  if (/\p{Ll}/u.test(composed)) return words;
  return words.map((word) => word.toLowerCase());
}

/** Joins words to an identifier in Pascal case: `order`, `line` become `OrderLine`; `2nd` becomes `_2nd`. */
export function pascalCase(words: readonly string[]): string {
  return identifier(words.map(capitalized).join(""));
}

/** Returns the identifier that is nearest to a name of a database, with its case: `Länge (cm)` becomes `Länge_cm`. */
export function asIdentifier(name: string): string {
  const composed = name.normalize("NFC");
  const replaced = composed.replaceAll(/[^\p{L}\p{Nl}\p{Nd}\p{Mn}\p{Mc}\p{Pc}\p{Cf}]+/gu, "_");
  if (replaced === composed && composed !== "") return identifier(composed);
  const trimmed = replaced.replaceAll(/^_+|_+$/gu, "");
  return identifier(trimmed === "" ? spelled(composed) : trimmed);
}

/** Returns a text of letters and digits as an identifier: it begins with no digit, and has at most 128 characters. */
export function identifier(text: string): string {
  const begun = /^[\p{L}\p{Nl}_]/u.test(text) ? text : `_${text}`;
  const characters = Array.from(begun);
  if (characters.length <= MAX_LENGTH) return begun;
  return `${characters.slice(0, MAX_LENGTH - HASH_DIGITS - 1).join("")}_${hashOf(begun)}`;
}

/** Converts the first letter to upper case, except letters whose capital is longer, such as ß. */
function capitalized(word: string): string {
  return word.replace(/^\p{Ll}/u, (letter) => {
    const capital = letter.toUpperCase();
    return capital.length === letter.length ? capital : letter;
  });
}

/** Spells characters by their numbers in Unicode, so that the name depends on nothing else. */
function spelled(text: string): string {
  const numbers = Array.from(text, (character) => `U${(character.codePointAt(0) ?? 0).toString(16).toUpperCase()}`);
  return numbers.length === 0 ? "Empty" : numbers.join("");
}

/** Returns the hash FNV-1a of a text, so that long names with the same beginning differ. */
function hashOf(text: string): string {
  let hash = 0x81_1c_9d_c5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01_00_01_93);
  }
  return (hash >>> 0).toString(16).padStart(HASH_DIGITS, "0");
}
