import { Kysely, sql } from "kysely";
import { arraySource, edm, entitySet, entityType, hasMany, odataService, type ServiceOptions } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { afterAll, describe, expect, test } from "vitest";
import type { AnyDatabase } from "../../engine/executors/engines.ts";
import { type Answer, eachDoor, expectAnswer, expectError, ORIGIN, type Send, targetOf } from "./doors.ts";
import { idsOf, Item, ITEMS, noFailures, shown } from "./model.ts";

const NEXT = "@odata.nextLink";
const CONTEXT = `${ORIGIN}/s/$metadata#Items`;
const noop = () => undefined;
const SECRET = "0123456789abcdef, and more";

/** A service whose pages have three entities of seven. */
function dividing(form: string, options: object = {}, others: Partial<ServiceOptions> = {}) {
  const forms: Readonly<Record<string, object>> = {
    queryable: { queryable: () => arraySource(Item, ITEMS) },
    getAll: { getAll: () => ITEMS },
    asyncGetAll: { getAll: () => counted([]).entities },
    applyQuery: {
      applyQuery: ({ skip, top = 7 }: { readonly skip: number; readonly top?: number }) => ({
        items: ITEMS.slice(skip, skip + top),
        count: ITEMS.length,
      }),
    },
  };
  return odataService({
    prefix: "/s",
    entitySets: [entitySet(Item, { maxTop: null, ...forms[form], ...options })],
    logger: noFailures,
    ...others,
    defaults: { maxPageSize: 3, ...others.defaults },
  });
}

/** The items one after another. Notes each that is requested, and the end. */
function counted(seen: (number | "closed")[]) {
  const entities = (async function* items() {
    try {
      for (const item of ITEMS) {
        seen.push(item.id);
        yield item;
      }
    } finally {
      seen.push("closed");
    }
  })();
  return { entities };
}

async function pages(send: Send, target: string, headers = {}): Promise<Answer[]> {
  const found: Answer[] = [];
  let next: string | undefined = target;
  while (next !== undefined) {
    expect(found.length).toBeLessThan(20);
    const answer = await send(next, headers);
    expect(answer.status, answer.text).toBe(200);
    found.push(answer);
    next = answer.json[NEXT] === undefined ? undefined : targetOf(answer.json[NEXT] as string);
  }
  return found;
}

const optionsOf = (answer: Answer) => [...new URL(answer.json[NEXT] as string).searchParams.keys()];

eachDoor((door) => {
  describe.each(["queryable", "getAll", "asyncGetAll", "applyQuery"])("%s", (form) => {
    const send = door.to(dividing(form));
    const start = form === "queryable" ? "$skiptoken" : "$skip";

    test("without maxTop, a page has maxPageSize entities, and a link leads to the others", async () => {
      const found = await pages(send, "/s/Items");
      expect(found.map(({ json }) => idsOf(json))).toEqual([[1, 2, 3], [4, 5, 6], [7]]);
      expect(optionsOf(found[0]!)).toEqual([start]);
      expect(found[0]!.headers).not.toHaveProperty("preference-applied");
    });

    test("a greater $top is divided: the link carries the remaining $top", async () => {
      const found = await pages(send, "/s/Items?$top=5");
      expect(found.map(({ json }) => idsOf(json))).toEqual([
        [1, 2, 3],
        [4, 5],
      ]);
      expect(optionsOf(found[0]!)).toEqual(["$top", start]);
      expect(found[0]!.json[NEXT]).toContain("$top=2&");
    });

    test("a $top of maxPageSize, or less, has no link", async () => {
      expectAnswer(await send("/s/Items?$top=3"), { body: { "@odata.context": CONTEXT, value: [1, 2, 3].map(shown) } });
      expect((await send("/s/Items?$top=2&$skip=1")).json).toEqual({
        "@odata.context": CONTEXT,
        value: [2, 3].map(shown),
      });
    });

    test("a greater $top than there are entities ends with the last one", async () => {
      const found = await pages(send, "/s/Items?$skip=1&$top=1000");
      expect(found.map(({ json }) => idsOf(json))).toEqual([
        [2, 3, 4],
        [5, 6, 7],
      ]);
    });

    test("the size of the page is echoed as maxpagesize to a client that prefers one", async () => {
      const headers = { Prefer: "maxpagesize=5" };
      const answer = await send("/s/Items", headers);
      expect(idsOf(answer.json)).toEqual([1, 2, 3]);
      expect(answer.headers["preference-applied"]).toBe("maxpagesize=3");
      expect((await send("/s/Items?$top=5", headers)).headers["preference-applied"]).toBe("maxpagesize=3");
      expect((await send("/s/Items?$top=3", headers)).headers).not.toHaveProperty("preference-applied");
      const smaller = await send("/s/Items?$top=5", { Prefer: "maxpagesize=1" });
      expect(idsOf(smaller.json)).toEqual([1]);
      expect(smaller.headers["preference-applied"]).toBe("maxpagesize=1");
      expect(smaller.json[NEXT]).toContain("$top=4&");
      expect((await send("/s/Items", { Prefer: "maxpagesize=2" })).headers["preference-applied"]).toBe("maxpagesize=2");
    });

    test("the total is that of all entities on each page", async () => {
      const found = await pages(send, "/s/Items?$count=true&$top=6");
      expect(found.map(({ json }) => json["@odata.count"] as number)).toEqual([7, 7]);
    });
  });

  test("MaxTop still refuses a greater $top", async () => {
    const send = door.to(dividing("queryable", { maxTop: 5 }));
    expectError(await send("/s/Items?$top=6"), { status: 400, code: "InvalidQueryOption", target: "$top" });
    const found = await pages(send, "/s/Items?$top=5");
    expect(found.map(({ json }) => idsOf(json))).toEqual([
      [1, 2, 3],
      [4, 5],
    ]);
  });
});

