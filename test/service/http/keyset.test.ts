import { Kysely, sql } from "kysely";
import {
  arraySource,
  edm,
  entitySet,
  entityType,
  enumType,
  odataService,
  type ResultOf,
  type ServiceOptions,
} from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { AnyDatabase } from "../../engine/executors/engines.ts";
import { type Answer, eachDoor, expectError, JSON_HEADERS, ORIGIN, type Send, targetOf, url } from "./doors.ts";
import { noFailures } from "./model.ts";

const NEXT = "@odata.nextLink";
const SECRET = "0123456789abcdef, and more";

const Grade = enumType("Grade", { Low: 9, High: 1 });

/** Values of all kinds and a key of two properties, for tokens to carry. */
const Reading = entityType("Reading", {
  station: edm.string().key(),
  at: edm.dateTimeOffset().key(),
  value: edm.double(),
  rough: edm.single().nullable(),
  exact: edm.decimal().nullable(),
  count: edm.int64().nullable(),
  grade: edm.enum(Grade).nullable(),
  raw: edm.binary().nullable(),
  note: edm.string().nullable(),
  tags: edm.collection(edm.string()),
});
type ReadingRow = ResultOf<typeof Reading>;

const VALUES = [Number.NaN, Number.NEGATIVE_INFINITY, -1.5, -0, 0, 5e-324, 1e21, Number.POSITIVE_INFINITY];
const STATIONS = ["a", "it's / 100%", "\u{1F600}", "\uFF5E", "a\u0000b"];

const READINGS: readonly ReadingRow[] = Array.from({ length: 40 }, (_none, index) => ({
  station: STATIONS[index % STATIONS.length] ?? "",
  at: `2024-02-29T12:00:00.${String(index >> 2).padStart(11, "0")}${String(index % 4)}Z`,
  value: VALUES[(index * 7) % VALUES.length] ?? 0,
  rough: index % 3 === 0 ? null : (VALUES[(index * 5) % VALUES.length] ?? 0),
  exact: index % 4 === 0 ? null : `${String(index % 5)}.${"0".repeat(index % 3)}10`,
  count: index % 5 === 0 ? null : 2n ** 60n + BigInt(index % 7),
  grade: ([null, "High", "Low", "High", "Low", "High"] as const)[index % 6] ?? null,
  raw: index % 7 === 0 ? null : Uint8Array.of(index % 3, 255 - (index % 4)),
  note: index % 3 === 0 ? null : "the private remark",
  tags: Array.from({ length: index % 3 }, () => "x"),
}));

/** A service over readings, which each request reads in their current state. */
function readingService(rows: readonly ReadingRow[], others: Partial<ServiceOptions> = {}) {
  return odataService({
    name: "s",
    secret: SECRET,
    propertyNaming: "camelCase",
    logger: noFailures,
    defaults: { maxTop: 7 },
    ...others,
    entitySets: [
      entitySet(Reading, { queryable: () => arraySource(Reading, rows), paging: "keyset" }),
      entitySet(Reading, { name: "Others", queryable: () => arraySource(Reading, rows), paging: "keyset" }),
      entitySet(Reading, { name: "Offsets", queryable: () => arraySource(Reading, rows) }),
      entitySet(Reading, { name: "Loaded", getAll: () => rows, paging: "keyset" }),
      entitySet(Reading, {
        name: "Applied",
        applyQuery: ({ skip }) => ({ items: rows.slice(skip) }),
        paging: "keyset",
      }),
      entitySet(Reading, {
        name: "Found",
        queryable: () => arraySource(Reading, rows),
        // An iterator runs but once.
        search: ({ text }) => rows.filter(({ station }) => station.includes(text)).values(),
        paging: "keyset",
      }),
    ],
  });
}

const service = readingService(READINGS);

function tokenOf(link: string): string {
  return new URL(link).searchParams.get("$skiptoken") ?? "";
}

interface ReadingJson {
  readonly station: string;
  readonly at: string;
}

