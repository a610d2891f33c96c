import { Kysely, sql } from "kysely";
import {
  arraySource,
  edm,
  entitySet,
  entityType,
  fn,
  hasMany,
  hasRequired,
  odataService,
  type ServiceOptions,
} from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const Customer = entityType("Customer", { id: edm.int32().key(), name: edm.string() });
const Order = entityType("Order", {
  id: edm.int32().key(),
  customerId: edm.int32(),
  text: edm.string().nullable(),
});
const Line = entityType("Line", { id: edm.int32().key(), orderId: edm.int32(), text: edm.string() });

const LIMIT = 2000;
const ORIGIN = "http://sizes.example";

/** Texts that JSON writes with escapes, and with one to four bytes for each character. */
const LETTERS = ["a", '"', "é", "漢", "😀", "\n", "\u0001"];
const textOf = (seed: number): string => (LETTERS[seed % LETTERS.length] ?? "").repeat((seed * 37) % 150);

const customers = Array.from({ length: 4 }, (_, id) => ({ id, name: String(id).repeat(300) }));
const orders = Array.from({ length: 60 }, (_, id) => ({
  id,
  customerId: id % 4,
  text: id % 9 === 0 ? null : textOf(id),
}));
const lines = Array.from({ length: 240 }, (_, id) => ({ id, orderId: id % 50, text: textOf(id).slice(0, 40) })).concat(
  Array.from({ length: 40 }, (_, index) => ({ id: 1000 + index, orderId: 55, text: "x".repeat(120) })),
);

const navigation = {
  customer: hasRequired(Customer, { target: "Customers", on: { customerId: "id" } }),
  lines: hasMany(Line, { target: "Lines", on: { id: "orderId" } }),
};

/** The same navigations, with handlers that also have a route. */
const asked = {
  customer: hasRequired(Customer, { target: "Customers", get: (id) => customers[Number(id) % 4] ?? null }),
  lines: hasMany(Line, { target: "Lines", get: (id) => lines.filter(({ orderId }) => orderId === Number(id)) }),
};

const functions = {
  composed: fn({ bound: "collection", returns: edm.collection(Order), composable: true, handler: () => orders }),
  listed: fn({ bound: "collection", returns: edm.collection(Order), handler: () => orders }),
  some: fn({ bound: "collection", returns: edm.collection(Order), handler: () => orders.slice(0, 2) }),
};

const byId =
  <Row extends { readonly id: number }>(rows: readonly Row[]) =>
  (id: unknown) =>
    rows.find((row) => row.id === id) ?? null;

let db: Kysely<unknown>;

beforeAll(async () => {
  db = new Kysely({ dialect: sqliteDialect(":memory:") });
  await sql`create table customers (id integer primary key, name text not null)`.execute(db);
  await sql`create table orders (id integer primary key, "customerId" integer not null, text text)`.execute(db);
  await sql`create table lines (id integer primary key, "orderId" integer not null, text text not null)`.execute(db);
  await sql`create index by_order on lines ("orderId")`.execute(db);
  for (const { id, name } of customers) await sql`insert into customers values (${id}, ${name})`.execute(db);
  for (const { id, customerId, text } of orders) {
    await sql`insert into orders values (${id}, ${customerId}, ${text})`.execute(db);
  }
  for (const { id, orderId, text } of lines) {
    await sql`insert into lines values (${id}, ${orderId}, ${text})`.execute(db);
  }
});

afterAll(() => db.destroy());

type Sets = NonNullable<ServiceOptions["entitySets"]>;

