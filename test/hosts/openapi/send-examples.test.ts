import { Kysely, sql } from "kysely";
import {
  action,
  applyDelta,
  complexType,
  edm,
  entitySet,
  entityType,
  enumType,
  fn,
  hasMany,
  hasOptional,
  hasRequired,
  type EntityOf,
  odataService,
  type ODataService,
} from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { openApiDocument } from "odatakit/openapi";
import { sqliteDialect } from "odatakit/sqlite";
import { afterAll, expect, test } from "vitest";
import { ORIGIN } from "../../service/http/doors.ts";
import { noFailures } from "../../service/http/model.ts";
import { operationOf, operationsOf, schemaOf } from "./walk.ts";

const Color = enumType("Color", { Red: 0, Green: 1 });
const Right = enumType("Right", { Read: 1, Write: 2 }, { isFlags: true });
const Inner = complexType("Inner", {
  code: edm.string({ maxLength: 1 }),
  rank: edm.int16(),
  seen: edm.date().nullable().computed(),
});
const Outer = complexType("Outer", { inner: edm.complex(Inner), list: edm.collection(edm.complex(Inner)) });
const Kind = entityType("Kind", {
  id: edm.guid().key(),
  text: edm.string({ maxLength: 2 }),
  memo: edm.string().nullable(),
  yes: edm.boolean(),
  byte: edm.byte(),
  sbyte: edm.sByte(),
  int16: edm.int16(),
  int64: edm.int64(),
  single: edm.single(),
  double: edm.double(),
  decimal: edm.decimal({ precision: 2, scale: 2 }),
  whole: edm.decimal({ precision: 5, scale: 0 }),
  digit: edm.decimal({ precision: 1 }),
  any: edm.decimal(),
  bytes: edm.binary({ maxLength: 2 }),
  date: edm.date(),
  time: edm.timeOfDay({ precision: 0 }),
  instant: edm.dateTimeOffset({ precision: 0 }),
  span: edm.duration({ precision: 0 }),
  color: edm.enum(Color),
  rights: edm.enum(Right).nullable(),
  outer: edm.complex(Outer).nullable(),
  tags: edm.collection(edm.string({ maxLength: 3 })),
  born: edm.date().immutable(),
  version: edm.int32().computed(),
});
const Customer = entityType("Customer", { id: edm.int32().key(), name: edm.string({ maxLength: 40 }) });
const Order = entityType("Order", {
  id: edm.int32().key().computed(),
  customerId: edm.int32(),
  parentId: edm.int32().nullable(),
  total: edm.decimal({ precision: 6, scale: 2 }),
  version: edm.int32().computed(),
});
const Line = entityType("Line", { orderId: edm.int32().key(), no: edm.int32().key(), text: edm.string() });

const operations = ["read", "create", "replace", "patch"] as const;

const opened: Array<Kysely<Tables>> = [];
afterAll(async () => {
  await Promise.all(opened.map(async (db) => db.destroy()));
});

interface Tables {
  readonly customers: object;
  readonly orders: object;
  readonly lines: object;
}

async function openTables(): Promise<Kysely<Tables>> {
  const db = new Kysely<Tables>({ dialect: sqliteDialect(":memory:") });
  opened.push(db);
  await sql`pragma foreign_keys = on`.execute(db);
  await sql`create table customers (id integer primary key, name text not null)`.execute(db);
  await sql`create table orders (id integer primary key, customerId integer not null references customers (id),
    parentId integer references orders (id), total text not null, version integer not null)`.execute(db);
  await sql`create table lines (orderId integer not null references orders (id), no integer not null,
    text text not null, primary key (orderId, no))`.execute(db);
  await db.insertInto("customers").values({ id: 1, name: "Ann" }).execute();
  await db.insertInto("orders").values({ id: 1, customerId: 1, total: "1.00", version: 1 }).execute();
  await db.insertInto("lines").values({ orderId: 1, no: 1, text: "x" }).execute();
  return db;
}

