import { edm, entitySet, entityType, hasMany, now, odataService, type EntityOf } from "odatakit";
import { beforeEach, describe, expect, test } from "vitest";
import { ENGINES, type AnyDatabase } from "../../engine/executors/engines.ts";
import { passTime, stopTimers } from "../../timers.ts";
import { hookShop, useHookTables } from "./hook-model.ts";

const FAILURE = {
  error: {
    code: "InternalServerError",
    message: "The service failed to answer this request. The failure has been logged.",
  },
};

describe.each(ENGINES)("what `after` hooks show, over $title", (engine) => {
  let db: AnyDatabase;
  useHookTables(
    engine,
    (opened) => (db = opened),
    "customers (id, name) values (1, 'Ann'), (2, 'Bob')",
    "orders (id, customer_id, status, version) values (1, 1, 'a', 1)",
    "order_lines (id, order_id, text) values (3, 1, 'x')",
  );

  const SHOWN = { status: "shown", version: 99, customerId: 2, total: "1.5" };
  const showing = { create: () => SHOWN, replace: () => SHOWN, patch: () => SHOWN };

  test("has no effect on ETag, URL and expansions: those are of the stored entity", async () => {
    const { send } = hookShop(db, { orders: { after: showing } });
    const body = { Id: 2, CustomerId: 1 };
    const created = await send("POST", "Orders?$expand=Customer,Lines", body);
    expect(created).toMatchObject({
      status: 201,
      json: {
        Id: 2,
        Status: "shown",
        Version: 99,
        CustomerId: 2,
        Total: 1.5,
        Customer: { Id: 1, Name: "Ann" },
        Lines: [],
      },
    });
    expect(created.headers.get("location")).toBe("http://shop.example/Orders(2)");
    for (const [method, path, sent] of [
      ["PATCH", "Orders(1)?$expand=Customer,Lines", { Status: "b" }],
      ["PUT", "Orders(1)?$expand=Customer,Lines", { Status: "c", CustomerId: 1 }],
    ] as const) {
      const { status, headers, json } = await send(method, path, sent);
      expect([status, json]).toMatchObject([
        200,
        { Status: "shown", Version: 99, CustomerId: 2, Customer: { Id: 1, Name: "Ann" }, Lines: [{ Id: 3 }] },
      ]);
      const read = await send("GET", "Orders(1)");
      expect(headers.get("etag")).toBe(read.headers.get("etag"));
      expect(read.json).toMatchObject({ Status: sent.Status, CustomerId: 1 });
      const match = { "If-Match": headers.get("etag") ?? "" };
      expect((await send("PATCH", "Orders(1)", { Status: "d" }, match)).status).toBe(200);
      expect((await send("PATCH", "Orders(1)", { Status: "e" }, match)).status).toBe(412);
    }
    const { headers } = await send("PUT", "Orders(1)/Status", { value: "f" });
    expect(headers.get("etag")).toBe((await send("GET", "Orders(1)")).headers.get("etag"));
    expect(created.headers.get("etag")).toBe((await send("GET", "Orders(2)")).headers.get("etag"));
  });

  test("`ctx.sets` returns the stored entity", async () => {
    const shop = hookShop(db, { orders: { after: showing } });
    const results: unknown[] = [];
    await shop.run(async ({ sets }) => {
      results.push(await sets(shop.orders).create({ id: 2, customerId: 1 }));
      results.push(await sets(shop.orders).patch(1, { status: "b" }));
    });
    expect(shop.logged).toEqual([]);
    expect(results).toMatchObject([
      { id: 2, customerId: 1, status: "open", version: 1, total: null },
      { id: 1, customerId: 1, status: "b", version: 2, total: null },
    ]);
  });

  test("row rules judge the stored entity, not what is shown", async () => {
    const authorization = {
      rows: (_user: unknown, row: { readonly customerId: { eq(value: number): unknown } }) => row.customerId.eq(1),
    };
    const { send } = hookShop(db, {
      orders: { after: showing, authorization } as object,
      service: { authenticate: () => ({ id: "ann" }) },
    });
    expect(await send("PATCH", "Orders(1)", { Status: "b" })).toMatchObject({ status: 200, json: { CustomerId: 2 } });
    expect((await send("POST", "Orders", { Id: 2, CustomerId: 2 })).status).toBe(403);
  });

  test("nested entities of a deep insert are shown by the hooks of their sets", async () => {
    const { send } = hookShop(db, {
      orders: { after: { create: () => ({ status: "shown", customerId: 2 }) } },
      lines: { after: { create: ({ entity }) => ({ text: `${entity.text}!` }) } },
    });
    const body = {
      Id: 2,
      CustomerId: 1,
      Lines: [
        { Id: 7, Text: "a" },
        { Id: 8, Text: "b" },
      ],
    };
    expect(await send("POST", "Orders", body)).toMatchObject({
      status: 201,
      json: {
        Status: "shown",
        CustomerId: 2,
        Lines: [
          { Id: 7, OrderId: 2, Text: "a!" },
          { Id: 8, OrderId: 2, Text: "b!" },
        ],
      },
    });
    expect((await send("GET", "Lines(7)")).json).toMatchObject({ Text: "a" });
    expect(await send("POST", "Orders(2)/Lines", { Id: 9, OrderId: 2, Text: "c" })).toMatchObject({
      status: 201,
      json: { Text: "c!" },
    });
  });
});

