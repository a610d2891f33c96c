import { allRows, noRows, type Principal, type RowPredicate } from "odatakit";
import type { Author, Book, Chapter, Note, Publisher, Relations } from "../executors/relations-model.ts";

/**
 * Who sees which rows of the relations model: as the rules of the service, and again as an independent small oracle that
 * does not use the framework.
 */

/** The sets of the model by the names of their rows; publishers and chapters have composite keys. */
export const SETS = ["publishers", "authors", "books", "chapters", "notes", "tags"] as const;
export type SetName = (typeof SETS)[number];

/** Any row, by the application's keys. */
export type Row = Readonly<Record<string, unknown>>;

export const KEY_FIELDS: Readonly<Record<SetName, readonly string[]>> = {
  publishers: ["country", "number"],
  authors: ["id"],
  books: ["id"],
  chapters: ["bookId", "number"],
  notes: ["id"],
  tags: ["code"],
};

export const USERS = ["admin", "alice", "bob", "nobody", "anonymous"] as const;
export type UserName = (typeof USERS)[number];

/** The claims of a user who sees neither everything nor nothing. */
interface Claims {
  readonly countries: readonly string[];
  readonly since: string;
  readonly codes: readonly string[];
  readonly authors: readonly number[];
}

const CLAIMS: Readonly<Record<string, Claims>> = {
  alice: { countries: ["DE", "FR "], since: "1999-12-31", codes: ["x", "ä", "it's"], authors: [1, 2, 4, 7] },
  bob: { countries: ["de"], since: "2010-01-01", codes: ["X", "%"], authors: [0, 1, 2, 3, 5, 6] },
};

/** A user with claims of any length: one of many, for whom no expectation is computed. */
export type NumberedUser = `user${number}`;

function claimsOf(id: string): Claims | undefined {
  const number = /^user(\d+)$/.exec(id)?.[1];
  if (number === undefined) return CLAIMS[id];
  const some = <T>(list: readonly T[], step: number): readonly T[] => {
    const start = Math.floor(Number(number) / step) % list.length;
    return list.slice(start, start + (Number(number) % (list.length + 1)));
  };
  return {
    countries: some(["DE", "FR ", "de", "IT"], 1),
    since: `${String(1950 + Number(number))}-01-01`,
    codes: some(["x", "ä", "it's", "X", "%"], 2),
    authors: some([0, 1, 2, 3, 4, 5, 6, 7], 3),
  };
}

const LOW_PRICE = "5.00";
const GOOD_RATING = "1.5";
const BIRTH = "2024-01-01T00:00:00.000Z";
const RECENT = "2000-01-01T00:00:00.500Z";

/** The user of a request, as `authenticate` returns it. */
export function userNamed(name: string | null, roles: readonly string[] = []): Principal | null {
  if (name === null || name === "anonymous") return null;
  return { id: name, roles: name === "admin" ? ["admin", ...roles] : roles };
}

/** A property of a row in a rule. */
interface Operand {
  eq(value: unknown): RowPredicate;
  gt(value: unknown): RowPredicate;
  ge(value: unknown): RowPredicate;
  lt(value: unknown): RowPredicate;
  le(value: unknown): RowPredicate;
  in(values: readonly unknown[]): RowPredicate;
  isNull(): RowPredicate;
  startsWith(text: string): RowPredicate;
}

type Rule<F extends string, N = unknown> = (user: Principal, row: Readonly<Record<F, Operand>> & N) => RowPredicate;

/** The rule of a set: an administrator sees everything, a user without claims nothing. */
function byClaims<F extends string, N>(
  rule: (claims: Claims, row: Readonly<Record<F, Operand>> & N, user: Principal) => RowPredicate,
): Rule<F, N> {
  return (user, row) => {
    if (user.roles?.includes("admin") === true) return allRows;
    const claims = claimsOf(user.id ?? "");
    return claims === undefined ? noRows : rule(claims, row, user);
  };
}

interface ThroughBook {
  readonly book: Readonly<Record<"active", Operand>> & { readonly author: Readonly<Record<"id", Operand>> };
}

