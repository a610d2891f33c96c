import { Kysely, sql } from "kysely";
import {
  action,
  allRows,
  arraySource,
  authenticated,
  edm,
  entitySet,
  entityType,
  fn,
  hasMany,
  hasOptional,
  odataService,
  resource,
  type Context,
  type ResultOf,
  type RuleContext,
} from "odatakit";
import { sqlEntitySet, sqlSource } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { Failures, failingDialect } from "../../databases/sql/failing-dialect.ts";
import type { AnyDatabase } from "../../engine/executors/engines.ts";
import { eachDoor, expectError } from "../http/doors.ts";
import { Account, createShopTables, Note, shopOver, type Shop } from "./shop-model.ts";

const Book = entityType("Book", { id: edm.int32().key(), title: edm.string(), authorId: edm.int32().nullable() });
const Author = entityType("Author", { id: edm.int32().key(), name: edm.string(), written: edm.int32().default(0) });
const Loan = entityType("Loan", { id: edm.int32().key() });

type AuthorRow = ResultOf<typeof Author>;

/** A library whose handlers use each other's sets. */
function library() {
  const authors = new Map<number, AuthorRow>([[1, { id: 1, name: "Ada", written: 0 }]]);
  const books = new Map<number, ResultOf<typeof Book>>();
  const ruleContexts: RuleContext[] = [];
  const expectedOf: unknown[] = [];
  const authorSet = entitySet(Author, {
    getByKey: (id) => authors.get(id) ?? null,
    getAll: () => authors.values(),
    create: (author) => {
      authors.set(author.id, author);
      return author;
    },
    patch: (id, delta, context) => {
      expectedOf.push(context.expected);
      const author = { ...authors.get(id), ...delta } as AuthorRow;
      authors.set(id, author);
      return author;
    },
    etag: ["name"],
    authorization: {
      create: authenticated(),
      update: resource((_user, author, context) => {
        ruleContexts.push(context);
        return author.name !== "nobody";
      }),
    },
    navigation: {
      books: hasMany(Book, {
        target: "Books",
        get: async (id, { sets }) => sets(bookSet).query({ filter: (book) => book.authorId.eq(id) }),
      }),
    },
    functions: {
      titles: fn({
        bound: "entity",
        returns: edm.collection(edm.string()),
        handler: async (id: number, _parameters: object, context: Context): Promise<readonly string[]> => {
          const found = await context.sets(bookSet).query({ filter: (book) => book.authorId.eq(id), orderBy: "title" });
          return found.map(({ title }) => title);
        },
      }),
    },
  });
  const bookSet = entitySet(Book, {
    queryable: () => arraySource(Book, [...books.values()]),
    getByKey: (id) => books.get(id) ?? null,
    create: async (book, { sets }): Promise<ResultOf<typeof Book>> => {
      const { authorId } = book;
      if (authorId !== null) {
        const author = await sets(authorSet).get(authorId);
        if (author === null) await sets(authorSet).create({ id: authorId, name: `author ${String(authorId)}` });
        else await sets(authorSet).patch(authorId, { written: author.written + 1 });
      }
      books.set(book.id, book);
      return book;
    },
    patch: async (id, delta, { sets }): Promise<ResultOf<typeof Book> | null> => {
      await sets(authorSet).patch(1, { written: 7 });
      const book = books.get(id);
      return book === undefined ? null : { ...book, ...delta };
    },
    etag: ["title"],
  });
  const endless = entitySet(Loan, {
    create: async (loan, { sets }): Promise<ResultOf<typeof Loan>> => sets(endless).create(loan),
  });
  return { authors, books, ruleContexts, expectedOf, authorSet, bookSet, endless };
}

