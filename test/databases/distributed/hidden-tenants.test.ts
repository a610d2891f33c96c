import { sql } from "kysely";
import {
  ConfigurationError,
  edm,
  entityType,
  hasMany,
  hasRequired,
  inherit,
  noRows,
  odataService,
  type ODataService,
} from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { AnyDatabase, OpenDatabase } from "../../engine/executors/engines.ts";
import { sentStatements } from "../sql/sent-statements.ts";
import { commandsOf, SPREAD_ENGINES, type Spread } from "./spread-database.ts";

const TABLES: readonly Spread[] = [
  {
    table: "orders",
    columns: "tenant text not null, id int not null, total int not null, note text, primary key (tenant, id)",
    by: "tenant",
  },
  {
    table: "lines",
    columns:
      "tenant text not null, id int not null, order_id int not null, price int not null, primary key (tenant, id), foreign key (tenant, order_id) references orders (tenant, id)",
    by: "tenant",
    with: "orders",
  },
];

interface User {
  readonly tenant: string;
}

const Order = entityType("Order", {
  id: edm.int32().key(),
  tenant: edm.string().ignored(),
  total: edm.int32(),
  note: edm.string().nullable(),
});
const Line = entityType("Line", {
  id: edm.int32().key(),
  tenant: edm.string().ignored(),
  orderId: edm.int32(),
  price: edm.int32(),
});

interface Paging {
  readonly paging?: "keyset";
  readonly maxTop?: number;
}

/** Reads all pages of a target. @returns the keys, and the statements that read rows */
async function idsOf(db: AnyDatabase, service: ODataService, tenant: string, target: string) {
  const ids: number[] = [];
  const sent = await sentStatements(db, async () => {
    let next: string | undefined = `http://service.example/${target}`;
    while (next !== undefined) {
      const response = await service.fetch(new Request(next, { headers: { "X-Tenant": tenant } }));
      const page = (await response.json()) as Page;
      ids.push(...page.value.map(({ Id }) => Id));
      next = page["@odata.nextLink"];
    }
  });
  return { ids, sent: sent.flatMap(commandsOf).filter(({ sql: text }) => /^select\b[\s\S]*from "orders"/.test(text)) };
}

interface Page {
  readonly value: ReadonlyArray<{ readonly Id: number }>;
  readonly "@odata.nextLink"?: string;
}

/** A service whose clients do not see the column that distributes its tables. */
function serveTenants(db: AnyDatabase, deleted: string[], paging: Paging = {}): ODataService {
  const operations = ["read", "create", "replace", "patch", "delete"] as const;
  const tenantOf = ({ user }: { readonly user: unknown }): string => (user as User).tenant;
  const orders = sqlEntitySet(Order, {
    db,
    table: "orders",
    operations,
    distributed: { by: "tenant" },
    set: { tenant: { create: tenantOf } },
    authorization: { rows: (user, order) => order.tenant.eq((user as User).tenant) },
    navigation: { lines: hasMany(Line, { on: { id: "orderId", tenant: "tenant" }, target: "Lines" }) },
  });
  const lines = sqlEntitySet(Line, {
    db,
    table: "lines",
    operations,
    distributed: { by: "tenant", with: "orders" },
    columns: { orderId: "order_id" },
    set: { tenant: { create: tenantOf } },
    authorization: { rows: inherit("order") },
    navigation: { order: hasRequired(Order, { on: { orderId: "id", tenant: "tenant" }, target: "Orders" }) },
    before: {
      delete: ({ key }) => {
        deleted.push(String(key));
      },
    },
  });
  return odataService({
    entitySets: [orders, lines],
    defaults: { applyEnabled: true, ...paging },
    secret: "a secret of the tests, long enough",
    authenticate: ({ headers }) => ({ id: "someone", tenant: headers.get("X-Tenant") ?? "" }),
  });
}

/** Sets whose clients choose the tenant of a new order by its note, and whose navigation does not pair the tenants. */
function serveUnpaired(db: AnyDatabase, schemaCheck: "error" | false, defaults: Paging = {}) {
  const operations = ["read", "create", "patch", "delete"] as const;
  const orders = sqlEntitySet(Order, {
    db,
    table: "orders",
    operations,
    distributed: { by: "tenant" },
    set: { tenant: { create: ({ input }) => String(input.note) } },
    authorization: {
      rows: (user, order) => {
        const { tenant } = user as User;
        if (tenant === "none") return noRows;
        return tenant === "both" ? order.tenant.in(["acme", "ann"]) : order.tenant.eq(tenant);
      },
    },
  });
  const lines = sqlEntitySet(Line, {
    db,
    table: "lines",
    operations,
    distributed: { by: "tenant", with: "orders" },
    columns: { orderId: "order_id" },
    set: { tenant: { create: ({ user }) => (user as unknown as User).tenant } },
    authorization: { rows: (user, line) => line.tenant.eq((user as User).tenant) },
    navigation: { order: hasRequired(Order, { on: { orderId: "id", price: "total" }, target: "Orders" }) },
  });
  const service = odataService({
    entitySets: [orders, lines],
    schemaCheck,
    defaults,
    secret: "a secret of the tests, long enough",
    authenticate: ({ headers }) => ({ id: "someone", tenant: headers.get("X-Tenant") ?? "" }),
  });
  return { service, orders };
}

