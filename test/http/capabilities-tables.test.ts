import { Kysely, sql } from "kysely";
import { edm, entityType, hasMany, hasRequired, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { CapabilityTrials, type Subject } from "./capability-trials.ts";
import type { Service } from "./doors.ts";
import { noFailures } from "./model.ts";

const Author = entityType("Author", {
  id: edm.int32().key().computed(),
  name: edm.string(),
  born: edm.date().nullable(),
});
const Book = entityType("Book", { id: edm.int32().key().computed(), authorId: edm.int32(), title: edm.string() });
const Tag = entityType("Tag", { id: edm.int32().key().computed(), word: edm.string() });

const SUBJECTS: Readonly<Record<string, Subject>> = {
  Authors: {
    key: "(1)",
    body: { Name: "Ada" },
    filters: { Id: "Id eq 1", Name: "startswith(Name,'A')", Born: "year(Born) eq 1815 or Born eq null" },
    orders: { Id: "Id", Name: "length(Name)", Born: "Born" },
  },
  Books: {
    key: "(1)",
    body: { AuthorId: 1, Title: "Notes" },
    filters: { Id: "Id eq 1", AuthorId: "AuthorId eq 1", Title: "Title eq 'Notes'" },
    orders: { Id: "Id", AuthorId: "AuthorId", Title: "toupper(Title)" },
  },
  Tags: {
    key: "(1)",
    body: { Word: "old" },
    filters: { Id: "Id eq 1", Word: "Word eq 'old'" },
    orders: { Id: "Id", Word: "Word" },
  },
};

interface Tables {
  authors: { id: number; name: string };
  books: { id: number; authorId: number; title: string };
  tags: { id: number; word: string };
  bookTags: { book: number; tag: number };
}

const db = new Kysely<Tables>({ dialect: sqliteDialect(":memory:") });
beforeAll(async () => {
  for (const table of [
    "authors (id integer primary key, name text not null, born text)",
    "books (id integer primary key, authorId integer not null, title text not null)",
    "tags (id integer primary key, word text not null)",
    "bookTags (book integer not null, tag integer not null, primary key (book, tag))",
  ]) {
    await sql.raw(`create table ${table}`).execute(db);
  }
});
afterAll(() => db.destroy());

/** What was there before the first write is there again. */
async function restore(): Promise<void> {
  for (const table of ["authors", "books", "tags", "bookTags"] as const) await db.deleteFrom(table).execute();
  await db.insertInto("authors").values({ id: 1, name: "Ada" }).execute();
  await db.insertInto("books").values({ id: 1, authorId: 1, title: "Notes" }).execute();
  await db.insertInto("tags").values({ id: 1, word: "old" }).execute();
  await db.insertInto("bookTags").values({ book: 1, tag: 1 }).execute();
}
beforeEach(restore);

type Operation = "read" | "create" | "replace" | "patch" | "delete";
const EVERY: readonly Operation[] = ["read", "create", "replace", "patch", "delete"];

interface Choice {
  readonly authors?: readonly Operation[];
  readonly books?: readonly Operation[];
  readonly tags?: readonly Operation[];
  readonly settings?: object;
  readonly profile?: "standard";
}

/** Tables of links are between tables that are read. */
const TAGGED = { through: { table: "bookTags", from: { id: "book" }, to: { tag: "id" } }, target: "Tags" } as const;

function library({ authors = EVERY, books = EVERY, tags = EVERY, settings = {}, profile }: Choice): Service {
  return odataService({
    profile,
    logger: noFailures,
    entitySets: [
      sqlEntitySet(Author, {
        db,
        table: "authors",
        operations: authors,
        ...(authors.includes("read") ? { search: ["name"] } : {}),
        navigation: { books: hasMany(Book, { on: { id: "authorId" }, target: "Books", partner: "author" }) },
        ...settings,
      }),
      sqlEntitySet(Book, {
        db,
        table: "books",
        operations: books,
        navigation: {
          author: hasRequired(Author, { on: { authorId: "id" }, target: "Authors", partner: "books" }),
          ...(books.includes("read") && tags.includes("read") ? { tags: hasMany(Tag, TAGGED) } : {}),
        },
      }),
      sqlEntitySet(Tag, { db, table: "tags", operations: tags }),
    ],
  });
}

const CHOICES: ReadonlyArray<readonly [string, Choice]> = [
  ["everything", {}],
  ["the standard's profile", { profile: "standard" }],
  ["reads alone", { authors: ["read"], books: ["read"], tags: ["read"] }],
  ["authors that are only read", { authors: ["read"] }],
  ["books that are only read", { books: ["read"] }],
  ["tags that are only read", { tags: ["read"] }],
  ["PUT alone", { authors: ["read", "replace"], books: ["read", "replace"] }],
  ["authors that are not read", { authors: ["create", "replace", "patch", "delete"] }],
  ["books that are not read", { books: ["create"] }],
  ["tags that are not read", { tags: ["delete"] }],
  ["no expansions by the database", { settings: { expandPushdownEnabled: false } }],
  ["no query options", { settings: { filterEnabled: false, orderByEnabled: false, selectEnabled: false } }],
  ["allowlists", { settings: { filterProperties: ["name"], orderByProperties: ["born"], expandProperties: [] } }],
];

describe("what $metadata claims of tables is what requests find", () => {
  test.each(CHOICES)("%s", async (_name, choice) => {
    const trials = new CapabilityTrials(library(choice), SUBJECTS, restore);
    await trials.run();
    expect(trials.tried.size).toBeGreaterThan(25);
  });
});