const Note = entityType("Note", { id: edm.int32().key(), text: edm.string(), secret: edm.string().ignored() });

/** A set whose handlers return a given value. */
function openNotes(answer: unknown, options: object, authenticate: () => object | null = () => null) {
  const errors: unknown[] = [];
  const stored = { id: 1, text: "a", secret: "s" };
  const notes = entitySet(Note, {
    idempotentDelete: false,
    getByKey: () => stored,
    replace: () => answer as EntityOf<typeof Note>,
    patch: () => answer as EntityOf<typeof Note>,
    delete: () => answer as boolean,
    ...options,
  });
  const error = (_text: string, { err }: { readonly err?: unknown }): void => void errors.push(err);
  const service = odataService({ entitySets: [notes], authenticate, logger: { error, warn() {}, info() {} } });
  const send = async (method: string, body?: object) => {
    const init = body === undefined ? {} : { body: JSON.stringify(body) };
    const headers = { "Content-Type": "application/json" };
    const response = await service.fetch(new Request("http://notes.example/Notes(1)", { method, headers, ...init }));
    const text = await response.text();
    return [response.status, text === "" ? null : (JSON.parse(text) as unknown)] as const;
  };
  return { send, errors };
}

describe("faulty answers of handlers with hooks", () => {
  const calls: string[] = [];
  const hooks = {
    before: {
      replace: () => void calls.push("before"),
      patch: () => void calls.push("before"),
      delete: () => void calls.push("before"),
    },
    after: {
      replace: () => void calls.push("after"),
      patch: () => void calls.push("after"),
      delete: () => void calls.push("after"),
    },
  };
  beforeEach(() => {
    calls.length = 0;
  });

  test.each([null, undefined, 1, "yes", {}])(
    "a `delete` handler that returns %o: a logged 500, as without hooks",
    async (answer) => {
      for (const options of [{}, hooks]) {
        const { send, errors } = openNotes(answer, options);
        expect(await send("DELETE")).toEqual([500, FAILURE]);
        expect(errors).toEqual([new TypeError("The delete handler of Notes did not return true or false.")]);
      }
      expect(calls).toEqual(["before"]);
    },
  );

  test.each(["PATCH", "PUT"])(
    "a handler of %s that returns no entity: a logged 500, as without hooks",
    async (method) => {
      for (const answer of [false, 7, "note"]) {
        calls.length = 0;
        for (const options of [{}, hooks]) {
          const { send, errors } = openNotes(answer, options);
          expect(await send(method, { Text: "b" })).toEqual([500, FAILURE]);
          expect(errors).toEqual([expect.any(Error)]);
        }
        expect(calls).toEqual(["before"]);
      }
    },
  );

  test("null and undefined mean a missing entity for PATCH and PUT, and false for DELETE", async () => {
    for (const answer of [null, undefined]) {
      expect((await openNotes(answer, hooks).send("PATCH", { Text: "b" }))[0]).toBe(404);
      expect((await openNotes(answer, hooks).send("PUT", { Text: "b" }))[0]).toBe(404);
    }
    expect((await openNotes(false, hooks).send("DELETE"))[0]).toBe(404);
    expect((await openNotes(true, hooks).send("DELETE"))[0]).toBe(204);
    expect(calls.at(-1)).toBe("after");
  });
});