describe("$count=true, if applyQuery returns no count", () => {
  type Form = (rows: typeof ITEMS) => unknown;
  const forms: readonly (readonly [string, Form])[] = [
    ["an array", (rows) => rows],
    ["an iterable", (rows) => new Set(rows)],
    ["an async iterable", (rows) => itemsOf(rows)],
  ];
  async function* itemsOf(rows: typeof ITEMS) {
    for (const row of rows) yield await Promise.resolve(row);
  }

  describe.each(forms)("%s", (_name, form) => {
    const logged: unknown[] = [];
    const logger: ServiceOptions["logger"] = { error: (...all) => void logged.push(all), warn: noop, info: noop };
    const applyQuery = ({ skip, top = 7 }: { readonly skip: number; readonly top?: number }) => ({
      items: form(ITEMS.slice(skip, skip + top)),
    });
    const service = dividing("applyQuery", { applyQuery }, { logger });
    const countOf = async (target: string) => {
      const response = await service.fetch(new Request(ORIGIN + target));
      return [response.status, ((await response.json()) as Record<string, unknown>)["@odata.count"]];
    };

    test.each(["/s/Items?$count=true", "/s/Items?$count=true&$top=5", "/s/Items?$count=true&$skip=7"])(
      "%s: the total is unknown, so the response is a logged 500",
      async (target) => {
        logged.length = 0;
        expect(await countOf(target)).toEqual([500, undefined]);
        expect(
          JSON.stringify(logged, (_key, value: unknown) => (value instanceof Error ? value.message : value)),
        ).toContain("applyQuery returned no count");
      },
    );

    test("a page that ends with the last item shows the total, $skip included", async () => {
      expect(await countOf("/s/Items?$count=true&$skip=4")).toEqual([200, 7]);
      expect(await countOf("/s/Items?$count=true&$skip=6&$top=5")).toEqual([200, 7]);
    });

    test("requests without $count need none", async () => {
      expect(await countOf("/s/Items")).toEqual([200, undefined]);
    });
  });
});

test("applyQuery gets the size of a divided page beside a greater $top", async () => {
  const seen: unknown[] = [];
  const applyQuery = ({ top, pageSize }: { readonly top?: number; readonly pageSize: number | null }) => {
    seen.push({ top, pageSize });
    return { items: [] };
  };
  const service = dividing("applyQuery", { applyQuery });
  for (const top of [5, 3]) await service.fetch(new Request(`${ORIGIN}/s/Items?$top=${String(top)}`));
  expect(seen).toEqual([
    { top: 5, pageSize: 3 },
    { top: 3, pageSize: null },
  ]);
});

