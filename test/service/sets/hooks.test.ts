import { sql } from "kysely";
import { odataError, type Context } from "odatakit";
import { describe, expect, test } from "vitest";
import { ENGINES, type AnyDatabase } from "../../engine/executors/engines.ts";
import { eventsIn, hookShop, type HookOptions, useHookTables } from "./hook-model.ts";

/** Makes a hook that records its call. @param use its result */
type Recorder = (name: string, use?: () => unknown) => (call: { readonly ctx: Context }) => Promise<never>;

describe.each(ENGINES)("hooks over $title", (engine) => {
  let db: AnyDatabase;
  useHookTables(engine, (opened) => (db = opened));

  const text = (value: unknown): string =>
    JSON.stringify(value, (_name, each: unknown) => (typeof each === "bigint" ? String(each) : each));
  const orders = async (): Promise<readonly unknown[]> => {
    const found = sql<object>`select id, customer_id, status, secret, version from orders order by id`;
    return (await found.execute(db)).rows;
  };
  const row = (id: number, others: object = {}) => ({
    id,
    customer_id: null,
    status: "open",
    secret: null,
    version: 1,
    ...others,
  });
  const shown = (id: number, others: object = {}) => ({
    "@odata.context": "http://shop.example/$metadata#Orders/$entity",
    "@odata.id": `http://shop.example/Orders(${String(id)})`,
    "@odata.etag": expect.stringMatching(/^W?\/?".*"$/u) as unknown,
    Id: id,
    CustomerId: null,
    Status: "open",
    Total: null,
    Placed: null,
    Code: null,
    Version: 1,
    ...others,
  });

  /** A shop whose hooks record their calls in a table, in the transaction of the write. */
  function recordingShop(more?: (record: Recorder) => HookOptions) {
    const calls: string[] = [];
    const record: Recorder =
      (name, use = () => undefined) =>
      async (call: { readonly ctx: Context }): Promise<never> => {
        const { ctx, ...others } = call;
        const values = { ...others } as Record<string, unknown>;
        if ("current" in values) values["current"] = await (values["current"] as () => Promise<unknown>)();
        calls.push(`${name} ${text(values)}`);
        await ctx.sets(shop.events).create({ text: name });
        ctx.afterCommit(() => calls.push(`committed ${name}`));
        return use() as never;
      };
    const hooks = {
      before: {
        create: record("before.create"),
        replace: record("before.replace"),
        patch: record("before.patch"),
        delete: record("before.delete"),
      },
      after: {
        create: record("after.create"),
        replace: record("after.replace"),
        patch: record("after.patch"),
        delete: record("after.delete"),
      },
    };
    const shop: ReturnType<typeof hookShop> = hookShop(db, more?.(record) ?? { orders: hooks });
    return { ...shop, calls };
  }

  test("run around every write, in its transaction, with the entity as sent, as it was and as stored", async () => {
    const { send, calls, service } = recordingShop();
    const given = { Id: 1, CustomerId: 3, Total: 7.5, Placed: "2024-05-06T07:08:09.123Z", Code: "c" };
    const created = await send("POST", "Orders", given);
    expect([created.status, created.json]).toEqual([
      201,
      shown(1, { CustomerId: 3, Total: 7.5, Placed: "2024-05-06T07:08:09.123Z", Code: "c" }),
    ]);
    const patched = await send("PATCH", "Orders(1)", { Status: "paid", Version: 9 });
    expect([patched.status, patched.json.Status, patched.json.Version]).toEqual([200, "paid", 2]);
    expect((await send("PUT", "Orders(1)/Status", { value: "sent" })).status).toBe(204);
    const replaced = await send("PUT", "Orders(1)", { Code: "other" });
    expect([replaced.status, replaced.json.Code, replaced.json.CustomerId, replaced.json.Version]).toEqual([
      200,
      "c",
      null,
      4,
    ]);
    expect((await send("PUT", "Orders(2)", {})).status).toBe(201);
    expect((await send("DELETE", "Orders(1)")).status).toBe(204);
    await service.drain();
    const stored = (others: object) =>
      text({
        id: 1,
        customerId: 3,
        status: "open",
        total: "7.50",
        placed: "2024-05-06T07:08:09.123Z",
        code: "c",
        version: 1,
        secret: null,
        ...others,
      });
    const sent = { id: 1, customerId: 3, status: "open", total: "7.5", placed: "2024-05-06T07:08:09.123Z", code: "c" };
    const none = { customerId: null, status: "open", total: null, placed: null };
    const steps = calls.filter((each) => !each.startsWith("committed"));
    const called = (name: string): unknown => {
      const { [0]: found } = steps.splice(0, 1);
      expect(found?.startsWith(`${name} `), `${name}: ${String(found)}`).toBe(true);
      return JSON.parse((found ?? "").slice(name.length + 1));
    };
    const parsed = (value: string): unknown => JSON.parse(value);
    expect(called("before.create")).toEqual({ entity: sent });
    expect(called("after.create")).toEqual({ key: 1, entity: parsed(stored({})) });
    expect(called("before.patch")).toEqual({ key: 1, current: parsed(stored({})), delta: { status: "paid" } });
    expect(called("after.patch")).toEqual({ key: 1, entity: parsed(stored({ status: "paid", version: 2 })) });
    expect(called("before.patch")).toMatchObject({ key: 1, current: { status: "paid" }, delta: { status: "sent" } });
    expect(called("after.patch")).toMatchObject({ entity: { status: "sent", version: 3 } });
    expect(called("before.replace")).toEqual({
      key: 1,
      current: parsed(stored({ status: "sent", version: 3 })),
      entity: { id: 1, ...none, code: "c" },
    });
    expect(called("after.replace")).toMatchObject({ entity: { status: "open", code: "c", version: 4 } });
    expect(called("before.create")).toMatchObject({ entity: { id: 2, ...none } });
    expect(called("after.create")).toMatchObject({ entity: { id: 2, version: 1 } });
    expect(called("before.delete")).toMatchObject({ key: 1, current: { id: 1, version: 4 } });
    expect(called("after.delete")).toMatchObject({ key: 1, entity: { id: 1, status: "open", version: 4 } });
    expect(steps).toEqual([]);
    const events = await eventsIn(db);
    expect(events).toHaveLength(12);
    expect(calls.filter((each) => each.startsWith("committed"))).toEqual(events.map((each) => `committed ${each}`));
    expect(await orders()).toEqual([row(2)]);
  });

  test("what `before` returns is written, and what `after` returns is shown", async () => {
    const { send } = hookShop(db, {
      orders: {
        before: {
          create: ({ entity }) => ({ ...entity, status: "new", total: "12.30" }),
          replace: async ({ entity, current }) => ({ ...entity, status: `${(await current())?.status ?? ""}!` }),
          patch: ({ delta }) => ({ status: `${delta.status ?? "none"}?` }),
        },
        after: {
          create: ({ entity }) => ({ status: `${entity.status}, shown` }),
          replace: ({ entity }) => ({ status: `${entity.status}, shown` }),
          patch: ({ entity }) => ({ status: `${entity.status}, shown`, customerId: 9 }),
        },
      },
    });
    const created = await send("POST", "Orders", { Id: 1, Status: "mine", Code: "c" });
    expect([created.status, created.json]).toEqual([201, shown(1, { Status: "new, shown", Total: 12.3, Code: "c" })]);
    const replaced = await send("PUT", "Orders(1)", { Status: "mine" });
    expect([replaced.status, replaced.json.Status]).toEqual([200, "new!, shown"]);
    const patched = await send("PATCH", "Orders(1)", { Status: "mine", CustomerId: 4 });
    expect([patched.status, patched.json]).toEqual([
      200,
      shown(1, { Status: "mine?, shown", CustomerId: 9, Code: "c", Version: 3 }),
    ]);
    expect(await orders()).toEqual([row(1, { status: "mine?", version: 3 })]);
  });

  test.each<readonly [string, () => unknown, number]>([
    ["returns an error", () => odataError(409, "Closed", "Closed."), 409],
    [
      "throws an error",
      () => {
        throw odataError(409, "Closed", "Closed.");
      },
      409,
    ],
    [
      "fails",
      () => {
        throw new RangeError("unexpected");
      },
      500,
    ],
  ])("a hook that %s undoes the write and everything that its hooks wrote", async (_what, end, status) => {
    await sql`insert into orders (id, status, version) values (1, 'old', 1)`.execute(db);
    const writes = [
      ["create", "POST", "Orders", { Id: 2 }],
      ["replace", "PUT", "Orders(1)", {}],
      ["patch", "PATCH", "Orders(1)", { Status: "x" }],
      ["delete", "DELETE", "Orders(1)", undefined],
    ] as const;
    for (const when of ["before", "after"] as const) {
      for (const [write, method, path, body] of writes) {
        const { send, service, logged, calls } = recordingShop((record) => ({
          orders: { [when]: { [write]: record(write, end) } },
        }));
        const answer = await send(method, path, body);
        await service.drain();
        const error =
          status === 409
            ? { code: "Closed", message: "Closed." }
            : {
                code: "InternalServerError",
                message: "The service failed to answer this request. The failure has been logged.",
              };
        expect([answer.status, answer.json], `${when}.${write}`).toEqual([status, { error }]);
        expect(calls.filter((each) => each.startsWith("committed"))).toEqual([]);
        expect(await eventsIn(db)).toEqual([]);
        expect(await orders()).toEqual([row(1, { status: "old" })]);
        const failures = logged.filter(({ message }) => message === "A request failed.");
        expect(failures.map(({ fields }) => fields)).toEqual(
          status === 409
            ? []
            : [
                {
                  requestId: expect.any(String) as unknown,
                  method,
                  path: `/${path}`,
                  set: "Orders",
                  status: 500,
                  err: new RangeError("unexpected"),
                },
              ],
        );
      }
    }
  });

  test("a missing entity is 404, whatever its hooks return, and their writes are undone", async () => {
    const calls: string[] = [];
    const shop: ReturnType<typeof hookShop> = hookShop(db, {
      orders: {
        before: {
          patch: async ({ key, ctx, current }) => {
            await ctx.sets(shop.events).create({ text: "patch" });
            if (key === 7) await current().catch(() => undefined);
            calls.push("went on");
          },
          delete: async ({ ctx, current }) => {
            await ctx.sets(shop.events).create({ text: "delete" });
            await current();
            calls.push("never");
          },
        },
        after: { patch: () => void calls.push("never"), delete: () => void calls.push("never") },
      },
    });
    for (const [method, path] of [
      ["PATCH", "Orders(7)"],
      ["PATCH", "Orders(8)"],
      ["DELETE", "Orders(7)"],
    ] as const) {
      const answer = await shop.send(method, path, method === "PATCH" ? { Status: "x" } : undefined);
      expect([answer.status, answer.json]).toMatchObject([404, { error: { code: "NotFound" } }]);
    }
    const headers = { "If-Match": '"1"' };
    expect((await shop.send("PATCH", "Orders(7)", { Status: "x" }, headers)).status).toBe(412);
    await shop.run(async ({ sets, inTransaction }) => {
      calls.push(JSON.stringify(await sets(shop.orders).patch(7, { status: "x" })));
      await inTransaction(async (inner) => {
        calls.push(String(await inner.sets(shop.orders).delete(7)));
        await inner.sets(shop.events).create({ text: "kept" });
      });
    });
    expect(calls).toEqual(["went on", "went on", "went on", "null", "false"]);
    expect(await eventsIn(db)).toEqual(["kept"]);
  });

  test("row rules and foreign keys are judged after the hook, and hidden rows are missing for it", async () => {
    await sql`insert into orders (id, status, version) values (1, 'mine', 1), (2, 'theirs', 1)`.execute(db);
    const seen: unknown[] = [];
    const {
      send,
      orders: set,
      run,
    } = hookShop(db, {
      service: { authenticate: () => ({ id: "mine" }) },
      orders: {
        authorization: { rows: (user, order) => order.status.eq(user.id ?? "") },
        before: {
          create: ({ entity }) => ({ ...entity, status: entity.code ?? "mine" }),
          patch: async ({ delta, current }) => {
            seen.push((await current()).status);
            return { ...delta, status: "theirs" };
          },
        },
      },
    });
    expect((await send("POST", "Orders", { Id: 3, Status: "mine", Code: "theirs" })).status).toBe(403);
    expect((await send("POST", "Orders", { Id: 4, Status: "theirs" })).status).toBe(201);
    expect((await send("PATCH", "Orders(1)", { Total: 1 })).status).toBe(403);
    expect((await send("PATCH", "Orders(2)", { Total: 1 })).status).toBe(404);
    expect(seen).toEqual(["mine"]);
    await run((context) => context.sets(set, { trusted: true }).patch(2, { total: "1" }));
    expect(seen).toEqual(["mine", "theirs"]);
    expect(await orders()).toEqual([
      row(1, { status: "mine" }),
      row(2, { status: "theirs", version: 2 }),
      row(4, { status: "mine" }),
    ]);
  });

  test("a deep insert calls the hooks of each set once for each entity: `before` in the order of insertion, `after` from the inside", async () => {
    const calls: string[] = [];
    const shop: ReturnType<typeof hookShop> = hookShop(db, {
      customers: {
        before: { create: ({ entity }) => void calls.push(`before ${entity.name}`) },
        after: { create: ({ entity }) => void calls.push(`after ${entity.name}`) },
      },
      orders: {
        before: {
          create: ({ entity }) => {
            calls.push(`before order ${text(entity)}`);
            return { ...entity, status: "hooked" };
          },
        },
        after: {
          create: ({ entity, ctx }) => {
            calls.push(`after order ${entity.status} ${String(entity.customerId)}`);
            ctx.afterCommit(() => calls.push("committed"));
          },
        },
      },
      lines: {
        before: {
          create: async ({ entity, ctx }) => {
            await ctx.sets(shop.events).create({ text: `line ${entity.text}` });
            calls.push(`before line ${entity.text}`);
            return { ...entity, text: `${entity.text}!` };
          },
        },
        after: {
          create: ({ entity }) => {
            calls.push(`after line ${entity.text} of ${String(entity.orderId)}`);
            return entity.id === 1 ? { text: "shown" } : undefined;
          },
        },
      },
    });
    const body = {
      Id: 1,
      Customer: { Id: 5, Name: "Ann" },
      Lines: [
        { Id: 1, Text: "a" },
        { Id: 2, Text: "b" },
      ],
      Tags: [{ Name: "red" }],
    };
    const answer = await shop.send("POST", "Orders", body);
    expect(answer.status).toBe(201);
    expect(answer.json).toMatchObject({
      Status: "hooked",
      CustomerId: 5,
      Customer: { Name: "Ann" },
      Lines: [
        { Id: 1, OrderId: 1, Text: "shown" },
        { Id: 2, OrderId: 1, Text: "b!" },
      ],
      Tags: [{ Name: "red" }],
    });
    await shop.service.drain();
    const given = { id: 1, customerId: 5, status: "open", total: null, placed: null, code: null };
    const nested = {
      customer: { id: 5, name: "Ann" },
      lines: [
        { id: 1, text: "a" },
        { id: 2, text: "b" },
      ],
    };
    expect(JSON.parse((calls[1] ?? "").slice("before order ".length))).toMatchObject({ ...given, ...nested });
    expect(calls.toSpliced(1, 1)).toEqual([
      "before Ann",
      "before line a",
      "before line b",
      "after Ann",
      "after line a! of 1",
      "after line b! of 1",
      "after order hooked 5",
      "committed",
    ]);
    expect(await eventsIn(db)).toEqual(["line a", "line b"]);
    calls.length = 0;
    const along = await shop.send("POST", "Orders(1)/Lines", { Id: 3, Text: "c" });
    expect([along.status, along.json.Text, along.json.OrderId]).toEqual([201, "c!", 1]);
    expect(calls).toEqual(["before line c", "after line c! of 1"]);
    expect((await shop.send("POST", "Orders(9)/Lines", { Id: 4, Text: "d" })).status).toBe(404);
    expect((await shop.send("POST", "Orders", { Id: 2, Lines: [{ Id: 3, Text: "again" }] })).status).toBe(409);
    expect(await eventsIn(db)).toEqual(["line a", "line b", "line c"]);
  });

  test("`ctx.sets` runs them, and `hooks: false` skips them", async () => {
    const { run, calls, orders: set, lines, service } = recordingShop();
    await run(async ({ sets, inTransaction }) => {
      await sets(set).create({ id: 1 });
      await sets(set, { hooks: false }).create({ id: 2 });
      await inTransaction(async (inner) => {
        await inner.sets(set).patch(1, { status: "a" }, { expected: { version: 1 } });
        await inner.sets(set, { hooks: false }).patch(2, { status: "b" });
        await inner.sets(set, { hooks: false, trusted: true }).delete(2);
        await inner.sets(lines).create({ id: 1, orderId: 1, text: "x" });
        await inner.sets(set).delete(1);
      });
    });
    await service.drain();
    const names = ["before.create", "after.create", "before.patch", "after.patch", "before.delete", "after.delete"];
    expect(calls.flatMap((each) => (each.startsWith("committed") ? [] : [each.split(" ")[0]]))).toEqual(names);
    expect(calls.filter((each) => each.startsWith("committed"))).toEqual(names.map((each) => `committed ${each}`));
    expect(await eventsIn(db)).toEqual(names);
    expect(await orders()).toEqual([]);
    const { calls: none, run: again, orders: own } = recordingShop();
    await again(async ({ sets }) => {
      for (const options of [{ hooks: 1 }, { hook: true }] as never[]) {
        try {
          sets(own, options);
        } catch (error) {
          none.push((error as Error).message);
        }
      }
    });
    expect(none).toEqual([
      "`hooks` of ctx.sets must be true or false.",
      "ctx.sets has no option `hook`. Its options are `trusted` and `hooks`.",
    ]);
  });

  test("in a change set they are part of its transaction", async () => {
    const { batch, calls, service } = recordingShop();
    const create = (id: number) => ({ request: "POST Orders", id: `o${String(id)}`, body: { Id: id } });
    const patch = { request: "PATCH $o1", body: { Status: "x" } };
    const fail = { request: "POST Customers", body: { Id: 1, Name: "a name that is much too long" } };
    expect(await batch([[create(1), patch, fail]])).toMatchObject([{ status: 400 }]);
    await service.drain();
    expect([await eventsIn(db), await orders()]).toEqual([[], []]);
    expect(calls.filter((each) => each.startsWith("committed"))).toEqual([]);
    calls.length = 0;
    expect(await batch([[create(1), patch], create(2)])).toMatchObject([
      [{ status: 201 }, { status: 200 }],
      { status: 201 },
    ]);
    await service.drain();
    const names = ["before.create", "after.create", "before.patch", "after.patch", "before.create", "after.create"];
    expect(await eventsIn(db)).toEqual(names);
    expect(calls.filter((each) => each.startsWith("committed")).length).toBe(6);
    expect(await orders()).toEqual([row(1, { status: "x", version: 2 }), row(2)]);
  });

  test("a hook that writes its own set without end fails, and everything is undone", async () => {
    const shop: ReturnType<typeof hookShop> = hookShop(db, {
      orders: {
        before: {
          create: async ({ entity, ctx }) => {
            await ctx.set.create({ id: entity.id + 1 });
          },
        },
      },
    });
    expect((await shop.send("POST", "Orders", { Id: 1 })).status).toBe(500);
    expect(await orders()).toEqual([]);
    expect(shop.logged.at(-1)?.fields["err"]).toMatchObject({
      message:
        "Calls of ctx.sets are nested 32 levels deep, the last one to Orders: a handler or hook calls its own set.",
    });
  });

  test("`If-Match` holds for the write, and hooks see the transaction, the user and the request", async () => {
    await sql`insert into orders (id, status, version) values (1, 'old', 1)`.execute(db);
    const seen: unknown[] = [];
    const { send } = hookShop(db, {
      orders: {
        before: {
          patch: async ({ current, ctx }) => {
            const [one, other] = [await current(), await current()];
            seen.push(one === other, Object.isFrozen(one), typeof ctx.transaction, ctx.user, ctx.request.method);
            seen.push(await ctx.set.count());
            await sql`update orders set secret = 5 where id = 1`.execute(ctx.transaction as never);
          },
        },
      },
    });
    const { headers } = await send("GET", "Orders(1)");
    const match = { "If-Match": headers.get("etag") ?? "" };
    expect((await send("PATCH", "Orders(1)", { Status: "new" }, match)).status).toBe(200);
    expect((await send("PATCH", "Orders(1)", { Status: "newer" }, match)).status).toBe(412);
    expect(seen).toEqual([true, true, "object", null, "PATCH", 1]);
    expect(await orders()).toEqual([row(1, { status: "new", secret: 5, version: 2 })]);
  });

  test("simultaneous writers whose hooks read and change the entity lose nothing", async () => {
    await sql`insert into orders (id, status, version) values (1, '0', 1)`.execute(db);
    const { send } = hookShop(db, {
      orders: { before: { patch: async ({ current }) => ({ status: String(Number((await current()).status) + 1) }) } },
    });
    const answers = await Promise.all(Array.from({ length: 8 }, () => send("PATCH", "Orders(1)", { Total: 1 })));
    const written = answers.filter(({ status }) => status === 200).length;
    expect(answers.every(({ status }) => status === 200 || status === 503)).toBe(true);
    expect(written).toBeGreaterThan(0);
    expect(await orders()).toEqual([row(1, { status: String(written), version: written + 1 })]);
  });
});