test("writes of `ctx.afterCommit` have the instant of the request", async () => {
  stopTimers();
  const Stamp = entityType("Stamp", { id: edm.int32().key(), at: edm.dateTimeOffset({ precision: 3 }).nullable() });
  const rows: unknown[] = [];
  const stamps = entitySet(Stamp, {
    create: (stamp) => {
      rows.push(stamp);
      return stamp;
    },
    set: { at: { create: now } },
    after: {
      create: ({ entity, ctx }) => {
        if (entity.id !== 1) return;
        ctx.afterCommit(async (later) => {
          await passTime(1000);
          await later.set.create({ id: 2 });
          await passTime(1000);
          await later.set.create({ id: 3 });
        });
      },
    },
  });
  const service = odataService({ entitySets: [stamps] });
  const init = { method: "POST", headers: { "Content-Type": "application/json" }, body: '{"Id":1}' };
  expect((await service.fetch(new Request("http://stamps.example/Stamps", init))).status).toBe(201);
  await service.drain();
  const [first] = rows as ReadonlyArray<{ readonly at: string }>;
  expect(rows).toEqual([1, 2, 3].map((id) => ({ id, at: first?.at })));
});

test("row rules of handlers judge the stored entity, not what an `after` hook shows", async () => {
  const rows = (_user: unknown, note: { readonly text: { ne(value: string): unknown } }) => note.text.ne("hidden");
  const after = { patch: () => ({ text: "hidden" }) };
  const stored = { id: 1, text: "b", secret: "s" };
  const { send } = openNotes(stored, { after, authorization: { rows } }, () => ({ id: "ann" }));
  expect(await send("PATCH", { Text: "b" })).toMatchObject([200, { Id: 1, Text: "hidden" }]);
});

test("a handler that delegates to a set skips its hooks by `hooks: false`, else they run twice", async () => {
  const Order = entityType("Order", { id: edm.int32().key() });
  const Line = entityType("Line", { id: edm.int32().key(), orderId: edm.int32() });
  for (const [hooks, expected] of [
    [false, ["before", "saved", "after"]],
    [true, ["before", "before", "saved", "after", "after"]],
  ] as const) {
    const calls: string[] = [];
    const lines = entitySet(Line, {
      getAll: () => [],
      create: (line) => {
        calls.push("saved");
        return line;
      },
      before: { create: () => void calls.push("before") },
      after: { create: () => void calls.push("after") },
    });
    const orders = entitySet(Order, {
      getByKey: (id) => ({ id }),
      navigation: {
        lines: hasMany(Line, {
          on: { id: "orderId" },
          target: "Lines",
          create: async (id, line, ctx): Promise<EntityOf<typeof Line>> =>
            ctx.sets(lines, { hooks }).create({ ...line, orderId: id }),
        }),
      },
    });
    const service = odataService({ entitySets: [orders, lines] });
    const init = { method: "POST", headers: { "Content-Type": "application/json" }, body: '{"Id":1}' };
    expect((await service.fetch(new Request("http://shop.example/Orders(2)/Lines", init))).status).toBe(201);
    expect(calls).toEqual(expected);
  }
});
