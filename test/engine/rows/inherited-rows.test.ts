import { sql } from "kysely";
import {
  allRows,
  arraySource,
  edm,
  entitySet,
  entityType,
  fn,
  hasMany,
  hasRequired,
  inherit,
  noRows,
  odataService,
  type RowPredicate,
} from "odatakit";
import { sqlEntitySet, sqlSource } from "odatakit/kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { noFailures } from "../../service/http/model.ts";
import { ENGINES, type OpenDatabase } from "../executors/engines.ts";

/** Orders by region. Their lines inherit the rule, and the parts of their lines inherit that of the lines. */

const Order = entityType("Order", { id: edm.int32().key(), region: edm.string() });
const Line = entityType("Line", { id: edm.int32().key(), orderId: edm.int32(), product: edm.string() });
const Part = entityType("Part", { id: edm.int32().key(), lineId: edm.int32(), name: edm.string() });

const ROWS = {
  orders: [
    { id: 1, region: "north" },
    { id: 2, region: "south" },
  ],
  lines: [
    { id: 11, orderId: 1, product: "saw" },
    { id: 12, orderId: 1, product: "nail" },
    { id: 21, orderId: 2, product: "rope" },
    // Its order does not exist.
    { id: 91, orderId: 9, product: "lost" },
  ],
  parts: [
    { id: 111, lineId: 11, name: "blade" },
    { id: 211, lineId: 21, name: "knot" },
    { id: 911, lineId: 91, name: "dust" },
  ],
};

interface User {
  readonly id?: string;
}
interface OrderRow {
  readonly region: { eq(value: string): RowPredicate; ne(value: string): RowPredicate };
}

/** A user sees the orders of a region; `!south` sees those of all other regions. */
const ofRegion = ({ id = "" }: User, order: OrderRow): RowPredicate => {
  if (id === "all") return allRows;
  if (id === "none") return noRows;
  return id.startsWith("!") ? order.region.ne(id.slice(1)) : order.region.eq(id);
};

const navigations = {
  orders: { lines: hasMany<typeof Order, typeof Line>(Line, { on: { id: "orderId" }, target: "Lines" }) },
  lines: {
    order: hasRequired<typeof Line, typeof Order>(Order, { on: { orderId: "id" }, target: "Orders" }),
    parts: hasMany<typeof Line, typeof Part>(Part, { on: { id: "lineId" }, target: "Parts" }),
  },
  parts: { line: hasRequired<typeof Part, typeof Line>(Line, { on: { lineId: "id" }, target: "Lines" }) },
} as const;
const rules = {
  orders: { rows: ofRegion },
  lines: { rows: inherit("order") },
  parts: { rows: inherit("line") },
} as const;
const settings = { allowDeepInsert: true, idempotentDelete: false } as const;

const options = {
  prefix: "",
  logger: noFailures,
  profile: "standard",
  batch: { json: true },
  authenticate: ({ headers }: { readonly headers: Headers }) => {
    const id = headers.get("x-user");
    return id === null ? null : { id };
  },
  functions: {
    rope: fn({ returns: Line, authorization: [], handler: () => ROWS.lines[2]! }),
  },
} as const;

type Service = ReturnType<typeof odataService>;

/** A set over an array that handlers change. */
function handlersOf<Row extends { readonly id: number }>(rows: Row[]) {
  const at = (id: number): number => rows.findIndex((row) => row.id === id);
  return {
    getByKey: (id: number) => rows[at(id)] ?? null,
    create: (row: object) => {
      rows.push(row as Row);
      return row as Row;
    },
    patch: (id: number, delta: object) => {
      const row = rows[at(id)];
      if (row === undefined) return null;
      const changed = { ...row, ...delta };
      rows[at(id)] = changed;
      return changed;
    },
    delete: (id: number) => rows.splice(at(id), at(id) < 0 ? 0 : 1).length > 0,
  };
}