describe.each(SPREAD_ENGINES)("tenants that clients do not see over $title", ({ open, create, partsOf }) => {
  let opened: OpenDatabase;
  let service: ODataService;
  const added: number[] = [];
  const deleted: string[] = [];
  const send = async (tenant: string, method: string, path: string, body?: object): Promise<[number, unknown]> => {
    const headers = { "X-Tenant": tenant, ...(body && { "Content-Type": "application/json" }) };
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    const response = await service.fetch(new Request(`http://service.example/${path}`, init));
    const text = await response.text();
    return [response.status, text === "" ? null : JSON.parse(text)];
  };
  /** The answer, and the most parts that a statement asks. */
  const parts = async (...given: Parameters<typeof send>): Promise<[number, number]> => {
    let status = 0;
    const sent = await sentStatements(opened.db, async () => {
      [status] = await send(...given);
    });
    const asked = sent
      .flatMap(commandsOf)
      .filter(
        ({ sql: text }) =>
          (/^(?:select|update|delete)\b/.test(text) && text.includes('from "')) || text.startsWith("update"),
      );
    const counts: number[] = [];
    for (const statement of asked) counts.push(await partsOf(opened.db, statement));
    return [status, Math.max(0, ...counts)];
  };
  beforeAll(async () => {
    opened = await open();
    for (const spread of TABLES) await create(opened.db, spread);
    service = serveTenants(opened.db, deleted);
    for (const tenant of ["acme", "zoo", "ann", "bob"]) {
      for (const id of [1, 2, 3]) {
        added.push((await send(tenant, "POST", "Orders", { Id: id, Total: id, Note: tenant }))[0]);
        added.push((await send(tenant, "POST", "Lines", { Id: id, OrderId: id, Price: id }))[0]);
      }
    }
  });
  afterAll(() => opened.close());

  test("add rows with the same keys", () => {
    expect(added).toEqual(Array.from({ length: 24 }, () => 201));
  });

  test.each([
    ["GET", "Orders(1)", undefined, 200],
    ["GET", "Orders?$filter=Total gt 1&$expand=Lines&$count=true", undefined, 200],
    ["GET", "Orders(1)/Lines", undefined, 200],
    ["GET", "Lines?$filter=Order/Total gt 1", undefined, 200],
    ["GET", "Orders?$apply=groupby((Note),aggregate(Total with sum as T))", undefined, 200],
    ["PATCH", "Orders(1)", { Total: 10 }, 200],
    ["PUT", "Orders(1)", { Id: 1, Total: 11, Note: "put" }, 200],
    ["PATCH", "Lines(1)", { Price: 9 }, 200],
    ["PATCH", "Lines(1)", { OrderId: 2 }, 200],
  ] as const)("%s %s asks one part", async (method, path, body, status) => {
    expect(await parts("acme", method, path, body)).toEqual([status, 1]);
  });

  test("write the rows of the tenant alone, though others have the same key", async () => {
    expect(await send("zoo", "PATCH", "Orders(2)", { Note: "changed" })).toMatchObject([200, { Note: "changed" }]);
    expect(await send("zoo", "DELETE", "Lines(3)")).toEqual([204, null]);
    expect(deleted).toEqual(["3"]);
    expect(await send("zoo", "DELETE", "Orders(3)")).toEqual([204, null]);
    expect(await send("zoo", "PATCH", "Orders(3)", { Note: "gone" })).toMatchObject([404, {}]);
    expect(await send("zoo", "POST", "Orders(1)/Lines", { Id: 7, Price: 1 })).toMatchObject([201, { OrderId: 1 }]);
    const { rows } = await sql<{
      readonly t: string;
    }>`select tenant || id || note as t from orders where id > 1 order by tenant collate "C", id`.execute(opened.db);
    expect(rows.map(({ t }) => t)).toEqual([
      "acme2acme",
      "acme3acme",
      "ann2ann",
      "ann3ann",
      "bob2bob",
      "bob3bob",
      "zoo2changed",
    ]);
    const lines = await sql`select tenant, id from lines where id in (3, 7) order by 1, 2`.execute(opened.db);
    expect(lines.rows).toEqual([
      { tenant: "acme", id: 3 },
      { tenant: "ann", id: 3 },
      { tenant: "bob", id: 3 },
      { tenant: "zoo", id: 7 },
    ]);
  });

  test("may use a key that another tenant uses", async () => {
    expect(await send("new", "POST", "Orders", { Id: 1, Total: 1 })).toMatchObject([201, { Total: 1 }]);
    expect(await send("new", "POST", "Orders", { Id: 1, Total: 1 })).toMatchObject([409, {}]);
    expect(await send("new", "GET", "Lines(1)")).toMatchObject([404, {}]);
  });

  test("page by keyset through the rows of the tenant alone, of one part", async () => {
    const pages = serveTenants(opened.db, [], { paging: "keyset", maxTop: 1 });
    await pages.ready();
    for (const order of ["Id", "Id desc", "Note,Total desc"]) {
      const { ids, sent } = await idsOf(opened.db, pages, "ann", `Orders?$orderby=${order}`);
      expect(ids).toEqual(order === "Id" ? [1, 2, 3] : [3, 2, 1]);
      for (const statement of sent) expect(await partsOf(opened.db, statement)).toBe(1);
    }
  });

  describe("with tenants that clients choose", () => {
    let unpaired: ReturnType<typeof serveUnpaired>;
    const ask = async (tenant: string, method: string, path: string, body?: object): Promise<number> => {
      const headers = { "X-Tenant": tenant, ...(body && { "Content-Type": "application/json" }) };
      const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
      return (await unpaired.service.fetch(new Request(`http://service.example/${path}`, init))).status;
    };
    const count = async (tenant: string): Promise<number> => {
      const { rows } = await sql`select id from orders where tenant = ${tenant}`.execute(opened.db);
      return rows.length;
    };
    beforeAll(() => {
      unpaired = serveUnpaired(opened.db, false);
    });

    test("reject a hidden row whose key a visible row has", async () => {
      expect(await ask("acme", "POST", "Orders", { Id: 2, Total: 1, Note: "far" })).toBe(403);
      expect(await ask("both", "POST", "Orders", { Id: 2, Total: 1, Note: "far" })).toBe(403);
      expect(await ask("acme", "POST", "Orders", { Id: 99, Total: 1, Note: "far" })).toBe(403);
      expect(await count("far")).toBe(0);
    });

    test("reject several rows of which one is hidden, and add several visible ones", async () => {
      const both = { id: "someone", tenant: "both" };
      const create = (...given: ReadonlyArray<readonly [tenant: string, id: number]>): Promise<readonly object[]> =>
        unpaired.service.run(both, (ctx) =>
          ctx.sets(unpaired.orders).createMany(given.map(([note, id]) => ({ id, total: 1, note }))),
        );
      await expect(create(["acme", 60], ["far", 2])).rejects.toMatchObject({ status: 403 });
      await expect(create(["far", 2], ["far", 3])).rejects.toMatchObject({ status: 403 });
      expect([await count("far"), await ask("both", "GET", "Orders(60)")]).toEqual([0, 404]);
      expect(await create(["acme", 61], ["ann", 61], ["ann", 62])).toEqual([
        { id: 61, total: 1, note: "acme", tenant: "acme" },
        { id: 61, total: 1, note: "ann", tenant: "ann" },
        { id: 62, total: 1, note: "ann", tenant: "ann" },
      ]);
    });

    test("page by keyset through rows of several tenants whose keys differ", async () => {
      const both = { id: "someone", tenant: "both" };
      const given = Array.from({ length: 7 }, (_none, index) => ({
        id: 100 + index,
        total: index % 2,
        note: index % 3 === 0 ? "acme" : "ann",
      }));
      await unpaired.service.run(both, (ctx) => ctx.sets(unpaired.orders).createMany(given));
      const { service: pages } = serveUnpaired(opened.db, false, { paging: "keyset", maxTop: 2 });
      const read = async (order: string): Promise<readonly number[]> =>
        (await idsOf(opened.db, pages, "both", `Orders?$filter=Id ge 100&$orderby=${order}`)).ids;
      expect(await read("Id")).toEqual([100, 101, 102, 103, 104, 105, 106]);
      expect(await read("Total desc,Id desc")).toEqual([105, 103, 101, 106, 104, 102, 100]);
      await sql`delete from orders where id >= 100`.execute(opened.db);
    });

    test("refer to no row of another tenant by a further property", async () => {
      await sql`update orders set total = 77 where tenant = 'bob' and id = 1`.execute(opened.db);
      expect(await ask("acme", "POST", "Lines", { Id: 70, OrderId: 1, Price: 77 })).toBe(409);
      expect(await ask("bob", "POST", "Lines", { Id: 70, OrderId: 1, Price: 77 })).toBe(201);
    });

    test.each([
      ["PATCH", { Total: 1 }, 404],
      ["DELETE", undefined, 204],
    ] as const)("%s sends no statement for a user who sees no row", async (method, body, status) => {
      const sent = await sentStatements(opened.db, async () => {
        expect(await ask("none", method, "Orders(1)", body)).toBe(status);
      });
      expect(sent).toEqual([]);
    });

    test("names navigations that do not pair the tenants at startup", async () => {
      const error = await serveUnpaired(opened.db, "error")
        .service.ready()
        .then(
          () => null,
          (thrown: unknown) => thrown,
        );
      expect(error).toBeInstanceOf(ConfigurationError);
      const found = (error as ConfigurationError).faults.map(({ code, set, fix }) => [code, set, fix]);
      expect(found).toEqual([
        [
          "C06",
          "Orders",
          "Pair the property `tenant`, whose column distributes the table, in `on` or `through` of `Lines.order`: without it, they lead to rows of other users that have the same key.",
        ],
      ]);
    });
  });
});
