import { sql } from "kysely";
import { edm, entitySet, entityType, fn, hasMany, hasRequired, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Answer, expectError, nodeDoor, ORIGIN, type Send, type Service } from "./doors.ts";
import { noFailures } from "./model.ts";
import { openSql } from "./sql-database.ts";

const Tag = entityType("Tag", { id: edm.int32().key(), text: edm.string(), lineId: edm.int32() });
const Line = entityType("Line", {
  id: edm.int32().key(),
  item: edm.string(),
  qty: edm.int32(),
  price: edm.decimal({ precision: 10, scale: 2 }),
  orderId: edm.int32(),
});
const Order = entityType("Order", { id: edm.int32().key(), name: edm.string() });

const ORDERS = [
  { id: 1, name: "A" },
  { id: 2, name: "B" },
];
const LINES = Array.from({ length: 10 }, (_, index) => ({
  id: index + 1,
  item: ["a&b", "c+d", "é;f", "g'h", "i j"][index % 5] ?? "",
  qty: (index * 7) % 5,
  price: "1.50",
  orderId: (index % 2) + 1,
}));
const TAGS = LINES.flatMap(({ id: lineId }) =>
  [1, 2, 3].map((each) => ({ id: lineId * 10 + each, text: "x", lineId })),
);

const PROFILES = ["specification", "standard"] as const;
type Profile = (typeof PROFILES)[number];
type Open = (profile: Profile, maxExpandTop: number | null) => Service;

const common = (profile: Profile, maxExpandTop: number | null) => ({
  prefix: "/s",
  profile,
  logger: noFailures,
  batch: { json: true },
  defaults: { computeEnabled: true, applyEnabled: true, maxExpandTop },
});

const overHandlers: Open = (profile, maxExpandTop) =>
  odataService({
    ...common(profile, maxExpandTop),
    entitySets: [
      entitySet(Order, {
        getAll: () => ORDERS,
        getByKey: (id) => ORDERS.find((each) => each.id === id) ?? null,
        navigation: {
          lines: hasMany(Line, { target: "Lines", get: (id) => LINES.filter(({ orderId }) => orderId === id) }),
        },
        functions: {
          named: fn({
            bound: "collection",
            params: { filter: edm.string() },
            returns: edm.collection(Order),
            composable: true,
            handler: ({ filter }) => ORDERS.filter(({ name }) => name === filter),
          }),
        },
      }),
      entitySet(Line, {
        getAll: () => LINES,
        getByKey: (id) => LINES.find((each) => each.id === id) ?? null,
        search: () => LINES,
        navigation: {
          tags: hasMany(Tag, { target: "Tags", get: (id) => TAGS.filter(({ lineId }) => lineId === id) }),
          order: hasRequired(Order, { target: "Orders", on: { orderId: "id" } }),
        },
      }),
      entitySet(Tag, { getAll: () => TAGS, getByKey: (id) => TAGS.find((each) => each.id === id) ?? null }),
    ],
  });

const { db, close } = await openSql();
beforeAll(async () => {
  await sql`create table orders (id integer primary key, name text not null)`.execute(db);
  await sql`create table lines (id integer primary key, item text not null, qty integer not null, price text not null,
    "orderId" integer not null)`.execute(db);
  await sql`create table tags (id integer primary key, text text not null, "lineId" integer not null)`.execute(db);
  await db.insertInto("orders").values(ORDERS).execute();
  await db.insertInto("lines").values(LINES).execute();
  await db.insertInto("tags").values(TAGS).execute();
});
afterAll(close);

