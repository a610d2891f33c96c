import { Kysely, sql } from "kysely";
import { edm, entitySet, entityType, hasMany, hasOptional, odataService, type ODataError } from "odatakit";
import { sqlEntitySet, type SqlOperation } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { AnyDatabase } from "../../engine/executors/engines.ts";
import { failingDialect, Failures } from "./failing-dialect.ts";
import { countRows, createOrderTables, faultOf, orderService, sendTo, type Send } from "./writes-model.ts";

const failures = new Failures();
const db: AnyDatabase = new Kysely({ dialect: failingDialect(sqliteDialect(":memory:"), failures) });

const Author = entityType("Author", { id: edm.int32().key(), name: edm.string() });
const Card = entityType("Card", { id: edm.int32().key(), authorId: edm.int32().nullable() });
const Book = entityType("Book", {
  id: edm.int32().key(),
  authorId: edm.int32().nullable(),
  note: edm.string().nullable(),
});

beforeAll(async () => {
  await createOrderTables(db, { name: "sqlite" });
  await sql`create table authors (id integer primary key, name text not null)`.execute(db);
  await sql`create table cards (id integer primary key, "authorId" integer)`.execute(db);
  await sql`create table books (id integer primary key, "authorId" integer, note text)`.execute(db);
  await sql`insert into authors values (1, 'Woolf')`.execute(db);
  await sql`insert into books values (1, null, null)`.execute(db);
  await sql`insert into cards values (1, null)`.execute(db);
});
afterAll(async () => {
  await db.destroy();
});

interface Allowed {
  readonly authors: readonly SqlOperation[];
  readonly others: readonly SqlOperation[];
  readonly patch?: () => ODataError;
}

function serviceOf({ authors, others, patch }: Allowed): Send {
  return sendTo(
    odataService({
      entitySets: [
        sqlEntitySet(Author, {
          db,
          table: "authors",
          operations: authors,
          allowDeepInsert: true,
          ...(patch === undefined ? {} : { patch }),
          navigation: {
            books: hasMany(Book, { on: { id: "authorId" }, target: "Books" }),
            card: hasOptional(Card, { on: { id: "authorId" }, target: "Cards" }),
            far: hasMany(Author, { target: "Far" }),
          },
        }),
        sqlEntitySet(Book, {
          db,
          table: "books",
          operations: others,
          etag: ["authorId"],
          navigation: { author: hasOptional(Author, { on: { authorId: "id" }, target: "Authors" }) },
        }),
        sqlEntitySet(Card, { db, table: "cards", operations: others }),
        entitySet(Author, { name: "Far", getAll: () => [] }),
      ],
    }),
  );
}

const id = (path: string): object => ({ "@odata.id": path });

/** The status of each write along a navigation. */
async function statusesOf(send: Send): Promise<Readonly<Record<string, number>>> {
  const requests = [
    ["POST", "Authors(1)/Books/$ref", id("Books(1)")],
    ["DELETE", "Authors(1)/Books/$ref?$id=Books(1)", undefined],
    ["POST", "Authors(1)/Books", { Id: 77 }],
    ["PUT", "Authors(1)/Card/$ref", id("Cards(1)")],
    ["DELETE", "Authors(1)/Card/$ref", undefined],
    ["PUT", "Books(1)/Author/$ref", id("Authors(1)")],
    ["DELETE", "Books(1)/Author/$ref", undefined],
  ] as const;
  const statuses: Record<string, number> = {};
  for (const [method, target, body] of requests) {
    statuses[`${method} ${target}`] = (await send(method, target, body)).status;
  }
  await sql`delete from books where id = 77`.execute(db);
  return statuses;
}

