import { sql } from "kysely";
import {
  arraySource,
  authenticated,
  edm,
  entitySet,
  entityType,
  odataError,
  odataService,
  reloadable,
  role,
  type IncomingRequest,
} from "odatakit";
import { beforeEach, describe, expect, test } from "vitest";
import { type AnyDatabase, ENGINES } from "../../engine/executors/engines.ts";
import { eventsIn, hookShop, useHookTables } from "./hook-model.ts";

const ANN = { id: "ann", roles: ["clerk"] };

describe.each(ENGINES)("work without a request over $title", (engine) => {
  let db: AnyDatabase;
  let shop: ReturnType<typeof hookShop>;
  const statements: string[] = [];

  useHookTables(
    engine,
    (opened) => {
      db = opened;
      shop = hookShop(db, {
        customers: {
          authorization: {
            read: [authenticated()],
            create: role("clerk"),
            rows: (user, row) => row.name.ne(`not for ${String(user.id)}`),
          },
          validate: {
            create: ({ entity }) => (entity.name === "" ? [{ message: "Write a name.", path: ["name"] }] : []),
          },
          after: {
            create: async ({ entity, ctx }) => {
              await ctx.sets(shop.events, { trusted: true }).create({ text: `${String(ctx.user?.id)} ${entity.name}` });
            },
          },
        },
        service: {
          prefix: "/shop",
          publicUrl: "https://shop.example",
          onStatement: ({ request }) => void statements.push(`${request.method} ${request.target}`),
        },
      });
    },
    "customers (id, name) values (7, 'not for ann')",
  );
  beforeEach(() => {
    statements.length = 0;
  });
  const names = async (): Promise<readonly unknown[]> => {
    const { rows } = await sql<{ name: string }>`select name from customers order by id`.execute(db);
    return rows.map(({ name }) => name);
  };

  test("obeys the rules of its user, and runs hooks", async () => {
    const made = await shop.service.run(ANN, (ctx) => ctx.sets(shop.customers).create({ id: 1, name: "Bob" }));
    expect(made).toMatchObject({ id: 1, name: "Bob" });
    expect(await eventsIn(db)).toEqual(["ann Bob"]);
    const seen = await shop.service.run(ANN, async (ctx) => [
      await ctx.sets(shop.customers).get(7),
      await ctx.sets(shop.customers).count(),
    ]);
    expect(seen).toEqual([null, 1]);
    const trusted = shop.service.run(ANN, (ctx) => ctx.sets(shop.customers, { trusted: true }).count());
    expect(await trusted).toBe(2);
    const create = (user: { readonly id: string } | null, name: string) =>
      shop.service.run(user, (ctx) => ctx.sets(shop.customers).create({ id: 2, name }));
    await expect(create({ id: "eve" }, "Eve")).rejects.toMatchObject({ status: 403, code: "Forbidden" });
    await expect(create(null, "Eve")).rejects.toMatchObject({ status: 401, code: "Unauthorized" });
    await expect(create(ANN, "")).rejects.toMatchObject({ status: 400 });
    expect(await names()).toEqual(["Bob", "not for ann"]);
  });

  test("starts the work after its commits when it has returned, and none when it fails", async () => {
    const done: string[] = [];
    const run = (end: () => unknown): Promise<unknown> =>
      shop.service.run(ANN, async (ctx) => {
        await ctx.inTransaction(async (inner) => {
          await inner.sets(shop.customers).create({ id: 3, name: "Cid" });
          inner.afterCommit(() => done.push("committed"));
        });
        ctx.afterCommit(() => done.push("returned"));
        done.push("end");
        return end();
      });
    expect(await run(() => 5)).toBe(5);
    await shop.service.drain();
    expect(done).toEqual(["end", "committed", "returned"]);
    await sql`delete from customers where id = 3`.execute(db);
    done.length = 0;
    await expect(run(() => odataError(409, "Late", "It is late."))).rejects.toMatchObject({
      status: 409,
      code: "Late",
    });
    await shop.service.drain();
    expect(done).toEqual(["end", "committed"]);
    expect(await names()).toEqual(["Cid", "not for ann"]);
  });

  test("undoes the writes of a transaction that fails", async () => {
    const failed = shop.service.run(ANN, (ctx) =>
      ctx.inTransaction(async (inner) => {
        await inner.sets(shop.customers).create({ id: 4, name: "Dan" });
        throw new Error("No more.");
      }),
    );
    await expect(failed).rejects.toThrow("No more.");
    expect([await names(), await eventsIn(db)]).toEqual([["not for ann"], []]);
  });

  test("has the context of the handlers of a set, which a test passes to one handler", async () => {
    const found = await shop.service.run(
      ANN,
      async (ctx) => {
        await ctx.set.create({ id: 5, name: "Eli" });
        return ctx.inTransaction((inner) => inner.set.get(5, { forUpdate: true }));
      },
      { set: shop.customers },
    );
    expect(found).toEqual({ id: 5, name: "Eli" });
  });

  test("shows a request without headers, and reports its statements", async () => {
    const { signal } = new AbortController();
    let shown: IncomingRequest | undefined;
    await shop.service.run(
      null,
      async (ctx) => {
        shown = ctx.request;
        expect([ctx.user, ctx.host, ctx.signal, ctx.service.prefix]).toEqual([null, "timer", signal, "/shop"]);
        expect(ctx.transaction).toBeUndefined();
        await ctx.sets(shop.tags).count();
      },
      { host: "timer", signal },
    );
    expect(shown).toMatchObject({ id: expect.stringMatching(/^[0-9a-f-]{36}$/), method: "POST", host: "timer" });
    expect([shown?.url, [...(shown?.headers ?? [])]]).toEqual(["https://shop.example/shop/", []]);
    expect(new Set(statements)).toEqual(new Set(["POST /shop/"]));
  });

  test("waits for the schema check, and fails with it", async () => {
    const { service, profiles } = hookShop(db, { profiles: { operations: ["read"] } });
    await sql`alter table profiles add column rank int null`.execute(db);
    expect(await service.run(null, (ctx) => ctx.sets(profiles).count())).toBe(0);
    await sql`alter table profiles drop column rank`.execute(db);
    await sql`alter table profiles rename to people`.execute(db);
    const other = hookShop(db);
    let ran = 0;
    await expect(other.service.run(null, () => (ran += 1))).rejects.toThrow(/profiles/);
    expect(ran).toBe(0);
    await sql`alter table people rename to profiles`.execute(db);
  });
});