const overTables: Open = (profile, maxExpandTop) => {
  const table = { db, operations: ["read"] as const };
  return odataService({
    ...common(profile, maxExpandTop),
    entitySets: [
      sqlEntitySet(Order, {
        ...table,
        table: "orders",
        navigation: { lines: hasMany(Line, { target: "Lines", on: { id: "orderId" } }) },
        functions: {
          named: fn({
            bound: "collection",
            params: { filter: edm.string() },
            returns: edm.collection(Order),
            composable: true,
            handler: ({ filter }) => ORDERS.filter(({ name }) => name === filter),
          }),
        },
      }),
      sqlEntitySet(Line, {
        ...table,
        table: "lines",
        search: ["item"],
        navigation: {
          tags: hasMany(Tag, { target: "Tags", on: { id: "lineId" } }),
          order: hasRequired(Order, { target: "Orders", on: { orderId: "id" } }),
        },
      }),
      sqlEntitySet(Tag, { ...table, table: "tags" }),
    ],
  });
};

type Json = Record<string, unknown>;

/** Follows all next links within entities, and returns the entities without control information. */
async function whole(send: Send, value: unknown): Promise<unknown> {
  if (Array.isArray(value)) return Promise.all(value.map((each) => whole(send, each)));
  if (typeof value !== "object" || value === null) return value;
  const entries: Array<readonly [string, unknown]> = [];
  for (const [name, member] of Object.entries(value)) {
    if (name.includes("@")) continue;
    const link = (value as Readonly<Record<string, string | undefined>>)[`${name}@odata.nextLink`];
    const list = link === undefined ? member : [...(member as unknown[]), ...(await linked(send, link))];
    entries.push([name, await whole(send, list)]);
  }
  return Object.fromEntries(entries);
}

async function linked(send: Send, link: string): Promise<readonly unknown[]> {
  expect(link.startsWith(ORIGIN)).toBe(true);
  const page = await send(link.slice(ORIGIN.length));
  expect([link, page.status, page.json.error]).toEqual([link, 200, undefined]);
  const more: string | undefined = page.json["@odata.nextLink"];
  return [...(page.json.value as unknown[]), ...(more === undefined ? [] : await linked(send, more))];
}

const encoded = (path: string): string => `/s/${path.replaceAll(" ", "%20").replaceAll("é", "%C3%A9")}`;

/** Options in the parentheses that every navigation route takes. */
const PLAIN = [
  "Orders?$expand=Lines",
  "Orders?$expand=Lines($select=Item,Id;$orderby=Qty desc,Item)",
  "Orders?$expand=lines($select=id)",
  "Orders?$expand=*",
  "Orders(1)?$expand=Lines($skip=1)&$select=Name",
  "Orders?$expand=Lines&$format=application/json;IEEE754Compatible=true",
  "Orders?$expand=Lines&tenant=a%26b&tenant=%2B&%40unused=1",
  "Orders?$filter=Id eq @id&@id=2&$expand=Lines",
  "Orders?$compute=concat(Name,'x') as X&$select=X&$expand=Lines",
  "Orders?$apply=filter(Id eq 1)&$expand=Lines",
  "Orders/named(filter='B')?$expand=Lines",
  "Orders/named?filter=%27B%27&$expand=Lines",
  "Lines(1)?$expand=Order($expand=Lines)",
];

/** Options that only the routes of the standard profile take. */
const STANDARD = [
  "Orders?$expand=Lines($compute=Qty mul 2 as Twice)",
  "Orders?$expand=Lines($compute=Qty mul 2 as Twice,concat(Item,'%26%2B%23;é') as More;$select=Id,Twice,More)",
  "Orders?$expand=Lines($compute=Qty mul @by as T;$select=Id,T;$orderby=T desc)&@by=3",
  "Orders?$expand=Lines($filter=Qty gt 1)",
  "Orders?$expand=Lines($filter=Item ne 'a%26b' and Qty lt @most)&%40most=4&x=1",
  "Orders?$expand=Lines($filter=Item eq 'c%2Bd' or contains(Item,';') or Item eq 'g''h' or Id gt 1)",
  "Orders?$expand=Lines($search=NOT zzz)",
  "Orders?$expand=Lines($expand=Tags)",
  "Orders?$expand=Lines($filter=Qty ge 1;$expand=Tags($filter=Id ne 12;$compute=Id add 1 as Next;$select=Next),Order($select=Name);$select=Id)",
  "Orders?$expand=Lines($expand=*)",
  "Orders?$expand=Lines($orderby=length(Item),Qty mul -1)",
  "Orders?$expand=Lines($levels=1;$filter=Qty gt 0)",
  "Orders?$expand=Lines($filter=Order/Name eq $root/Orders(1)/Name or Qty gt 1)",
  "Orders?expand=Lines(filter=Qty gt 1;select=Id)&format=json",
];

