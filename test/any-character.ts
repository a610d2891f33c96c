import fc from "fast-check";

/** The halves of surrogate pairs, whose codes are between them, are not characters. */
const LAST_BEFORE_SURROGATES = 0xd7ff;
const FIRST_AFTER_SURROGATES = 0xe000;
const LAST = 0x10ffff;

const SURROGATES = FIRST_AFTER_SURROGATES - LAST_BEFORE_SURROGATES - 1;

/**
 * Any character, for `fc.string({ unit: anyCharacter })`. It generates the cases of `unit: "binary"`, for which fast-check
 * fills a map with all 1.1 million characters in each process.
 */
export const anyCharacter: fc.Arbitrary<string> = fc.nat(LAST - SURROGATES).map(characterAt, indexOf);

function characterAt(index: number): string {
  return String.fromCodePoint(index <= LAST_BEFORE_SURROGATES ? index : index + SURROGATES);
}

/** Returns the index of a character. @throws Error for anything else */
function indexOf(value: unknown): number {
  const point = typeof value === "string" ? value.codePointAt(0) : undefined;
  const index = point === undefined || point <= LAST_BEFORE_SURROGATES ? point : point - SURROGATES;
  if (index === undefined || characterAt(index) !== value) throw new Error("This is not one character.");
  return index;
}
