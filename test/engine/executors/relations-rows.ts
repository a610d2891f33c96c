import fc from "fast-check";
import type { Relations } from "./relations-model.ts";

/** Strings that show whether something is treated as a pattern, folded, trimmed or padded. */
export const NAMES: readonly string[] = [
  "Ada",
  "ada",
  "Ada ",
  "a",
  "",
  "%",
  "_d_",
  "100%",
  "it's",
  '"quoted" name',
  "Ünïcödé",
  "ünïcödé",
  "São Paulo",
  "back\\slash",
  "semi;colon,comma",
  "\u{1F600}",
];

/** String keys: keys that differ only in case or trailing blanks are different keys. */
export const CODES: readonly string[] = ["x", "X", "x ", "ä", "a/b", "it's", "%", "&="];
export const COUNTRIES: readonly string[] = ["DE", "de", "FR "];
export const IDS: readonly string[] = [
  "00000000-0000-0000-0000-000000000001",
  "00000000-0000-0000-0000-0000000000ff",
  "01234567-89ab-cdef-0123-456789abcdef",
  "abcdef01-0000-0000-0000-000000000001",
  "abcdef01-0000-0000-0000-000000000002",
  "ffffffff-ffff-ffff-ffff-ffffffffffff",
];
export const NOTE_IDS: readonly bigint[] = [1n, 2n, 3n, -1n, 2n ** 53n + 1n, 2n ** 53n, 2n ** 63n - 1n, 40n, 41n, 42n];
/** Without trailing zeros, which MariaDB does not store. */
export const RATINGS: readonly string[] = ["0", "1", "1.5", "1.1", "-2.5", "99999999999999999999.5"];
export const PRICES: readonly string[] = ["0.00", "1.10", "1.10", "9.99", "-0.05", "12345678.90"];
export const INSTANTS: readonly string[] = [
  "2024-02-29T12:00:00.000Z",
  "2024-02-29T23:59:59.999Z",
  "1969-12-31T23:59:59.001Z",
  "2000-01-01T00:00:00.500Z",
];
export const DATES: readonly string[] = ["2024-02-29", "2000-01-01", "1969-12-31"];
export const WEIGHTS: readonly bigint[] = [0n, 1n, -1n, 2n ** 53n + 1n];
export const RATIOS: readonly number[] = [0, 0.5, -1.5, 2.5];

const from = <T>(values: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...values);
const orNull = <T>(values: readonly T[]): fc.Arbitrary<T | null> =>
  fc.oneof({ weight: 4, arbitrary: from(values) }, { weight: 1, arbitrary: fc.constant(null) });
const integers = (most: number): readonly number[] => Array.from({ length: most }, (_none, index) => index);

/** Rows with distinct keys, up to a number. */
function keyed<T>(row: fc.Arbitrary<T>, keyOf: (row: T) => unknown, maxLength: number): fc.Arbitrary<T[]> {
  return fc.uniqueArray(row, {
    minLength: maxLength >> 1,
    maxLength,
    selector: (each) => JSON.stringify(keyOf(each), plain),
  });
}

function plain(_name: string, value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value;
}

const publisher = fc.record({
  country: from(COUNTRIES),
  number: from([1, 2]),
  name: orNull(NAMES),
  founded: orNull(DATES),
  size: orNull(["Small", "Large"] as const),
});
const author = fc.record({
  id: from(integers(9)),
  name: orNull(NAMES),
  rating: orNull(RATINGS),
  born: orNull(INSTANTS),
  // Some values are not existing ids, so they refer to nothing.
  mentorId: orNull(integers(11)),
  publisherCountry: orNull(COUNTRIES),
  publisherNumber: orNull([1, 2, 3]),
  home: fc.option(fc.record({ city: orNull(NAMES), zip: from([0, 1, 2]) })),
});
const book = fc.record({
  id: from(IDS),
  title: orNull(NAMES),
  pages: orNull([0, 1, 300]),
  price: orNull(PRICES),
  active: fc.boolean(),
  authorId: orNull(integers(10)),
  publisherCountry: orNull(COUNTRIES),
  publisherNumber: orNull([1, 2]),
  words: fc.array(from(NAMES), { maxLength: 3 }),
});
const chapter = fc.record({
  bookId: from(IDS),
  number: from(integers(4)),
  title: from(NAMES),
  ratio: orNull(RATIOS),
});
const note = fc.record({
  id: from(NOTE_IDS),
  text: orNull(NAMES),
  at: from(INSTANTS),
  bookId: orNull(IDS),
  chapterNumber: orNull(integers(4)),
  tagCode: orNull(CODES),
});
const tag = fc.record({
  code: from(CODES),
  label: orNull(NAMES),
  weight: orNull(WEIGHTS),
  parentCode: orNull(CODES),
});
const all = <T>(row: fc.Arbitrary<T>, maxLength: number): fc.Arbitrary<T[]> => keyed(row, (each) => each, maxLength);

const relations: fc.Arbitrary<Relations> = fc.record({
  publishers: keyed(publisher, ({ country, number }) => [country, number], 5),
  authors: keyed(author, ({ id }) => id, 8),
  books: keyed(book, ({ id }) => id, 6),
  chapters: keyed(chapter, ({ bookId, number }) => [bookId, number], 14),
  notes: keyed(note, ({ id }) => id, 10),
  tags: keyed(tag, ({ code }) => code, 7),
  authorTags: all(fc.record({ author: from(integers(10)), tag: from(CODES) }), 16),
  bookTags: all(fc.record({ book: from(IDS), tag: from(CODES) }), 14),
  friends: all(fc.record({ author: from(integers(9)), friend: from(integers(9)) }), 14),
  publisherTags: all(fc.record({ country: from(COUNTRIES), number: from([1, 2]), tag: from(CODES) }), 8),
});

/** Entities and links made from edge values, the same for a seed. */
export function relationRows(seed: number): Relations {
  const [made] = fc.sample(relations, { numRuns: 1, seed });
  if (made === undefined) throw new Error("Nothing was generated.");
  return made;
}