/** The `rows` of each set; tags have none. */
export const ROW_RULES = {
  publishers: byClaims<"founded" | "name", unknown>(({ since }, publisher) =>
    publisher.founded.gt(since).or(publisher.founded.isNull().and(publisher.name.startsWith("A").not())),
  ),
  // The country is a property that no request or response contains.
  authors: byClaims<"publisherCountry" | "rating" | "born", unknown>(({ countries }, author) =>
    author.publisherCountry.in(countries).or(author.rating.ge(GOOD_RATING).and(author.born.lt(BIRTH))),
  ),
  books: byClaims<"active" | "price" | "title" | "authorId", unknown>(({ authors }, book, user) =>
    user.id === "bob"
      ? book.authorId.in(authors).and(book.active.eq(true))
      : book.active.eq(true).and(book.price.le(LOW_PRICE).or(book.title.isNull()).or(book.authorId.in(authors))),
  ),
  // Paths of a rule see all rows: a chapter may exist without its book.
  chapters: byClaims<never, ThroughBook>(({ authors }, { book }, user) =>
    user.id === "bob" ? book.author.id.in(authors) : book.active.eq(true),
  ),
  notes: byClaims<"tagCode" | "at", unknown>(({ codes }, note) =>
    note.tagCode.in(codes).or(note.tagCode.isNull().and(note.at.ge(RECENT))),
  ),
} as const;

/** Returns the key of a row as a string. */
export function keyTextOf(set: SetName, row: object): string {
  return JSON.stringify(KEY_FIELDS[set].map((field) => String(Reflect.get(row, field))));
}

/** The oracle's knowledge of a user. */
interface Oracle {
  readonly publisher: (row: Publisher) => boolean;
  readonly author: (row: Author) => boolean;
  readonly book: (row: Book) => boolean;
  /** The condition of the chapters' rule on their book. */
  readonly bookOfChapter: (book: Book | undefined, data: Relations) => boolean;
  readonly note: (row: Note) => boolean;
}

function oracleOf(user: UserName): Oracle | boolean {
  const claims = CLAIMS[user];
  if (claims === undefined) return user === "admin";
  const { countries, since, codes, authors } = claims;
  const isOf = (author: number | null): boolean => author !== null && authors.includes(author);
  const common = {
    publisher: ({ founded, name }: Publisher) =>
      founded === null ? name !== null && !name.startsWith("A") : founded > since,
    author: ({ publisherCountry, rating, born }: Author) =>
      (publisherCountry !== null && countries.includes(publisherCountry)) ||
      (rating !== null &&
        Number(rating) >= Number(GOOD_RATING) &&
        born !== null &&
        Date.parse(born) < Date.parse(BIRTH)),
    note: ({ tagCode, at }: Note) =>
      tagCode === null ? Date.parse(at) >= Date.parse(RECENT) : codes.includes(tagCode),
  };
  if (user === "bob") {
    return {
      ...common,
      book: ({ authorId, active }) => active && isOf(authorId),
      bookOfChapter: (book, data) =>
        book !== undefined && isOf(book.authorId) && data.authors.some(({ id }) => id === book.authorId),
    };
  }
  return {
    ...common,
    book: ({ active, price, title, authorId }) =>
      active && ((price !== null && Number(price) <= Number(LOW_PRICE)) || title === null || isOf(authorId)),
    bookOfChapter: (book) => book?.active === true,
  };
}

/** The rows of each set that a user sees. */
export type VisibleRows = Readonly<Record<SetName, readonly Row[]>>;

/** Finds the rows that a user sees, without the framework. */
export function visibleRows(user: UserName, data: Relations): VisibleRows {
  const oracle = oracleOf(user);
  const { publishers, authors, books, chapters, notes, tags } = data;
  if (oracle === true) return { publishers, authors, books, chapters, notes, tags };
  if (oracle === false) return { publishers: [], authors: [], books: [], chapters: [], notes: [], tags };
  return {
    publishers: publishers.filter(oracle.publisher),
    authors: authors.filter(oracle.author),
    books: books.filter(oracle.book),
    chapters: chapters.filter((chapter) => oracle.bookOfChapter(bookOf(chapter, data), data)),
    notes: notes.filter(oracle.note),
    tags,
  };
}

function bookOf({ bookId }: Chapter, { books }: Relations): Book | undefined {
  return books.find(({ id }) => id === bookId);
}

/**
 * The properties that rules read in rows that may be hidden themselves: such rows may differ in all other properties. A
 * user who writes a row that depends on them learns them, as the rule intends.
 */
export function askedByPaths(user: UserName, data: Relations, bookIds: readonly string[]): readonly boolean[] {
  const oracle = oracleOf(user);
  if (typeof oracle === "boolean") return [];
  const ofBooks = bookIds.map((id) =>
    oracle.bookOfChapter(
      data.books.find((book) => book.id === id),
      data,
    ),
  );
  // A written book may name any author.
  const authors = CLAIMS[user]?.authors ?? [];
  return [...ofBooks, ...authors.map((author) => data.authors.some(({ id }) => id === author))];
}
