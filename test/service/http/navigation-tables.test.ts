import { afterAll, describe, expect, test } from "vitest";
import { type Door, eachDoor, expectError, expectInvalidOption, ORIGIN, targetOf, url } from "./doors.ts";
import { sqliteShop } from "./shop-sqlite.ts";
import { shop } from "./shop-tables.ts";

const tables = shop({ by: "tables", links: true });
const later = shop({ by: "tables", links: true, later: true });
const handlers = shop({ by: "handlers", links: true });
const sqlite = await sqliteShop({ links: true });
afterAll(async () => {
  await sqlite.db.destroy();
});
const notFound = { status: 404, code: "NotFound" } as const;

/** Every option that navigation routes take, on all of their forms. */
const READS: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
  ["Authors(1)/Books", {}],
  ["Authors(1)/Books", { $orderby: "Title desc" }],
  ["Authors(1)/Books", { $orderby: "price desc,TITLE", $select: "Title,Price" }],
  ["Authors(1)/Books", { $orderby: "length(Title)", $skip: "1", $top: "1", $count: "true" }],
  ["Authors(1)/Books", { $skip: "2", $count: "true", $select: "Words" }],
  ["Authors(1)/Books", { $skip: "9", $count: "true" }],
  ["Authors(1)/Books", { $top: "0", $count: "true" }],
  ["Authors(3)/Books", { $count: "true" }],
  ["Authors(1)/Pupils", {}],
  ["Authors(1)/Mentor/$ref", {}],
  ["Authors(2)/Mentor", {}],
  ["Authors(2)/Mentor", { $select: "Name" }],
  ["Authors(1)/Mentor", {}],
  ["Authors(4)/Mentor", {}],
  ["Authors(1)/Shelf", {}],
  ["Books(10)/Shelf", { $select: "Place" }],
  ["Books(12)/Shelf", {}],
  ["Books(21)/Shelf", {}],
  ["Books(10)/Notes", {}],
  ["Books(10)/Notes(BookId=10,Number=2)", {}],
  ["Books(10)/Notes(BookId=10,Number=2)", { $select: "Text" }],
  ["Notes(BookId=20,Number=1)/Book", {}],
  ["Shelves('A%2F1')/Books", { $orderby: "Id desc" }],
  ["Shelves('B''2')/Books", { $select: "Title" }],
  ["Authors(1)/Books(11)", {}],
  ["Authors(1)/Books(11)", { $select: "Words" }],
  ["Authors(1)/Books/$count", {}],
  ["Authors(3)/Books/$count", {}],
  ["Shelves('A%2F1')/Books/$count", { $top: "1" }],
  ["Authors(1)/Books/$ref", { $orderby: "Title desc", $skip: "1", $count: "true" }],
  ["Authors(1)/Books/$ref", { $top: "1" }],
  ["Books(10)/Notes/$ref", {}],
  ["Books(10)/Author/$ref", {}],
  ["Books(30)/Author/$ref", {}],
  ["Books(10)/Tags", {}],
  ["Books(10)/Tags", { $orderby: "Weight desc", $top: "1", $count: "true" }],
  ["Books(10)/Tags('old')", {}],
  ["Books(20)/Tags/$count", {}],
  ["Books(30)/Tags", {}],
  ["Tags('dark')/Books", { $select: "Title" }],
  ["Tags('dark')/Books(20)", { $select: "Title" }],
  ["Tags('dark')/Books/$ref", {}],
];
const FORMATS = ["minimal", "full", "none", "minimal;IEEE754Compatible=true"];