eachDoor((door) => {
  describe("a handler uses other sets", () => {
    let made: ReturnType<typeof library>;
    let send: ReturnType<typeof door.to>;
    const errors: unknown[] = [];
    const JSON_BODY = { "Content-Type": "application/json" };

    beforeEach(() => {
      made = library();
      errors.length = 0;
      send = door.to(
        odataService({
          prefix: "/s",
          entitySets: [made.authorSet, made.bookSet, made.endless],
          authenticate: ({ headers }) => (headers.get("x-user") === null ? null : { id: "u" }),
          authorization: [],
          logger: {
            error: (_message, { err }) => errors.push(String(err)),
            warn: () => undefined,
            info: () => undefined,
          },
        }),
      );
    });

    const create = (user: boolean, authorId: number, id = 1) =>
      send(
        "/s/Books",
        { ...JSON_BODY, ...(user ? { "x-user": "u" } : {}), Prefer: "return=minimal" },
        "POST",
        JSON.stringify({ Id: id, Title: `book ${String(id)}`, AuthorId: authorId }),
      );

    test("as the user of the request: the client receives 401 and 403 of another set", async () => {
      expectError(await create(false, 2), {
        status: 401,
        code: "Unauthorized",
        headers: { "www-authenticate": "Bearer" },
      });
      expect(made.books.size).toBe(0);
      expect((await create(true, 2)).status).toBe(204);
      expect(made.authors.get(2)).toEqual({ id: 2, name: "author 2", written: 0 });
      made.authors.set(3, { id: 3, name: "nobody", written: 0 });
      expectError(await create(true, 3, 2), { status: 403, code: "Forbidden" });
    });

    test("along navigations and in bound operations", async () => {
      await create(true, 1, 5);
      await create(true, 1, 4);
      const books = await send("/s/Authors(1)/Books?$select=Title");
      expect([books.status, books.json.value]).toMatchObject([200, [{ Title: "book 4" }, { Title: "book 5" }]]);
      const titles = await send("/s/Authors(1)/titles()", { "x-user": "u" });
      expect([titles.status, titles.json]).toEqual([200, ["book 4", "book 5"]]);
    });

    test("without the precondition of the request, which applies to another entity", async () => {
      await create(true, 1);
      const { headers } = await send("/s/Books(1)", { "x-user": "u" });
      const changed = await send(
        "/s/Books(1)",
        { ...JSON_BODY, "x-user": "u", "If-Match": headers["etag"] ?? "", Prefer: "return=minimal" },
        "PATCH",
        '{"Title":"other"}',
      );
      expect(changed.status).toBe(204);
      expect(made.expectedOf.at(-1)).toBeUndefined();
    });

    test("a rule receives a context that cannot open sets", async () => {
      await create(true, 1);
      expect(made.ruleContexts).toHaveLength(1);
      const [context] = made.ruleContexts;
      expect(context).toMatchObject({ user: { id: "u" }, transaction: undefined });
      expect(context).not.toHaveProperty("sets");
      expect(context).not.toHaveProperty("inTransaction");
    });

    test("a handler that calls its own set endlessly causes a 500 with a clear message", async () => {
      expectError(await send("/s/Loans", JSON_BODY, "POST", '{"Id":1}'), { status: 500, code: "InternalServerError" });
      expect(errors).toEqual([expect.stringMatching(/nested 32 levels deep, the last one to Loans/)]);
    });
  });
});

