import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Kysely } from "kysely";
import { arraySource, edm, entitySet, entityType, hasRequired, odataService, type ServiceDefaults } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { sqliteDialect, type SqliteOptions } from "odatakit/sqlite";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { AnyDatabase } from "../../engine/executors/engines.ts";
import { NEVER } from "../../timers.ts";

const folder = mkdtempSync(join(tmpdir(), "divided-pages-"));
const file = join(folder, "orders.db");

const Customer = entityType("Customer", { id: edm.int32().key(), name: edm.string() });
const Order = entityType("Order", {
  id: edm.int32().key(),
  text: edm.string().nullable(),
  total: edm.double().nullable(),
  big: edm.int64(),
  customerId: edm.int32(),
});
const Line = entityType("Line", { code: edm.string().key(), number: edm.int16().key(), amount: edm.int32() });

const LENGTH = 25_000;

interface OrderRow {
  readonly id: number;
  readonly text: string | null;
  readonly total: number | null;
  readonly big: bigint;
  readonly customerId: number;
}

function totalOf(index: number): number | null {
  // The page with this value is read again as rows.
  if (index === 9000) return Infinity;
  return index % 7 === 0 ? null : index / 8;
}

const orders: readonly OrderRow[] = Array.from({ length: LENGTH }, (_, index) => ({
  // With gaps, and from a negative id on.
  id: index * 3 - 100,
  text: index % 5 === 0 ? null : `é "${String(index)}" ${"x".repeat(index % 30)}`,
  total: totalOf(index),
  big: BigInt(index) * 300_000_000_000_007n,
  customerId: index % 10,
}));
const lines = Array.from({ length: LENGTH }, (_, index) => ({
  code: `C${String(Math.floor(index / 700)).padStart(3, "0")}é`,
  number: index % 700,
  amount: index,
}));
const customers = Array.from({ length: 10 }, (_, id) => ({ id, name: `Customer ${String(id)}` }));

function fill(database: DatabaseSync): void {
  database.exec(`
    create table customer (id integer primary key, name text not null);
    create table "order" (id integer primary key, text text, total real, big integer not null, customerId integer not null);
    create table line (code text not null, number integer not null, amount integer not null, primary key (code, number));
    begin;
  `);
  const insert = (table: string, rows: readonly object[]): void => {
    const [first = {}] = rows;
    const names = Object.keys(first);
    const statement = database.prepare(
      `insert into "${table}" (${names.join(", ")}) values (${names.map(() => "?").join(", ")})`,
    );
    for (const row of rows) statement.run(...Object.values(row));
  };
  insert("customer", customers);
  insert("order", orders);
  insert("line", lines);
  database.exec("commit; analyze");
}

beforeAll(() => {
  for (const [name, mode] of [
    ["orders.db", "wal"],
    ["delete.db", "delete"],
  ] as const) {
    const made = new DatabaseSync(join(folder, name));
    made.exec(`pragma journal_mode = ${mode}`);
    fill(made);
    made.close();
  }
});
const opened: AnyDatabase[] = [];
afterEach(async () => {
  for (const db of opened.splice(0)) await db.destroy();
});
afterAll(() => rmSync(folder, { recursive: true }));

function serviceOver(db: AnyDatabase, defaults: ServiceDefaults = {}, isRuled = false) {
  return odataService({
    secret: "only for this test: 0123456789",
    logger: { error: () => undefined, warn: () => undefined, info: () => undefined },
    defaults: { maxTop: null, queryTimeout: NEVER, ...defaults },
    entitySets: [
      sqlEntitySet(Order, {
        db,
        table: "order",
        navigation: { customer: hasRequired(Customer, { target: "Customers", on: { customerId: "id" } }) },
        ...(isRuled ? { authorization: { rows: (_user, row) => row.id.gt(5000) } } : {}),
        operations: ["read"],
      }),
      sqlEntitySet(Line, { db, table: "line", paging: "keyset", operations: ["read"] }),
      sqlEntitySet(Customer, { db, table: "customer", operations: ["read"] }),
    ],
    schemaCheck: false,
    authenticate: () => (isRuled ? { id: "ada" } : null),
  });
}

function open(options: SqliteOptions = {}, defaults: ServiceDefaults = {}, path = file) {
  const db: AnyDatabase = new Kysely({ dialect: sqliteDialect(path, options) });
  opened.push(db);
  return { db, service: serviceOver(db, defaults) };
}

type Service = ReturnType<typeof serviceOver>;

const get = (service: Service, path: string, headers: Readonly<Record<string, string>> = {}, signal?: AbortSignal) =>
  service.fetch(new Request(`http://x${path}`, { headers, ...(signal && { signal }) }));

/** The same rows in memory, in one page. */
const inMemory = odataService({
  defaults: { maxTop: null, maxPageSize: 50_000 },
  secret: "only for this test: 0123456789",
  entitySets: [
    entitySet(Order, {
      queryable: () => arraySource(Order, orders),
      // A set that is read by key has ids, as a table does.
      getByKey: () => null,
      navigation: { customer: hasRequired(Customer, { target: "Customers", on: { customerId: "id" } }) },
    }),
    entitySet(Line, { queryable: () => arraySource(Line, lines), getByKey: () => null }),
    entitySet(Customer, { queryable: () => arraySource(Customer, customers), getByKey: () => null }),
  ],
});

/** The texts of pages in memory, which all modes of SQLite are compared with. */
const texts = new Map<string, string>();
async function textInMemory(path: string): Promise<string> {
  const text = texts.get(path) ?? (await (await get(inMemory, path)).text());
  texts.set(path, text);
  return text;
}

