import {
  action,
  arraySource,
  edm,
  entitySet,
  entityType,
  fn,
  hasMany,
  hasOptional,
  odataError,
  odataService,
  type Context,
  type SetContext,
} from "odatakit";
import { sqlEntitySet, sqlSource } from "odatakit/kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ENGINES, type AnyDatabase, type OpenDatabase } from "../../engine/executors/engines.ts";
import { MULTIPART, multipart } from "../http/batch-model.ts";

const Thing = entityType("Thing", { id: edm.int32().key(), label: edm.string() });
type Own = SetContext<typeof Thing>;

/** Sets of one type. Their handlers record the label of entity 1 of `ctx.set`: the name of their set. */
function things(told: string[]) {
  const tell = async (handler: string, { set }: Own) => {
    const own = await set.get(1);
    told.push(`${handler} ${own?.label ?? "nothing"}`);
    return own;
  };
  /** One function for several sets, as applications share them. */
  const queryable = async (ctx: Own) => {
    await tell("queryable", ctx);
    return arraySource(Thing, [{ id: 1, label: "" }]);
  };
  const keyed = (label: string) => ({
    getByKey: async (id: number, ctx: Own) => {
      if (id !== 1) await tell("getByKey", ctx);
      return { id, label };
    },
  });
  const lists = entitySet(Thing, {
    name: "Lists",
    ...keyed("Lists"),
    getAll: async (ctx) => {
      await tell("getAll", ctx);
      return [{ id: 1, label: "Lists" }];
    },
    search: async (_clause, ctx) => {
      await tell("search", ctx);
      return [{ id: 1, label: "Lists" }];
    },
    create: async (_thing, ctx) => tell("create", ctx),
    replace: async (_id, _thing, ctx) => tell("replace", ctx),
    patch: async (_id, _delta, ctx) => tell("patch", ctx),
    delete: async (_id, ctx) => (await tell("delete", ctx)) !== null,
    navigation: {
      many: hasMany(Thing, {
        target: "Sources",
        get: async (_id, ctx) => {
          await tell("get", ctx);
          return [{ id: 1, label: "" }];
        },
        create: async (_id, _thing, ctx) => tell("create related", ctx),
        addRef: async (_id, _target, ctx) => void (await tell("addRef", ctx)),
        removeRef: async (_id, _target, ctx) => void (await tell("removeRef", ctx)),
      }),
      one: hasOptional(Thing, {
        target: "Sources",
        getBatch: async (ids, ctx) => {
          await tell("getBatch", ctx);
          return new Map(ids.map((id) => [id, { id: 1, label: "" }]));
        },
        setRef: async (_id, _target, ctx) => void (await tell("setRef", ctx)),
        removeRef: async (_id, ctx) => void (await tell("removeRef", ctx)),
      }),
    },
    functions: {
      counted: fn({
        bound: "collection",
        returns: edm.string(),
        handler: async (_parameters, ctx) => (await ctx.set.get(1))?.label ?? "",
      }),
      named: fn({
        bound: "entity",
        returns: edm.string(),
        handler: async (_id, _parameters, ctx) => (await ctx.set.get(1))?.label ?? "",
      }),
    },
    actions: {
      all: action({ bound: "collection", handler: async (_parameters, ctx) => void (await tell("action", ctx)) }),
      one: action({ bound: "entity", handler: async (_id, _parameters, ctx) => void (await tell("action", ctx)) }),
    },
  });
  const sources = entitySet(Thing, { name: "Sources", ...keyed("Sources"), queryable });
  const others = entitySet(Thing, { name: "Others", ...keyed("Others"), queryable });
  const pages = entitySet(Thing, {
    name: "Pages",
    ...keyed("Pages"),
    applyQuery: async (_query, ctx) => {
      await tell("applyQuery", ctx);
      return { items: [] };
    },
    actions: {
      both: action({
        bound: "collection",
        handler: async (_parameters, { sets }) => {
          await sets(lists).query();
          await sets(others).count();
          await sets(sources).count();
        },
      }),
      work: action({
        bound: "collection",
        handler: async (_parameters, ctx) => {
          await ctx.inTransaction(() => undefined).catch((error: unknown) => told.push(String(error)));
        },
      }),
    },
  });
  return { lists, sources, others, pages };
}