/** All pages from a target on. */
async function pages(send: Send, target: string, headers = {}): Promise<Answer[]> {
  const found: Answer[] = [];
  let next: string | undefined = target;
  while (next !== undefined) {
    expect(found.length).toBeLessThan(60);
    const answer = await send(next, headers);
    expect(answer.status, answer.text).toBe(200);
    found.push(answer);
    next = answer.json[NEXT] === undefined ? undefined : targetOf(answer.json[NEXT]);
  }
  return found;
}

function keysOf(answers: readonly Answer[]): string[] {
  return answers.flatMap(({ json }) =>
    (json.value as readonly ReadingJson[]).map(({ station, at }) => `${station} ${at}`),
  );
}

async function wholeOrder(send: Send, orderBy: string, filter?: string): Promise<string[]> {
  const options = { $orderby: orderBy, $top: "7", ...(filter === undefined ? {} : { $filter: filter }) };
  const keys: string[] = [];
  for (let skip = 0; ; skip += 7) {
    const answer = await send(url("/s/Offsets", { ...options, $skip: skip }));
    expect(answer.status, answer.text).toBe(200);
    if (answer.json.value.length === 0) return keys;
    keys.push(...keysOf([answer]));
  }
}

eachDoor((door) => {
  const send = door.to(service);
  const invalid = { status: 400, code: "InvalidSkipToken", target: "$skiptoken", message: /@odata\.nextLink/ } as const;

  describe("a next link of a set with keyset paging", () => {
    test("has a token that no client can read, in place of $skip, and every other option as sent", async () => {
      const answer = await send("/s/Readings?$skip=2&$filter=note%20ne%20null&x=1&$orderby=note,value&$select=value");
      const link: string = answer.json[NEXT];
      expect(link).toMatch(
        /^http:\/\/service\.example\/s\/Readings\?\$filter=note%20ne%20null&x=1&\$orderby=note,value&\$select=value&\$skiptoken=[\w-]+$/,
      );
      expect(Object.keys(answer.json.value[0])).toEqual(["value"]);
      const bytes = Buffer.from(tokenOf(link), "base64url").toString("latin1");
      expect(bytes).not.toMatch(/private|remark|note|2024/);
    });

    test("is the same for the same page", async () => {
      const [first, second] = [await send("/s/Readings"), await send("/s/Readings")];
      expect(first.json[NEXT]).toBe(second.json[NEXT]);
    });

    test("counts $skip once, on the first page", async () => {
      const all = await wholeOrder(send, "value desc");
      const found = await pages(send, url("/s/Readings", { $orderby: "value desc", $skip: 3 }));
      expect(keysOf(found)).toEqual(all.slice(3));
    });

    test("is absent with $top, and after the last row", async () => {
      expect((await send("/s/Readings?$top=5")).json[NEXT]).toBeUndefined();
      const { json } = await send("/s/Readings?$skip=26");
      expect((await send(targetOf(json[NEXT]))).json[NEXT]).toBeUndefined();
      expect((await send(`${targetOf(json[NEXT])}&$top=2`)).json.value).toHaveLength(2);
    });

    test("keeps to the preferred size of pages, which may change from page to page", async () => {
      const all = await wholeOrder(send, "exact");
      const target = url("/s/Readings", { $orderby: "exact" });
      const three = await send(target, { Prefer: "maxpagesize=3" });
      expect(three.headers).toEqual({ ...JSON_HEADERS, "preference-applied": "maxpagesize=3" });
      const rest = await pages(send, targetOf(three.json[NEXT]), { Prefer: "maxpagesize=5" });
      expect(keysOf([three, ...rest])).toEqual(all);
      expect(rest.map(({ json }) => json.value.length)).toEqual([5, 5, 5, 5, 5, 5, 5, 2]);
    });

    test("$count=true is the total of all on every page", async () => {
      const found = await pages(send, url("/s/Readings", { $count: "true", $filter: "note ne null" }));
      expect(found.map(({ json }) => json["@odata.count"])).toEqual([26, 26, 26, 26]);
    });

    test("leads on when $select, $count and $format change", async () => {
      const { json } = await send(url("/s/Readings", { $orderby: "count", $select: "station" }));
      const token = tokenOf(json[NEXT]);
      const other = { $orderby: "count", $count: "true", $format: "json", $skiptoken: token };
      const answer = await send(url("/s/Readings", other));
      expect(keysOf([answer])).toEqual((await wholeOrder(send, "count")).slice(7, 14));
    });
  });

  describe("the pages of a set with keyset paging are the set in its order", () => {
    test.each([
      "value",
      "value desc",
      "rough",
      "rough desc",
      "exact",
      "exact desc",
      "count desc",
      "grade",
      "grade desc",
      "raw",
      "raw desc",
      "note desc",
      "at desc",
      "station desc",
      "at,value",
      "rough desc,exact,count desc",
      "value desc,station desc",
      "value mul 2 desc",
      "rough div value",
      "rough sub rough desc",
      "value gt 0 desc",
      "note eq null",
      "grade desc,rough,value desc",
      "year(at)",
      "length(station) desc,raw",
    ])("by %s", async (orderBy) => {
      const all = await wholeOrder(send, orderBy);
      expect(all).toHaveLength(READINGS.length);
      for (const size of [1, 2, 7]) {
        const found = await pages(send, url("/s/Readings", { $orderby: orderBy }), { Prefer: `maxpagesize=${size}` });
        expect(keysOf(found)).toEqual(all);
      }
    });

    test.each(["tags/$count desc", "tags/any(t:t eq 'x'),value", "at add duration'PT1S' sub now()"])(
      "by offset if a term is not a value of the row: %s",
      async (orderBy) => {
        const found = await pages(send, url("/s/Readings", { $orderby: orderBy }));
        expect(keysOf(found)).toEqual(await wholeOrder(send, orderBy));
        const link = found[0]?.json[NEXT];
        expectError(await send(targetOf(link).replace("Readings", "Others")), invalid);
      },
    );

    test("with parameters of the query in filter and order", async () => {
      const options = { $filter: "value ne @v", $orderby: "value mul @f desc", "@v": "0", "@f": "-1" };
      const found = await pages(send, url("/s/Readings", options));
      const all = await wholeOrder(send, "value mul -1 desc", "value ne 0");
      expect(keysOf(found)).toEqual(all);
      expectError(await send(targetOf(found[0]?.json[NEXT]).replace("@f=-1", "@f=-2")), invalid);
    });

    test("of what $search found", async () => {
      const found = await pages(send, url("/s/Found", { $search: "a", $count: "true", $orderby: "value" }));
      expect(keysOf(found)).toEqual(await wholeOrder(send, "value", "contains(station,'a')"));
      expect(found.map(({ json }) => json["@odata.count"])).toEqual([16, 16, 16]);
      expectError(await send(targetOf(found[0]?.json[NEXT]).replace("$search=a", "$search=b")), invalid);
    });
  });

  describe("400 InvalidSkipToken for a token", () => {
    const first = (): Promise<Answer> => send(url("/s/Readings", { $filter: "value ne 1", $orderby: "value" }));

    test("of which any character is altered", async () => {
      const target = targetOf((await first()).json[NEXT]);
      const start = target.indexOf("$skiptoken=") + "$skiptoken=".length;
      for (let at = start; at < target.length; at += 1) {
        const other = target[at] === "A" ? "B" : "A";
        expectError(await send(target.slice(0, at) + other + target.slice(at + 1)), invalid);
      }
      expectError(await send(target.slice(0, -1)), invalid);
      expectError(await send(`${target}A`), invalid);
      expectError(await send(`${target}==`), invalid);
    });

    test.each([
      ["another $filter", "%20ne%201", "%20ne%202"],
      ["another $orderby", "$orderby=value", "$orderby=rough"],
      ["another direction", "$orderby=value", "$orderby=value%20desc"],
      ["another set", "Readings", "Others"],
      ["a set with offsets", "Readings", "Offsets"],
    ])("of %s", async (_name, from, to) => {
      const target = targetOf((await first()).json[NEXT]);
      expect(target).toContain(from);
      const answer = await send(target.replace(from, to));
      expectError(answer, { ...invalid });
    });

    test("without the $filter that it is of", async () => {
      const token = tokenOf((await first()).json[NEXT]);
      expectError(await send(url("/s/Readings", { $orderby: "value", $skiptoken: token })), invalid);
    });

    test("of another service or secret", async () => {
      const target = targetOf((await first()).json[NEXT]);
      const renamed = readingService(READINGS, { name: "t", prefix: "/s" });
      expectError(await door.to(renamed)(target), invalid);
      const moved = readingService(READINGS, { prefix: "/u" });
      expectError(await door.to(moved)(target.replace("/s/", "/u/")), invalid);
      const otherSecret = readingService(READINGS, { secret: `${SECRET}.` });
      expectError(await door.to(otherSecret)(target), invalid);
      const same = readingService(READINGS, { secret: new TextEncoder().encode(SECRET) });
      expect((await door.to(same)(target)).status).toBe(200);
    });

    describe("of another user", () => {
      interface Caller {
        readonly id?: unknown;
        readonly tenant?: string;
      }
      const callers: Readonly<Record<string, unknown>> = {
        ada: { id: "ada", tenant: "t1" },
        bob: { id: "bob", tenant: "t1" },
        seven: { id: 7 },
        "text seven": { id: "7" },
        big: { id: 7n },
        plain: "ada",
        number: 7,
        blank: { id: "" },
        nobody: { tenant: "t1" },
        promised: { id: Promise.resolve("ada") },
      };
      const logged: string[] = [];
      const guarded = (others: Partial<ServiceOptions> = {}) =>
        door.to(
          readingService(READINGS, {
            authenticate: ({ headers }) => (callers[headers.get("x-user") ?? ""] as Caller as never) ?? null,
            logger: {
              error: (_message, fields) => logged.push(String(fields["err"])),
              warn: () => undefined,
              info: () => undefined,
            },
            ...others,
          }),
        );
      const as = (name: string) => (name === "" ? {} : { "x-user": name });
      const CALLERS = ["", "ada", "bob", "seven", "text seven", "big"];

      test("by the id of the user; anonymous users form a separate scope", async () => {
        const sendAs = guarded();
        for (const owner of CALLERS) {
          const { json, status } = await sendAs("/s/Readings?$orderby=value", as(owner));
          expect(status).toBe(200);
          for (const caller of CALLERS) {
            const answer = await sendAs(targetOf(json[NEXT]), as(caller));
            if (caller === owner) expect(answer.status).toBe(200);
            else expectError(answer, invalid);
          }
        }
      });

      test.each(["plain", "number"])("by the user itself if it is not an object: %s", async (name) => {
        const sendAs = guarded();
        const { json } = await sendAs("/s/Readings", as(name));
        expect((await sendAs(targetOf(json[NEXT]), as(name))).status).toBe(200);
        expectError(await sendAs(targetOf(json[NEXT]), as("bob")), invalid);
      });

      test("by `tokenScope` where the service has one", async () => {
        const sendAs = guarded({ tokenScope: ({ user }) => (user as Caller | null)?.tenant ?? "none" });
        const { json } = await sendAs("/s/Readings", as("ada"));
        expect((await sendAs(targetOf(json[NEXT]), as("bob"))).status).toBe(200);
        expect((await sendAs(targetOf(json[NEXT]), as("nobody"))).status).toBe(200);
        expectError(await sendAs(targetOf(json[NEXT])), invalid);
        expectError(await sendAs(targetOf(json[NEXT]), as("seven")), invalid);
      });

      test.each(["blank", "nobody", "promised"])("500 from the first request on without an id: %s", async (name) => {
        logged.length = 0;
        const answer = await guarded()("/s/Readings?$top=1", as(name));
        expectError(answer, { status: 500, code: "InternalServerError" });
        expect(logged).toEqual([expect.stringMatching(/Readings has keyset paging.*`id`.*`tokenScope`/)]);
        expect((await guarded()("/s/Offsets", as(name))).status).toBe(200);
      });

      test("500 if `tokenScope` does not return a string", async () => {
        const wrong = guarded({ tokenScope: () => Promise.resolve("ada") as never });
        expectError(await wrong("/s/Readings"), { status: 500, code: "InternalServerError" });
      });

      test("a token of version 0.1, which has no user", async () => {
        const token =
          "07ZdZXFOMvuDOj0cToW8mCFCxrf2UJf-4BLVrnr4WtWYZbzd2Swa__ILFrl-mMgetiC6mGSL5jSvsaUomwOJZy3SFC370MjUOIxY890g9LU";
        expectError(await send(`/s/Readings?$orderby=value&$skiptoken=${token}`), invalid);
      });
    });

    test.each(["AgAAAA%3D%3D", "", "x", "%00", "A".repeat(5000)])("that is none: %#", async (token) => {
      expectError(await send(`/s/Readings?$skiptoken=${token}`), invalid);
    });

    test("and 400 InvalidQueryOption for $skip together with it", async () => {
      const { json } = await send("/s/Readings");
      expectError(await send(`${targetOf(json[NEXT])}&$skip=1`), {
        status: 400,
        code: "InvalidQueryOption",
        target: "$skip",
      });
    });
  });

  test.each(["Loaded", "Applied"])("%s has no source to seek in: its links have $skip", async (name) => {
    const found = await pages(send, `/s/${name}`);
    expect(found[0]?.json[NEXT]).toBe(`${ORIGIN}/s/${name}?$skip=7`);
    expect(keysOf(found)).toHaveLength(READINGS.length);
    expectError(await send(`/s/${name}?$skiptoken=${tokenOf((await send("/s/Readings")).json[NEXT])}`), {
      ...invalid,
    });
  });
});

