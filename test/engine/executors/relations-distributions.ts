import type { Placements, TablePlacement } from "../../databases/distributed/table-placement.ts";

/** How the sets of the model declare that their tables are distributed, and the placements for the checker of statements. */
export interface Layout {
  readonly publishers: LayoutOption<"country" | "number">;
  readonly authors: LayoutOption<"id" | "publisherCountry">;
  readonly books: LayoutOption<"id" | "authorId">;
  readonly chapters: LayoutOption<"bookId">;
  readonly notes: LayoutOption<"id" | "bookId" | "tagCode">;
  readonly tags: LayoutOption<"code">;
  /** By table. */
  readonly links: Readonly<Record<string, "reference" | { readonly by: string; readonly with?: string }>>;
  readonly placements: Placements;
}

type LayoutOption<Field extends string> = boolean | "reference" | { readonly by: Field; readonly with?: string };

/** Books with all that belongs to them; few publishers and tags. */
export const BY_BOOK: Layout = {
  publishers: "reference",
  authors: { by: "id" },
  books: { by: "id" },
  chapters: { by: "bookId", with: "books" },
  notes: { by: "bookId", with: "chapters" },
  tags: "reference",
  links: {
    author_tags: { by: "author", with: "authors" },
    book_tags: { by: "book", with: "chapters" },
    friends: { by: "author", with: "authors" },
    publisher_tags: "reference",
  },
  placements: new Map<string, TablePlacement>([
    ["publishers", "reference"],
    ["authors", { column: "id", group: "authors" }],
    ["books", { column: "id", group: "books" }],
    ["chapters", { column: "bookId", group: "books" }],
    ["notes", { column: "bookId", group: "books" }],
    ["tags", "reference"],
    ["author_tags", { column: "author", group: "authors" }],
    ["book_tags", { column: "book", group: "books" }],
    ["friends", { column: "author", group: "authors" }],
    ["publisher_tags", "reference"],
  ]),
};

/** Columns of texts, a part of a key, an ignored property, and a table whose distribution is unknown. */
const BY_TEXT: Layout = {
  publishers: { by: "country" },
  authors: { by: "publisherCountry", with: "publishers" },
  books: { by: "authorId" },
  chapters: true,
  notes: { by: "tagCode", with: "tags" },
  tags: { by: "code" },
  links: {
    author_tags: { by: "tag", with: "tags" },
    book_tags: "reference",
    publisher_tags: { by: "p_country", with: "publishers" },
  },
  placements: new Map<string, TablePlacement>([
    ["publishers", { column: "country", group: "publishers" }],
    ["authors", { column: "publisherCountry", group: "publishers" }],
    ["books", { column: "authorId", group: "books" }],
    ["notes", { column: "tagCode", group: "tags" }],
    ["tags", { column: "code", group: "tags" }],
    ["author_tags", { column: "tag", group: "tags" }],
    ["book_tags", "reference"],
    ["publisher_tags", { column: "p_country", group: "publishers" }],
  ]),
};

export const LAYOUTS: ReadonlyArray<readonly [name: string, layout: Layout]> = [
  ["by book", BY_BOOK],
  ["by text", BY_TEXT],
];
