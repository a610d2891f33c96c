import {
  arraySource,
  complexType,
  edm,
  entitySet,
  entityType,
  enumType,
  hasMany,
  hasOptional,
  hasRequired,
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

export const Tag = entityType("Tag", { code: edm.string().key(), weight: edm.int32() });

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

export const TAGS = [
  { code: "dark", weight: 3 },
  { code: "long", weight: 1 },
  { code: "old", weight: 2 },
] as const;
/** The rows of a table of links, by its columns. */
export const BOOK_TAGS = [
  { book_id: 10n, tag: "old" },
  { book_id: 10n, tag: "dark" },
  { book_id: 20n, tag: "dark" },
  { book_id: 20n, tag: "gone" },
  { book_id: 99n, tag: "long" },
] as const;

/** Where sets are and how they are read. */
export interface ShopOptions {
  /** `tables`: rows, related by joins. `handlers`: objects, related by batch handlers. */
  readonly by: "tables" | "handlers";
  readonly later?: boolean;
  /** Whether books have tags, by a table of links. */
  readonly links?: boolean;
  readonly defaults?: Parameters<typeof odataService>[0]["defaults"];
  readonly authors?: object;
  readonly books?: object;
  readonly shelves?: object;
  /** Options of single navigations, by name. */
  readonly navigation?: Readonly<Record<string, object>>;
}

/** A shop of books, over arrays that imitate tables or over handlers, with the same responses. */
export function shop({
  by,
  later = false,
  links = false,
  defaults = {},
  authors,
  books,
  shelves,
  navigation = {},
}: ShopOptions) {
  const database = new RowDatabase();
  database.isLater = later;
  database.links.set("book_tags", BOOK_TAGS);
  const tables = {
    authors: new RowTable(database, "authors", ["id"], AUTHORS),
    books: new RowTable(database, "books", ["id"], BOOKS),
    shelves: new RowTable(database, "shelves", ["code"], SHELVES),
    notes: new RowTable(database, "notes", ["bookId", "number"], NOTES),
    tags: new RowTable(database, "tags", ["code"], TAGS),
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
          books: hasMany(
            Book,
            relation(by, {
              target: "Books",
              from: "id",
              related: tables.books,
              to: "authorId",
              more: navigation["books"],
            }),
          ),
          mentor: hasOptional(
            Author,
            relation(by, {
              target: "Authors",
              from: "mentorId",
              related: tables.authors,
              to: "id",
              parents: tables.authors,
              more: navigation["mentor"],
            }),
          ),
          pupils: hasMany(
            Author,
            relation(by, {
              target: "Authors",
              from: "id",
              related: tables.authors,
              to: "mentorId",
              more: navigation["pupils"],
            }),
          ),
          shelf: hasOptional(
            Shelf,
            relation(by, {
              target: "Shelves",
              from: "name",
              related: tables.shelves,
              to: "ownerName",
              parents: tables.authors,
              more: navigation["shelf"],
            }),
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
            relation(by, {
              target: "Authors",
              from: "authorId",
              related: tables.authors,
              to: "id",
              parents: tables.books,
              more: navigation["author"],
            }),
          ),
          notes: hasMany(
            Note,
            relation(by, {
              target: "Notes",
              from: "id",
              related: tables.notes,
              to: "bookId",
              more: navigation["notes"],
            }),
          ),
          shelf: hasOptional(
            Shelf,
            relation(by, {
              target: "Shelves",
              from: "shelfCode",
              related: tables.shelves,
              to: "code",
              parents: tables.books,
              more: navigation["bookShelf"],
            }),
          ),
          ...(links ? { tags: hasMany(Tag, linked(by, "Tags", ["id", "book_id"], tables.tags, ["tag", "code"])) } : {}),
        },
      }),
      entitySet(Shelf, {
        ...readsOf(by, Shelf, tables.shelves),
        name: "Shelves",
        ...shelves,
        navigation: {
          books: hasMany(
            Book,
            relation(by, {
              target: "Books",
              from: "code",
              related: tables.books,
              to: "shelfCode",
              more: navigation["shelfBooks"],
            }),
          ),
        },
      }),
      entitySet(Note, {
        ...readsOf(by, Note, tables.notes),
        etag: ["text"],
        navigation: {
          book: hasRequired(
            Book,
            relation(by, {
              target: "Books",
              from: "bookId",
              related: tables.books,
              to: "id",
              parents: tables.notes,
              more: navigation["book"],
            }),
          ),
        },
      }),
      ...(links
        ? [
            entitySet(Tag, {
              ...readsOf(by, Tag, tables.tags),
              navigation: {
                books: hasMany(Book, linked(by, "Books", ["code", "tag"], tables.books, ["book_id", "id"])),
              },
            }),
          ]
        : []),
    ],
  });
  return { service, database, tables, logger };
}

/**
 * A navigation by the table of links, in either form.
 * @param from the key of the parents and the column that holds it
 * @param to the column that holds the key of the related entities, and that key
 */
function linked(
  by: ShopOptions["by"],
  target: string,
  [key, fromColumn]: readonly [string, string],
  related: RowTable,
  [toColumn, relatedKey]: readonly [string, string],
): Any {
  if (by === "tables") {
    return {
      target,
      through: { table: "book_tags", from: { [key]: fromColumn }, to: { [toColumn]: relatedKey } },
    };
  }
  const linksOf = (value: unknown): readonly Entity[] =>
    (BOOK_TAGS as readonly Entity[]).filter((link) => link[fromColumn] === value);
  const find = (value: unknown): readonly Entity[] =>
    related.rows.filter((row) => linksOf(value).some((link) => link[toColumn] === row[relatedKey]));
  return { target, getBatch: (keys: readonly unknown[]) => new Map(keys.map((each) => [each, find(each)])) };
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

/** A navigation: the related entities have the values in `to` that their parents have in `from`. */
interface Relation {
  readonly target: string;
  readonly from: string;
  readonly related: RowTable;
  readonly to: string;
  /** The table of the parents, for a navigation to a single entity. */
  readonly parents?: RowTable;
  /** Further options. */
  readonly more?: object | undefined;
}

/** A navigation in either form: a pair of `on`, or a batch handler that does the same. */
function relation(by: ShopOptions["by"], { target, from, related, to, parents, more }: Relation): Any {
  if (by === "tables") return { target, on: { [from]: to }, ...more };
  const find = (value: unknown): readonly Entity[] =>
    related.rows.filter((row) => row[to] !== null && row[to] === value);
  const getBatch = (keys: readonly unknown[]): ReadonlyMap<unknown, unknown> =>
    new Map(
      keys.flatMap((key): ReadonlyArray<readonly [unknown, unknown]> => {
        if (parents === undefined) return [[key, find(key)]];
        const [found] = find(parents.find(key)?.[from]);
        return found === undefined ? [] : [[key, found]];
      }),
    );
  return { target, getBatch, ...more };
}