describe("an async iterable of a handler", () => {
  test.each([
    ["/s/Items", [1, 2, 3, 4, "closed"]],
    ["/s/Items?$top=5", [1, 2, 3, 4, "closed"]],
    ["/s/Items?$top=2", [1, 2, "closed"]],
    ["/s/Items?$skip=1&$top=1", [1, 2, "closed"]],
  ])("%s: is closed at the end of the page", async (target, expected) => {
    const seen: (number | "closed")[] = [];
    const service = dividing("getAll", { getAll: () => counted(seen).entities });
    expect((await service.fetch(new Request(ORIGIN + target))).status).toBe(200);
    expect(seen).toEqual(expected);
  });

  test.each(["sync", "async"])("of applyQuery is closed, too: %s", async (kind) => {
    const seen: (number | "closed")[] = [];
    const each = function* items() {
      try {
        for (const item of ITEMS) {
          seen.push(item.id);
          yield item;
        }
      } finally {
        seen.push("closed");
      }
    };
    const items = () => (kind === "sync" ? each() : counted(seen).entities);
    const service = dividing("applyQuery", { applyQuery: () => ({ items: items() }) });
    const response = await service.fetch(new Request(`${ORIGIN}/s/Items?$top=5`));
    const body = (await response.json()) as Record<string, unknown>;
    expect(body[NEXT]).toBe(`${ORIGIN}/s/Items?$top=2&$skip=3`);
    expect(seen).toEqual([1, 2, 3, 4, "closed"]);
  });
});

const Note = entityType("Note", { id: edm.int32().key(), text: edm.string(), rank: edm.int32() });
const Line = entityType("Line", { id: edm.int32().key(), noteId: edm.int32() });
const opened: { readonly destroy: () => Promise<void> }[] = [];
afterAll(() => Promise.all(opened.map((db) => db.destroy())));

async function notesDatabase() {
  const db = new Kysely<AnyDatabase>({ dialect: sqliteDialect(":memory:") });
  opened.push(db);
  await sql`create table notes (id integer primary key, text text not null, rank integer not null)`.execute(db);
  await sql`create table lines (id integer primary key, note_id integer not null)`.execute(db);
  for (let id = 10; id <= 70; id += 10) {
    await sql`insert into notes values (${id}, ${`note ${String(id)}`}, ${id % 30})`.execute(db);
    for (const part of [1, 2, 3, 4]) await sql`insert into lines values (${id + part}, ${id})`.execute(db);
  }
  return db;
}

function notesService(db: Kysely<AnyDatabase>, others: Partial<ServiceOptions> = {}) {
  const columns = { noteId: "note_id" };
  const lines = hasMany(Line, { target: "Lines", on: { id: "noteId" } });
  return odataService({
    name: "s",
    prefix: "/s",
    propertyNaming: "camelCase",
    logger: noFailures,
    ...others,
    entitySets: [
      sqlEntitySet(Note, { db, table: "notes", operations: ["read"], navigation: { lines } }),
      sqlEntitySet(Line, { db, table: "lines", operations: ["read"], columns }),
    ],
    defaults: { maxTop: null, maxPageSize: 3, ...others.defaults },
  });
}

type Notes = ReturnType<typeof notesService>;

async function read(service: Notes, target: string) {
  const response = await service.fetch(new Request(ORIGIN + target));
  const body = (await response.json()) as { value?: { id: number }[]; error?: { code: string } } & Record<
    string,
    unknown
  >;
  const link = body[NEXT];
  return {
    status: response.status,
    code: body.error?.code,
    ids: body.value?.map(({ id }) => id),
    count: body["@odata.count"],
    next: typeof link === "string" ? link.slice(ORIGIN.length) : undefined,
  };
}

