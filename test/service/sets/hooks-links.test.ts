import { sql } from "kysely";
import { edm, entitySet, entityType, hasMany, hasOptional, odataError, odataService } from "odatakit";
import { sqlEntitySet, type SqlEntitySetOptions } from "odatakit/kysely";
import { describe, expect, test } from "vitest";
import { isDistributed } from "../../databases/distributed/watched-database.ts";
import { ENGINES, type AnyDatabase } from "../../engine/executors/engines.ts";
import { Customer, eventsIn, hookShop, type HookOptions, ORIGIN, useHookTables } from "./hook-model.ts";

const Latest = entityType("Order", {
  id: edm.int32().key(),
  customerId: edm.int32().nullable(),
  status: edm.string(),
});

describe.each(ENGINES)("hooks of links over $title", (engine) => {
  let db: AnyDatabase;
  useHookTables(
    engine,
    (opened) => (db = opened),
    "customers (id, name) values (1, 'Ann'), (2, 'Bob')",
    "orders (id, customer_id, status, version) values (1, null, 'a', 1), (2, 1, 'b', 1)",
    "profiles (id, customer_id) values (1, 1), (2, null), (3, 1)",
    "tags (name) values ('red')",
  );

  const ref = (path: string): object => ({ "@odata.id": `${ORIGIN}/${path}` });
  const orders = async (): Promise<readonly unknown[]> =>
    (await sql`select id, customer_id, status, version from orders order by id`.execute(db)).rows;

  /** A shop whose patch hooks of orders and profiles record their calls. */
  function openShop(more: HookOptions = {}) {
    const calls: string[] = [];
    const shop: ReturnType<typeof hookShop> = hookShop(db, {
      orders: {
        before: {
          patch: async ({ key, delta, current, ctx }) => {
            const { customerId } = await current();
            calls.push(`before ${String(key)} ${String(customerId)} ${JSON.stringify(delta)}`);
            await ctx.sets(shop.events).create({ text: `order ${String(key)}` });
            ctx.afterCommit(() => calls.push("committed"));
          },
        },
        after: {
          patch: ({ entity }) => {
            calls.push(`after ${String(entity.id)} ${String(entity.customerId)} ${String(entity.secret)}`);
          },
        },
      },
      profiles: {
        before: { patch: ({ key, delta }) => void calls.push(`before ${String(key)} ${JSON.stringify(delta)}`) },
        after: { patch: ({ entity }) => void calls.push(`after ${String(entity.id)} ${String(entity.customerId)}`) },
      },
      ...more,
    });
    const send = async (method: string, path: string, body?: object): Promise<number> => {
      calls.length = 0;
      const { status } = await shop.send(method, path, body);
      await shop.service.drain();
      return status;
    };
    return { ...shop, ask: shop.send, send, calls };
  }

  test("are those of a patch of the row with the foreign key", async () => {
    const { send, calls } = openShop();
    expect(await send("PUT", "Orders(1)/Customer/$ref", ref("Customers(1)"))).toBe(204);
    expect(calls).toEqual(['before 1 null {"customerId":1}', "after 1 1 null", "committed"]);
    expect(await send("DELETE", "Orders(1)/Customer/$ref")).toBe(204);
    expect(calls).toEqual(['before 1 1 {"customerId":null}', "after 1 null null", "committed"]);
    expect(await send("POST", "Customers(2)/Orders/$ref", ref("Orders(2)"))).toBe(204);
    expect(calls).toEqual(['before 2 1 {"customerId":2}', "after 2 2 null", "committed"]);
    expect(await send("DELETE", `Customers(2)/Orders/$ref?$id=${ORIGIN}/Orders(2)`)).toBe(204);
    expect(calls).toEqual(['before 2 2 {"customerId":null}', "after 2 null null", "committed"]);
    expect(await orders()).toEqual([
      { id: 1, customer_id: null, status: "a", version: 3 },
      { id: 2, customer_id: null, status: "b", version: 3 },
    ]);
    expect(await eventsIn(db)).toEqual(["order 1", "order 1", "order 2", "order 2"]);
  });

  test("run for each row that a single-valued link changes, and for none of a table of links", async () => {
    const { send, calls } = openShop();
    expect(await send("PUT", "Customers(1)/Profile/$ref", ref("Profiles(2)"))).toBe(204);
    expect(calls).toEqual([
      'before 1 {"customerId":null}',
      'before 3 {"customerId":null}',
      'before 2 {"customerId":1}',
      "after 1 null",
      "after 3 null",
      "after 2 1",
    ]);
    expect(await send("DELETE", "Customers(1)/Profile/$ref")).toBe(204);
    expect(calls).toEqual(['before 2 {"customerId":null}', "after 2 null"]);
    expect(await send("DELETE", "Customers(1)/Profile/$ref")).toBe(204);
    expect(calls).toEqual([]);
    expect(await send("POST", "Orders(1)/Tags/$ref", ref("Tags('red')"))).toBe(204);
    expect(calls).toEqual([]);
  });

  test("a hook may refuse the link, and add values to its row, but not change the link", async () => {
    const { send, logged } = openShop({
      orders: {
        before: {
          patch: ({ key, delta }) => {
            if (delta.customerId === 2) return odataError(409, "Closed", "Closed.");
            return key === 1 ? { ...delta, status: "linked" } : { customerId: 2 };
          },
        },
        after: {
          patch: ({ entity }) => {
            if (entity.status !== "linked") throw new RangeError("order of hooks");
          },
        },
      },
    });
    expect(await send("PUT", "Orders(1)/Customer/$ref", ref("Customers(2)"))).toBe(409);
    expect(await send("PUT", "Orders(1)/Customer/$ref", ref("Customers(1)"))).toBe(204);
    expect(await send("DELETE", "Orders(2)/Customer/$ref")).toBe(500);
    expect(logged.at(-1)?.fields["err"]).toEqual(
      new TypeError(
        "before.patch of Orders changed `customerId`, which a link writes. Return it as it is, or an odataError.",
      ),
    );
    expect(await orders()).toMatchObject([
      { id: 1, customer_id: 1, status: "linked" },
      { id: 2, customer_id: 1, status: "b", version: 1 },
    ]);
  });

  test("functions of `set` run once for each row, and the row has the value that its hook has seen", async () => {
    let runs = 0;
    const seen: string[] = [];
    const { send } = openShop({
      orders: {
        set: { status: { update: () => `set ${String((runs += 1))}` } },
        before: { patch: ({ delta }) => void seen.push(JSON.stringify(delta)) },
      },
      profiles: { before: { patch: () => undefined } },
    });
    expect(await send("PUT", "Orders(1)/Customer/$ref", ref("Customers(1)"))).toBe(204);
    expect(await send("POST", "Customers(2)/Orders/$ref", ref("Orders(2)"))).toBe(204);
    expect(await send("DELETE", "Orders(1)/Customer/$ref")).toBe(204);
    expect(seen).toEqual([
      '{"customerId":1,"status":"set 1"}',
      '{"customerId":2,"status":"set 2"}',
      '{"customerId":null,"status":"set 3"}',
    ]);
    expect(await orders()).toEqual([
      { id: 1, customer_id: null, status: "set 3", version: 3 },
      { id: 2, customer_id: 2, status: "set 2", version: 2 },
    ]);
    expect(runs).toBe(3);
  });

  /** Sets over the tables in which a customer leads to one order. */
  function openLatest(set: SqlEntitySetOptions<typeof Latest>["set"]) {
    const logged: unknown[] = [];
    const place = { db, distributed: isDistributed(db) };
    const target = "Orders";
    const orders = sqlEntitySet(Latest, {
      ...place,
      name: target,
      table: "orders",
      operations: ["read", "patch"],
      columns: { customerId: "customer_id" },
      set,
    });
    const customers = sqlEntitySet(Customer, {
      ...place,
      table: "customers",
      operations: ["read", "patch"],
      navigation: { latest: hasOptional(Latest, { on: { id: "customerId" }, target }) },
    });
    const service = odataService({
      entitySets: [customers, orders],
      logger: { error: (_message, { err }) => void logged.push(err), warn: () => {}, info: () => {} },
    });
    const put = async (): Promise<number> => {
      const body = JSON.stringify(ref("Orders(1)"));
      const init = { method: "PUT", headers: { "Content-Type": "application/json" }, body };
      return (await service.fetch(new Request(`${ORIGIN}/Customers(1)/Latest/$ref`, init))).status;
    };
    return { put, logged };
  }

  test("an async function of `set` runs for a row that is linked meanwhile, too", async () => {
    const calls: unknown[] = [];
    const { put, logged } = openLatest({
      status: {
        update: async ({ key, current, input, ctx }) => {
          if (calls.length === 0) {
            const meanwhile = sql`insert into orders (id, customer_id, status, version) values (3, 1, 'c', 1)`;
            await meanwhile.execute(ctx.transaction as AnyDatabase);
          }
          calls.push([key, (await current()).status, { ...input }, (await ctx.set.get(key))?.id]);
          return `set ${String(key)}`;
        },
      },
    });
    expect([await put(), logged]).toEqual([204, []]);
    expect(calls).toEqual([
      [2, "b", { customerId: null }, 2],
      [1, "a", { customerId: 1 }, 1],
      [3, "c", { customerId: null }, 3],
    ]);
    expect(await orders()).toMatchObject([
      { id: 1, customer_id: 1, status: "set 1" },
      { id: 2, customer_id: null, status: "set 2" },
      { id: 3, customer_id: null, status: "set 3" },
    ]);
  });

  test("any other function of `set` gets the key of the row", async () => {
    const { put, logged } = openLatest({ status: { update: ({ key }) => `set ${String(key)}` } });
    expect([await put(), logged]).toEqual([204, []]);
    expect(await orders()).toMatchObject([
      { id: 1, customer_id: 1, status: "set 1" },
      { id: 2, customer_id: null, status: "set 2" },
    ]);
  });

  test("missing entities of a link are errors as without hooks, and undo what hooks wrote", async () => {
    const { ask } = openShop();
    const { send: plain } = hookShop(db);
    for (const [method, path, body] of [
      ["PUT", "Orders(9)/Customer/$ref", ref("Customers(1)")],
      ["PUT", "Orders(1)/Customer/$ref", ref("Customers(9)")],
      ["POST", "Customers(1)/Orders/$ref", ref("Orders(9)")],
      ["DELETE", `Customers(1)/Orders/$ref?$id=${ORIGIN}/Orders(9)`, undefined],
      ["DELETE", `Customers(1)/Orders/$ref?$id=${ORIGIN}/Orders(1)`, undefined],
      ["PUT", "Customers(1)/Profile/$ref", ref("Profiles(9)")],
    ] as const) {
      const { status, json } = await ask(method, path, body);
      expect(status).toBe(404);
      const without = await plain(method, path, body);
      expect([json.error.code, json.error.target], path).toEqual([without.json.error.code, without.json.error.target]);
    }
    expect(await eventsIn(db)).toEqual([]);
  });

  test("`If-Match` of a link holds, although its hook adds values", async () => {
    const { send: ask, orders: set } = hookShop(db, {
      orders: { before: { patch: ({ delta }) => ({ ...delta, status: "x" }) } },
    });
    expect(set.kind).toBe("EntitySetDeclaration");
    const match = { "If-Match": (await ask("GET", "Orders(1)")).headers.get("etag") ?? "" };
    expect((await ask("PUT", "Orders(1)/Customer/$ref", ref("Customers(1)"), match)).status).toBe(204);
    expect((await ask("PUT", "Orders(1)/Customer/$ref", ref("Customers(2)"), match)).status).toBe(412);
    expect(await orders()).toMatchObject([{ customer_id: 1, status: "x" }, {}]);
  });
});

