import { COMPOUND_ENDINGS, IRREGULAR_NOUNS, OTHER_PLURALS, UNCHANGED_NOUNS } from "./noun-table.ts";

/** A name in both numbers. */
export interface Inflected {
  readonly singular: string;
  readonly plural: string;
}

const PAIRS: ReadonlyArray<readonly [singular: string, plural: string]> = IRREGULAR_NOUNS.map(pair);
const PLURALS: ReadonlyMap<string, string> = new Map(PAIRS);
const SINGULARS: ReadonlyMap<string, string> = new Map(
  [...PAIRS, ...OTHER_PLURALS.map(pair)].map(([singular, plural]) => [plural, singular]),
);
const UNCHANGED: ReadonlySet<string> = new Set(UNCHANGED_NOUNS.flatMap((words) => words.split(" ")));

/** Plural endings and the singular endings that replace them. The first that fits a word decides. */
const SINGULAR_ENDINGS: ReadonlyArray<readonly [plural: RegExp, singular: string]> = [
  [/(?:ss|us|is)$/u, "$&"],
  [/([^aeiou])ies$/u, "$1y"],
  [/([ao]use)s$/u, "$1"],
  [/(ss|sh|ch|x|zz|tz|us)es$/u, "$1"],
  [/s$/u, ""],
];

const PLURAL_ENDINGS: ReadonlyArray<readonly [singular: RegExp, plural: string]> = [
  [/([^aeiou])y$/u, "$1ies"],
  [/sis$/u, "ses"],
  [/(?:s|sh|ch|x|z)$/u, "$&es"],
  [/$/u, "s"],
];

/**
 * Returns the singular and plural of a name, which differ in the end of its last word. A name that is already a plural is
 * that plural. The words are English: a last word with other letters or a digit has one form.
 */
export function inflect(words: readonly string[]): readonly [singular: readonly string[], plural: readonly string[]] {
  const name = words.at(-1) ?? "";
  const noun = /\p{Lu}{2,}s?$|\p{Lu}?[\p{Ll}\p{M}]*$/u.exec(name)?.[0] ?? "";
  const { singular, plural } = /^[A-Za-z]+$/u.test(noun) ? formsOf(noun) : { singular: noun, plural: noun };
  const before = words.slice(0, -1);
  const beginning = name.slice(0, name.length - noun.length);
  return [
    [...before, beginning + singular],
    [...before, beginning + plural],
  ];
}

function formsOf(noun: string): Inflected {
  if (/^[A-Z]{2}/u.test(noun)) return formsOfAbbreviation(noun);
  const word = noun.toLowerCase();
  const singular = singularOf(word);
  const plural = singular === word ? pluralOfNoun(word) : word;
  // No form changes the first letter.
  const first = noun.charAt(0);
  return { singular: first + singular.slice(1), plural: first + plural.slice(1) };
}

/** The final s of an abbreviation is small if it is an ending: `CPUs`, but `GPS`. */
function formsOfAbbreviation(noun: string): Inflected {
  if (noun.endsWith("s")) return { singular: noun.slice(0, -1), plural: noun };
  return { singular: noun, plural: noun.endsWith("S") ? noun : `${noun}s` };
}

/** Returns the singular of an English noun in lower case; a singular is returned unchanged. */
export function singularOf(word: string): string {
  if (UNCHANGED.has(word) || PLURALS.has(word) || word.length < 3) return word;
  const known = SINGULARS.get(word);
  if (known !== undefined) return known;
  const ending = compoundEnding(word, (noun) => SINGULARS.get(noun) ?? noun);
  return ending ?? replaced(word, SINGULAR_ENDINGS);
}

/** Returns the plural of an English noun in lower case. @param word a singular */
export function pluralOfNoun(word: string): string {
  if (UNCHANGED.has(word)) return word;
  return (
    PLURALS.get(word) ?? compoundEnding(word, (noun) => PLURALS.get(noun) ?? noun) ?? replaced(word, PLURAL_ENDINGS)
  );
}

function compoundEnding(word: string, inflected: (noun: string) => string): string | null {
  const ending = COMPOUND_ENDINGS.find((noun) => word.length > noun.length && word.endsWith(noun));
  return ending === undefined ? null : word.slice(0, -ending.length) + inflected(ending);
}

function replaced(word: string, endings: ReadonlyArray<readonly [from: RegExp, to: string]>): string {
  const rule = endings.find(([from]) => from.test(word));
  return rule === undefined ? word : word.replace(rule[0], rule[1]);
}

function pair(row: string): readonly [string, string] {
  const [singular = "", plural = ""] = row.split(" ");
  return [singular, plural];
}
