const FIRST_SURROGATE = 0xd8_00;
const FIRST_BEHIND_SURROGATES = 0xe0_00;

/**
 * Compares two strings by code point, which is the order of their UTF-8 bytes and of binary collations, so that all
 * executors sort alike. Letter case is significant. (The operator `<` compares code units, and would place U+1F600 before
 * U+FF5E.)
 * @returns negative, zero or positive
 */
export function compareStrings(left: string, right: string): number {
  if (left === right) return 0;
  const end = Math.min(left.length, right.length);
  for (let at = 0; at < end; at += 1) {
    const leftUnit = left.charCodeAt(at);
    const rightUnit = right.charCodeAt(at);
    if (leftUnit !== rightUnit) return rankUnit(leftUnit) - rankUnit(rightUnit);
  }
  return left.length - right.length;
}

/** Ranks surrogates, which represent the code points from U+10000, after all other code units. */
function rankUnit(unit: number): number {
  if (unit < FIRST_SURROGATE) return unit;
  return unit < FIRST_BEHIND_SURROGATES ? unit + 0x20_00 : unit - 0x8_00;
}

/**
 * Compares two ASCII texts, such as canonical dates, by code unit. It is faster than `compareStrings`, with the same order.
 * @returns negative, zero or positive
 */
export function compareAscii(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
