import type { Kysely, Transaction } from "kysely";
import {
  action,
  authenticated,
  type Context,
  edm,
  entityType,
  hasMany,
  hasOptional,
  hasRequired,
  type Messages,
  odataError,
  odataService,
  type ODataService,
} from "odatakit";
import { sqlEntitySet, sqlSource } from "odatakit/kysely";
import type { Tables } from "./tables.ts";

const Author = entityType("Author", { id: edm.int32().key(), name: edm.string({ maxLength: 80 }) });
const Currency = entityType("Currency", { code: edm.string({ maxLength: 3 }).key(), symbol: edm.string() });
const book = {
  id: edm.int32().key(),
  authorId: edm.int32(),
  genreId: edm.int32(),
  currencyCode: edm.string({ maxLength: 3 }),
  price: edm.decimal({ precision: 9, scale: 2, minimum: 0 }),
  stock: edm.int32({ minimum: 0 }),
};
const genre = { id: edm.int32().key(), parentId: edm.int32().nullable() };
const bookColumns = {
  authorId: "author_id",
  genreId: "genre_id",
  currencyCode: "currency_code",
  price: { storage: "scaled" },
} as const;
const genreColumns = { parentId: "parent_id" };

/** A text in the language of the reader, else in English. */
const BOOKS = `select b.*, coalesce(t.title, e.title) as title, coalesce(t.about, e.about) as about
  from books b join book_texts e on e.book_id = b.id and e.language = 'en'
  left join book_texts t on t.book_id = b.id and t.language = ?`;
const GENRES = `select g.*, coalesce(t.name, e.name) as name
  from genres g join genre_texts e on e.genre_id = g.id and e.language = 'en'
  left join genre_texts t on t.genre_id = g.id and t.language = ?`;

const inLanguage = (sql: string, language: string) => ({ sql, parameters: [language] });
const languageOf = ({ request }: Context): string =>
  (request.headers.get("Accept-Language") ?? "").toLowerCase().startsWith("de") ? "de" : "en";

/** Everybody reads the books in German or English, and orders them. */
export function browseService(db: Kysely<Tables>): ODataService {
  const Book = entityType("Book", { ...book, title: edm.string(), about: edm.string() });
  const Genre = entityType("Genre", { ...genre, name: edm.string() });
  const operations = ["read"] as const;
  const vary = "Accept-Language";
  const authors = sqlEntitySet(Author, {
    db,
    table: "authors",
    operations,
    search: ["name"],
    navigation: { books: hasMany(Book, { on: { id: "authorId" }, target: "Books", partner: "author" }) },
  });
  const genres = sqlEntitySet(Genre, {
    db,
    from: inLanguage(GENRES, "en"),
    operations,
    columns: genreColumns,
    vary,
    queryable: (ctx) => sqlSource(Genre, { db, columns: genreColumns, from: inLanguage(GENRES, languageOf(ctx)) }),
    navigation: {
      parent: hasOptional(Genre, { on: { parentId: "id" }, target: "Genres", partner: "children" }),
      children: hasMany(Genre, { on: { id: "parentId" }, target: "Genres", partner: "parent" }),
      books: hasMany(Book, { on: { id: "genreId" }, target: "Books", partner: "genre" }),
    },
  });
  const books = sqlEntitySet(Book, {
    db,
    from: inLanguage(BOOKS, "en"),
    operations,
    columns: bookColumns,
    search: ["title", "about"],
    vary,
    queryable: (ctx) => sqlSource(Book, { db, columns: bookColumns, from: inLanguage(BOOKS, languageOf(ctx)) }),
    navigation: {
      author: hasRequired(Author, { on: { authorId: "id" }, target: "Authors", partner: "books" }),
      genre: hasRequired(Genre, { on: { genreId: "id" }, target: "Genres", partner: "books" }),
      currency: hasRequired(Currency, { on: { currencyCode: "code" }, target: "Currencies" }),
    },
    actions: {
      submitOrder: action({
        bound: "entity",
        params: { quantity: edm.int32({ minimum: 1 }) },
        returns: edm.int32(),
        handler: (id, { quantity }, ctx): Promise<number> =>
          ctx.inTransaction((inner) => lowerStock(inner.transaction as Transaction<Tables>, id, quantity)),
      }),
    },
  });
  const currencies = sqlEntitySet(Currency, { name: "Currencies", db, table: "currencies", operations });
  const entitySets = [books, authors, genres, currencies];
  const defaults = { applyEnabled: true };
  return odataService({ name: "browse", prefix: "/browse", namespace: "Browse", defaults, entitySets, messages });
}