describe("a link of a table continues after the last row, with paging by offset", () => {
  test.each([
    ["by key", "/s/Notes", [10, 20, 30], 5, [40, 50, 60]],
    ["in another order", "/s/Notes?$orderby=rank", [30, 60, 10], 3, [40, 70, 20]],
    ["with its $top", "/s/Notes?$top=5", [10, 20, 30], 5, [40, 50]],
    ["in descending order", "/s/Notes?$orderby=rank desc,id", [20, 50, 10], 15, [40, 70, 30]],
  ])("%s", async (_name, target, first, added, second) => {
    const db = await notesDatabase();
    const service = notesService(db);
    const one = await read(service, target);
    expect(one.ids).toEqual(first);
    // A row before the page moves every offset.
    await sql`insert into notes values (${added}, 'new', ${target.includes("desc") ? 29 : -1})`.execute(db);
    const two = await read(service, one.next ?? "");
    expect(two.ids).toEqual(second);
  });

  test("the total counts all rows", async () => {
    const service = notesService(await notesDatabase());
    const one = await read(service, "/s/Notes?$count=true");
    const two = await read(service, one.next ?? "");
    expect([one.count, two.count]).toEqual([7, 7]);
  });

  test("an order along a navigation continues at its offset", async () => {
    const service = notesService(await notesDatabase());
    const one = await read(service, "/s/Notes?$orderby=lines/$count");
    expect([one.ids, one.next]).toEqual([[10, 20, 30], "/s/Notes?$orderby=lines/$count&$skiptoken=AwAAAA%3D%3D"]);
    expect((await read(service, one.next ?? "")).ids).toEqual([40, 50, 60]);
  });

  test("navigation routes continue at their offset", async () => {
    const service = notesService(await notesDatabase());
    const one = await read(service, "/s/Notes(10)/lines");
    expect([one.ids, one.next]).toEqual([[11, 12, 13], "/s/Notes(10)/lines?$skip=3"]);
  });

  test("expanded entities do not count, and maxExpandTop limits them", async () => {
    const service = notesService(await notesDatabase());
    const response = await service.fetch(new Request(`${ORIGIN}/s/Notes?$expand=lines`));
    const { value } = (await response.json()) as { value: { lines: unknown[] }[] };
    expect(value.map(({ lines }) => lines.length)).toEqual([4, 4, 4]);
    const limited = notesService(await notesDatabase(), { defaults: { maxResponseEntities: 10 } });
    expect(await read(limited, "/s/Notes?$expand=lines")).toMatchObject({ status: 400, code: "InvalidQueryOption" });
  });
});

