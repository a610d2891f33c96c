import { sql } from "kysely";
import {
  action,
  edm,
  entitySet,
  entityType,
  hasMany,
  hasOptional,
  odataService,
  role,
  type ODataService,
} from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { describe, expect, test } from "vitest";
import { type AnyDatabase, type DatabaseName, ENGINES } from "../../engine/executors/engines.ts";
import { faultOf, sendTo } from "./writes-model.ts";

const SECRET = "a secret of sixteen characters";

const Item = entityType("Item", {
  id: edm.int32().key(),
  name: edm.string().nullable(),
  score: edm.double().nullable(),
  code: edm.string().nullable(),
  json: edm.string().nullable(),
  large: edm.string().nullable().onlyIfSelected(),
  number: edm.int32().nullable(),
  doubled: edm.int32().nullable().computed(),
  boxId: edm.int32().nullable(),
});

const Box = entityType("Box", { id: edm.int32().key(), name: edm.string().nullable() });

const TYPES: Readonly<Record<DatabaseName, Readonly<Record<string, string>>>> = {
  sqlite: { score: "real", json: "text" },
  postgres: { score: "double precision", json: "json" },
  mariadb: { score: "double", json: "json" },
};

async function makeItems(db: AnyDatabase, name: DatabaseName): Promise<void> {
  const { score = "", json = "" } = TYPES[name];
  await sql`create table boxes (id int primary key, name varchar(50))`.execute(db);
  await sql`create table items (id int primary key, name varchar(50), score ${sql.raw(score)}, code varchar(50),
    json ${sql.raw(json)}, large varchar(50), number int, ${sql.id("boxId")} int)`.execute(db);
  await sql`insert into boxes values (1, 'a'), (2, 'b')`.execute(db);
  const document = name === "postgres" ? sql`'{"b":1,"a":2}'::json` : sql`'{"b":1,"a":2}'`;
  await sql`insert into items values (1, 'one', 1.5, 'edoc', ${document}, 'large', 7, 1), (2, null, null, null, null, null, null, null)`.execute(
    db,
  );
}

const reversed = (text: unknown): string => String(text).split("").toReversed().join("");

