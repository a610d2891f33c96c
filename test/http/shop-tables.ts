import {
  arraySource,
  complexType,
  edm,
  entitySet,
  entityType,
  enumType,
  hasMany,
  hasOptional,
  odataService,
  type SearchExpression,
} from "odatakit";
import { recordingLogger } from "./model.ts";
import { type Entity, RowDatabase, RowTable } from "./row-tables.ts";

const Genre = enumType("Genre", { Novel: 0, Poem: 1 });
const Place = complexType("Place", { city: edm.string(), floor: edm.int32().nullable() });
export const Author = entityType("Author", {
  id: edm.int32().key(),
  name: edm.string(),
  mentorId: edm.int32().nullable(),
  born: edm.date().nullable(),
});
export const Book = entityType("Book", {
  id: edm.int64().key(),
  title: edm.string(),
  price: edm.decimal().nullable(),
  genre: edm.enum(Genre),
  authorId: edm.int32().nullable(),
  words: edm.collection(edm.string()),
  shelfCode: edm.string().nullable().ignored(),
});
export const Shelf = entityType("Shelf", {
  code: edm.string().key(),
  place: edm.complex(Place).nullable(),
  cover: edm.binary().nullable(),
  ownerName: edm.string().nullable(),
});
export const Note = entityType("Note", {
  bookId: edm.int64().key(),
  number: edm.int32().key(),
  text: edm.string(),
});

export const AUTHORS = [
  { id: 1, name: "Ada", mentorId: null, born: "1815-12-10" },
  { id: 2, name: "Ben", mentorId: 1, born: null },
  { id: 3, name: "Cai", mentorId: 2, born: "1999-01-01" },
  { id: 4, name: "Dee", mentorId: 9, born: null },
  { id: 5, name: "Eve", mentorId: 1, born: "2001-02-03" },
] as const;
export const BOOKS = [
  { id: 10n, title: "Alpha", price: "9.50", genre: "Novel", authorId: 1, words: ["a", "b"], shelfCode: "A/1" },
  { id: 11n, title: "beta", price: null, genre: "Poem", authorId: 1, words: [], shelfCode: "A/1" },
  { id: 12n, title: "Gamma", price: "20.0", genre: "Novel", authorId: 1, words: ["c"], shelfCode: null },
  { id: 20n, title: "Delta", price: "0.99", genre: "Novel", authorId: 2, words: [], shelfCode: "B'2" },
  { id: 21n, title: "Epsilon", price: "5", genre: "Poem", authorId: 2, words: [], shelfCode: "gone" },
  { id: 30n, title: "Omega", price: "7", genre: "Poem", authorId: null, words: ["d"], shelfCode: "B'2" },
] as const;
export const SHELVES = [
  { code: "A/1", place: { city: "Åbo", floor: null }, cover: Uint8Array.of(1, 2, 255), ownerName: "Ada" },
  { code: "B'2", place: null, cover: null, ownerName: null },
] as const;
export const NOTES = [
  { bookId: 10n, number: 1, text: "first" },
  { bookId: 10n, number: 2, text: "second" },
  { bookId: 20n, number: 1, text: "other" },
] as const;

/** Where sets are and how they are read. */
export interface ShopOptions {
  /** `tables`: rows, related by joins. `handlers`: objects, related by batch handlers. */
  readonly by: "tables" | "handlers";
  readonly later?: boolean;
  readonly defaults?: Parameters<typeof odataService>[0]["defaults"];
  readonly authors?: object;
  readonly books?: object;
  readonly shelves?: object;
  /** Options of single navigations, by name. */
  readonly navigation?: Readonly<Record<string, object>>;
}