function overArrays(): Service {
  const { orders, lines, parts } = structuredClone(ROWS);
  return odataService({
    ...options,
    entitySets: [
      entitySet(Order, {
        ...handlersOf(orders),
        allowDeepInsert: true,
        create: ({ lines: added, ...order }) => {
          orders.push(order);
          const saved = (added ?? []).map((line) => ({ ...line, orderId: order.id }));
          lines.push(...saved);
          return { ...order, lines: saved };
        },
        queryable: () => arraySource(Order, orders),
        navigation: navigations.orders,
        authorization: rules.orders,
      }),
      entitySet(Line, {
        ...handlersOf(lines),
        idempotentDelete: false,
        queryable: () => arraySource(Line, lines),
        navigation: navigations.lines,
        authorization: rules.lines,
      }),
      entitySet(Part, {
        ...handlersOf(parts),
        idempotentDelete: false,
        getAll: () => parts,
        navigation: navigations.parts,
        authorization: rules.parts,
      }),
    ],
  });
}

/** @param isNarrowed whether a source of the application chooses the rows of lines */
function overTables({ db }: OpenDatabase, isNarrowed: boolean): Service {
  const writes = { db, operations: ["read", "create", "patch", "delete"], ...settings } as const;
  const columns = { orderId: "order_id" };
  return odataService({
    ...options,
    entitySets: [
      sqlEntitySet(Order, {
        ...writes,
        table: "ir_orders",
        navigation: navigations.orders,
        authorization: rules.orders,
      }),
      sqlEntitySet(Line, {
        ...writes,
        table: "ir_lines",
        columns,
        navigation: navigations.lines,
        authorization: rules.lines,
        search: ["product"],
        ...(isNarrowed && {
          queryable: () => sqlSource(Line, { db, columns, from: db.selectFrom("ir_lines").where("id", ">", 0) }),
        }),
      }),
      sqlEntitySet(Part, {
        ...writes,
        table: "ir_parts",
        columns: { lineId: "line_id" },
        navigation: navigations.parts,
        authorization: rules.parts,
      }),
    ],
  });
}

const TABLES = {
  ir_orders: [ROWS.orders, "id integer primary key, region varchar(20) not null"],
  ir_lines: [ROWS.lines, "id integer primary key, order_id integer not null, product varchar(20) not null"],
  ir_parts: [ROWS.parts, "id integer primary key, line_id integer not null, name varchar(20) not null"],
} as const;

async function fill({ db }: OpenDatabase): Promise<void> {
  for (const [table, [rows]] of Object.entries(TABLES)) {
    await sql`delete from ${sql.table(table)}`.execute(db);
    for (const row of rows) {
      await sql`insert into ${sql.table(table)} values (${sql.join(Object.values(row))})`.execute(db);
    }
  }
}

interface Place {
  readonly title: string;
  readonly open: () => Promise<{ readonly makeService: () => Promise<Service>; readonly close: () => Promise<void> }>;
  readonly isTable: boolean;
}

const PLACES: readonly Place[] = [
  {
    title: "arrays",
    open: () => Promise.resolve({ makeService: () => Promise.resolve(overArrays()), close: () => Promise.resolve() }),
    isTable: false,
  },
  ...ENGINES.flatMap(({ title, open }) =>
    [false, true].map((isNarrowed): Place => ({
      title: isNarrowed ? `${title}, with a source of the application` : title,
      isTable: true,
      open: async () => {
        const opened = await open();
        for (const [table, [, columns]] of Object.entries(TABLES)) {
          await sql`create table ${sql.table(table)} (${sql.raw(columns)})`.execute(opened.db);
        }
        const service = overTables(opened, isNarrowed);
        return {
          makeService: async () => {
            await fill(opened);
            return service;
          },
          close: opened.close,
        };
      },
    })),
  ),
];

