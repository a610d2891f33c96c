import { Kysely, sql } from "kysely";
import { edm, entityType, hasMany, hasOptional, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";

const db = new Kysely<object>({ dialect: sqliteDialect(":memory:") });
await sql`create table authors (id integer primary key)`.execute(db);
await sql`create table books (id integer primary key, authorId integer)`.execute(db);
await sql`create table tags (code text primary key)`.execute(db);
await sql`create table book_tags (book integer not null, tag text not null, primary key (book, tag))`.execute(db);

const Author = entityType("Author", { id: edm.int32().key() });
const Tag = entityType("Tag", { code: edm.string().key() });
const Book = entityType("Book", { id: edm.int32().key(), authorId: edm.int32().nullable().ignored() });
const operations = ["read"] as const;

const library = odataService({
  entitySets: [
    sqlEntitySet(Author, { db, table: "authors", operations }),
    sqlEntitySet(Tag, { db, table: "tags", operations }),
    sqlEntitySet(Book, {
      db,
      table: "books",
      operations,
      navigation: {
        author: hasOptional(Author, { on: { authorId: "id" }, target: "Authors" }),
        tags: hasMany(Tag, {
          target: "Tags",
          through: { table: "book_tags", from: { id: "book" }, to: { tag: "code" } },
        }),
      },
    }),
  ],
});
const target = "http://library.example/Books?$filter=Author/Id eq 1&$expand=Author,Tags";
console.log((await library.fetch(new Request(target))).status);
await db.destroy();