async function open(profile: "standard" | "specification", settings: object = {}): Promise<ODataService> {
  const db = await openTables();
  const kinds = new Map<string, EntityOf<typeof Kind>>();
  const save = (kind: EntityOf<typeof Kind>) => {
    kinds.set(kind.id, kind);
    return kind;
  };
  return odataService({
    prefix: "/x",
    profile,
    logger: noFailures,
    entitySets: [
      entitySet(Kind, {
        getAll: () => [...kinds.values()],
        getByKey: (id) => kinds.get(id) ?? null,
        create: (kind) => save({ ...structuredClone(kind), version: 1 }),
        replace: (_id, kind) => save({ ...structuredClone(kind), version: 1 }),
        patch: (id, delta) => {
          const kind = applyDelta(Kind, kinds.get(id), delta);
          return kind === null ? null : save(kind);
        },
        propertyRouteDocsEnabled: true,
        allowUpsert: true,
        etag: ["version"],
        ...settings,
        actions: {
          Paint: action(Kind, {
            bound: "entity",
            params: { color: edm.enum(Color), outer: edm.complex(Outer), code: edm.string({ maxLength: 1 }) },
            returns: Kind,
            handler: (id) => kinds.get(id) ?? null,
          }),
        },
        functions: { Near: fn(Kind, { bound: "entity", returns: edm.int32(), handler: (_id) => 1 }) },
      }),
      sqlEntitySet(Customer, {
        db,
        table: "customers",
        search: ["name"],
        operations: [...operations, "delete"],
        navigation: { orders: hasMany(Order, { target: "Orders", on: { id: "customerId" } }) },
      }),
      sqlEntitySet(Order, {
        db,
        table: "orders",
        operations,
        rowVersion: "version",
        etag: ["version"],
        ...settings,
        allowDeepInsert: true,
        navigation: {
          customer: hasRequired(Customer, { target: "Customers", on: { customerId: "id" }, partner: "orders" }),
          parent: hasOptional(Order, { target: "Orders", on: { parentId: "id" } }),
          children: hasMany(Order, { target: "Orders", on: { id: "parentId" } }),
          lines: hasMany(Line, { target: "Lines", on: { id: "orderId" }, partner: "order" }),
        },
      }),
      sqlEntitySet(Line, {
        db,
        table: "lines",
        operations,
        navigation: { order: hasRequired(Order, { target: "Orders", on: { orderId: "id" }, partner: "lines" }) },
      }),
    ],
  });
}

/** Makes the first order its own child, so that paths along the navigation lead to it. */
async function relate(): Promise<void> {
  await opened
    .at(-1)
    ?.updateTable("orders")
    .set({ parentId: 1 })
    .where(sql<number>`id`, "=", 1)
    .execute();
}

/** The order in which a client would send them. */
const METHODS = ["POST", "PUT", "PATCH", "GET"];
/** The links whose foreign key is part of the key of the row. */
const UNLINKABLE = new Set(["POST /x/Orders({Id})/Lines/$ref", "PUT /x/Lines(OrderId={OrderId},No={No})/Order/$ref"]);

test.each(["specification", "standard"] as const)("every example of the profile %s can be sent", async (profile) => {
  const sent = await open(profile);
  const document = openApiDocument(sent);
  const trials = operationsOf(document).toSorted((left, right) => rank(left) - rank(right));
  const tried: string[] = [];
  for (const each of trials) {
    const [method = "", template = ""] = each.split(" ");
    if (!METHODS.includes(method) || UNLINKABLE.has(each)) continue;
    const { requestBody, parameters = [] } = operationOf(document, method, template);
    const isKind = template.startsWith("/x/Kinds");
    const path = template.replaceAll(/\{\w+\}/gu, isKind ? "fedcba98-7654-3210-fedc-ba9876543210" : "1");
    const headers: Record<string, string> = { "Content-Type": "application/json" };
    const body = requestBody?.content["application/json"] as { readonly example?: unknown } | undefined;
    if (body !== undefined) {
      expect(body.example, each).toBeDefined();
      if (template.includes("/Children({RelatedId})")) await relate();
      const init = { method, headers, body: JSON.stringify(body.example) };
      const answer = await sent.fetch(new Request(ORIGIN + path, init));
      expect([answer.status, await answer.clone().text()], `${each} ${init.body}`).toEqual([
        expect.toSatisfy((status: number) => status < 300),
        expect.anything(),
      ]);
      tried.push(each);
      // Two routes create the same line.
      await opened
        .at(-1)
        ?.deleteFrom("lines")
        .where(sql<number>`no`, "=", 1001)
        .execute();
    }
    if (method !== "GET") continue;
    for (const { name, in: place, schema } of parameters) {
      const [example] = (schema?.["examples"] ?? []) as readonly string[];
      if (example === undefined || place === "path") continue;
      const query = place === "query" ? `?${name}=${encodeURIComponent(example)}` : "";
      const own = place === "header" ? { [name]: example } : {};
      const answer = await sent.fetch(new Request(ORIGIN + path + query, { headers: own }));
      expect([200, 204, 404], `${each} ${name} ${example} ${await answer.clone().text()}`).toContain(answer.status);
      tried.push(`${each} ${name}`);
    }
  }
  expect(tried.length).toBeGreaterThan(60);
});