function serviceOver(db: AnyDatabase, name: DatabaseName): ODataService {
  const operations = ["read", "create", "replace", "patch", "delete"] as const;
  const items = sqlEntitySet(Item, {
    db,
    table: "items",
    operations,
    etag: "all",
    allowDeepInsert: true,
    columns: {
      code: { convert: { fromDatabase: reversed, toDatabase: reversed } },
      ...(name === "sqlite" ? {} : { json: { storage: "text" as const } }),
      doubled: { sql: "number * 2" },
    },
    virtual: {
      name: { needs: ["name"], read: (entities) => entities.map(({ name: text }) => (text ?? "").slice(0, 1)) },
    },
    before: { patch: ({ delta }) => (delta.name === "hook" ? { ...delta, number: 99 } : delta) },
    actions: {
      touch: action({ bound: "entity", returns: edm.int32(), handler: (_key) => 1 }),
    },
    navigation: { box: hasOptional(Box, { on: { boxId: "id" }, target: "Boxes", partner: "items" }) },
  });
  const boxes = sqlEntitySet(Box, {
    db,
    table: "boxes",
    operations,
    etag: "all",
    allowDeepInsert: true,
    navigation: { items: hasMany(Item, { on: { id: "boxId" }, target: "Items", partner: "box" }) },
  });
  return odataService({ entitySets: [items, boxes], secret: SECRET, batch: { json: true } });
}
describe.each(ENGINES)("ETags of all properties of $title, with", (engine) => {
  const open = async () => {
    const { db, close } = await engine.open();
    await makeItems(db, engine.name);
    const send = sendTo(serviceOver(db, engine.name));
    const tagOf = async (path: string): Promise<string> => (await send("GET", path)).headers.get("ETag") ?? "";
    return { db, close, send, tagOf };
  };
  const failed = [412, "PreconditionFailed", undefined];

  test("null, NaN and infinity in a row that has not changed", async () => {
    const { db, close, send, tagOf } = await open();
    const values = engine.name === "postgres" ? ["'NaN'", "'Infinity'", "'-0'"] : ["null", "1e300", "0.1"];
    for (const value of values) {
      await sql`update items set score = ${sql.raw(value)} where id = 2`.execute(db);
      const etag = await tagOf("Items(2)");
      expect((await send("PATCH", "Items(2)", { Number: 5 }, { "If-Match": etag })).status, value).toBe(200);
      expect(faultOf(await send("PATCH", "Items(2)", { Number: 6 }, { "If-Match": etag })), value).toEqual(failed);
      const next = await tagOf("Items(2)");
      expect((await send("PUT", "Items(2)/Number", { value: null }, { "If-Match": next })).status, value).toBe(204);
    }
    const etag = await tagOf("Items(2)");
    expect((await send("DELETE", "Items(2)", undefined, { "If-Match": etag })).status).toBe(204);
    await close();
  });

  test("masked, converted and JSON values, and what is left out", async () => {
    const { db, close, send, tagOf } = await open();
    const change = async (text: string): Promise<readonly [before: string, after: string]> => {
      const before = await tagOf("Items(1)");
      await sql`update items set ${sql.raw(text)} where id = 1`.execute(db);
      return [before, await tagOf("Items(1)")];
    };
    for (const text of ["name = 'only'", "code = 'other'", `json = '{"a":2,"b":1}'`, "number = 8"]) {
      const [before, after] = await change(text);
      expect(after, text).not.toBe(before);
      expect(faultOf(await send("PATCH", "Items(1)", { BoxId: 2 }, { "If-Match": before })), text).toEqual(failed);
      expect((await send("PATCH", "Items(1)", { BoxId: 2 }, { "If-Match": after })).status, text).toBe(200);
    }
    const [before, after] = await change("large = 'larger'");
    expect(after).toBe(before);
    expect((await send("GET", "Items(1)?$select=Large")).headers.get("ETag")).toBe(after);
    const page = (await send("GET", "Items?$filter=Id eq 1")).json as { readonly value: readonly unknown[] };
    expect(page.value).toMatchObject([{ "@odata.etag": after, Name: "o", Code: "rehto", Doubled: 16 }]);
    await close();
  });

  test("hooks, actions, references and batches", async () => {
    const { close, send, tagOf } = await open();
    const old = await tagOf("Items(1)");
    const hooked = await send("PATCH", "Items(1)", { Name: "hook" }, { "If-Match": old });
    expect([hooked.status, hooked.headers.get("ETag")]).toEqual([200, await tagOf("Items(1)")]);
    const reference = { "@odata.id": "Boxes(2)" };
    expect(faultOf(await send("PUT", "Items(1)/Box/$ref", reference, { "If-Match": old }))).toEqual(failed);
    const current = await tagOf("Items(1)");
    expect((await send("PUT", "Items(1)/Box/$ref", reference, { "If-Match": current })).status).toBe(204);
    expect(faultOf(await send("POST", "Items(1)/Default.touch", {}, { "If-Match": current }))).toEqual(failed);
    const later = await tagOf("Items(1)");
    expect((await send("POST", "Items(1)/Default.touch", {}, { "If-Match": later })).status).toBe(200);
    const part = (id: string, etag: string, number: number): object => ({
      id,
      atomicityGroup: "g",
      method: "patch",
      url: "Items(1)",
      headers: { "content-type": "application/json", "if-match": etag },
      body: { Number: number },
    });
    const batch = async (...requests: readonly object[]): Promise<readonly unknown[]> => {
      const { json } = await send("POST", "$batch", { requests });
      const { responses } = json as { readonly responses: ReadonlyArray<{ readonly status: number }> };
      return responses.map(({ status }) => status);
    };
    expect((await batch(part("1", later, 1), part("2", later, 2))).includes(412)).toBe(true);
    expect(await tagOf("Items(1)")).toBe(later);
    expect(await batch(part("1", later, 1))).toEqual([200]);
    await close();
  });

  test("entities that are created together", async () => {
    const { close, send, tagOf } = await open();
    const items = [
      { Id: 11, Name: "x", Score: 0.1, Code: "c", Json: '{"z":1}', Large: "l" },
      { Id: 12, Number: 3 },
    ];
    const { status, json, headers } = await send("POST", "Boxes", { Id: 9, Name: "new", Items: items });
    expect([status, headers.get("ETag")]).toEqual([201, await tagOf("Boxes(9)")]);
    expect(json).toMatchObject({
      "@odata.etag": await tagOf("Boxes(9)"),
      Items: [{ "@odata.etag": await tagOf("Items(11)") }, { "@odata.etag": await tagOf("Items(12)") }],
    });
    await close();
  });
});