const NEXT = /"@odata\.nextLink":"([^"]*)",?/u;
const OPENING = '"value":[';

/** Reads all pages of a query, and joins their entities to one page. */
async function textByLinks(service: Service, path: string): Promise<string> {
  let head = "";
  const lists: string[] = [];
  for (let link: string | undefined = path; link !== undefined;) {
    const response = await get(service, link);
    expect(response.status).toBe(200);
    const text = await response.text();
    link = NEXT.exec(text)?.[1]?.slice("http://x".length);
    const page = text.replace(NEXT, "").replace(/\],\}$/u, "]}");
    const at = page.indexOf(OPENING) + OPENING.length;
    if (head === "") head = page.slice(0, at);
    lists.push(page.slice(at, -2));
  }
  return `${head}${lists.join(",")}]}`;
}

const QUERIES = [
  "/Orders",
  "/Orders?$count=true",
  "/Orders?$count=true&$filter=Id gt 100&$skip=7",
  "/Orders?$top=24000",
  "/Orders?$top=21001&$skip=1500&$select=Text,Id",
  "/Orders?$select=Text",
  "/Orders?$orderby=Id desc",
  "/Orders?$orderby=Id desc&$filter=contains(Text,'7')",
  "/Orders?$filter=Id lt -1000",
  "/Orders?$filter=Id lt 0 and contains(Text,'x')&$count=true",
  "/Orders?$skip=30000&$count=true",
  "/Orders?$filter=Customer/Name eq 'Customer 3'",
  "/Orders?$orderby=Total desc,Id&$select=Id",
  "/Orders?$format=application/json;IEEE754Compatible=true",
  "/Lines",
  "/Lines?$orderby=Code desc,Number desc&$filter=Amount mod 3 eq 1",
  "/Lines?$orderby=Number,Code&$select=Amount",
  "/Customers",
];

const MODES: readonly [string, () => Service | Promise<Service>][] = [
  ["threads", () => open().service],
  ["the main thread", () => open({ readerThreads: 0 }).service],
  ["a file without a write-ahead log", () => open({ readonly: true }, {}, join(folder, "delete.db")).service],
];

describe.each(MODES)("divided pages of SQLite in %s", (_mode, start) => {
  test.each(QUERIES)("%s is the same as of rows in memory", async (path) => {
    const service = await start();
    expect(await textByLinks(service, encodeURI(path))).toBe(await textInMemory(encodeURI(path)));
  });

  test.each([
    "/Orders?$expand=Customer($select=Name)&$select=Id",
    "/Orders?$format=application/json;odata.metadata=full",
    "/Lines?$orderby=Number,Code",
  ])("%s is the same as its short pages", async (path) => {
    const service = await start();
    const whole = await textByLinks(service, path);
    const pages: string[] = [];
    for (let skip = 0; skip < LENGTH; skip += 1000) {
      const page = await (await get(service, `${path}&$top=1000&$skip=${String(skip)}`)).text();
      pages.push(page.slice(page.indexOf("[") + 1, -2));
    }
    expect(whole.slice(whole.indexOf("[") + 1, -2)).toBe(pages.join(","));
  });
});

interface Body {
  readonly value: readonly Readonly<Record<string, unknown>>[];
  readonly "@odata.count"?: number;
  readonly "@odata.nextLink"?: string;
}

test("row rules hold in each page", async () => {
  const service = serviceOver(open().db, {}, true);
  const text = await textByLinks(service, "/Orders?$count=true&$select=Id");
  const { value, "@odata.count": count } = JSON.parse(text) as Body;
  const visible = orders.filter(({ id }) => id > 5000);
  expect(count).toBe(visible.length);
  expect(value.map(({ Id }) => Id)).toEqual(visible.map(({ id }) => id));
});

test("next links of keyset pages follow the entities and lead through all of them", async () => {
  const { service } = open();
  const seen: unknown[] = [];
  let link: string | undefined = "/Lines?$orderby=Code,Number&$select=Amount";
  while (link !== undefined) {
    const text = await (await get(service, link, { prefer: "maxpagesize=9000" })).text();
    const body = JSON.parse(text) as Body;
    seen.push(...body.value.map(({ Amount }) => Amount));
    link = body["@odata.nextLink"]?.slice("http://x".length);
    expect(body.value.length).toBe(link === undefined ? 7000 : 9000);
  }
  expect(seen).toEqual(lines.map(({ amount }) => amount));
});

test("links of divided pages lead to rows that are written meanwhile, and repeat none", async () => {
  const path = join(folder, "written.db");
  const source = new DatabaseSync(file);
  source.exec(`vacuum into '${path}'`);
  source.close();
  const { service } = open({}, {}, path);
  const first = JSON.parse(await (await get(service, "/Orders?$select=Id")).text()) as Body;
  const written = new DatabaseSync(path);
  written.exec('insert into "order" values (-101, null, null, 1, 1), (999999, null, null, 1, 1)');
  written.close();
  const rest = JSON.parse(await textByLinks(service, first["@odata.nextLink"]?.slice("http://x".length) ?? "")) as Body;
  const ids = [...first.value, ...rest.value].map(({ Id }) => Id);
  expect(ids).toEqual([...orders.map(({ id }) => id), 999_999]);
});

test("maxResponseEntities refuses a longer page", async () => {
  const { service } = open({}, { maxResponseEntities: 9000 });
  const refused = await get(service, "/Orders");
  expect(refused.status).toBe(400);
  expect(await refused.json()).toMatchObject({ error: { code: "InvalidQueryOption", target: "$top" } });
  const rest = await get(service, "/Orders?$skip=16000");
  expect((JSON.parse(await rest.text()) as Body).value).toHaveLength(9000);
});
