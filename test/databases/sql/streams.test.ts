import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { Kysely } from "kysely";
import { arraySource, edm, entitySet, entityType, hasRequired, odataService, type ServiceDefaults } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { sqliteDialect, type SqliteOptions } from "odatakit/sqlite";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { AnyDatabase } from "../../engine/executors/engines.ts";
import { NEVER, nextTimer, passTime, stopTimers } from "../../timers.ts";

const folder = mkdtempSync(join(tmpdir(), "streams-"));
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
  // The chunk with this value is read again as rows.
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
    // Responses break off on purpose.
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

/** The same rows in memory, which are read at once. */
const inMemory = odataService({
  defaults: { maxTop: null },
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

describe.each(MODES)("a long page of SQLite in %s", (_mode, start) => {
  test.each(QUERIES)("%s is the same as of rows in memory", async (path) => {
    const service = await start();
    const response = await get(service, encodeURI(path));
    expect(response.status).toBe(200);
    expect(await response.text()).toBe(await textInMemory(encodeURI(path)));
  });

  test.each([
    "/Orders?$expand=Customer($select=Name)&$select=Id",
    "/Orders?$format=application/json;odata.metadata=full",
    "/Lines?$orderby=Number,Code",
  ])("%s is the same as its short pages", async (path) => {
    const service = await start();
    const whole = await (await get(service, path)).text();
    const pages: string[] = [];
    for (let skip = 0; skip < LENGTH; skip += 1000) {
      const page = await (await get(service, `${path}&$top=1000&$skip=${String(skip)}`)).text();
      pages.push(page.slice(page.indexOf("[") + 1, -2));
    }
    expect(whole.slice(whole.indexOf("[") + 1, -2)).toBe(pages.join(","));
  });
});

/** Begins to read a page. */
async function begin(service: Service, path = "/Orders") {
  const response = await get(service, path);
  expect(response.status).toBe(200);
  const reader = response.body?.getReader();
  if (reader === undefined) throw new Error("The response has a body.");
  const first = await reader.read();
  const rest = async (): Promise<string> => {
    let text = new TextDecoder().decode(first.value);
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      text += new TextDecoder().decode(next.value);
    }
    return text;
  };
  return { reader, rest };
}

interface Body {
  readonly value: readonly Readonly<Record<string, unknown>>[];
  readonly "@odata.count"?: number;
  readonly "@odata.nextLink"?: string;
}

/** Whether no connection keeps old rows: the log can be emptied. */
function isReleased(path: string): boolean {
  const database = new DatabaseSync(path);
  const row = database.prepare("pragma wal_checkpoint(truncate)").get();
  database.close();
  return row?.["busy"] === 0;
}

function copied(): { path: string; write: (statements: string) => void } {
  const path = join(mkdtempSync(join(folder, "copy-")), "copy.db");
  const source = new DatabaseSync(file);
  source.exec(`vacuum into '${path}'`);
  source.close();
  const made = new DatabaseSync(path);
  made.exec("pragma journal_mode = wal");
  made.close();
  const write = (statements: string): void => {
    const database = new DatabaseSync(path);
    database.exec(statements);
    database.close();
  };
  return { path, write };
}

describe("a snapshot", () => {
  test("shows a page as it was when it began, whatever is written meanwhile", async () => {
    const { path, write } = copied();
    const { service } = open({}, {}, path);
    const whole = await begin(service, "/Orders?$count=true");
    write('delete from "order" where id > 30000; insert into "order" values (999999, null, null, 1, 1)');
    const { value, "@odata.count": count } = JSON.parse(await whole.rest()) as Body;
    expect([count, value.length, value.at(-1)?.["Id"]]).toEqual([LENGTH, LENGTH, (LENGTH - 1) * 3 - 100]);
    const later = JSON.parse(await (await get(service, "/Orders?$count=true")).text()) as Body;
    expect([later["@odata.count"], later.value.at(-1)?.["Id"]]).toEqual([10_035, 999_999]);
    await expect.poll(() => isReleased(path)).toBe(true);
  });

  test("ends with the request", async () => {
    const { path, write } = copied();
    const { service } = open({}, {}, path);
    const { reader } = await begin(service);
    write("insert into customer values (77, 'new')");
    expect(isReleased(path)).toBe(false);
    await reader.cancel();
    await expect.poll(() => isReleased(path)).toBe(true);
  });

  test("ends after streamTimeout, which breaks the response off", async () => {
    const { path, write } = copied();
    const { service } = open({}, { streamTimeout: 1500 }, path);
    stopTimers();
    const { rest } = await begin(service);
    write("insert into customer values (77, 'new')");
    await passTime(1499);
    expect(isReleased(path)).toBe(false);
    await passTime(1);
    await expect.poll(() => isReleased(path)).toBe(true);
    await expect(rest()).rejects.toThrow("streamTimeout");
  });

  test("is not made for a request without a body", async () => {
    const { path } = copied();
    const { service } = open({}, {}, path);
    const response = await service.fetch(new Request("http://x/Orders", { method: "HEAD" }));
    expect([response.status, await response.text()]).toEqual([200, ""]);
    await expect.poll(() => isReleased(path)).toBe(true);
  });
});

describe("maxStreams", () => {
  test("lets further pages wait until one ends", async () => {
    const { service } = open({}, { maxStreams: 1 });
    const first = await begin(service);
    const waiting = get(service, "/Lines?$select=Amount,Code,Number");
    await pause(30);
    // Others do not wait.
    expect((await get(service, "/Orders(2)")).status).toBe(200);
    await first.reader.cancel();
    const { value } = JSON.parse(await (await waiting).text()) as Body;
    expect(value).toHaveLength(LENGTH);
  });

  test("is 503 for a page that waits too long", async () => {
    const { service } = open({}, { maxStreams: 1, queryTimeout: 1500 });
    stopTimers();
    const { reader } = await begin(service);
    const hasTimer = nextTimer();
    const late = get(service, "/Orders");
    await hasTimer();
    await passTime(1500);
    const response = await late;
    expect([response.status, response.headers.get("retry-after")]).toEqual([503, "5"]);
    expect(await response.json()).toMatchObject({ error: { code: "ServiceUnavailable" } });
    await reader.cancel();
    const again = await get(service, "/Orders");
    expect(again.status).toBe(200);
    await again.body?.cancel();
  });

  test("forgets a page whose client leaves while it waits", async () => {
    const { service } = open({}, { maxStreams: 1 });
    const { reader } = await begin(service);
    const controller = new AbortController();
    const waiting = get(service, "/Orders", {}, controller.signal);
    await pause(10);
    controller.abort();
    await waiting.catch(() => undefined);
    await reader.cancel();
    const { rest } = await begin(service);
    expect((JSON.parse(await rest()) as Body).value).toHaveLength(LENGTH);
  });
});

test("key reads are answered beside clients that do not read", async () => {
  const { service } = open({}, { maxStreams: 8 });
  const stalled = await Promise.all(Array.from({ length: 8 }, () => begin(service)));
  for (let id = -100; id < 200; id += 3) expect((await get(service, `/Orders(${String(id)})`)).status).toBe(200);
  const { value } = JSON.parse(await (await get(service, "/Orders?$orderby=Text&$top=3&$select=Id")).text()) as Body;
  expect(value).toHaveLength(3);
  await Promise.all(stalled.map(({ reader }) => reader.cancel()));
});

test("row rules hold in each chunk", async () => {
  const service = serviceOver(open().db, {}, true);
  const response = await get(service, "/Orders?$count=true&$select=Id");
  const { value, "@odata.count": count } = JSON.parse(await response.text()) as Body;
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

test("maxResponseEntities refuses a longer page before it begins", async () => {
  const { service } = open({}, { maxResponseEntities: 20_000 });
  const refused = await get(service, "/Orders");
  expect(refused.status).toBe(400);
  expect(await refused.json()).toMatchObject({ error: { code: "InvalidQueryOption", target: "$top" } });
  const rest = await get(service, "/Orders?$skip=5000");
  expect((JSON.parse(await rest.text()) as Body).value).toHaveLength(20_000);
});