describe("rows that come and go between two pages", () => {
  const rowOf = (index: number): ReadingRow => ({
    ...READINGS[0]!,
    station: `station ${String(index).padStart(3, "0")}`,
    value: index % 4,
  });

  test("no row that stays is missed or comes twice", async () => {
    const stays = Array.from({ length: 60 }, (_none, index) => rowOf(index * 2));
    const goes = Array.from({ length: 30 }, (_none, index) => rowOf(index * 4 + 1));
    const rows: ReadingRow[] = [...stays, ...goes];
    const some = readingService(rows);
    const seen: string[] = [];
    let next: string | undefined = `${ORIGIN}/s/Readings?$orderby=value%20desc&$count=true`;
    for (let page = 0; next !== undefined; page += 1) {
      const body = (await (await some.fetch(new Request(next))).json()) as {
        readonly value: readonly ReadingJson[];
        readonly "@odata.nextLink"?: string;
        readonly "@odata.count": number;
      };
      expect(body["@odata.count"]).toBe(rows.length);
      seen.push(...body.value.map(({ station }) => station));
      next = body["@odata.nextLink"];
      // Some rows before and after the page disappear, others are added.
      for (const gone of goes.splice(0, 3)) rows.splice(rows.indexOf(gone), 1);
      rows.unshift({ ...rowOf(1000 + page), value: page % 4 });
    }
    for (const { station } of stays) expect(seen.filter((each) => each === station)).toEqual([station]);
    expect(new Set(seen).size).toBe(seen.length);
  });

  test("paging continues after the last row of a page was deleted", async () => {
    const rows = Array.from({ length: 20 }, (_none, index) => rowOf(index));
    const some = readingService(rows);
    const first = (await (await some.fetch(new Request(`${ORIGIN}/s/Readings`))).json()) as Record<string, string>;
    rows.splice(0, 7);
    const second = await (await some.fetch(new Request(first[NEXT] ?? ""))).json();
    expect((second as { readonly value: readonly ReadingJson[] }).value[0]?.station).toBe("station 007");
  });
});

