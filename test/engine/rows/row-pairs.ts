import type { Relations } from "../executors/relations-model.ts";
import { IDS, relationRows } from "../executors/relations-rows.ts";
import {
  askedByPaths,
  KEY_FIELDS,
  keyTextOf,
  SETS,
  visibleRows,
  type Row,
  type SetName,
  type UserName,
} from "./row-rules.ts";

/** The tables of links, and the tables that their columns refer to. */
export const LINKS = {
  authorTags: [
    ["authors", ["author"]],
    ["tags", ["tag"]],
  ],
  bookTags: [
    ["books", ["book"]],
    ["tags", ["tag"]],
  ],
  friends: [
    ["authors", ["author"]],
    ["authors", ["friend"]],
  ],
  publisherTags: [
    ["publishers", ["country", "number"]],
    ["tags", ["tag"]],
  ],
} as const satisfies Readonly<Record<string, ReadonlyArray<readonly [set: SetName, fields: readonly string[]]>>>;
export type LinkName = keyof typeof LINKS;
export const LINK_NAMES = Object.keys(LINKS) as readonly LinkName[];

/** Returns a link as a string. */
export function linkTextOf(links: LinkName, link: Row): string {
  return JSON.stringify(LINKS[links].flatMap(([, fields]) => fields.map((field) => String(link[field]))));
}

/** Two databases that a user cannot tell apart. */
export interface DatabasePair {
  readonly user: UserName;
  readonly first: Relations;
  readonly second: Relations;
}

type MutableRelations = Record<SetName | LinkName, Row[]>;

