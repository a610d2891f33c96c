/** Nouns whose plural no rule forms: singular and plural. The table may change with a major version only. */
export const IRREGULAR_NOUNS: readonly string[] = Object.freeze([
  // Nouns with irregular vowels and endings.
  "person people",
  "child children",
  "man men",
  "woman women",
  "foot feet",
  "tooth teeth",
  "mouse mice",
  "goose geese",
  "die dice",
  "criterion criteria",
  "phenomenon phenomena",
  "bacterium bacteria",
  "alumnus alumni",
  // f and ves.
  "half halves",
  "leaf leaves",
  "life lives",
  "knife knives",
  "wife wives",
  "shelf shelves",
  "wolf wolves",
  "thief thieves",
  "loaf loaves",
  "calf calves",
  "scarf scarves",
  // sis and ses, xis and xes.
  "analysis analyses",
  "crisis crises",
  "axis axes",
  "thesis theses",
  "hypothesis hypotheses",
  "parenthesis parentheses",
  "diagnosis diagnoses",
  "prognosis prognoses",
  "synopsis synopses",
  "emphasis emphases",
  "oasis oases",
  // One s.
  "gas gases",
  "lens lenses",
  "alias aliases",
  "bias biases",
  "atlas atlases",
  "canvas canvases",
  "iris irises",
  "yes yeses",
  // A vowel and uses.
  "use uses",
  "reuse reuses",
  "fuse fuses",
  "excuse excuses",
  "muse muses",
  "menu menus",
  "bureau bureaus",
  "plateau plateaus",
  "guru gurus",
  "emu emus",
  "cpu cpus",
  "gpu gpus",
  "sku skus",
  // i.
  "api apis",
  "kpi kpis",
  "poi pois",
  "uri uris",
  "ui uis",
  "gui guis",
  "wiki wikis",
  "taxi taxis",
  "emoji emojis",
  "ski skis",
  "kiwi kiwis",
  "bikini bikinis",
  // o and oes.
  "hero heroes",
  "potato potatoes",
  "tomato tomatoes",
  "echo echoes",
  "veto vetoes",
  "embargo embargoes",
  "torpedo torpedoes",
  // ch spoken as k, and che.
  "epoch epochs",
  "tech techs",
  "monarch monarchs",
  "stomach stomachs",
  "cache caches",
  "niche niches",
  "ache aches",
  "headache headaches",
  "avalanche avalanches",
  // ie.
  "movie movies",
  "cookie cookies",
  "calorie calories",
  "selfie selfies",
  "zombie zombies",
  "brownie brownies",
  "tie ties",
  "pie pies",
  "lie lies",
  // z.
  "quiz quizzes",
  "fez fezzes",
  // Abbreviations that end in y.
  "qry qrys",
]);

/** Other plurals of nouns. */
export const OTHER_PLURALS: readonly string[] = Object.freeze([
  "index indices",
  "matrix matrices",
  "vertex vertices",
  "appendix appendices",
  "schema schemata",
  "radius radii",
  "stimulus stimuli",
  "nucleus nuclei",
  "syllabus syllabi",
  "quiz quizes",
  "person persons",
  "ox oxen",
  "cargo cargoes",
  "mosquito mosquitoes",
  "motto mottoes",
  "tornado tornadoes",
  "volcano volcanoes",
  "zero zeroes",
  "cactus cacti",
  "fungus fungi",
  "corpus corpora",
  "formula formulae",
  "antenna antennae",
]);

/** Words that are their own plural, and abbreviations that end in s. */
export const UNCHANGED_NOUNS: readonly string[] = Object.freeze([
  "aircraft analytics barracks chassis clothes corps crossroads data deer economics electronics equipment evidence",
  "feedback fish furniture goods headquarters homework information jeans knowledge logistics luggage mathematics",
  "means media money news pants personnel physics politics research scissors series sheep species staff",
  "statistics traffic",
  "aws cms css dns ems fps gis gps https ios mms nfs os pos rss sms tls vps",
]);

/** Nouns, in both numbers, that also end compounds, such as `salespeople`, `metadata` and `middleware`. */
const COMPOUND_ENDINGS: readonly string[] = Object.freeze([
  "person",
  "people",
  "child",
  "children",
  "data",
  "series",
  "ware",
]);

/** A name in both numbers. */
interface Inflected {
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
