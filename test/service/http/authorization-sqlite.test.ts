import { Kysely, sql } from "kysely";
import { authenticated, edm, entityType, hasMany, hasOptional, odataService, resource } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { countStatements } from "../../engine/executors/count-statements.ts";
import { eachDoor, expectError } from "./doors.ts";
import { as, authenticate, bodyHeaders, CHALLENGE, expectRefusal } from "./guarded-model.ts";
import { noFailures } from "./model.ts";

type Database = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

const Owner = entityType("Owner", { id: edm.int32().key(), name: edm.string() });
const Page = entityType("Page", { id: edm.int32().key(), bookId: edm.int32().nullable(), text: edm.string() });
const Book = entityType("Book", {
  id: edm.int32().key(),
  title: edm.string(),
  ownerId: edm.int32().nullable().ignored(),
  version: edm.int32().computed(),
});

const statements = countStatements(sqliteDialect(":memory:"));
const db = new Kysely<Database>({ dialect: statements.dialect, log: statements.log });
const operations = ["read", "create", "replace", "patch", "delete"] as const;

/** Books are their owner's alone: ann is the owner 1, bob the owner 2. */
const isOwner = resource<typeof Book>((user, book) => book.ownerId === (user.id === "ann" ? 1 : 2));

/** A select of one book that names no other table. */
const BOOK_ALONE = /^select (?!.*"(?:pages|owners)").* from "books" .* where "id" = \? limit 1$/su;

/** Calls of the row rule of books. */
let ruleCalls = 0;

const service = odataService({
  prefix: "/g",
  entitySets: [
    sqlEntitySet(Owner, { db, table: "owners", operations: ["read"] }),
    sqlEntitySet(Page, { db, table: "pages", operations }),
    sqlEntitySet(Book, {
      db,
      table: "books",
      operations: ["read", "replace", "patch", "delete"],
      rowVersion: "version",
      etag: ["version"],
      navigation: {
        pages: hasMany(Page, { target: "Pages", on: { id: "bookId" } }),
        owner: hasOptional(Owner, { target: "Owners", on: { ownerId: "id" } }),
      },
      authorization: {
        all: [authenticated(), isOwner],
        rows: (_user, book) => {
          ruleCalls += 1;
          return book.id.ge(0);
        },
      },
    }),
  ],
  authenticate,
  challenge: CHALLENGE["www-authenticate"] ?? "",
  logger: noFailures,
});

beforeAll(async () => {
  await sql`create table owners (id integer primary key, name text not null)`.execute(db);
  await sql`create table pages (id integer primary key, "bookId" integer, text text not null)`.execute(db);
  await sql`create table books (id integer primary key, title text not null, "ownerId" integer, version integer not null)`.execute(
    db,
  );
  // Statements that run once per database do not count.
  await service.fetch(new Request("http://service.example/g/Books(1)", { headers: as("ann") }));
});

beforeEach(async () => {
  for (const table of ["books", "pages", "owners"]) await sql`delete from ${sql.table(table)}`.execute(db);
  await sql`insert into owners values (1, 'Ann'), (2, 'Bob')`.execute(db);
  await sql`insert into books values (1, 'One', 1, 1), (2, 'Two', 2, 1)`.execute(db);
  await sql`insert into pages values (10, 1, 'a'), (11, 1, 'b'), (12, 2, 'c')`.execute(db);
  statements.reset();
});

afterAll(() => db.destroy());

/** Requests for a book, and the responses to its owner. */
const REQUESTS: ReadonlyArray<{
  readonly method: string;
  readonly path: string;
  readonly body?: string;
  readonly status: number;
}> = [
  { method: "GET", path: "", status: 200 },
  { method: "GET", path: "?$expand=Pages,Owner", status: 200 },
  { method: "GET", path: "/Title", status: 200 },
  { method: "GET", path: "/Title/$value", status: 200 },
  { method: "GET", path: "/Pages", status: 200 },
  { method: "GET", path: "/Pages/$count", status: 200 },
  { method: "GET", path: "/Pages(10)", status: 200 },
  { method: "GET", path: "/Pages/$ref", status: 200 },
  { method: "GET", path: "/Owner", status: 200 },
  { method: "GET", path: "/Owner/$ref", status: 200 },
  { method: "PUT", path: "", body: '{"Title":"New"}', status: 200 },
  { method: "PATCH", path: "", body: '{"Title":"New"}', status: 200 },
  { method: "PUT", path: "/Title", body: '{"value":"New"}', status: 204 },
  { method: "POST", path: "/Pages/$ref", body: '{"@odata.id":"Pages(12)"}', status: 204 },
  { method: "PUT", path: "/Owner/$ref", body: '{"@odata.id":"Owners(2)"}', status: 204 },
  { method: "DELETE", path: "", status: 204 },
];

eachDoor((door) => {
  const send = door.to(service);

  describe("checks of entities in a database", () => {
    test.each(REQUESTS)("$method /Books(1)$path", async ({ method, path, body, status }) => {
      const ask = (user: string | null, id: number, more = {}) =>
        send(`/g/Books(${String(id)})${path}`, { ...as(user), ...bodyHeaders(body), ...more }, method, body);
      expectRefusal(await ask(null, 1), 401);
      expect(statements.texts()).toEqual([]);
      expectRefusal(await ask("bob", 1), 403);
      // Only the book is read, once, without related entities. A write is judged in its transaction, which locks all rows: no
      // select does. Its savepoint is not released, but rolled back with it by the driver, whose commands are not counted.
      const beginning = method === "GET" ? [] : ["savepoint odatakit_beginning"];
      expect(statements.texts()).toEqual([...beginning, expect.stringMatching(BOOK_ALONE)]);
      const missing = await ask("bob", 9);
      if (method === "DELETE") expect(missing.status).toBe(204);
      else expectError(missing, { status: 404, code: "NotFound" });
      if (method !== "GET") {
        expectRefusal(await ask("bob", 1, { "If-Match": '"stale"' }), 403);
        expect((await ask("ann", 1, { "If-Match": '"stale"' })).status).toBe(412);
        const { headers } = await send("/g/Books(1)", as("ann"));
        expect((await ask("ann", 1, { "If-Match": headers["etag"] ?? "" })).status).toBe(status);
        return;
      }
      expect((await ask("ann", 1)).status).toBe(status);
    });

    test.each(REQUESTS)("$method /Books(1)$path calls the row rule once", async ({ method, path, body, status }) => {
      const { headers } = await send("/g/Books(1)", as("ann"));
      ruleCalls = 0;
      const conditions = method === "GET" ? {} : { "If-Match": headers["etag"] ?? "" };
      const all = { ...as("ann"), ...bodyHeaders(body), ...conditions };
      expect((await send(`/g/Books(1)${path}`, all, method, body)).status).toBe(status);
      expect(ruleCalls).toBe(1);
    });

    test("the ignored owner of a loaded book decides, and is not shown", async () => {
      const { json } = await send("/g/Books(2)", as("bob"));
      expect(json).toMatchObject({ Id: 2, Title: "Two", Version: 1 });
      expect(JSON.stringify(json)).not.toContain("wnerId");
      expectRefusal(await send("/g/Books(2)", as("ann")), 403);
      expect((await send("/g/Books", as("ann"))).json.value).toHaveLength(2);
    });
  });
});