describe("wrong calls of a handler throw a clear error", () => {
  const db: AnyDatabase = new Kysely({ dialect: sqliteDialect(":memory:") });
  let shop: Shop;
  const stranger = entitySet(Note, { name: "Strangers", getAll: () => [] });
  const bare = entitySet(Note, { name: "Bare", getByKey: () => null });
  const one = [{ id: 1, text: "a" }];
  const paged = entitySet(Note, {
    name: "Paged",
    applyQuery: ({ count }) => ({ items: one, ...(count ? { count: 2 } : {}) }),
  });
  const linked = entitySet(Note, { name: "Linked", applyQuery: () => ({ items: one, nextLink: "x" }) });
  const applied = entitySet(Note, { name: "Applied", applyQuery: ({ top }) => ({ items: one.slice(0, top) }) });

  beforeAll(async () => {
    await createShopTables(db, { name: "sqlite" });
    shop = shopOver(db, { entitySets: [bare, paged, linked, applied] });
  });
  afterAll(() => db.destroy());

  test.each<readonly [string, (context: Context, shop: Shop) => unknown, RegExp]>([
    ["a set of another service", ({ sets }) => sets(stranger).get(1), /no such set of Note/],
    ["no set", ({ sets }) => sets("Notes" as never), /ctx\.sets takes an entity set: pass the result/],
    [
      "undefined instead of a set",
      ({ sets }) => sets(undefined as never),
      /ctx\.sets takes an entity set: pass the result/,
    ],
    ["an unknown option", ({ sets }, { notes }) => sets(notes, { trust: true } as never), /no option `trust`/],
    [
      "trusted that is not a Boolean",
      ({ sets }, { notes }) => sets(notes, { trusted: "yes" } as never),
      /`trusted` of ctx\.sets must be true or false/,
    ],
    ["a read without a handler", ({ sets }) => sets(bare).query(), /Bare has no `queryable`, `getAll` or/],
    ["a write without a handler", ({ sets }) => sets(bare).create({ id: 1, text: "" }), /Bare has no `create` handler/],
    ["a change without a handler", ({ sets }) => sets(bare).patch(1, {}), /Bare has no `patch` handler/],
    ["a deletion without a handler", ({ sets }) => sets(bare).delete(1), /Bare has no `delete` handler/],
    [
      "a key of another type",
      ({ sets }, { notes }) => sets(notes).get("x" as never),
      /the key `id` must be a value of Edm\.Int32/,
    ],
    ["a missing key", ({ sets }, { notes }) => sets(notes).get(undefined as never), /the key has no value for `id`/],
    [
      "an option of a query",
      ({ sets }, { notes }) => sets(notes).query({ fliter: 1 } as never),
      /Did you mean `filter`/,
    ],
    [
      "a filter that is a string",
      ({ sets }, { notes }) => sets(notes).query({ filter: "id eq 1" as never }),
      /Pass a function of the row/,
    ],
    [
      "a filter without a result",
      ({ sets }, { notes }) => sets(notes).query({ filter: () => undefined as never }),
      /did not return a condition/,
    ],
    [
      "a condition that a filter drops",
      ({ sets }, { notes }) => sets(notes).query({ filter: (note) => note.id.eq(1) && note.text.eq("x") }),
      /The filter of ctx\.sets\(Notes\)\.query made a condition on `id` that its result does not contain\..*`a\.and\(b\)`/,
    ],
    [
      "a property in a filter",
      ({ sets }, { notes }) =>
        sets(notes).query({ filter: (note) => (note as never as { txt: { eq(v: string): never } }).txt.eq("x") }),
      /A filter uses `txt`.*`text`/,
    ],
    [
      "undefined in a filter",
      ({ sets }, { notes }) => sets(notes).query({ filter: (note) => note.id.eq(undefined as never) }),
      /A filter compares id with undefined/,
    ],
    [
      "a property in an order",
      ({ sets }, { notes }) => sets(notes).query({ orderBy: "txt" as never }),
      /`orderBy` names `txt`.*`text`/,
    ],
    [
      "a complex property in an order",
      ({ sets }, { orders }) => sets(orders).query({ orderBy: "shipTo" }),
      /`shipTo` of Order, which has no order/,
    ],
    ["a page", ({ sets }, { notes }) => sets(notes).query({ top: -1 }), /`top` of ctx\.sets\(Notes\)\.query is -1/],
    [
      "a member of a new entity",
      ({ sets }, { notes }) => sets(notes).create({ id: 1, txt: "" } as never),
      /Note has no property `txt`\. Did you mean `text`/,
    ],
    [
      "a computed member",
      ({ sets }, { orders }) => sets(orders).create({ id: 1, owner: "ann", total: "1", version: 2 } as never),
      /`version` is computed/,
    ],
    [
      "the key of a change",
      ({ sets }, { notes }) => sets(notes).patch(1, { id: 2 } as never),
      /`id` is part of the key/,
    ],
    [
      "a nested member of a change",
      ({ sets }, { orders }) => sets(orders).patch(1, { lines: [] } as never),
      /`lines` is a navigation/,
    ],
    [
      "a nested entity",
      ({ sets }, { lines }) => sets(lines).create({ id: 1, orderId: 1, text: "", order: {} }),
      /`order` is a navigation.*allowDeepInsert/,
    ],
    [
      "a value of another type",
      ({ sets }, { notes }) => sets(notes).create({ id: "x", text: "" } as never),
      /`id` must be a value of Edm\.Int32/,
    ],
    [
      "expected values",
      ({ sets }, { notes }) => sets(notes).patch(1, {}, { expected: { txt: "" } as never }),
      /names `txt`/,
    ],
    ["one page of all", ({ sets }) => sets(paged).query(), /applyQuery of Paged returned only one page.*`top`/],
    ["one page of all, with a link", ({ sets }) => sets(linked).query(), /applyQuery of Linked returned only one page/],
  ])("%s", async (_name, script, message) => {
    expect(await shop.resultOf((context) => script(context, shop))).toMatch(message);
  });

  test("a page of a set that applies the query itself", async () => {
    expect(await shop.resultOf(({ sets }) => sets(paged).query({ top: 1 }))).toEqual(one);
    expect(await shop.resultOf(({ sets }) => sets(applied).query())).toEqual(one);
  });

  test("maxTop does not limit a set in memory, which receives canonical values", async () => {
    await shop.resultOf(({ sets }) => sets(shop.notes).create({ id: 2, text: "second" }));
    expect(await shop.resultOf(({ sets }) => sets(shop.notes).query({ orderBy: "id desc" }))).toEqual([
      { id: 2, text: "second" },
      { id: 1, text: "first" },
    ]);
    expect(
      await shop.resultOf(({ sets }) => sets(shop.notes).patch(2, { text: "x" }, { expected: { text: "y" } })),
    ).toBe("412 PreconditionFailed");
    expect(await shop.resultOf(({ sets }) => sets(shop.notes).delete(2))).toBe(true);
  });
});