test("handlers that write links have the hooks, too", async () => {
  const Team = entityType("Team", { id: edm.int32().key() });
  const Player = entityType("Player", { id: edm.int32().key(), teamId: edm.int32().nullable(), name: edm.string() });
  const players = new Map([[1, { id: 1, teamId: null as number | null, name: "Ann" }]]);
  const calls: string[] = [];
  const link = (id: number, teamId: number | null): void => {
    players.set(id, { id, name: players.get(id)?.name ?? "", teamId });
    calls.push(`linked ${String(teamId)}`);
  };
  const service = odataService({
    entitySets: [
      entitySet(Player, {
        getByKey: (id) => players.get(id) ?? null,
        patch: (id, delta) => {
          const changed = { ...players.get(id), ...delta } as { id: number; teamId: number | null; name: string };
          players.set(id, changed);
          return changed;
        },
        before: {
          patch: ({ delta }) => {
            calls.push(`before ${JSON.stringify(delta)}`);
            return { ...delta, name: "Bob" };
          },
        },
        after: { patch: ({ entity }) => void calls.push(`after ${JSON.stringify(entity)}`) },
        navigation: {
          team: hasOptional(Team, {
            on: { teamId: "id" },
            target: "Teams",
            setRef: (key) => link(key, 7),
            removeRef: (key) => link(key, null),
          }),
        },
      }),
      entitySet(Team, {
        getByKey: (id) => ({ id }),
        navigation: { players: hasMany(Player, { on: { id: "teamId" }, target: "Players", addRef: () => link(1, 8) }) },
      }),
    ],
  });
  const send = async (method: string, path: string, body?: object): Promise<number> => {
    const headers = { "Content-Type": "application/json" };
    const init = body === undefined ? {} : { headers, body: JSON.stringify(body) };
    return (await service.fetch(new Request(`${ORIGIN}/${path}`, { method, ...init }))).status;
  };
  expect(await send("PUT", "Players(1)/Team/$ref", { "@odata.id": "Teams(7)" })).toBe(204);
  expect(await send("DELETE", "Players(1)/Team/$ref")).toBe(204);
  expect(await send("POST", "Teams(8)/Players/$ref", { "@odata.id": "Players(1)" })).toBe(204);
  expect(calls).toEqual([
    'before {"teamId":7}',
    "linked 7",
    'after {"id":1,"teamId":7,"name":"Bob"}',
    'before {"teamId":null}',
    "linked null",
    'after {"id":1,"teamId":null,"name":"Bob"}',
    'before {"teamId":8}',
    "linked 8",
    'after {"id":1,"teamId":8,"name":"Bob"}',
  ]);
});