/** A shop of books, over arrays that pass for tables or over handlers: both answer alike. */
export function shop({ by, later = false, defaults = {}, authors, books, shelves, navigation = {} }: ShopOptions) {
  const database = new RowDatabase();
  database.isLater = later;
  const tables = {
    authors: new RowTable(database, "authors", ["id"], AUTHORS),
    books: new RowTable(database, "books", ["id"], BOOKS),
    shelves: new RowTable(database, "shelves", ["code"], SHELVES),
    notes: new RowTable(database, "notes", ["bookId", "number"], NOTES),
  };
  const logger = recordingLogger();
  const service = odataService({
    prefix: "/s",
    defaults,
    logger,
    entitySets: [
      entitySet(Author, {
        ...readsOf(by, Author, tables.authors),
        etag: ["name", "mentorId"],
        ...authors,
        navigation: {
          books: hasMany(Book, relation(by, "Books", ["id"], tables.books, ["authorId"], navigation["books"])),
          mentor: hasOptional(
            Author,
            relation(by, "Authors", ["mentorId"], tables.authors, ["id"], navigation["mentor"], tables.authors),
          ),
          pupils: hasMany(Author, relation(by, "Authors", ["id"], tables.authors, ["mentorId"], navigation["pupils"])),
          shelf: hasOptional(
            Shelf,
            relation(by, "Shelves", ["name"], tables.shelves, ["ownerName"], navigation["shelf"], tables.authors),
          ),
        },
      }),
      entitySet(Book, {
        ...readsOf(by, Book, tables.books),
        search: ({ expression }) =>
          tables.books.matching((book) => isFound(expression, String(book["title"]))) as never,
        ...books,
        navigation: {
          author: hasOptional(
            Author,
            relation(by, "Authors", ["authorId"], tables.authors, ["id"], navigation["author"], tables.books),
          ),
          notes: hasMany(Note, relation(by, "Notes", ["id"], tables.notes, ["bookId"], navigation["notes"])),
          shelf: hasOptional(
            Shelf,
            relation(by, "Shelves", ["shelfCode"], tables.shelves, ["code"], navigation["bookShelf"], tables.books),
          ),
        },
      }),
      entitySet(Shelf, {
        ...readsOf(by, Shelf, tables.shelves),
        name: "Shelves",
        ...shelves,
        navigation: {
          books: hasMany(Book, relation(by, "Books", ["code"], tables.books, ["shelfCode"], navigation["shelfBooks"])),
        },
      }),
      entitySet(Note, {
        ...readsOf(by, Note, tables.notes),
        etag: ["text"],
        navigation: {
          book: hasOptional(
            Book,
            relation(by, "Books", ["bookId"], tables.books, ["id"], navigation["book"], tables.notes),
          ),
        },
      }),
    ],
  });
  return { service, database, tables, logger };
}

function isFound(expression: SearchExpression, text: string): boolean {
  return expression.kind === "word" && text.toLowerCase().includes(expression.text.toLowerCase());
}

// The handlers of a set in either form: untyped, since one function makes them for every type.
// oxlint-disable-next-line typescript/no-explicit-any -- see above
type Any = any;

/** How a set is read. */
function readsOf(by: ShopOptions["by"], type: Any, table: RowTable): Any {
  const find = (key: unknown): unknown => table.find(key) ?? null;
  if (by === "handlers") return { queryable: () => arraySource(type, table.rows as Any), getByKey: find };
  return {
    queryable: Object.assign(() => table, { source: table }),
    getByKey: Object.assign(find, { readRow: (key: unknown, selected: Any) => table.readRow(key, selected) }),
  };
}

/**
 * A navigation in either form: pairs of `on`, or a batch handler that does the same.
 * @param parents where the parents are, for a join by what is not their key
 */
function relation(
  by: ShopOptions["by"],
  target: string,
  from: readonly string[],
  related: RowTable,
  to: readonly string[],
  more: object | undefined,
  parents?: RowTable,
): Any {
  const on = Object.fromEntries(from.map((field, index) => [field, to[index]]));
  if (by === "tables") return { target, on, ...more };
  const isSingle = parents !== undefined;
  const getBatch = (keys: readonly unknown[]): ReadonlyMap<unknown, unknown> =>
    new Map(
      keys.flatMap((key): ReadonlyArray<readonly [unknown, unknown]> => {
        const values = isSingle ? from.map((field) => parents.find(key)?.[field]) : [key];
        const found = related.rows.filter((row) =>
          to.every((field, index) => row[field] !== null && row[field] === values[index]),
        );
        if (isSingle) return found[0] === undefined ? [] : [[key, found[0]]];
        return [[key, found]];
      }),
    );
  return { target, getBatch, ...more };
}

export type { Entity };