describe("no table is writable by omission", () => {
  test("read-only tables accept neither writes nor links", async () => {
    const send = serviceOf({ authors: ["read"], others: ["read"] });
    expect(new Set(Object.values(await statusesOf(send)))).toEqual(new Set([405]));
    expect((await send("POST", "Books", { Id: 5 })).status).toBe(405);
    for (const method of ["PUT", "PATCH"]) expect((await send(method, "Books(1)", {})).status).toBe(405);
    expect((await send("DELETE", "Books(1)")).status).toBe(405);
  });

  test("links need permission of the table that stores them, and new entities that of their set", async () => {
    expect(await statusesOf(serviceOf({ authors: ["read", "patch"], others: ["read"] }))).toEqual({
      "POST Authors(1)/Books/$ref": 405,
      "DELETE Authors(1)/Books/$ref?$id=Books(1)": 405,
      "POST Authors(1)/Books": 405,
      "PUT Authors(1)/Card/$ref": 405,
      "DELETE Authors(1)/Card/$ref": 405,
      "PUT Books(1)/Author/$ref": 405,
      "DELETE Books(1)/Author/$ref": 405,
    });
    expect(await statusesOf(serviceOf({ authors: ["read"], others: ["read", "patch", "create"] }))).toEqual({
      "POST Authors(1)/Books/$ref": 405,
      "DELETE Authors(1)/Books/$ref?$id=Books(1)": 405,
      "POST Authors(1)/Books": 201,
      "PUT Authors(1)/Card/$ref": 405,
      "DELETE Authors(1)/Card/$ref": 405,
      "PUT Books(1)/Author/$ref": 204,
      "DELETE Books(1)/Author/$ref": 204,
    });
    const all = await statusesOf(serviceOf({ authors: ["read", "patch"], others: ["read", "patch", "create"] }));
    expect(Object.values(all)).toEqual([204, 204, 201, 204, 204, 204, 204]);
  });

  test("does not write links if the application supplies patch", async () => {
    const patch = (): never => {
      throw new Error("not called");
    };
    const statuses = await statusesOf(serviceOf({ authors: ["read", "patch"], others: ["read", "patch"], patch }));
    expect(statuses["POST Authors(1)/Books/$ref"]).toBe(405);
    expect(statuses["PUT Authors(1)/Card/$ref"]).toBe(405);
  });

  test("creates nested entities only if their set allows it and is a table of the same database", async () => {
    const send = serviceOf({ authors: ["read", "create"], others: ["read"] });
    for (const nested of [{ Books: [{ Id: 9 }] }, { Card: { Id: 9 } }, { Far: [{ Id: 8, Name: "x" }] }]) {
      const answer = await send("POST", "Authors", { Id: 2, Name: "New", ...nested });
      expect(faultOf(answer)).toEqual([400, "InvalidBody", Object.keys(nested)[0]]);
    }
    expect(await countRows(db, "authors")).toBe(1);
  });
});

test("a target set with its own create handler has no POST along a navigation, and $metadata says so", async () => {
  const service = (operations: readonly SqlOperation[], own: object) =>
    odataService({
      entitySets: [
        sqlEntitySet(Author, {
          db,
          table: "authors",
          operations: ["read", "create", "patch"],
          allowDeepInsert: true,
          navigation: { books: hasMany(Book, { on: { id: "authorId" }, target: "Books" }) },
        }),
        sqlEntitySet(Book, { db, table: "books", operations, ...own }),
      ],
    });
  const never = {
    create: (): never => {
      throw new Error("not called");
    },
  };
  for (const [operations, own, isOffered] of [
    [["read", "patch", "create"], {}, true],
    [["read", "patch"], {}, false],
    [["read", "patch"], never, false],
  ] as const) {
    const send = sendTo(service(operations, own));
    const { headers } = await send("OPTIONS", "Authors(1)/Books");
    expect(headers.get("allow")?.includes("POST")).toBe(isOffered);
    expect((await send("POST", "Authors(1)/Books", { Id: 60 })).status).toBe(isOffered ? 201 : 405);
    const nested = await send("POST", "Authors", { Id: 60, Name: "n", Books: [{ Id: 61 }] });
    expect(nested.status).toBe(isOffered ? 201 : 400);
    await sql`delete from books where id >= 60`.execute(db);
    await sql`delete from authors where id >= 60`.execute(db);
    const metadata = await (await service(operations, own).fetch(new Request("http://x.example/$metadata"))).text();
    // The capabilities of a set are not repeated for its navigations.
    const isSaid =
      /RestrictedProperties[^]*?NavigationProperty" NavigationPropertyPath="Books"[^]*?Insertable" Bool="false"/u;
    expect(isSaid.test(metadata)).toBe("create" in own);
  }
});