describe("ctx.set is the set of the handler", () => {
  const told: string[] = [];
  let unbound: Context | undefined;
  const make = (prefix: string) =>
    odataService({
      prefix,
      entitySets: Object.values(things(told)),
      actions: {
        ping: action({
          handler: (_parameters, ctx) => {
            unbound = ctx;
          },
        }),
      },
    });
  const service = make("/s");
  const send = async (method: string, path: string, body?: object) => {
    const response = await service.fetch(
      new Request(`http://things.example/s/${path}`, {
        method,
        ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } }),
      }),
    );
    return { status: response.status, text: await response.text() };
  };
  beforeEach(() => {
    told.length = 0;
  });

  const reference = { "@odata.id": "http://things.example/s/Sources(1)" };
  test.each<[string, string, number, readonly string[], object?]>([
    ["GET", "Lists", 200, ["getAll Lists"]],
    ["GET", "Lists/$count", 200, ["getAll Lists"]],
    ["GET", "Lists?$search=a", 200, ["search Lists"]],
    ["GET", "Lists(2)", 200, ["getByKey Lists"]],
    ["GET", "Lists(2)/Label/$value", 200, ["getByKey Lists"]],
    ["GET", "Sources", 200, ["queryable Sources"]],
    ["GET", "Others", 200, ["queryable Others"]],
    ["GET", "Pages", 200, ["applyQuery Pages"]],
    ["GET", "Lists(1)/Many", 200, ["get Lists"]],
    ["GET", "Lists(1)/One", 200, ["getBatch Lists"]],
    ["GET", "Lists?$expand=Many,One", 200, ["getAll Lists", "get Lists", "getBatch Lists"]],
    ["GET", "Lists?$filter=One/Id eq 1", 200, ["getAll Lists", "getBatch Lists"]],
    ["POST", "Lists", 201, ["create Lists"], { Id: 3, Label: "" }],
    ["PUT", "Lists(1)", 200, ["replace Lists"], { Label: "" }],
    ["PATCH", "Lists(1)", 200, ["patch Lists"], { Label: "" }],
    ["PUT", "Lists(1)/Label", 204, ["patch Lists"], { value: "" }],
    ["DELETE", "Lists(1)", 204, ["delete Lists"]],
    ["POST", "Lists(1)/Many", 201, ["create related Lists"], { Id: 3, Label: "" }],
    ["POST", "Lists(1)/Many/$ref", 204, ["addRef Lists"], reference],
    ["DELETE", `Lists(1)/Many/$ref?$id=${reference["@odata.id"]}`, 204, ["removeRef Lists"]],
    ["PUT", "Lists(1)/One/$ref", 204, ["setRef Lists"], reference],
    ["DELETE", "Lists(1)/One/$ref", 204, ["removeRef Lists"]],
    ["POST", "Lists/all", 204, ["action Lists"]],
    ["POST", "Lists(1)/one", 204, ["action Lists"]],
    // Two sets with the same handler, in one request.
    ["POST", "Pages/both", 204, ["getAll Lists", "queryable Others", "queryable Sources"]],
    [
      "POST",
      "Pages/work",
      204,
      ["Error: ctx.inTransaction needs a database: no set of this service was made with sqlEntitySet."],
    ],
  ])("%s %s", async (method, path, status, expected, body) => {
    const answer = await send(method, path, body);
    expect([answer.status, told], answer.text).toEqual([status, expected]);
  });

  test.each(["Lists/counted", "Lists(1)/named"])("GET %s", async (path) => {
    expect(JSON.parse((await send("GET", path)).text)).toMatchObject({ value: "Lists" });
  });

  test("of the registration that received the request", async () => {
    const told: string[] = [];
    const { lists, sources, others, pages } = things(told);
    const renamed = entitySet(Thing, { name: "Lists", getByKey: () => null });
    const first = odataService({ prefix: "/1", entitySets: [lists, sources, others, pages] });
    const second = odataService({ prefix: "/2", entitySets: [lists, sources] });
    const third = odataService({ prefix: "/3", entitySets: [renamed] });
    for (const [each, path] of [
      [first, "/1/Lists"],
      [second, "/2/Lists"],
      [second, "/2/Sources"],
      [third, "/3/Lists(1)"],
    ] as const) {
      await each.fetch(new Request(`http://things.example${path}`));
    }
    expect(told).toEqual(["getAll Lists", "getAll Lists", "queryable Sources"]);
  });

  test("contexts of several sets share the request", async () => {
    const seen: Context[] = [];
    const see = (ctx: Context): void => void seen.push(ctx);
    const parts = entitySet(Thing, { name: "Parts", getAll: () => [] });
    const wholes = entitySet(Thing, {
      name: "Wholes",
      getAll: (ctx) => {
        see(ctx);
        return [{ id: 1, label: "" }];
      },
      navigation: {
        parts: hasMany(Thing, {
          target: "Parts",
          get: (_id, ctx) => {
            see(ctx);
            return [];
          },
        }),
      },
      actions: {
        both: action({
          bound: "collection",
          handler: async (_parameters, ctx) => {
            see(ctx);
            await ctx.set.query();
          },
        }),
      },
    });
    const shared = odataService({ entitySets: [wholes, parts] });
    await shared.fetch(new Request("http://things.example/Wholes?$expand=Parts"));
    expect([seen.length, new Set(seen).size]).toEqual([2, 1]);
    await shared.fetch(new Request("http://things.example/Wholes/both", { method: "POST" }));
    const [, , outer, inner] = seen;
    expect(outer).not.toBe(inner);
    expect(outer?.request).toBe(inner?.request);
  });

  test("unbound operations have none", async () => {
    expect((await send("POST", "ping")).status).toBe(204);
    expect(unbound !== undefined && "set" in unbound).toBe(false);
  });
});