/** One statement checks and lowers the stock, so no two orders get the last book. @returns the remaining stock */
async function lowerStock(transaction: Transaction<Tables>, id: number, quantity: number): Promise<number> {
  const update = transaction.updateTable("books").where("id", "=", id).where("stock", ">=", quantity);
  const { numUpdatedRows } = await update
    .set((row) => ({ stock: row("stock", "-", quantity) }))
    .executeTakeFirstOrThrow();
  const left = await transaction.selectFrom("books").select("stock").where("id", "=", id).executeTakeFirst();
  if (left === undefined) throw odataError(404, "NotFound", "There is no such book.");
  if (numUpdatedRows === 0n) {
    throw odataError(409, "SoldOut", `Only ${left.stock} are left.`, { parameters: { left: left.stock } });
  }
  return left.stock;
}

const german: Readonly<Record<string, string>> = {
  SoldOut: "Es sind nur noch {left} vorrätig.",
  Minimum: "Der Wert muss mindestens {minimum} sein.",
};
const messages: Messages = (code, parameters, language) =>
  language.startsWith("de")
    ? german[code]?.replaceAll(/\{(\w+)\}/g, (_hole, name: string) => String(parameters[name]))
    : undefined;

/** Those who know the token keep books, their texts, authors and genres. */
export function adminService(db: Kysely<Tables>, token: string): ODataService {
  const operations = ["read", "create", "patch", "delete"] as const;
  const text = { language: edm.string({ maxLength: 2 }).key() };
  const Book = entityType("Book", book);
  const BookText = entityType("BookText", {
    bookId: edm.int32().key(),
    ...text,
    title: edm.string({ maxLength: 80 }),
    about: edm.string({ maxLength: 400 }),
  });
  const Genre = entityType("Genre", genre);
  const GenreText = entityType("GenreText", {
    genreId: edm.int32().key(),
    ...text,
    name: edm.string({ maxLength: 80 }),
  });
  const textsOfBook = hasMany<typeof Book, typeof BookText>(BookText, { on: { id: "bookId" }, target: "BookTexts" });
  const textsOfGenre = hasMany<typeof Genre, typeof GenreText>(GenreText, {
    on: { id: "genreId" },
    target: "GenreTexts",
  });
  const common = { db, operations, allowDeepInsert: true };
  return odataService({
    name: "admin",
    prefix: "/admin",
    namespace: "Admin",
    authenticate: ({ headers }) => (headers.get("Authorization") === `Bearer ${token}` ? { id: "admin" } : null),
    authorization: authenticated(),
    entitySets: [
      sqlEntitySet(Book, { ...common, table: "books", columns: bookColumns, navigation: { texts: textsOfBook } }),
      sqlEntitySet(BookText, { ...common, table: "book_texts", columns: { bookId: "book_id" } }),
      sqlEntitySet(Genre, { ...common, table: "genres", columns: genreColumns, navigation: { texts: textsOfGenre } }),
      sqlEntitySet(GenreText, { ...common, table: "genre_texts", columns: { genreId: "genre_id" } }),
      sqlEntitySet(Author, { ...common, table: "authors" }),
      sqlEntitySet(Currency, { ...common, name: "Currencies", table: "currencies" }),
    ],
  });
}