test("handlers of the application get all values that an entity must still have", async () => {
  const Page = entityType("Page", {
    id: edm.int32().key(),
    text: edm.string(),
    tags: edm.collection(edm.string()),
    secret: edm.string().nullable(),
  });
  let page = { id: 1, text: "a", tags: ["x"], secret: null as string | null };
  const expectations: unknown[] = [];
  const pages = entitySet(Page, {
    etag: "all",
    requireIfMatch: true,
    getAll: () => [page],
    getByKey: (id) => (id === 1 ? page : null),
    patch: (_id, delta, { expected }) => {
      expectations.push(expected);
      page = { ...page, ...(delta as object) };
      return page;
    },
  });
  const send = sendTo(odataService({ entitySets: [pages] }));
  const etag = (await send("GET", "Pages(1)?$select=Id")).headers.get("ETag") ?? "";
  expect((await send("GET", "Pages?$select=Text")).json).toMatchObject({ value: [{ "@odata.etag": etag, Text: "a" }] });
  expect((await send("PATCH", "Pages(1)", { Text: "b" })).status).toBe(428);
  expect((await send("PATCH", "Pages(1)", { Text: "b" }, { "If-Match": etag })).status).toBe(200);
  expect(expectations).toEqual([{ id: 1, text: "a", tags: ["x"], secret: null }]);
  expect((await send("PATCH", "Pages(1)", { Text: "c" }, { "If-Match": etag })).status).toBe(412);
});

test("a set that hides values makes ETags with the secret, and another one without", async () => {
  const Person = entityType("Person", { id: edm.int32().key(), isIll: edm.boolean() });
  const tagWith = async (secret: string | undefined, options: object): Promise<string | null> => {
    const people = entitySet(Person, {
      name: "People",
      etag: "all",
      getAll: () => [{ id: 1, isIll: true }],
      getByKey: () => ({ id: 1, isIll: true }),
      delete: () => true,
      ...options,
    });
    const service = odataService({
      entitySets: [people],
      authenticate: () => ({ id: "u", roles: [] }),
      ...(secret === undefined ? {} : { secret }),
    });
    return (await sendTo(service)("GET", "People(1)")).headers.get("ETag");
  };
  // The Base64 of the MurmurHash3_x86_128 of `"Id":1,"IsIll":true`.
  const plain = '"XeAArMZwaTgLQ5h590FjZQ"';
  expect(await tagWith(undefined, {})).toBe(plain);
  expect(await tagWith(SECRET, {})).toBe(plain);
  const hidden = { authorization: { properties: { isIll: { read: role("doctor") } } } };
  const [first, again, other] = [
    await tagWith(SECRET, hidden),
    await tagWith(SECRET, hidden),
    await tagWith("another secret of a service", hidden),
  ];
  expect(first).toBe(again);
  expect(first?.slice(0, 23)).not.toBe(plain.slice(0, 23));
  expect(other?.slice(0, 23)).not.toBe(first?.slice(0, 23));
  const sent = { virtual: { isIll: { needs: [], read: (all: readonly unknown[]) => all.map(() => false) } } };
  await expect(tagWith(undefined, hidden)).rejects.toThrow('`etag: "all"` needs the `secret` of odataService');
  await expect(tagWith(undefined, sent)).rejects.toThrow("because `virtual.isIll` hides values");
});

test("SQLite writes pages with such ETags as JSON", async () => {
  const statements: string[] = [];
  const sqlite = ENGINES.find(({ name }) => name === "sqlite");
  if (sqlite === undefined) return;
  const { db, close } = await sqlite.open();
  await sql`create table boxes (id int primary key, name varchar(50))`.execute(db);
  for (let id = 1; id <= 30; id += 1) await sql`insert into boxes values (${id}, 'box')`.execute(db);
  const boxes = sqlEntitySet(Box, { db, table: "boxes", operations: ["read", "patch"], etag: "all" });
  const send = sendTo(
    odataService({ entitySets: [boxes], schemaCheck: false, onStatement: (each) => void statements.push(each.sql) }),
  );
  const shape = { "@odata.etag": expect.any(String) as string, Id: expect.any(Number) as number, Name: "box" };
  expect((await send("GET", "Boxes")).json).toMatchObject({ value: Array.from({ length: 30 }, () => shape) });
  expect(statements.at(-1)).toContain("json_object('@odata.etag'");
  const listed = sqlEntitySet(Box, {
    name: "Listed",
    db,
    table: "boxes",
    operations: ["read", "patch"],
    etag: "all",
    authorization: { properties: { name: { read: [] } } },
  });
  const sendListed = sendTo(odataService({ entitySets: [listed], schemaCheck: false, secret: SECRET }));
  const etag = (await sendListed("GET", "Listed(7)")).headers.get("ETag");
  expect(etag).not.toBe((await send("GET", "Boxes(7)")).headers.get("ETag"));
  const { json } = await sendListed("GET", "Listed");
  expect((json as { readonly value: readonly unknown[] }).value[6]).toMatchObject({ "@odata.etag": etag, Id: 7 });
  await sql`update boxes set name = 'bag' where id = 7`.execute(db);
  expect((await sendListed("GET", "Listed(7)")).headers.get("ETag")).not.toBe(etag);
  await close();
});