/** The same entities over every kind of handler. */
const SETS: Readonly<Record<string, (paging: "offset" | "keyset") => Sets>> = {
  arrays: (paging) => [
    entitySet(Order, {
      queryable: () => arraySource(Order, orders),
      getByKey: byId(orders),
      paging,
      navigation: asked,
      functions,
    }),
    entitySet(Customer, { queryable: () => arraySource(Customer, customers), getByKey: byId(customers) }),
    entitySet(Line, { queryable: () => arraySource(Line, lines), getByKey: byId(lines) }),
  ],
  handlers: () => [
    entitySet(Order, { getAll: () => orders, getByKey: byId(orders), navigation: asked, functions }),
    entitySet(Customer, { getAll: () => customers, getByKey: byId(customers) }),
    entitySet(Line, { getAll: () => lines, getByKey: byId(lines) }),
  ],
  iterables: () => [
    entitySet(Order, {
      getAll: async function* all() {
        yield* orders;
      },
      getByKey: byId(orders),
      navigation: asked,
      functions,
    }),
    entitySet(Customer, { getAll: () => customers, getByKey: byId(customers) }),
    entitySet(Line, { getAll: () => lines, getByKey: byId(lines) }),
  ],
  SQLite: (paging) => [
    sqlEntitySet(Order, { db, table: "orders", paging, operations: ["read"], navigation, functions }),
    sqlEntitySet(Customer, { db, table: "customers", operations: ["read"] }),
    sqlEntitySet(Line, { db, table: "lines", operations: ["read"] }),
  ],
};

type Limits = NonNullable<ServiceOptions["defaults"]>;

function serviceOf(kind: string, limits: Limits = {}, paging: "offset" | "keyset" = "offset", standard = false) {
  const entitySets = SETS[kind]?.(paging) ?? [];
  const profile = standard ? ({ profile: "standard" } as const) : {};
  return odataService({
    entitySets,
    secret: "a secret of at least thirty-two characters",
    batch: { json: true },
    ...profile,
    defaults: { maxTop: null, maxResponseBytes: LIMIT, applyEnabled: true, computeEnabled: true, ...limits },
  });
}

type Service = ReturnType<typeof serviceOf>;

const send = (service: Service, target: string, init?: RequestInit): Promise<Response> =>
  service.fetch(new Request(target.startsWith("http") ? target : `${ORIGIN}/${target}`, init));

interface Page {
  readonly value: readonly object[];
  readonly "@odata.nextLink"?: string;
  readonly "@odata.count"?: number;
}

async function read(service: Service, target: string): Promise<Page> {
  const response = await send(service, target);
  const text = await response.text();
  expect([response.status, text.slice(0, 400)]).toEqual([200, expect.anything()]);
  return JSON.parse(text) as Page;
}

/** Follows all links, and checks the size of each page. */
async function readAll(service: Service, target: string, limit = LIMIT) {
  const value: object[] = [];
  const counts = new Set<number | undefined>();
  let pages = 0;
  for (let next: string | undefined = target; next !== undefined; pages += 1) {
    const page = await read(service, next);
    expect(page.value.length > 0 || page["@odata.nextLink"] === undefined).toBe(true);
    expect(pages).toBeLessThan(300);
    const bytes = page.value.reduce((sum, each) => sum + Buffer.byteLength(JSON.stringify(each)), 0);
    expect(bytes).toBeLessThanOrEqual(limit);
    value.push(...page.value);
    counts.add(page["@odata.count"]);
    next = page["@odata.nextLink"];
  }
  return { value, pages, counts: [...counts] };
}

const REFUSED = {
  error: {
    code: "InvalidQueryOption",
    message: expect.stringContaining("maxResponseBytes") as string,
  },
};

async function expectRefused(service: Service, target: string, init?: RequestInit): Promise<void> {
  const response = await send(service, target, init);
  expect([response.status, await response.json()]).toEqual([400, REFUSED]);
}

const KINDS = Object.keys(SETS);