describe("values that do not fit a token", () => {
  test("continues after a row with a long value by offset, and after later rows by value", async () => {
    const rows = Array.from({ length: 20 }, (_none, index) => ({
      ...READINGS[0]!,
      station: `s${String(index).padStart(2, "0")}`,
      note: index < 8 ? "long ".repeat(2000) + String(index) : `z${String(index).padStart(2, "0")}`,
    }));
    const some = readingService(rows);
    const seen: string[] = [];
    let next: string | undefined = `${ORIGIN}/s/Readings?$orderby=note&$select=station,at`;
    while (next !== undefined) {
      expect(next.length).toBeLessThan(9000);
      const body = (await (await some.fetch(new Request(next, { headers: { Prefer: "maxpagesize=3" } }))).json()) as {
        readonly value: readonly ReadingJson[];
        readonly "@odata.nextLink"?: string;
      };
      seen.push(...body.value.map(({ station }) => station));
      next = body["@odata.nextLink"];
    }
    expect(seen).toEqual(rows.map(({ station }) => station));
  });

  test("a link that would be too long falls back to an offset", async () => {
    const some = readingService(READINGS, { defaults: { maxTop: 7, maxUrlLength: 300 } });
    const orderBy = "note,exact,count,raw,value";
    for (const filler of [10, 160]) {
      const target = `${ORIGIN}/s/Readings?x=${"y".repeat(filler)}&$orderby=${orderBy}&$select=at`;
      const seen: string[] = [];
      let next: string | undefined = target;
      while (next !== undefined) {
        const response = await some.fetch(new Request(next));
        expect(response.status).toBe(200);
        const body = (await response.json()) as { value: ReadingJson[]; "@odata.nextLink"?: string };
        seen.push(...body.value.map(({ at }) => at));
        next = body["@odata.nextLink"];
      }
      expect(new Set(seen).size).toBe(READINGS.length);
    }
  });

  test("an order of many terms is gone through by offset", async () => {
    const some = readingService(READINGS, {
      defaults: { maxTop: 7, maxOrderByProperties: null, maxNodeCount: null },
    });
    const orderBy = Array.from({ length: 2000 }, (_none, index) => `value add ${String(index % 7)}`).join(",");
    const headers = { Prefer: "maxpagesize=30" };
    const target = `${ORIGIN}/s/Readings?$orderby=${encodeURIComponent(orderBy)}`;
    const limitless = readingService(READINGS, {
      defaults: { maxTop: 30, maxOrderByProperties: null, maxNodeCount: null, maxUrlLength: null },
    });
    expect((await some.fetch(new Request(target, { headers }))).status).toBe(400);
    const first = await limitless.fetch(new Request(target, { headers }));
    const body = (await first.json()) as { readonly "@odata.nextLink": string };
    const second = (await (await limitless.fetch(new Request(body["@odata.nextLink"]))).json()) as { value: unknown[] };
    expect(second.value).toHaveLength(10);
  });
});