test.each([
  { link: "PUT Books(1)/Author/$ref", body: { "@odata.id": "Authors(2)" }, stored: 2 },
  { link: "DELETE Books(1)/Author/$ref", body: undefined, stored: null },
])("a link of a handler that hides its row passes `after.patch`: $link", async ({ link, body, stored }) => {
  const Author = entityType("Author", { id: edm.int32().key() });
  const Book = entityType("Book", { id: edm.int32().key(), authorId: edm.int32().nullable() });
  const book: { id: number; authorId: number | null } = { id: 1, authorId: 1 };
  const seen: unknown[] = [];
  const service = odataService({
    authenticate: () => ({ id: "bob" }),
    entitySets: [
      entitySet(Author, { getByKey: (id) => ({ id }) }),
      entitySet(Book, {
        getByKey: () => ({ ...book }),
        patch: (_id, delta) => ({ ...book, ...delta }),
        authorization: { rows: (_user, row) => row.authorId.eq(1) },
        after: { patch: ({ entity }) => void seen.push(entity) },
        navigation: {
          author: hasOptional(Author, {
            target: "Authors",
            on: { authorId: "id" },
            setRef: () => void (book.authorId = 2),
            removeRef: () => void (book.authorId = null),
          }),
        },
      }),
    ],
  });
  const [method = "", path = ""] = link.split(" ");
  const response = await service.fetch(
    new Request(`${ORIGIN}/${path}`, {
      method,
      headers: { "Content-Type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }),
  );
  expect([response.status, await response.text()]).toEqual([204, ""]);
  expect(seen).toEqual([{ id: 1, authorId: stored }]);
});