describe.each(KINDS)("%s", (kind) => {
  const pagings = kind === "arrays" || kind === "SQLite" ? (["offset", "keyset"] as const) : (["offset"] as const);
  describe.each(pagings)("with %s paging", (paging) => {
    test.each([
      "Orders",
      "Orders?$top=50",
      "Orders?$skip=7",
      "Orders?$skip=7&$top=40&$count=true",
      "Orders?$count=true",
      "Orders?$orderby=Text desc,Id",
      "Orders?$filter=Id ge 20&$select=Text",
      "Orders?$compute=concat(Text,Text) as Twice&$select=Id,Twice",
      "Orders?$expand=Customer",
      "Orders?$expand=Lines",
      "Orders?$filter=Id lt 55&$expand=Lines($select=Text),Customer($select=Id)&$count=true",
      "Lines",
      "Orders(55)/Lines",
      "Orders(55)/Lines?$top=30&$skip=3",
      "Orders?$apply=groupby((Text))",
    ])("%s: the pages together are the unlimited response", async (target) => {
      const unlimited = await read(serviceOf(kind, { maxResponseBytes: null }, paging), target);
      const limited = serviceOf(kind, {}, paging);
      const isSkipped = target.includes("Lines") && !target.includes("lt 55") && target.includes("$expand");
      if (isSkipped) return;
      const { value, pages, counts } = await readAll(limited, target);
      expect(value).toEqual(unlimited.value);
      expect(counts).toEqual([unlimited["@odata.count"]]);
      expect(pages).toBeGreaterThan(1);
    });
  });

  test("a list of an expansion that does not fit ends with a link to its rest", async () => {
    const service = serviceOf(kind);
    for (const target of [
      "Orders?$filter=Id eq 55&$select=Id&$expand=Lines($select=Text)",
      "Orders(55)?$select=Id&$expand=Lines($select=Text)",
    ]) {
      const response = await send(service, target);
      const body = (await response.json()) as { value?: unknown };
      expect([response.status, body]).toEqual([200, expect.anything()]);
      const [order] = (body.value ?? [body]) as [{ Lines: object[]; "Lines@odata.nextLink": string }];
      expect(order.Lines.length).toBeGreaterThan(3);
      const rest = await readAll(service, order["Lines@odata.nextLink"]);
      const texts = [...order.Lines, ...rest.value].map((each) => Reflect.get(each, "Text"));
      expect(texts).toEqual(Array.from({ length: 40 }, () => "x".repeat(120)));
    }
  });

  test("a list that no link can continue is refused", async () => {
    await expectRefused(serviceOf(kind), "Orders?$filter=Id eq 55&$expand=Lines($filter=Id gt 0)");
    await expectRefused(serviceOf(kind), "Orders(55)?$expand=Lines($top=39)");
  });

  test("an entity that does not fit is refused, alone and as the first of a page", async () => {
    const service = serviceOf(kind, { maxResponseBytes: 250 });
    await expectRefused(service, "Customers(1)");
    await expectRefused(service, "Customers");
    await expectRefused(service, "Orders(1)?$expand=Customer");
    await expectRefused(service, "Orders(1)/Customer");
    expect((await send(service, "Customers(1)?$select=Id")).status).toBe(200);
    expect((await send(service, "Customers(1)/Name/$value")).status).toBe(200);
  });

  test("the result of a function without a link is refused", async () => {
    const service = serviceOf(kind);
    await expectRefused(service, "Orders/Default.listed()");
    expect((await send(service, "Orders/Default.some()")).status).toBe(200);
    const { value } = await readAll(service, "Orders/Default.composed()");
    expect(value).toHaveLength(60);
  });

  test("several branches of $apply that do not fit are refused", async () => {
    const unlimited = await read(
      serviceOf(kind, { maxResponseBytes: null }),
      "Orders?$apply=concat(groupby((Text)),groupby((Id)))",
    );
    const response = await send(serviceOf(kind), "Orders?$apply=concat(groupby((Text)),groupby((Id)))");
    if (response.status === 400) return expect(await response.json()).toEqual(REFUSED);
    const { value } = await readAll(serviceOf(kind), "Orders?$apply=concat(groupby((Text)),groupby((Id)))");
    expect(value).toEqual(unlimited.value);
  });

  test("a limit of each response holds for a batch, too", async () => {
    const service = serviceOf(kind);
    const requests = ["Orders(1)", "Orders", "Orders(1)", "Orders(2)"].map((url, id) => ({
      id: String(id),
      method: "GET",
      url,
    }));
    const init = {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ requests }),
    };
    const response = await send(service, "$batch", init);
    const { responses } = (await response.json()) as { responses: { status: number; body: Page }[] };
    const bytes = responses.reduce((sum, { body }) => sum + Buffer.byteLength(JSON.stringify(body.value ?? [])), 0);
    expect(bytes).toBeLessThanOrEqual(LIMIT + 60);
    expect(responses.map(({ status }) => status)).toContain(400);
    expect(responses[0]?.status).toBe(200);
    expect(responses[1]?.body["@odata.nextLink"]).toBeDefined();
  });
});