describe("the token of a divided page", () => {
  test("works in another process: by its row with the same secret, else by its offset", async () => {
    const db = await notesDatabase();
    const link = async (others: Partial<ServiceOptions>) =>
      (await read(notesService(db, others), "/s/Notes")).next ?? "";
    const [sealed, own] = [await link({ secret: SECRET }), await link({})];
    await sql`insert into notes values (5, 'new', 0)`.execute(db);
    expect((await read(notesService(db, { secret: SECRET }), sealed)).ids).toEqual([40, 50, 60]);
    expect((await read(notesService(db), own)).ids).toEqual([30, 40, 50]);
  });

  test("of another query, secret or offset continues at its offset; without an offset it is 400", async () => {
    const db = await notesDatabase();
    const { next = "" } = await read(notesService(db, { secret: SECRET }), "/s/Notes");
    await sql`insert into notes values (5, 'new', 0)`.execute(db);
    const other = next.replace("?", "?$filter=id gt 0&");
    expect((await read(notesService(db, { secret: SECRET }), other)).ids).toEqual([30, 40, 50]);
    expect((await read(notesService(db, { secret: `another ${SECRET}` }), next)).ids).toEqual([30, 40, 50]);
    const moved = next.replace(/AwAAAA%3D%3D$/, "BAAAAA%3D%3D");
    expect((await read(notesService(db, { secret: SECRET }), moved)).ids).toEqual([40, 50, 60]);
    const broken = next.replace(/AwAAAA%3D%3D$/, "x");
    expect(await read(notesService(db, { secret: SECRET }), broken)).toMatchObject({
      status: 400,
      code: "InvalidSkipToken",
    });
  });

  test("beside $skip is 400", async () => {
    const service = notesService(await notesDatabase());
    const { next = "" } = await read(service, "/s/Notes");
    expect(await read(service, `${next}&$skip=1`)).toMatchObject({ status: 400, code: "InvalidQueryOption" });
  });

  test("belongs to its user; for another user its offset counts, and without an identity the link is an offset", async () => {
    const db = await notesDatabase();
    const authenticate: ServiceOptions["authenticate"] = ({ headers }) => {
      const name = headers.get("x-user");
      return name === null ? { name: "nobody" } : { id: name };
    };
    const service = notesService(db, { secret: SECRET, authenticate });
    const as = async (target: string, name: string | null) => {
      const response = await service.fetch(
        new Request(ORIGIN + target, { headers: name === null ? {} : { "x-user": name } }),
      );
      const body = (await response.json()) as { readonly value?: { readonly id: number }[]; readonly [NEXT]?: string };
      return [response.status, body[NEXT], body.value?.map(({ id }) => id)] as const;
    };
    const [, link] = await as("/s/Notes", "ann");
    const target = String(link).slice(ORIGIN.length);
    await sql`insert into notes values (5, 'new', 0)`.execute(db);
    expect((await as(target, "ann")).slice(0, 3)).toMatchObject([200, expect.any(String), [40, 50, 60]]);
    expect((await as(target, "ben")).slice(0, 3)).toMatchObject([200, expect.any(String), [30, 40, 50]]);
    expect((await as(target, null)).slice(0, 3)).toMatchObject([200, expect.any(String), [30, 40, 50]]);
    expect(await as("/s/Notes", null)).toEqual([200, `${ORIGIN}/s/Notes?$skiptoken=AwAAAA%3D%3D`, [5, 10, 20]]);
  });

  const OWNERS: readonly (readonly [string, NonNullable<ServiceOptions["tokenScope"]>])[] = [
    ["throws", ({ user }) => (user as unknown as { readonly tenant: string }).tenant],
    ["returns nothing", () => undefined as never],
  ];

  test.each(OWNERS)("is an offset where `tokenScope` %s", async (_name, tokenScope) => {
    const db = await notesDatabase();
    const service = notesService(db, { secret: SECRET, tokenScope });
    const one = await read(service, "/s/Notes");
    expect(one).toMatchObject({ status: 200, ids: [10, 20, 30], next: "/s/Notes?$skiptoken=AwAAAA%3D%3D" });
    expect(await read(service, one.next ?? "")).toMatchObject({ status: 200, ids: [40, 50, 60] });
    const { next = "" } = await read(notesService(db, { secret: SECRET }), "/s/Notes");
    expect(next).toContain(".");
    expect(await read(service, next)).toMatchObject({ status: 200, ids: [40, 50, 60] });
  });

  test("asks `tokenScope` for the owner only where it has a link", async () => {
    let asked = 0;
    const tokenScope = () => `owner ${String((asked += 1))}`;
    const service = notesService(await notesDatabase(), { tokenScope, defaults: { maxPageSize: 10 } });
    for (const target of ["/s/Notes", "/s/Notes?$top=2", "/s/Notes?$top=20"]) {
      expect((await read(service, target)).status).toBe(200);
    }
    expect(asked).toBe(0);
  });

  test("a preference below maxPageSize keeps paging by offset", async () => {
    const service = notesService(await notesDatabase());
    const response = await service.fetch(new Request(`${ORIGIN}/s/Notes`, { headers: { Prefer: "maxpagesize=2" } }));
    expect(((await response.json()) as Record<string, unknown>)[NEXT]).toBe(
      `${ORIGIN}/s/Notes?$skiptoken=AgAAAA%3D%3D`,
    );
  });
});

describe("the setting", () => {
  const build = (defaults: object) => () => dividing("getAll", {}, { defaults });

  test.each([null, 0, 1.5, 50_001, "3"])("maxPageSize: %j is refused", (maxPageSize) => {
    expect(build({ maxPageSize })).toThrow("Give a whole number from 1 to 50000.");
  });

  test.each([1, 50_000])("maxPageSize: %j is allowed", (maxPageSize) => {
    expect(build({ maxPageSize })).not.toThrow();
  });

  test.each(["maxStreams", "streamTimeout"])("%s was removed: the fault names its successor", (name) => {
    expect(build({ [name]: 5 })).toThrow(
      `\`defaults\` has no option \`${name}\`. Remove it: no page is read while it is sent. \`maxPageSize\` limits the entities of a page.`,
    );
  });

  test("the default is 10,000", async () => {
    const many = Array.from({ length: 10_002 }, (_, index) => ({ ...ITEMS[0]!, id: index }));
    const service = odataService({
      prefix: "/s",
      entitySets: [entitySet(Item, { maxTop: null, queryable: () => arraySource(Item, many) })],
      logger: noFailures,
    });
    const page = async (target: string) =>
      (await (await service.fetch(new Request(target))).json()) as { value: unknown[] } & Record<string, unknown>;
    const one = await page(`${ORIGIN}/s/Items`);
    expect(one.value).toHaveLength(10_000);
    expect((await page(String(one[NEXT]))).value).toHaveLength(2);
  });
});