describe.each(
  (
    [
      ["handlers", overHandlers],
      ["tables", overTables],
    ] as const
  ).flatMap(([form, open]) => PROFILES.map((profile) => [form, profile, open] as const)),
)("next links within expansions, over %s, profile %s", (_form, profile, open) => {
  const send = nodeDoor.to(open(profile, 2));
  const unlimited = nodeDoor.to(open(profile, null));

  async function expectSame(answer: Answer, path: string): Promise<void> {
    const expected = await unlimited(encoded(path));
    expect([path, expected.status, answer.status, answer.json.error]).toEqual([path, 200, 200, undefined]);
    expect(answer.text).toContain("@odata.nextLink");
    expect(await whole(send, answer.json)).toEqual(await whole(unlimited, expected.json));
  }

  test.each(PLAIN)("%s: the linked pages show the same", async (path) => {
    await expectSame(await send(encoded(path)), path);
  });

  test.each(STANDARD)("%s: the linked pages show the same, or the request is refused", async (path) => {
    const answer = await send(encoded(path));
    if (profile === "standard") return expectSame(answer, path);
    if (path.includes("?expand")) return expect(answer.text).not.toContain("nextLink");
    return expectError(answer, { status: 400, code: "InvalidQueryOption", target: "$expand" });
  });

  test.each([["Lines?$filter=Id le 2&$expand=Order($expand=Lines($expand=Order))"], ["Orders?$expand=Lines/$ref"]])(
    "%s cannot be continued in the default profile, or not at all",
    async (path) => {
      const answer = await send(encoded(path));
      if (profile === "standard" && !path.includes("$ref")) return expectSame(answer, path);
      return expectError(answer, { status: 400, code: "InvalidQueryOption", target: "$expand" });
    },
  );

  test("a link repeats the options as the client wrote them", async () => {
    const answer = await send(
      encoded("Orders(1)?tenant=a%26b&$expand=Lines($select=Item,Id;$orderby=Qty desc)&$format=json"),
    );
    const [link] = Object.entries(answer.json as Json).flatMap(([name, value]) =>
      name.endsWith("nextLink") ? [value] : [],
    );
    expect(link).toBe(
      `${ORIGIN}/s/Orders(1)/Lines?$skip=2&$orderby=Qty%20desc&$select=Item,Id&tenant=a%26b&$format=json`,
    );
  });

  test("the same holds in batches and for options in a body", async () => {
    const path = "Orders?$expand=Lines($select=Id)&x=1";
    const headers = { "Content-Type": "application/json" };
    const requests = JSON.stringify({ requests: [{ id: "1", method: "GET", url: path }] });
    const batch = await send("/s/$batch", headers, "POST", requests);
    const [inner] = (batch.json as { readonly responses: ReadonlyArray<{ readonly body: unknown }> }).responses;
    const expected = await whole(unlimited, (await unlimited(encoded(path))).json);
    expect(await whole(send, inner?.body)).toEqual(expected);
    const [, options = ""] = path.split("?");
    const sent = await send("/s/Orders/$query", { "Content-Type": "text/plain" }, "POST", options);
    expect(await whole(send, sent.json)).toEqual(expected);
    const long = await send(
      "/s/Orders/$query",
      { "Content-Type": "text/plain" },
      "POST",
      `${options}${"9".repeat(17_000)}`,
    );
    expectError(long, { status: 400, code: "InvalidQueryOption", target: "$expand" });
  });
});
