/**
 * String functions that count characters. A character is a Unicode code point, as in SQL, not a UTF-16 code unit.
 * @see OData URL Conventions 4.0, sections 5.1.1.4.1 to 5.1.1.4.9
 */

const SURROGATE = /[\uD800-\uDFFF]/;

/** Returns the number of characters. */
export function lengthOf(text: string): number {
  return SURROGATE.test(text) ? countCodePoints(text, text.length) : text.length;
}

/** Returns the number of characters before the first occurrence of `part`; -1 without one, 0 for an empty part. */
export function indexOf(text: string, part: string): number {
  const index = text.indexOf(part);
  return index > 0 && SURROGATE.test(text) ? countCodePoints(text, index) : index;
}

/**
 * Returns at most `length` characters from `start` (0 for the first). A negative start or length counts as 0; beyond
 * the end the result is empty.
 */
export function substring(text: string, start: number, length: number): string {
  const from = Math.max(start, 0);
  const count = Math.max(length, 0);
  if (!SURROGATE.test(text)) return text.slice(from, from + count);
  const first = skipCodePoints(text, 0, from);
  return text.slice(first, skipCodePoints(text, first, count));
}

/** Returns the number of code points in the first `end` code units; a lone surrogate counts as one. */
function countCodePoints(text: string, end: number): number {
  let count = 0;
  for (let at = 0; at < end; count += 1) at += widthAt(text, at);
  return count;
}

/** Returns the place after so many code points, at most the end. */
function skipCodePoints(text: string, start: number, count: number): number {
  let at = start;
  for (let skipped = 0; skipped < count && at < text.length; skipped += 1) at += widthAt(text, at);
  return at;
}

function widthAt(text: string, at: number): 1 | 2 {
  if ((text.charCodeAt(at) & 0xfc_00) !== 0xd8_00) return 1;
  return (text.charCodeAt(at + 1) & 0xfc_00) === 0xdc_00 ? 2 : 1;
}