describe.each(PLACES)("rows of a parent over $title", ({ open, isTable }) => {
  let place: Awaited<ReturnType<Place["open"]>>;
  let service: Service;
  beforeAll(async () => {
    place = await open();
  });
  beforeEach(async () => {
    service = await place.makeService();
  });
  afterAll(() => place.close());

  async function ask(user: string | null, target: string, method = "GET", body?: object) {
    const init: RequestInit = {
      method,
      headers: {
        Accept: "application/json;odata.metadata=none, text/plain;q=0.5",
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
        ...(user === null ? {} : { "X-User": user }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    };
    const response = await service.fetch(new Request(`http://x${encodeURI(target)}`, init));
    const text = await response.text();
    const json: unknown = text.startsWith("{") ? JSON.parse(text) : text;
    return { status: response.status, json };
  }

  /** The values of a page, or the text. */
  const ids = (json: unknown): unknown => {
    const { value } = json as { readonly value?: ReadonlyArray<{ readonly Id: number }> };
    return value === undefined ? json : value.map(({ Id }) => Id);
  };

  test.each<readonly [user: string | null, lines: readonly number[], parts: readonly number[]]>([
    ["north", [11, 12], [111]],
    ["south", [21], [211]],
    // The rule of orders holds where the region is null, but the order of line 91 is not an order that the user sees.
    ["!south", [11, 12], [111]],
    ["all", [11, 12, 21, 91], [111, 211, 911]],
    ["none", [], []],
    [null, [], []],
  ])("%s reads the lines and parts of visible orders", async (user, lines, parts) => {
    expect(ids((await ask(user, "/Lines")).json)).toEqual(lines);
    expect(ids((await ask(user, "/Parts")).json)).toEqual(parts);
    expect((await ask(user, "/Lines/$count")).json).toBe(String(lines.length));
    expect((await ask(user, "/Parts/$count?$filter=Line/Order/Region ne 'x'")).json).toBe(String(parts.length));
    expect((await ask(user, "/Lines?$apply=aggregate($count as N)")).json).toEqual({ value: [{ N: lines.length }] });
    for (const { id } of ROWS.lines) {
      expect((await ask(user, `/Lines(${String(id)})`)).status).toBe(lines.includes(id) ? 200 : 404);
    }
    for (const { id } of ROWS.parts) {
      expect((await ask(user, `/Parts(${String(id)})/Name`)).status).toBe(parts.includes(id) ? 200 : 404);
    }
  });

  test("expansions, lambdas, paths and operations show the same rows", async () => {
    const read = async (target: string) => (await ask("north", target)).json;
    expect(await read("/Lines?$expand=Parts($select=Id),Order($select=Id)&$select=Id&$orderby=Id")).toEqual({
      value: [
        { Id: 11, Parts: [{ Id: 111 }], Order: { Id: 1 } },
        { Id: 12, Parts: [], Order: { Id: 1 } },
      ],
    });
    expect(ids(await read("/Lines?$filter=Parts/any()"))).toEqual([11]);
    expect(ids(await read("/Parts?$filter=Line/Product eq 'rope'"))).toEqual([]);
    expect(ids(await read("/Orders?$filter=Lines/any(l:l/Product eq 'rope')"))).toEqual([]);
    expect(ids(await read("/Orders?$filter=$root/Lines(21)/Product eq 'rope'"))).toEqual([]);
    expect(await read("/Orders?$expand=Lines($expand=Parts;$count=true)&$select=Id")).toEqual({
      value: [
        {
          Id: 1,
          "Lines@odata.count": 2,
          Lines: [
            { Id: 11, OrderId: 1, Product: "saw", Parts: [{ Id: 111, LineId: 11, Name: "blade" }] },
            { Id: 12, OrderId: 1, Product: "nail", Parts: [] },
          ],
        },
      ],
    });
    expect((await ask("north", "/rope()")).status).toBe(204);
    expect((await ask("south", "/rope()")).json).toMatchObject({ Id: 21 });
  });

  test("a hidden entity is like a missing one", async () => {
    /** Replaces the keys, which differ. */
    const shape = ({ status, json }: { status: number; json: unknown }): string =>
      `${String(status)} ${JSON.stringify(json).replaceAll(/\d+/g, "#")}`;
    const requests: ReadonlyArray<readonly [hidden: string, missing: string, method: string, body?: object]> = [
      ["/Lines(21)", "/Lines(77)", "GET"],
      ["/Lines(91)", "/Lines(77)", "GET"],
      ["/Lines(21)/Product", "/Lines(77)/Product", "GET"],
      ["/Lines(21)?$expand=Parts", "/Lines(77)?$expand=Parts", "GET"],
      ["/Lines(21)", "/Lines(77)", "PATCH", { Product: "x" }],
      ["/Lines(21)", "/Lines(77)", "DELETE"],
      ["/Parts(211)", "/Parts(777)", "GET"],
      ["/Parts(211)", "/Parts(777)", "DELETE"],
      ...(isTable
        ? ([
            ["/Lines(21)/Order", "/Lines(77)/Order", "GET"],
            ["/Lines(21)/Parts", "/Lines(77)/Parts", "GET"],
            ["/Lines(21)/Parts/$count", "/Lines(77)/Parts/$count", "GET"],
            ["/Lines(21)/Parts/$ref", "/Lines(77)/Parts/$ref", "GET"],
            ["/Lines(11)/Parts(211)", "/Lines(11)/Parts(777)", "GET"],
            ["/Orders(2)/Lines", "/Orders(7)/Lines", "GET"],
            ["/Orders(2)/Lines/$count", "/Orders(7)/Lines/$count", "GET"],
            ["/Lines(21)/Parts", "/Lines(77)/Parts", "POST", { Id: 300, Name: "x" }],
            ["/Orders(2)/Lines", "/Orders(7)/Lines", "POST", { Id: 300, Product: "x" }],
          ] as const)
        : []),
    ];
    for (const [hidden, missing, method, body] of requests) {
      const [one, other] = [await ask("north", hidden, method, body), await ask("north", missing, method, body)];
      expect([method, hidden, shape(one)]).toEqual([method, hidden, shape(other)]);
      expect([hidden, one.status]).toEqual([hidden, 404]);
    }
    const bodies: ReadonlyArray<readonly [target: string, method: string, hidden: object, missing: object]> = [
      ["/Lines", "POST", { Id: 300, OrderId: 2, Product: "x" }, { Id: 300, OrderId: 7, Product: "x" }],
      ["/Parts", "POST", { Id: 300, LineId: 21, Name: "x" }, { Id: 300, LineId: 77, Name: "x" }],
      ["/Lines(11)", "PATCH", { OrderId: 2 }, { OrderId: 7 }],
      ["/Parts(111)", "PATCH", { LineId: 21 }, { LineId: 77 }],
    ];
    for (const [target, method, hidden, missing] of bodies) {
      const [one, other] = [await ask("north", target, method, hidden), await ask("north", target, method, missing)];
      expect([method, target, shape(one)]).toEqual([method, target, shape(other)]);
      expect([target, one.status]).toEqual([target, 409]);
    }
    expect(ids((await ask("all", "/Lines")).json)).toEqual([11, 12, 21, 91]);
    expect(ids((await ask("all", "/Parts")).json)).toEqual([111, 211, 911]);
  });

  test("writes entities of visible parents", async () => {
    expect((await ask("north", "/Lines", "POST", { Id: 13, OrderId: 1, Product: "glue" })).status).toBe(201);
    expect((await ask("north", "/Parts", "POST", { Id: 131, LineId: 13, Name: "drop" })).status).toBe(201);
    expect((await ask("north", "/Lines(13)", "PATCH", { Product: "tape" })).status).toBe(200);
    expect((await ask("none", "/Lines", "POST", { Id: 14, OrderId: 1, Product: "glue" })).status).toBe(403);
    expect((await ask(null, "/Lines", "POST", { Id: 14, OrderId: 1, Product: "glue" })).status).toBe(401);
    expect((await ask("north", "/Parts(131)", "DELETE")).status).toBe(204);
    expect(ids((await ask("north", "/Lines")).json)).toEqual([11, 12, 13]);
  });

  test("deep inserts see the parents that they write", async () => {
    const order = (id: number, region: string) => ({
      Id: id,
      Region: region,
      Lines: [{ Id: id * 10, OrderId: id, Product: "new" }],
    });
    expect((await ask("north", "/Orders", "POST", order(3, "north"))).status).toBe(201);
    expect((await ask("north", "/Orders", "POST", order(4, "south"))).status).toBe(403);
    expect(ids((await ask("north", "/Lines?$filter=Id ge 30")).json)).toEqual([30]);
    expect(ids((await ask("all", "/Lines?$filter=Id ge 30 and Id lt 90")).json)).toEqual([30]);
  });

  if (!isTable) return;

  test("navigation routes, $ref and search of tables show the same rows", async () => {
    const read = async (target: string) => (await ask("north", target)).json;
    expect(ids(await read("/Orders(1)/Lines"))).toEqual([11, 12]);
    expect(await read("/Orders(1)/Lines/$count")).toBe("2");
    expect(await read("/Parts(111)/Line")).toMatchObject({ Id: 11 });
    expect(ids(await read("/Lines?$search=saw OR rope"))).toEqual([11]);
    const reference = { "@odata.id": "Orders(2)" };
    const other = { "@odata.id": "Orders(7)" };
    const [hidden, missing] = [
      await ask("north", "/Lines(11)/Order/$ref", "PUT", reference),
      await ask("north", "/Lines(11)/Order/$ref", "PUT", other),
    ];
    expect([hidden.status, JSON.stringify(hidden.json)]).toEqual([404, JSON.stringify(missing.json)]);
    expect((await ask("north", "/Lines(21)/Order/$ref", "PUT", { "@odata.id": "Orders(1)" })).status).toBe(404);
    const link = { "@odata.id": "Lines(21)" };
    expect((await ask("north", "/Orders(1)/Lines/$ref", "POST", link)).status).toBe(404);
  });

  test("deep inserts and change sets see the parents that they write", async () => {
    const order = (id: number, region: string) => ({
      Id: id,
      Region: region,
      Lines: [{ Id: id * 10, Product: "new", Parts: [{ Id: id * 100, Name: "new" }] }],
    });
    expect((await ask("north", "/Orders", "POST", order(3, "north"))).status).toBe(201);
    expect((await ask("north", "/Orders", "POST", order(4, "south"))).status).toBe(403);
    expect(ids((await ask("all", "/Parts?$filter=Id ge 300 and Id lt 900")).json)).toEqual([300]);
    const headers = { "Content-Type": "application/json" };
    const changeSet = (region: string, id: number) => ({
      requests: [
        { id: "1", atomicityGroup: "a", method: "POST", url: "Orders", headers, body: { Id: id, Region: region } },
        {
          id: "2",
          atomicityGroup: "a",
          method: "POST",
          url: "Lines",
          headers,
          body: { Id: id * 10, OrderId: id, Product: "y" },
        },
        { id: "3", method: "GET", url: `Lines(${String(id * 10)})` },
      ],
    });
    const statuses = async (region: string, id: number): Promise<readonly number[]> => {
      const { json } = await ask("north", "/$batch", "POST", changeSet(region, id));
      return (json as { readonly responses: ReadonlyArray<{ readonly status: number }> }).responses.map(
        ({ status }) => status,
      );
    };
    expect(await statuses("north", 5)).toEqual([201, 201, 200]);
    expect((await statuses("south", 6)).at(-1)).toBe(404);
    expect(ids((await ask("all", "/Lines?$filter=Id ge 50 and Id lt 90")).json)).toEqual([50]);
  });
});