eachDoor((door) => {
  describe("tables return the same responses as handlers, byte for byte", () => {
    const expectedOf = door.to(handlers.service);
    const doors = [tables, later, sqlite].map(({ service }) => door.to(service));

    test.each(READS.map(([path, options]) => [path, Object.values(options).join(" & "), options] as const))(
      "%s %s",
      async (path, _text, options) => {
        const target = url(`/s/${path}`, options);
        for (const format of FORMATS) {
          const headers = { Accept: `application/json;odata.metadata=${format}` };
          const expected = await expectedOf(target, headers);
          for (const each of doors) {
            const { status, text, headers: answered } = await each(target, headers);
            expect({ status, text, answered }).toEqual({
              status: expected.status,
              text: expected.text,
              answered: expected.headers,
            });
          }
        }
        expect([tables, later, sqlite, handlers].flatMap(({ logger }) => logger.errors)).toEqual([]);
      },
    );
  });

  describe.each(["tables", "sqlite"] as const)("rules, over %s", (kind) => {
    const { service } = kind === "tables" ? tables : sqlite;
    const ask = door.to(service);

    test("a missing parent is 404, and so is a missing related entity", async () => {
      for (const path of ["Books", "Books/$count", "Books/$ref", "Books(10)", "Mentor", "Mentor/$ref", "Shelf"]) {
        expectError(await ask(`/s/Authors(99)/${path}`), {
          ...notFound,
          message: "Authors has no entity with the key (99).",
        });
      }
      expectError(await ask("/s/Books(30)/Author"), {
        ...notFound,
        message: "Books(30) does not exist, or has no entity at 'Author'.",
      });
      expectError(await ask("/s/Authors(1)/Books(20)"), {
        ...notFound,
        message: "Authors(1) has no entity with the key (20) at 'Books'.",
      });
      expectError(await ask("/s/Authors(1)/Books(99)"), notFound);
      expectError(await ask("/s/Authors(1)/Nothing"), notFound);
    });

    test.each(["$filter", "$expand", "$search", "$apply", "$compute", "$skiptoken", "$deltatoken"])(
      "%s is not taken",
      async (option) => {
        for (const path of [
          "Authors(1)/Books",
          "Authors(1)/Books/$count",
          "Authors(2)/Mentor",
          "Authors(1)/Books/$ref",
        ]) {
          expectError(await ask(url(`/s/${path}`, { [option]: "Id eq 1" })), {
            status: 400,
            code: "UnsupportedQueryOption",
            target: option,
          });
        }
      },
    );

    test("wrong values are refused", async () => {
      for (const [option, value] of [
        ["$orderby", "Nothing"],
        ["$orderby", "ShelfCode"],
        ["$top", "x"],
        ["$skip", "-1"],
        ["$select", "Nothing"],
      ] as const) {
        expectInvalidOption(await ask(url("/s/Authors(1)/Books", { [option]: value })), option);
      }
      expectError(await ask("/s/Authors('x')/Books"), { status: 400, code: "InvalidKey", target: "key" });
      expectError(await ask("/s/Authors(1)/Books('x')"), { status: 400, code: "InvalidKey", target: "key" });
    });

    test("an entity has its ETag, which is no condition", async () => {
      const answer = await ask("/s/Authors(2)/Mentor");
      const etag = answer.json["@odata.etag"];
      expect(answer.headers["etag"]).toBe(etag);
      expect({ ...(await ask("/s/Authors(2)/Mentor", { "If-None-Match": etag })) }).toEqual({ ...answer });
    });

    test("OPTIONS lists the methods, and other methods are rejected", async () => {
      const options = await ask("/s/Authors(1)/Books", {}, "OPTIONS");
      expect([options.status, options.headers["allow"]]).toEqual([204, "GET, HEAD, OPTIONS"]);
      expect((await ask("/s/Authors(1)/Books/$ref", {}, "OPTIONS")).headers["allow"]).toBe("GET, HEAD, OPTIONS");
      expect((await ask("/s/Authors(1)/Books", {}, "HEAD")).status).toBe(200);
      expect((await ask("/s/Authors(1)/Books", {}, "DELETE")).status).toBe(405);
    });
  });

  describe("pages", () => {
    test.each([
      ["Books", {}, [10, 11, 12]],
      ["Books", { $orderby: "Title desc", $select: "Id" }, [11, 12, 10]],
      ["Books", { $skip: "1" }, [11, 12]],
    ])("of %s %j are the set", async (path, options, ids) => {
      for (const service of await services({ maxTop: 1 })) {
        await expectPages(door, service, url(`/s/Authors(1)/${path}`, options), "Id", ids);
      }
    });

    test("a preference makes them smaller; an explicit $top has none; above maxTop it is refused", async () => {
      for (const service of await services({ maxTop: 2 })) {
        const ask = door.to(service);
        const page = await ask("/s/Authors(1)/Books", { Prefer: "maxpagesize=1" });
        expect([page.json.value.length, page.headers["preference-applied"]]).toEqual([1, "maxpagesize=1"]);
        expect(page.json["@odata.nextLink"]).toBe(`${ORIGIN}/s/Authors(1)/Books?$skip=1`);
        expect((await ask("/s/Authors(1)/Books?$top=1")).json).not.toHaveProperty("@odata.nextLink");
        expectInvalidOption(await ask("/s/Authors(1)/Books?$top=3"), "$top");
      }
    });
  });
});

/** The shop over either kind of tables. */
async function services(defaults: Parameters<typeof shop>[0]["defaults"]) {
  return [shop({ by: "tables", defaults: defaults ?? {} }).service, (await sqliteShop({ defaults })).service];
}

