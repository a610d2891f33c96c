import { Kysely, sql } from "kysely";
import { hasMany, hasOptional, hasRequired, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { countStatements } from "../../engine/executors/count-statements.ts";
import { recordingLogger } from "./model.ts";
import { Author, AUTHORS, Book, BOOK_TAGS, BOOKS, Note, NOTES, Shelf, SHELVES, Tag, TAGS } from "./shop-tables.ts";

/** The tables of the database. */
interface Database {
  readonly authors: { readonly id: number; readonly name: string; readonly mentorId: number | null };
}

/** The options that may differ from set to set. */
export interface SqliteShopOptions {
  readonly defaults?: Parameters<typeof odataService>[0]["defaults"];
  readonly authors?: object;
  readonly books?: object;
  /** Whether books have tags, by a table of links. */
  readonly links?: boolean;
}

/** The shop of `shop-tables`, over a database in memory, with the texts of its statements. */
export async function sqliteShop({ defaults = {}, authors = {}, books = {}, links = false }: SqliteShopOptions = {}) {
  const statements = countStatements(sqliteDialect(":memory:"));
  const { dialect, log } = statements;
  const db = new Kysely<Database>({ dialect, log });
  await fill(db);
  statements.reset();
  const logger = recordingLogger();
  const operations = ["read"] as const;
  const service = odataService({
    prefix: "/s",
    defaults,
    logger,
    entitySets: [
      sqlEntitySet(Author, {
        db,
        table: "authors",
        operations,
        etag: ["name", "mentorId"],
        ...authors,
        navigation: {
          books: hasMany(Book, { target: "Books", on: { id: "authorId" } }),
          mentor: hasOptional(Author, { target: "Authors", on: { mentorId: "id" } }),
          pupils: hasMany(Author, { target: "Authors", on: { id: "mentorId" } }),
          shelf: hasOptional(Shelf, { target: "Shelves", on: { name: "ownerName" } }),
        },
      }),
      sqlEntitySet(Book, {
        db,
        table: "books",
        operations,
        columns: { shelfCode: "shelf" },
        ...books,
        navigation: {
          author: hasOptional(Author, { target: "Authors", on: { authorId: "id" } }),
          notes: hasMany(Note, { target: "Notes", on: { id: "bookId" } }),
          shelf: hasOptional(Shelf, { target: "Shelves", on: { shelfCode: "code" } }),
          ...(links
            ? {
                tags: hasMany(Tag, {
                  target: "Tags",
                  through: { table: "book_tags", from: { id: "book_id" }, to: { tag: "code" } },
                }),
              }
            : {}),
        },
      }),
      sqlEntitySet(Shelf, {
        db,
        table: "shelves",
        operations,
        name: "Shelves",
        columns: { place: { storage: "json" } },
        navigation: { books: hasMany(Book, { target: "Books", on: { code: "shelfCode" } }) },
      }),
      sqlEntitySet(Note, {
        db,
        table: "notes",
        operations,
        etag: ["text"],
        navigation: { book: hasRequired(Book, { target: "Books", on: { bookId: "id" } }) },
      }),
      ...(links
        ? [
            sqlEntitySet(Tag, {
              db,
              table: "tags",
              operations,
              navigation: {
                books: hasMany(Book, {
                  target: "Books",
                  through: { table: "book_tags", from: { code: "tag" }, to: { book_id: "id" } },
                }),
              },
            }),
          ]
        : []),
    ],
  });
  return { service, statements, logger, db };
}

async function fill(db: Kysely<Database>): Promise<void> {
  await sql`create table authors (id integer primary key, name text not null, "mentorId" integer, born text)`.execute(
    db,
  );
  await sql`create table books (id integer primary key, title text not null, price text, genre text not null, "authorId" integer, words text not null, shelf text)`.execute(
    db,
  );
  await sql`create index books_author on books ("authorId")`.execute(db);
  await sql`create table shelves (code text primary key, place text, cover blob, "ownerName" text)`.execute(db);
  await sql`create table notes ("bookId" integer not null, number integer not null, text text not null, primary key ("bookId", number))`.execute(
    db,
  );
  for (const { id, name, mentorId, born } of AUTHORS) {
    await sql`insert into authors values (${id}, ${name}, ${mentorId}, ${born})`.execute(db);
  }
  for (const { id, title, price, genre, authorId, words, shelfCode } of BOOKS) {
    const list = JSON.stringify(words);
    await sql`insert into books values (${id}, ${title}, ${price}, ${genre}, ${authorId}, ${list}, ${shelfCode})`.execute(
      db,
    );
  }
  for (const { code, place, cover, ownerName } of SHELVES) {
    const text = place === null ? null : JSON.stringify(place);
    await sql`insert into shelves values (${code}, ${text}, ${cover}, ${ownerName})`.execute(db);
  }
  await sql`create table tags (code text primary key, weight integer not null)`.execute(db);
  await sql`create table book_tags (book_id integer not null, tag text not null)`.execute(db);
  for (const { code, weight } of TAGS) await sql`insert into tags values (${code}, ${weight})`.execute(db);
  for (const { book_id, tag } of BOOK_TAGS) await sql`insert into book_tags values (${book_id}, ${tag})`.execute(db);
  for (const { bookId, number, text } of NOTES) {
    await sql`insert into notes values (${bookId}, ${number}, ${text})`.execute(db);
  }
}