test.each(["specification", "standard"] as const)(
  "If-Match is required where its absence is 428: %s",
  async (profile) => {
    const sent = await open(profile, { requireIfMatch: true });
    const document = openApiDocument(sent);
    const required: string[] = [];
    const refused: string[] = [];
    for (const each of operationsOf(document)) {
      const [method = "", template = ""] = each.split(" ");
      const { requestBody, parameters = [], responses } = operationOf(document, method, template);
      const needs = parameters.some((parameter) => parameter.name === "If-Match" && parameter.required === true);
      if (needs) required.push(each);
      const media = requestBody?.content["application/json"] as { readonly example?: unknown } | undefined;
      const path = template.replaceAll(
        /\{\w+\}/gu,
        template.startsWith("/x/Kinds") ? "fedcba98-7654-3210-fedc-ba9876543210" : "1",
      );
      const headers = { "Content-Type": "application/json" };
      const body = media === undefined ? null : JSON.stringify(media.example);
      if (template.includes("/Children({RelatedId})")) await relate();
      const { status } = await sent.fetch(new Request(ORIGIN + path, { method, headers, body }));
      if (status === 428) refused.push(each);
      expect([each, "428" in responses], each).toEqual([each, status === 428]);
    }
    // An upsert may send `If-None-Match: *` instead.
    expect(required).toEqual(refused.filter((each) => each !== "PUT /x/Kinds({Id})"));
    expect(required).toEqual(expect.arrayContaining(["PATCH /x/Orders({Id})", "PUT /x/Kinds({Id})/Text"]));
    expect(required.filter((each) => /\$ref|Lines|Paint/u.test(each))).toEqual([]);
  },
);

function rank(operation: string): number {
  return METHODS.indexOf(operation.split(" ")[0] ?? "");
}

test("bodies have no keys that the server makes, no back links and no optional links", async () => {
  const document = openApiDocument(await open("specification"));
  const exampleOf = (method: string, path: string): unknown => {
    const media = operationOf(document, method, path).requestBody?.content["application/json"];
    return (media as { readonly example?: unknown } | undefined)?.example;
  };
  expect(exampleOf("POST", "/x/Orders")).toEqual({ CustomerId: 1, Total: 1.5 });
  expect(exampleOf("PUT", "/x/Orders({Id})")).toEqual({ CustomerId: 1, Total: 1.5 });
  expect(exampleOf("PATCH", "/x/Orders({Id})")).toEqual({ Total: 1.5 });
  expect(exampleOf("POST", "/x/Orders({Id})/Lines")).toEqual({ No: 1001, Text: "text" });
  expect(exampleOf("POST", "/x/Customers({Id})/Orders")).toEqual({ Total: 1.5 });
  const nested = schemaOf(document, "Orders.deepCreate").properties?.["Lines"];
  expect(nested).toEqual({ type: "array", items: { $ref: "#/components/schemas/Line.nested.Order" } });
  expect(Object.keys(schemaOf(document, "Line.nested.Order").properties ?? {})).toEqual(["OrderId", "No", "Text"]);
  expect(exampleOf("PUT", "/x/Orders({Id})/Parent/$ref")).toEqual({ "@odata.id": "Orders(1)" });
});
