import { Kysely, sql } from "kysely";
import { edm, entitySet, entityType, fn, hasMany, hasOptional, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { expect, test } from "vitest";
import { eachDoor, expectInvalidOption, ORIGIN, type Service } from "./doors.ts";
import { noFailures } from "./model.ts";

/** A star in `$select` or `$expand` means all properties that the allowlist of its set permits, at any position. */

const Author = entityType("Author", { id: edm.int32().key(), name: edm.string(), secret: edm.string() });
const Book = entityType("Book", {
  id: edm.int32().key(),
  title: edm.string(),
  authorId: edm.int32().nullable(),
  hidden: edm.string(),
});

const AUTHORS = [{ id: 1, name: "A", secret: "s" }];
const BOOKS = [{ id: 7, title: "T", authorId: 1, hidden: "h" }];

const authorSettings = { selectProperties: ["id", "name"] as const, expandProperties: ["books"] as const };
const bookSettings = { selectProperties: ["title", "id"] as const, expandProperties: ["author"] as const };

function memory(): Service {
  return odataService({
    prefix: "/b",
    profile: "standard",
    logger: noFailures,
    entitySets: [
      entitySet(Author, {
        ...authorSettings,
        getAll: () => AUTHORS,
        getByKey: () => AUTHORS[0] ?? null,
        navigation: {
          books: hasMany(Book, { target: "Books", get: () => BOOKS }),
          drafts: hasMany(Book, { target: "Books", get: () => BOOKS }),
        },
        functions: {
          best: fn({ bound: "collection", composable: true, returns: edm.collection(Author), handler: () => AUTHORS }),
        },
      }),
      entitySet(Book, {
        ...bookSettings,
        getAll: () => BOOKS,
        navigation: {
          author: hasOptional(Author, { target: "Authors", get: () => AUTHORS[0] ?? null }),
          editor: hasOptional(Author, { target: "Authors", get: () => null }),
        },
      }),
    ],
  });
}

async function tables(): Promise<Service> {
  const db = new Kysely<Record<string, never>>({ dialect: sqliteDialect(":memory:") });
  await sql`create table authors (id integer primary key, name text not null, secret text not null)`.execute(db);
  await sql`create table books (id integer primary key, title text not null, "authorId" integer, hidden text not null)`.execute(
    db,
  );
  await sql`insert into authors values (1, 'A', 's')`.execute(db);
  await sql`insert into books values (7, 'T', 1, 'h')`.execute(db);
  return odataService({
    prefix: "/b",
    profile: "standard",
    logger: noFailures,
    entitySets: [
      sqlEntitySet(Author, {
        ...authorSettings,
        db,
        table: "authors",
        operations: ["read"],
        navigation: {
          books: hasMany(Book, { target: "Books", on: { id: "authorId" } }),
          drafts: hasMany(Book, { target: "Books", on: { id: "authorId" } }),
        },
        functions: {
          best: fn({ bound: "collection", composable: true, returns: edm.collection(Author), handler: () => AUTHORS }),
        },
      }),
      sqlEntitySet(Book, {
        ...bookSettings,
        db,
        table: "books",
        operations: ["read"],
        navigation: {
          author: hasOptional(Author, { target: "Authors", on: { authorId: "id" } }),
          editor: hasOptional(Author, { target: "Authors", on: { authorId: "id" } }),
        },
      }),
    ],
  });
}

const AUTHOR = { Id: 1, Name: "A" };
const WHOLE_AUTHOR = { ...AUTHOR, Secret: "s" };
const BOOK = { Id: 7, Title: "T" };
const WHOLE_BOOK = { Id: 7, Title: "T", AuthorId: 1, Hidden: "h" };

eachDoor((door) => {
  test.each([
    ["arrays", memory],
    ["tables", tables],
  ])("a star selects the permitted properties, over %s", async (_name, make) => {
    const ask = door.to(await make());
    const first = async (path: string) => {
      const { json } = await ask(`/b/${path}`);
      const { "@odata.context": _context, "@odata.id": _id, ...entity } = json.value?.[0] ?? json;
      return entity;
    };
    for (const path of ["Authors", "Authors(1)", "Books(7)/Author", "Authors/best()"]) {
      if (path.startsWith("Books") && (await ask(`/b/${path}`)).status === 404) continue;
      expect(await first(`${path}?$select=*`), path).toEqual(AUTHOR);
      expect(await first(`${path}?$select=Name,*`), path).toEqual(AUTHOR);
      expect(await first(`${path}?$expand=*`), path).toEqual({ ...WHOLE_AUTHOR, Books: [WHOLE_BOOK] });
      expect(await first(`${path}?$select=*&$expand=Books($select=*;$expand=*)`), path).toEqual({
        ...AUTHOR,
        Books: [{ ...BOOK, Author: WHOLE_AUTHOR }],
      });
      expect(await first(`${path}?$expand=*($levels=2)`), path).toEqual({
        ...WHOLE_AUTHOR,
        Books: [{ ...WHOLE_BOOK, Author: WHOLE_AUTHOR }],
      });
      expectInvalidOption(await ask(`/b/${path}?$select=*,Secret`), "$select");
      expectInvalidOption(await ask(`/b/${path}?$expand=*,Drafts`), "$expand");
    }
    expect(await first("Authors(1)/Books?$select=*&$expand=*")).toEqual({ ...BOOK, Author: WHOLE_AUTHOR });
    expect((await ask("/b/Authors(1)?$select=*")).json["@odata.context"]).toBe(
      `${ORIGIN}/b/$metadata#Authors(*)/$entity`,
    );
  });
});