/** Numbers from 0 to 1, the same for a seed. */
export function randomNumbers(seed: number): () => number {
  let state = (seed * 2_654_435_761 + 40_503) >>> 0;
  return () => {
    state = (state + 0x6d_2b_79_f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Returns a random item of a list. */
export function oneOf<T>(list: readonly [T, ...T[]], random: () => number): T {
  return list[Math.floor(random() * list.length)] ?? list[0];
}

/** The rows of the relations suite, with more active books, because few rows would be visible otherwise. */
export function rowsOf(seed: number): Relations {
  const data = relationRows(seed);
  return { ...data, books: data.books.map((book, index) => (index % 3 === 0 ? book : { ...book, active: true })) };
}

/**
 * Makes two databases that share the rows which a user sees, and differ in the others: those are absent, added, or have
 * other values and links.
 */
export function databasePair(user: UserName, seed: number): DatabasePair {
  const first = rowsOf(seed * 2);
  const others = rowsOf(seed * 2 + 1);
  const random = randomNumbers(seed);
  const second = toMutable(first);
  const known = signatureOf(user, first);
  /** Makes a change unless the user would notice it. */
  const attempt = (set: SetName, changed: Row[]): void => {
    const before = second[set];
    second[set] = changed;
    if (signatureOf(user, toRelations(second)) !== known) second[set] = before;
  };
  for (const set of SETS) {
    const candidates = toMutable(others)[set];
    for (const row of toMutable(first)[set]) {
      const isSame = sameKey(set, row);
      if (random() < 0.4) {
        attempt(
          set,
          second[set].filter((each) => !isSame(each)),
        );
        continue;
      }
      const replacement = { ...row, ...candidates[Math.floor(random() * candidates.length)], ...keyOf(set, row) };
      attempt(
        set,
        second[set].map((each) => (isSame(each) ? replacement : each)),
      );
    }
    for (const row of candidates) {
      if (second[set].some(sameKey(set, row)) || random() < 0.2) continue;
      attempt(set, [...second[set], row]);
    }
  }
  for (const links of LINK_NAMES) changeLinks(links, { user, first, second, others, random });
  return { user, first, second: toRelations(second) };
}

/** A property whose `read` rule every user fails, or whose values are masked. No row rule, key, join, ETag or search uses it. */
export interface PrivateProperty {
  readonly set: SetName;
  readonly field: string;
  /** The members of stored rows with its value. */
  readonly columns: readonly string[];
  /** Whether a virtual property masks its values; absent: a rule hides it. */
  readonly isMasked?: boolean;
}

export const PRIVATE: readonly [PrivateProperty, ...PrivateProperty[]] = [
  { set: "books", field: "pages", columns: ["pages"] },
  { set: "authors", field: "home", columns: ["home", "home_city", "home_zip"] },
  { set: "tags", field: "weight", columns: ["weight"] },
  { set: "chapters", field: "ratio", columns: ["ratio"] },
  { set: "publishers", field: "size", columns: ["size"] },
  { set: "books", field: "words", columns: ["words"] },
];

/** Gives all rows of the second database other values of a property. */
export function withPrivateValues(pair: DatabasePair, { set, field }: PrivateProperty, seed: number): DatabasePair {
  const random = randomNumbers(seed);
  const second = toMutable(pair.second);
  const values = toMutable(rowsOf(seed * 2 + 1))[set].map((row) => row[field]);
  second[set] = second[set].map((row) => ({
    ...row,
    [field]: values[Math.floor(random() * values.length)] ?? row[field],
  }));
  return { ...pair, second: toRelations(second) };
}

/** Everything that a user can learn; the databases may differ in anything else. */
function signatureOf(user: UserName, data: Relations): string {
  const visible = visibleRows(user, data);
  const books = new Set(visible.books.map(({ id }) => id));
  // A user who may change a book may show and hide its chapters.
  const chapters = data.chapters.filter(({ bookId }) => books.has(bookId));
  return textOf([
    SETS.map((set) => [...visible[set]].map(textOf).toSorted()),
    chapters.map(textOf).toSorted(),
    askedByPaths(user, data, IDS),
  ]);
}

interface LinkChange {
  readonly user: UserName;
  readonly first: Relations;
  readonly second: MutableRelations;
  readonly others: Relations;
  readonly random: () => number;
}

/** Drops and adds links with a hidden or missing end. */
function changeLinks(links: LinkName, { user, first, second, others, random }: LinkChange): void {
  const isShared = sharedLinks(user, first, links);
  const kept = toMutable(first)[links].filter((link) => isShared(link) || random() < 0.4);
  const taken = new Set(kept.map(textOf));
  const added = toMutable(others)[links].filter(
    (link) => !isShared(link) && !taken.has(textOf(link)) && random() < 0.7,
  );
  second[links] = [...kept, ...added];
}

/** Whether a user sees both ends of a link. */
export function sharedLinks(user: UserName, data: Relations, links: LinkName): (link: Row) => boolean {
  const visible = visibleRows(user, data);
  const ends = LINKS[links].map(([set, fields]) => {
    const keys = new Set(visible[set].map((row) => keyTextOf(set, row)));
    return (link: Row): boolean => keys.has(JSON.stringify(fields.map((field) => String(link[field]))));
  });
  return (link) => ends.every((isVisible) => isVisible(link));
}

/** Removes the rows that a user does not see, with the links to them. */
export function withoutHidden(user: UserName, data: Relations): Relations {
  const remaining: MutableRelations = { ...toMutable(data) };
  for (const set of SETS) remaining[set] = [...visibleRows(user, data)[set]];
  for (const links of LINK_NAMES) remaining[links] = toMutable(data)[links].filter(sharedLinks(user, data, links));
  return toRelations(remaining);
}

/** Returns the same rows without those of some sets. */
export function withoutSets(sets: readonly SetName[], data: Relations): Relations {
  const remaining = toMutable(data);
  for (const set of sets) remaining[set] = [];
  return toRelations(remaining);
}

/** Returns a copy whose lists can be changed. */
export function toMutable(data: Relations): MutableRelations {
  const { publishers, authors, books, chapters, notes, tags, authorTags, bookTags, friends, publisherTags } = data;
  const copy = (rows: readonly object[]): Row[] => rows.map((row) => ({ ...row }));
  return {
    publishers: copy(publishers),
    authors: copy(authors),
    books: copy(books),
    chapters: copy(chapters),
    notes: copy(notes),
    tags: copy(tags),
    authorTags: copy(authorTags),
    bookTags: copy(bookTags),
    friends: copy(friends),
    publisherTags: copy(publisherTags),
  };
}

/** The same lists as the model types them. */
export function toRelations(lists: Readonly<Record<SetName | LinkName, readonly Row[]>>): Relations {
  return lists as unknown as Relations;
}

function keyOf(set: SetName, row: Row): Row {
  return Object.fromEntries(KEY_FIELDS[set].map((field) => [field, row[field]]));
}

function sameKey(set: SetName, row: Row): (other: Row) => boolean {
  const key = keyTextOf(set, row);
  return (other) => keyTextOf(set, other) === key;
}

/** Returns any value as a string. */
export function textOf(value: unknown): string {
  return JSON.stringify(value, (_name, each: unknown) => (typeof each === "bigint" ? `${String(each)}n` : each));
}