const Note = entityType("Note", { id: edm.int32().key(), text: edm.string() });

function noteService() {
  const rows = [{ id: 1, text: "one" }];
  const notes = entitySet(Note, { queryable: () => arraySource(Note, rows), getByKey: (id) => rows[id - 1] ?? null });
  return { notes, service: odataService({ entitySets: [notes] }) };
}

test("obeys the rules of the service, and of properties", async () => {
  const stored = [{ id: 1, text: "one" }];
  const notes = entitySet(Note, {
    queryable: () => arraySource(Note, stored),
    getByKey: (id) => stored[id - 1] ?? null,
    create: (note) => note,
    authorization: { properties: { text: { read: role("reader"), create: role("writer") } } },
  });
  const service = odataService({ authorization: authenticated(), entitySets: [notes] });
  for (const nobody of [null, undefined, "", 0]) {
    await expect(service.run(nobody as null, () => 1)).rejects.toMatchObject({ status: 401 });
  }
  const open = odataService({ entitySets: [notes] });
  expect(await open.run(undefined as never, (ctx) => ctx.user)).toBe(null);
  const get = (roles: readonly string[]) => service.run({ id: "ann", roles }, (ctx) => ctx.sets(notes).get(1));
  expect(await get(["reader"])).toEqual({ id: 1, text: "one" });
  expect(await get([])).toEqual({ id: 1 });
  const create = (roles: readonly string[]) =>
    service.run({ id: "ann", roles }, (ctx) => ctx.sets(notes).create({ id: 2, text: "two" }));
  await expect(create([])).rejects.toMatchObject({ status: 403 });
  expect(await create(["writer", "reader"])).toEqual({ id: 2, text: "two" });
});

test("refuses what is not a function or not a set of the service", async () => {
  const { service } = noteService();
  await expect(service.run(null, "work" as never)).rejects.toThrow(
    "service.run takes a user and a function: pass the work to run.",
  );
  const strange = service.run(null, () => 1, { set: noteService().notes });
  await expect(strange).rejects.toThrow("`set` of service.run: this service has no such set of Note.");
});

test("a service that another one replaces ends after its work", async () => {
  const old = noteService();
  const current = reloadable(old.service);
  let end = (): void => undefined;
  const running = current.run(
    null,
    async (ctx) => {
      await new Promise<void>((resolve) => {
        end = resolve;
      });
      return ctx.set.get(1);
    },
    { set: old.notes },
  );
  await new Promise((resolve) => {
    setTimeout(resolve, 5);
  });
  const closed: string[] = [];
  const next = noteService();
  await current.replace(next.service, { close: () => void closed.push("old") });
  expect(await current.run(null, (ctx) => ctx.sets(next.notes).get(1))).toEqual({ id: 1, text: "one" });
  expect(closed).toEqual([]);
  end();
  expect(await running).toEqual({ id: 1, text: "one" });
  await expect.poll(() => closed).toEqual(["old"]);
});
