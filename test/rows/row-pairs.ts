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

/** The tables of links, and what their columns refer to. */
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

/** A link as a text. */
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

/** One of a list, by chance. */
export function oneOf<T>(list: readonly [T, ...T[]], random: () => number): T {
  return list[Math.floor(random() * list.length)] ?? list[0];
}

/** The rows of the relations suite, with more books that are active: else hardly any is seen. */
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
  /** Makes a change unless the user would notice. */
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

/** What a user can learn; all else may differ. */
function signatureOf(user: UserName, data: Relations): string {
  const visible = visibleRows(user, data);
  const books = new Set(visible.books.map(({ id }) => id));
  // Chapters of a book that the user may change are his to show and hide.
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

/** Links of which an end is hidden, or missing, are dropped and added. */
function changeLinks(links: LinkName, { user, first, second, others, random }: LinkChange): void {
  const isShared = sharedLinks(user, first, links);
  const kept = toMutable(first)[links].filter((link) => isShared(link) || random() < 0.4);
  const taken = new Set(kept.map(textOf));
  const added = toMutable(others)[links].filter(
    (link) => !isShared(link) && !taken.has(textOf(link)) && random() < 0.7,
  );
  second[links] = [...kept, ...added];
}

/** Tells the links both ends of which a user sees. */
export function sharedLinks(user: UserName, data: Relations, links: LinkName): (link: Row) => boolean {
  const visible = visibleRows(user, data);
  const ends = LINKS[links].map(([set, fields]) => {
    const keys = new Set(visible[set].map((row) => keyTextOf(set, row)));
    return (link: Row): boolean => keys.has(JSON.stringify(fields.map((field) => String(link[field]))));
  });
  return (link) => ends.every((isVisible) => isVisible(link));
}

/** The rows that a user does not see removed, with the links that lead to them. */
export function withoutHidden(user: UserName, data: Relations): Relations {
  const remaining: MutableRelations = { ...toMutable(data) };
  for (const set of SETS) remaining[set] = [...visibleRows(user, data)[set]];
  for (const links of LINK_NAMES) remaining[links] = toMutable(data)[links].filter(sharedLinks(user, data, links));
  return toRelations(remaining);
}

/** The same rows, but for those of some sets. */
export function withoutSets(sets: readonly SetName[], data: Relations): Relations {
  const remaining = toMutable(data);
  for (const set of sets) remaining[set] = [];
  return toRelations(remaining);
}

/** A copy whose lists may be changed. */
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

/** A value as a text, whatever is in it. */
export function textOf(value: unknown): string {
  return JSON.stringify(value, (_name, each: unknown) => (typeof each === "bigint" ? `${String(each)}n` : each));
}
