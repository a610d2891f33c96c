import { complexType, edm, entityType, enumType, type EntityOf } from "odatakit";

/**
 * Six types with every kind of relation: to one and to many, over single, composite and ignored properties, to
 * themselves as a tree and as a graph, and through tables of links.
 */

export const Size = enumType("Size", { Small: 5, Large: 1 });

export const Place = complexType("Place", { city: edm.string().nullable(), zip: edm.int32() });

export const Publisher = entityType("Publisher", {
  country: edm.string().key(),
  number: edm.int32().key(),
  name: edm.string().nullable(),
  founded: edm.date().nullable(),
  size: edm.enum(Size).nullable(),
});

export const Author = entityType("Author", {
  id: edm.int32().key(),
  name: edm.string().nullable(),
  rating: edm.decimal().nullable(),
  born: edm.dateTimeOffset({ precision: 3 }).nullable(),
  mentorId: edm.int32().nullable(),
  publisherCountry: edm.string().nullable().ignored(),
  publisherNumber: edm.int32().nullable().ignored(),
  home: edm.complex(Place).nullable(),
});

export const Book = entityType("Book", {
  id: edm.guid().key(),
  title: edm.string().nullable().json("Heading"),
  pages: edm.int16().nullable(),
  price: edm.decimal({ precision: 10, scale: 2 }).nullable(),
  active: edm.boolean(),
  authorId: edm.int32().nullable(),
  publisherCountry: edm.string().nullable(),
  publisherNumber: edm.int32().nullable(),
  words: edm.collection(edm.string()),
});

export const Chapter = entityType("Chapter", {
  bookId: edm.guid().key(),
  number: edm.int32().key(),
  title: edm.string(),
  ratio: edm.double().nullable(),
});

export const Note = entityType("Note", {
  id: edm.int64().key(),
  text: edm.string().nullable(),
  at: edm.dateTimeOffset({ precision: 3 }),
  bookId: edm.guid().nullable(),
  chapterNumber: edm.int32().nullable(),
  tagCode: edm.string().nullable().ignored(),
});

export const Tag = entityType("Tag", {
  code: edm.string().key(),
  label: edm.string().nullable(),
  weight: edm.int64().nullable(),
  parentCode: edm.string().nullable(),
});

export type Publisher = EntityOf<typeof Publisher>;
export type Author = EntityOf<typeof Author>;
export type Book = EntityOf<typeof Book>;
export type Chapter = EntityOf<typeof Chapter>;
export type Note = EntityOf<typeof Note>;
export type Tag = EntityOf<typeof Tag>;

/** All entities, and the links between them. */
export interface Relations {
  readonly publishers: readonly Publisher[];
  readonly authors: readonly Author[];
  readonly books: readonly Book[];
  readonly chapters: readonly Chapter[];
  readonly notes: readonly Note[];
  readonly tags: readonly Tag[];
  readonly authorTags: ReadonlyArray<{ readonly author: number; readonly tag: string }>;
  readonly bookTags: ReadonlyArray<{ readonly book: string; readonly tag: string }>;
  readonly friends: ReadonlyArray<{ readonly author: number; readonly friend: number }>;
  readonly publisherTags: ReadonlyArray<{ readonly country: string; readonly number: number; readonly tag: string }>;
}

/** The properties that `$search` reads, by set. */
export const SEARCHED = {
  authors: ["name"],
  books: ["title"],
  tags: ["code", "label"],
} as const;