test("does not link an entity that the application hides, nor create entities below it", async () => {
  const shows = (ids: readonly number[]) => (key: number) =>
    ids.includes(key) ? ({ id: key, name: "x", authorId: null, note: null } as never) : null;
  const operations = ["read", "create", "patch"] as const;
  const send = sendTo(
    odataService({
      entitySets: [
        sqlEntitySet(Author, {
          db,
          table: "authors",
          operations,
          getByKey: shows([1]),
          navigation: { books: hasMany(Book, { on: { id: "authorId" }, target: "Books" }) },
        }),
        sqlEntitySet(Book, {
          db,
          table: "books",
          operations,
          getByKey: shows([1]),
          navigation: { author: hasOptional(Author, { on: { authorId: "id" }, target: "Authors" }) },
        }),
      ],
    }),
  );
  await sql`insert into authors values (2, 'hidden')`.execute(db);
  await sql`insert into books values (2, null, null)`.execute(db);
  const before = await sql`select * from books order by id`.execute(db);
  expect(faultOf(await send("POST", "Authors(2)/Books", { Id: 70 }))[0]).toBe(404);
  expect(faultOf(await send("POST", "Authors(2)/Books/$ref", id("Books(1)")))[0]).toBe(404);
  expect(faultOf(await send("POST", "Authors(1)/Books/$ref", id("Books(2)")))).toEqual([404, "NotFound", "@odata.id"]);
  expect(faultOf(await send("DELETE", "Authors(1)/Books/$ref?$id=Books(2)"))).toEqual([404, "NotFound", "$id"]);
  expect(faultOf(await send("PUT", "Books(1)/Author/$ref", id("Authors(2)")))).toEqual([404, "NotFound", "@odata.id"]);
  expect(faultOf(await send("PUT", "Books(2)/Author/$ref", id("Authors(1)")))[0]).toBe(404);
  expect(faultOf(await send("DELETE", "Books(2)/Author/$ref"))[0]).toBe(404);
  expect((await sql`select * from books order by id`.execute(db)).rows).toEqual(before.rows);
  expect((await send("PUT", "Books(1)/Author/$ref", id("Authors(1)"))).status).toBe(204);
  expect((await send("DELETE", "Books(1)/Author/$ref")).status).toBe(204);
  await sql`delete from authors where id = 2`.execute(db);
  await sql`delete from books where id = 2`.execute(db);
});

test("treats null in the values of an ETag like any other value", async () => {
  const send = serviceOf({ authors: ["read"], others: ["read", "patch"] });
  const first = (await send("GET", "Books(1)")).headers.get("etag") ?? "";
  expect((await send("PATCH", "Books(1)", { AuthorId: 1 }, { "If-Match": first })).status).toBe(200);
  expect((await send("PATCH", "Books(1)", { AuthorId: null }, { "If-Match": first })).status).toBe(412);
  expect((await send("PATCH", "Books(1)", { AuthorId: null })).status).toBe(200);
  expect((await send("PATCH", "Books(1)", { Note: "x" }, { "If-Match": first })).status).toBe(200);
});

test("uses the same statement text for all values", async () => {
  const send = sendTo(orderService(db));
  const commandsOf = async (text: string, number: number): Promise<readonly string[]> => {
    failures.clear();
    const key = encodeURIComponent(`'${text.replaceAll("'", "''")}'`);
    await send("POST", "Tags", { Name: text });
    const { json } = await send("POST", "Orders", {
      Number: text,
      Total: number,
      Lines: [{ Position: number, Text: text }],
    });
    const path = `Orders(${String(json.Id)})`;
    expect((await send("PATCH", path, { ShipTo: { Street: text, City: text } })).status).toBe(200);
    expect((await send("POST", `${path}/Tags/$ref`, id(`Tags(${key})`))).status).toBe(204);
    expect((await send("DELETE", `${path}/Tags/$ref?$id=${encodeURIComponent(`Tags(${key})`)}`)).status).toBe(204);
    expect((await send("DELETE", `Tags(${key})`)).status).toBe(204);
    return [...failures.commands];
  };
  const plain = await commandsOf("plain", 1);
  for (const text of ["';drop table x;--", "\\' or 1=1", "?", "$1", ":x", "%"]) {
    expect(await commandsOf(text, 7)).toEqual(plain);
  }
  expect(plain.length).toBeGreaterThan(10);
});