describe("transactions", () => {
  const failures = new Failures();
  const db: AnyDatabase = new Kysely({ dialect: failingDialect(sqliteDialect(":memory:"), failures) });
  const other: AnyDatabase = new Kysely({ dialect: sqliteDialect(":memory:") });
  const Thing = entityType("Thing", { id: edm.int32().key() });
  const things = sqlEntitySet(Thing, { db: other, table: "things", operations: ["read", "create"] });
  const rich = entitySet(Account, { name: "Rich", queryable: () => sqlSource(Account, { db, from: "accounts" }) });
  const BUSY = Object.assign(new Error("database is locked"), { errcode: 5, code: "ERR_SQLITE_ERROR" });
  let shop: Shop;

  beforeAll(async () => {
    await createShopTables(db, { name: "sqlite" });
    await sql`create table things (id integer primary key)`.execute(other);
    shop = shopOver(db, { entitySets: [rich] });
  });
  afterAll(async () => {
    await db.destroy();
    await other.destroy();
  });
  beforeEach(async () => {
    failures.clear();
    await db.deleteFrom("accounts").execute();
    failures.clear();
  });

  const create = (id: number) => (inner: Context) => inner.sets(shop.accounts).create({ id, balance: 1n });
  const begun = () => failures.commands.filter((command) => command === "begin").length;
  const count = async () => (await db.selectFrom("accounts").select("id").execute()).length;

  test("a source that a handler makes reads within the transaction", async () => {
    const result = await shop.resultOf((context) =>
      context.inTransaction(async (inner) => {
        await create(1)(inner);
        return inner.sets(rich).query();
      }),
    );
    expect(result).toEqual([{ id: 1, balance: "1n" }]);
  });

  test("a conflicting transaction is tried three times, then 503", async () => {
    let left = 2;
    failures.set((command) => (command.startsWith("insert") && left-- > 0 ? BUSY : null));
    expect(await shop.resultOf((context) => context.inTransaction(create(1)))).toMatchObject({ id: 1 });
    expect(begun()).toBe(3);
    failures.set((command) => (command.startsWith("insert") ? BUSY : null));
    expect(await shop.resultOf((context) => context.inTransaction(create(2)))).toBe("503 ServiceUnavailable");
    expect(begun()).toBe(3);
    failures.clear();
    expect(await count()).toBe(1);
  });

  test("a conflict at the end of the transaction is retried, too", async () => {
    let left = 1;
    failures.set((command) => (command === "commit" && left-- > 0 ? BUSY : null));
    expect(await shop.resultOf((context) => context.inTransaction(create(1)))).toMatchObject({ id: 1 });
    expect(begun()).toBe(2);
    failures.clear();
    expect(await count()).toBe(1);
  });

  test("also if the work catches the conflict, after which no call runs", async () => {
    let left = 1;
    failures.set((command) => (command.startsWith("insert") && left-- > 0 ? BUSY : null));
    const told: string[] = [];
    await shop.resultOf((context) =>
      context.inTransaction(async (inner) => {
        await create(1)(inner).catch(() => told.push("caught"));
        await create(2)(inner).catch(() => told.push("refused"));
      }),
    );
    expect(told).toEqual(["caught", "refused"]);
    failures.clear();
    expect(await count()).toBe(2);
  });

  test("any other failure is not retried", async () => {
    expect(
      await shop.resultOf((context) =>
        context.inTransaction(() => {
          throw new Error("no");
        }),
      ),
    ).toBe("Error: no");
    expect(begun()).toBe(1);
  });

  test("a handler that waits for its own transaction times out and releases the connection", async () => {
    let own: Promise<unknown> = Promise.resolve();
    const result = await shop.resultOf((context) =>
      context
        .inTransaction(
          async (inner) => {
            await create(1)(inner);
            own = db.deleteFrom("accounts").execute();
            await own;
          },
          { timeout: 40 },
        )
        .catch(({ status, code, message, cause }) => [status, code, message, (cause as Error).message]),
    );
    expect(result).toEqual([
      503,
      "ServiceUnavailable",
      "The changes took longer than 0.04 seconds and are rolled back. Send fewer changes at once, or try again later.",
      expect.stringMatching(/took longer than 40 ms and is rolled back.*`ctx\.transaction`/),
    ]);
    await own;
    expect(await shop.resultOf((context) => context.inTransaction(create(2), { timeout: null }))).toMatchObject({
      id: 2,
    });
    expect(await count()).toBe(1);
    expect(await shop.resultOf((context) => context.inTransaction(() => 1, { timeout: 0 }))).toMatch(/`timeout` of/);
    expect(await shop.resultOf((context) => context.inTransaction(() => 1, { on: 1 } as never))).toMatch(
      /no option `on`/,
    );
  });

  test("over two databases: a set selects one, and sets of the other are rejected", async () => {
    const two = shopOver(db, { entitySets: [things] });
    const run = (script: (context: Context) => unknown) => two.resultOf(script);
    expect(await run((context) => context.inTransaction(() => 1))).toMatch(
      /2 databases\. Pass a set of one database.*\{ over: orders \}/,
    );
    expect(await run((context) => context.inTransaction(() => 1, { over: two.orders }))).toBe(1);
    expect(await run((context) => context.inTransaction(() => 1, { over: two.notes }))).toMatch(
      /does not know the database of Notes/,
    );
    const told = await run((context) =>
      context.inTransaction(
        async (inner) => [
          await inner
            .sets(things)
            .create({ id: 1 })
            .catch((error: Error) => error.message),
          await inner
            .sets(things)
            .query()
            .catch((error: Error) => error.message),
          await inner.inTransaction(() => 1, { over: things }).catch((error: Error) => error.message),
        ],
        { over: two.orders },
      ),
    );
    expect(told).toEqual([
      expect.stringMatching(/Things and the open transaction are in different databases/),
      expect.stringMatching(/Things and the open transaction are in different databases/),
      expect.stringMatching(/within a transaction of another database/),
    ]);
    expect(
      await run((context) => context.inTransaction((inner) => inner.sets(things).create({ id: 1 }), { over: things })),
    ).toEqual({ id: 1 });
  });

  test("handlers of a table reject the transaction of another database", async () => {
    const { create: insert } = things.options as {
      readonly create: (entity: object, context: object) => Promise<object>;
    };
    const result = await shop.resultOf((context) =>
      context.inTransaction((inner) => insert({ id: 9 }, { transaction: inner.transaction })),
    );
    expect(result).toMatch(/open transaction does not belong to the database of the table things/);
  });

  test("a service without a database has no transactions", async () => {
    const messages: unknown[] = [];
    const plain = odataService({
      entitySets: [entitySet(Note, { getAll: () => [] })],
      actions: {
        go: action({
          handler: async (_parameters, context) => {
            await context.inTransaction(() => 1).catch((error: Error) => messages.push(error.message));
          },
        }),
      },
    });
    await plain.fetch(new Request("http://x.example/go", { method: "POST" }));
    expect(messages).toEqual([expect.stringMatching(/needs a database: no set of this service/)]);
  });
});

test("a trusted query along a navigation that cannot be loaded throws instead of returning nothing", async () => {
  const books = entitySet(Book, {
    getAll: () => [],
    getByKey: () => null,
    authorization: { rows: () => allRows },
  });
  const loans = entitySet(Loan, {
    getAll: () => [{ id: 1 }],
    navigation: { book: hasOptional(Book, { target: "Books" }) },
  });
  const count = fn({
    returns: edm.int32(),
    authorization: [],
    handler: async (_parameters: object, { sets }: Context): Promise<number> =>
      sets(loans, { trusted: true }).count({ filter: (loan) => loan.book.title.eq("Odyssey") }),
  });
  const service = odataService({ prefix: "", entitySets: [books, loans], functions: { count } });
  const response = await service.fetch(new Request("http://library.example/count()"));
  expect(await response.json()).toMatchObject({ error: { code: "UnsupportedQueryOption", target: "$filter" } });
});