const Order = entityType("Order", {
  id: edm.int32().key(),
  owner: edm.string(),
  status: edm.string(),
  version: edm.int32().computed(),
});

describe.each(ENGINES)("ctx.set over $title", (engine) => {
  let open: OpenDatabase;
  let db: AnyDatabase;
  const told: unknown[] = [];

  const declare = () => {
    const orders = sqlEntitySet(Order, {
      db,
      table: "own_orders",
      operations: ["read", "create", "patch", "delete"],
      authorization: { rows: (user, order) => order.owner.eq(user.id ?? "") },
      search: async (_clause, { set }) => set.query({ filter: (order) => order.status.eq("open") }),
      actions: {
        close: action({
          bound: "entity",
          returns: Order,
          handler: async (id, _parameters, { set }) =>
            (await set.patch(id, { status: "closed" })) ?? odataError(404, "NotFound", "none"),
        }),
        move: action({
          bound: "collection",
          returns: edm.int32(),
          transactional: true,
          handler: async (_parameters, ctx) => {
            const failing = ctx.inTransaction(async (inner) => {
              await inner.set.patch(1, { status: "moved" });
              const counted = await inner.set.count({ filter: (order) => order.status.eq("moved") });
              told.push(inner.transaction !== undefined, counted);
              await inner.inTransaction(async (innermost) => innermost.set.delete(3));
              told.push(await ctx.set.count().catch((error: unknown) => String(error).slice(0, 30)));
              throw new Error("undo");
            });
            await failing.catch((error: unknown) => told.push(String(error)));
            return ctx.set.count();
          },
        }),
      },
    });
    const narrowed = sqlEntitySet(Order, {
      name: "Open",
      db,
      table: "own_orders",
      operations: ["read", "patch", "delete"],
      queryable: async (ctx) => {
        told.push("set" in ctx);
        return sqlSource(Order, { db, from: db.selectFrom("own_orders").selectAll().where("status", "=", "open") });
      },
      create: async (order, { set }) => {
        told.push(await set.count());
        return { ...order, version: 0 };
      },
    });
    const audited = sqlEntitySet(Order, {
      name: "Audited",
      db,
      table: "own_orders",
      operations: ["read"],
      authorization: { rows: (user, order) => order.owner.eq(user.id ?? "") },
      getByKey: async (_id, { set }) => {
        told.push(await set.count());
        return null;
      },
    });
    return odataService({
      entitySets: [orders, narrowed, audited],
      authenticate: ({ headers }) => ({ id: headers.get("x-user") ?? "" }),
      functions: {
        trusted: fn({
          returns: edm.int32(),
          authorization: [],
          handler: async (_parameters, { sets }) => {
            await sets(audited, { trusted: true }).get(2);
            return sets(audited, { trusted: true }).count();
          },
        }),
      },
    });
  };
  const ask = async (user: string, method: string, path: string, body?: object) => {
    const response = await declare().fetch(
      new Request(`http://own.example/${path}`, {
        method,
        headers: { "x-user": user, "Content-Type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    );
    const text = await response.text();
    return { status: response.status, json: text === "" ? null : (JSON.parse(text) as Record<string, unknown>) };
  };

  beforeAll(async () => {
    open = await engine.open();
    ({ db } = open);
    await db.schema
      .createTable("own_orders")
      .addColumn("id", "integer", (column) => column.primaryKey())
      .addColumn("owner", "varchar(20)", (column) => column.notNull())
      .addColumn("status", "varchar(20)", (column) => column.notNull())
      .addColumn("version", "integer", (column) => column.notNull().defaultTo(1))
      .execute();
  });
  afterAll(() => open.close());
  beforeEach(async () => {
    told.length = 0;
    await db.deleteFrom("own_orders").execute();
    const row = (id: number, owner: string, status: string) => ({ id, owner, status, version: 1 });
    await db
      .insertInto("own_orders")
      .values([row(1, "ann", "open"), row(2, "bob", "open"), row(3, "ann", "closed")])
      .execute();
  });

  test("obeys the row rules of the set", async () => {
    expect((await ask("ann", "GET", "Orders?$search=x&$select=Id")).json?.["value"]).toEqual([{ Id: 1 }]);
    expect((await ask("ann", "POST", "Orders(1)/close")).json).toMatchObject({ Id: 1, Status: "closed" });
    expect((await ask("ann", "POST", "Orders(2)/close")).status).toBe(404);
  });

  test("obeys them within a trusted call, too", async () => {
    expect((await ask("ann", "GET", "trusted")).json).toBe(3);
    expect(told).toEqual([2]);
  });

  test("is part of the transaction, which rolls back its writes", async () => {
    expect((await ask("ann", "POST", "Orders/move", {})).json).toMatchObject({ value: 2 });
    expect(told).toEqual([true, 1, "Error: ctx.sets(Orders) was ca", "Error: undo"]);
    const rows = await db.selectFrom("own_orders").selectAll().orderBy("id").execute();
    expect(rows.map(({ status }) => status as unknown)).toEqual(["open", "open", "closed"]);
  });

  test("is part of the transaction of a change set", async () => {
    const body = multipart([
      [
        { request: "POST Orders", body: { Id: 4, Owner: "ann", Status: "open" }, id: "1" },
        { request: "POST Orders/move", body: {}, id: "2" },
      ],
    ]);
    const response = await declare().fetch(
      new Request("http://own.example/$batch", { method: "POST", headers: { ...MULTIPART, "x-user": "ann" }, body }),
    );
    expect(await response.text()).toContain('"value":3');
    expect(told).toEqual([true, 1, expect.any(String), "Error: undo"]);
  });

  test("reaches the handlers of a set whose rows a handler narrows", async () => {
    expect((await ask("ann", "GET", "Open(1)")).status).toBe(200);
    expect((await ask("ann", "GET", "Open(3)")).status).toBe(404);
    expect((await ask("ann", "PATCH", "Open(1)", { Status: "held" })).status).toBe(200);
    expect((await ask("ann", "DELETE", "Open(2)")).status).toBe(204);
    expect((await ask("ann", "POST", "Open", { Id: 9, Owner: "ann", Status: "open" })).status).toBe(201);
    expect(told.filter((each) => each !== true)).toEqual([0]);
  });
});