async function expectPages(
  door: Door,
  service: Parameters<Door["to"]>[0],
  start: string,
  member: string,
  expected: readonly unknown[],
): Promise<void> {
  const found: unknown[] = [];
  let next: string | undefined = start;
  while (next !== undefined) {
    const { status, json, text } = await door.to(service)(next);
    expect(status, text).toBe(200);
    const entities: ReadonlyArray<Readonly<Record<string, unknown>>> = json.value;
    found.push(...entities.map((entity) => entity[member]));
    expect(found.length).toBeLessThanOrEqual(expected.length);
    const link: string | undefined = json["@odata.nextLink"];
    expect(link ?? "$skip=").toContain("$skip=");
    next = link === undefined ? undefined : targetOf(link);
  }
  expect(found).toEqual(expected);
}

describe("statements", () => {
  test.each([
    ["Authors(1)/Books?$orderby=Title&$select=Title&$skip=1&$top=1", ["authors by key: Id", "books of 1: Id,Title"]],
    ["Authors(1)/Books/$count", ["authors by key: Id", "books of 1: "]],
    ["Authors(1)/Books(10)?$select=Title", ["authors by key: Id", "books of 1: Id,Title"]],
    ["Authors(1)/Books/$ref", ["authors by key: Id", "books of 1: Id"]],
    ["Books(10)/Author?$select=Born", ["books by key: AuthorId", "authors of 1: Id,Name,MentorId,Born"]],
    ["Books(10)/Author/$ref", ["books by key: AuthorId", "authors of 1: Id"]],
    ["Books(10)/Shelf?$select=Place", ["books by key: ShelfCode", "shelves of 1: Code,Place"]],
    ["Books(12)/Shelf", ["books by key: ShelfCode"]],
    ["Authors(99)/Books", ["authors by key: Id"]],
  ])("%s", async (path, expected) => {
    tables.database.take();
    await tables.service.fetch(new Request(`${ORIGIN}/s/${path}`));
    expect(tables.database.take()).toEqual(expected);
    sqlite.statements.reset();
    await sqlite.service.fetch(new Request(`${ORIGIN}/s/${path}`));
    expect(sqlite.statements.texts()).toHaveLength(expected.length);
  });

  test("order, skip and top are part of the statement; a count needs a second one", async () => {
    sqlite.statements.reset();
    await sqlite.service.fetch(new Request(`${ORIGIN}/s/Authors(1)/Books?$orderby=Title&$skip=1&$top=1&$count=true`));
    const texts = sqlite.statements.texts();
    expect(texts.length).toBeLessThanOrEqual(3);
    expect(texts[1]).toMatch(/order by .*"title".* limit /u);
    const { compiled } = tables.database;
    for (const path of ["Authors(1)/Books?$top=1", "Authors(1)/Books?$top=2", "Authors(2)/Books?$top=1"]) {
      await tables.service.fetch(new Request(`${ORIGIN}/s/${path}`));
    }
    expect(tables.database.compiled - compiled).toBeLessThanOrEqual(1);
  });
});

describe("routes exist from table to table", () => {
  const status = async (options: Parameters<typeof shop>[0], path: string) =>
    (await shop(options).service.fetch(new Request(`${ORIGIN}/s/${path}`))).status;

  test.each(["Authors(1)/Books", "Authors(1)/Books/$count", "Authors(1)/Books(10)", "Authors(1)/Books/$ref"])(
    "%s",
    async (path) => {
      expect(await status({ by: "tables" }, path)).toBe(200);
      expect(await status({ by: "tables", authors: { expandPushdownEnabled: false } }, path)).toBe(200);
      // The set needs a table and access by key, the target set a table, and the navigation its join properties.
      expect(await status({ by: "tables", authors: { queryable: undefined, getAll: () => [] } }, path)).toBe(404);
      expect(await status({ by: "tables", books: { queryable: undefined, getAll: () => [] } }, path)).toBe(404);
      expect(await status({ by: "tables", authors: { getByKey: undefined } }, path)).toBe(404);
      expect(await status({ by: "tables", navigation: { books: { on: undefined } } }, path)).toBe(404);
    },
  );

  test("one entity is addressed where its set reads by key", async () => {
    expect(await status({ by: "tables", books: { getByKey: undefined } }, "Authors(1)/Books(10)")).toBe(404);
    expect(await status({ by: "tables", books: { getByKey: undefined } }, "Authors(1)/Books")).toBe(200);
  });

  test("a parent that the set hides is missing", async () => {
    const options = { by: "tables", authors: { getByKey: () => null } } as const;
    expect(await status(options, "Authors(1)/Books")).toBe(404);
  });
});