describe("a page after a row and its total", () => {
  const start = Date.now();
  const Event = entityType("Event", { id: edm.int32().key(), at: edm.dateTimeOffset({ precision: 3 }) });
  /** Four events in the past, and an event in half an hour. */
  const events = [-9, -8, -7, -6, 30].map((minutes, index) => {
    return { id: index + 1, at: new Date(start + minutes * 60_000).toISOString() };
  });

  afterEach(() => {
    vi.unstubAllGlobals();
  });

  /** Lets an hour pass after the first read of the clock. */
  function skipAnHour(): void {
    const { Date: Real } = globalThis;
    let looks = 0;
    class Skipping extends Real {
      constructor(value?: number | string) {
        super(value ?? start + (looks++ === 0 ? 0 : 3_600_000));
      }
    }
    vi.stubGlobal("Date", Skipping);
  }

  test.each(["Sources", "Lists", "Tables"])("see the same now(): %s", async (set) => {
    const db: AnyDatabase = new Kysely({ dialect: sqliteDialect(":memory:") });
    await sql`create table event (id integer primary key, at text not null)`.execute(db);
    await db.insertInto("event").values(events).execute();
    const paging = "keyset";
    const timed = odataService({
      secret: SECRET,
      schemaCheck: false,
      logger: noFailures,
      defaults: { maxTop: 3 },
      entitySets: [
        entitySet(Event, { name: "Sources", queryable: () => arraySource(Event, events), paging }),
        entitySet(Event, { name: "Lists", getAll: () => events, paging }),
        sqlEntitySet(Event, { name: "Tables", db, table: "event", operations: ["read"], paging }),
      ],
    });
    const read = async (target: string) => (await timed.fetch(new Request(target))).json() as Promise<Answer["json"]>;
    const first = await read(`${ORIGIN}/${set}?$filter=At lt now()&$count=true`);
    expect(first).toMatchObject({ "@odata.count": 4, value: [{ Id: 1 }, { Id: 2 }, { Id: 3 }] });
    skipAnHour();
    expect(await read(first[NEXT])).toMatchObject({ "@odata.count": 4, value: [{ Id: 4 }] });
    await db.destroy();
  });
});
