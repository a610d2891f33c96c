import { Kysely, sql } from "kysely";
import { edm, entitySet, entityType, hasMany, odataError, odataService, reloadable, type Context } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { Failures, failingDialect } from "../../databases/sql/failing-dialect.ts";
import { ENGINES, type AnyDatabase } from "../../engine/executors/engines.ts";
import { MULTIPART, multipart, received } from "../http/batch-model.ts";
import { eventsIn, hookShop, useHookTables } from "./hook-model.ts";

const BUSY = Object.assign(new Error("database is locked"), { errcode: 5, code: "ERR_SQLITE_ERROR" });

describe.each(ENGINES)("work after commits over $title", (engine) => {
  let db: AnyDatabase;
  let shop: ReturnType<typeof hookShop>;
  const done: string[] = [];

  useHookTables(engine, (opened) => {
    db = opened;
    shop = hookShop(db);
  });
  beforeEach(() => {
    done.length = 0;
    shop.logged.length = 0;
  });

  const note = (context: Context, text: string): void =>
    context.afterCommit(() => {
      done.push(text);
    });
  const count = async (): Promise<number> => {
    const { rows } = await sql<{ n: unknown }>`select count(*) as n from customers`.execute(db);
    return Number(rows[0]?.n);
  };
  const customer = (id: number) => ({ id, name: `C${String(id)}` });

  test("runs in the order of registration, after the commit and with a context outside of the transaction", async () => {
    const answer = await shop.run(async (context) => {
      await context.inTransaction(async (inner) => {
        note(inner, "first");
        await inner.sets(shop.customers).create(customer(1));
        inner.afterCommit(async (later) => {
          await Promise.resolve();
          done.push(
            String(await count()),
            String(later.transaction),
            String(later.user === null),
            later.request.method,
          );
          await later.inTransaction((own) => own.sets(shop.customers).create(customer(2)));
          await later.sets(shop.customers).patch(1, { name: "Ann" });
        });
        note(inner, "last");
      });
      done.push("returned");
      note(context, "request");
    });
    expect(answer.status).toBe(204);
    await shop.service.drain();
    expect(done.toSorted()).toEqual(
      ["first", "1", "undefined", "true", "POST", "last", "returned", "request"].toSorted(),
    );
    expect(done.filter((each) => ["first", "1", "last"].includes(each))).toEqual(["first", "1", "last"]);
    expect(await count()).toBe(2);
    expect(shop.logged).toEqual([]);
  });

  test("the response does not wait for it, and `drain` does", async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const answer = await shop.run((context) => {
      context.afterCommit(async (later) => {
        await held;
        later.afterCommit(() => done.push("next"));
        done.push("held");
      });
      note(context, "behind");
    });
    expect([answer.status, done]).toEqual([204, []]);
    const drained = shop.service.drain().then(() => done.push("drained"));
    release();
    await drained;
    expect(done).toEqual(["held", "behind", "next", "drained"]);
    await shop.service.drain();
  });

  test.each<readonly [string, (context: Context) => unknown]>([
    [
      "throws",
      () => {
        throw new Error("no");
      },
    ],
    ["returns an error", () => odataError(409, "No", "Not now.")],
  ])("never runs if the work of a transaction %s", async (_what, end) => {
    await shop.run(async (context) => {
      await context
        .inTransaction(async (inner) => {
          note(inner, "undone");
          await inner.sets(shop.customers).create(customer(1));
          return end(inner);
        })
        .catch(() => undefined);
      note(context, "outer");
    });
    await shop.service.drain();
    expect([done, await count()]).toEqual([["outer"], 0]);
  });

  test("never runs for a part that was rolled back in a transaction that went on", async () => {
    await shop.run((context) =>
      context.inTransaction(async (outer) => {
        note(outer, "outer");
        await outer.inTransaction((inner) => note(inner, "kept"));
        await outer
          .inTransaction((inner) => {
            note(inner, "undone");
            throw new Error("no");
          })
          .catch(() => undefined);
        const refused = await outer.inTransaction((inner) => {
          note(inner, "undone, too");
          return odataError(400, "No", "Not this.");
        });
        note(outer, refused.code);
      }),
    );
    await shop.service.drain();
    expect(done).toEqual(["outer", "kept", "No"]);
  });

  test("never runs for a request that fails, and runs for the calls that it had completed", async () => {
    const Memo = entityType("Memo", { id: edm.int32().key() });
    const memos = entitySet(Memo, {
      getByKey: (id, context) => {
        note(context, `read ${String(id)}`);
        return { id };
      },
      create: (memo, context) => {
        note(context, `created ${String(memo.id)}`);
        if (memo.id > 9) throw odataError(400, "TooMuch", "Too much.");
        return memo;
      },
    });
    const other = hookShop(db, { service: { entitySets: [memos] } });
    expect((await other.send("GET", "Memos(1)")).status).toBe(200);
    expect((await other.send("POST", "Memos", { Id: 2 })).status).toBe(201);
    expect((await other.send("POST", "Memos", { Id: 12 })).status).toBe(400);
    const failed = await other.run(async (context) => {
      note(context, "action");
      await context.sets(memos).create({ id: 3 });
      await context
        .sets(memos)
        .create({ id: 13 })
        .catch(() => undefined);
      await context.inTransaction(async (inner) => {
        await inner.sets(memos).create({ id: 4 });
        await inner
          .sets(memos)
          .create({ id: 14 })
          .catch(() => undefined);
      });
      throw odataError(409, "No", "No.");
    });
    expect(failed.status).toBe(409);
    await other.service.drain();
    expect(done).toEqual(["read 1", "created 2", "created 3", "created 4"]);
  });

  test("runs after a write whose response fails", async () => {
    const Memo = entityType("Memo", { id: edm.int32().key() });
    const memos = entitySet(Memo, {
      getByKey: (id) => ({ id }),
      create: (memo, context) => {
        note(context, "created");
        return memo;
      },
      navigation: {
        parts: hasMany(Memo, {
          get: () => {
            throw odataError(503, "Late", "Later.");
          },
        }),
      },
    });
    const other = hookShop(db, { service: { entitySets: [memos] } });
    expect((await other.send("POST", "Memos?$expand=Parts", { Id: 1 })).status).toBe(503);
    await other.service.drain();
    expect(done).toEqual(["created"]);
  });

  test("runs after the commit of a change set, in the order of its operations, and never if one fails", async () => {
    const Memo = entityType("Memo", { id: edm.int32().key() });
    const memos = entitySet(Memo, {
      transactional: true,
      create: (memo, context) => {
        context.afterCommit(async () => {
          done.push(`${String(memo.id)} of ${String(await count())}`);
        });
        return memo;
      },
    });
    const other = hookShop(db, { service: { entitySets: [memos] } });
    const create = (id: number) => ({ request: "POST Memos", body: { Id: id } });
    const add = { request: "POST Customers", body: { Id: 1, Name: "Ann" } };
    const failed = await other.batch([[create(1), add, add, create(2)]]);
    expect(failed).toMatchObject([{ status: 409 }]);
    await other.service.drain();
    expect(done).toEqual([]);
    const [first, ...others] = await other.batch([[create(3), add, create(4)], create(5), add]);
    expect(first).toMatchObject([{ status: 201 }, { status: 201 }, { status: 201 }]);
    expect(others).toMatchObject([{ status: 201 }, { status: 409 }]);
    await other.service.drain();
    // The work of another commit does not wait for this one.
    expect(done.filter((each) => !each.startsWith("5"))).toEqual(["3 of 1", "4 of 1"]);
    expect(done.toSorted()).toEqual(["3 of 1", "4 of 1", "5 of 1"]);
  });

  test("its errors are logged and reach no client, and later work runs", async () => {
    const answer = await shop.run((context) => {
      context.afterCommit(() => Promise.reject(new Error("no mail")));
      context.afterCommit(() => odataError(409, "No", "No."));
      note(context, "later");
    });
    expect(answer.status).toBe(204);
    await shop.service.drain();
    expect(done).toEqual(["later"]);
    const place = { requestId: expect.any(String) as unknown, method: "POST", path: "/run" };
    const message = "Work of ctx.afterCommit failed.";
    expect(shop.logged).toEqual([
      { message, fields: { ...place, err: expect.objectContaining({ message: "no mail" }) as unknown } },
      { message, fields: { ...place, err: expect.objectContaining({ code: "No" }) as unknown } },
    ]);
  });

  test("contexts that cannot register it throw", async () => {
    const kept: Context[] = [];
    const told: unknown[] = [];
    const tell = (register: () => void): void => {
      try {
        register();
      } catch (error) {
        told.push((error as Error).message);
      }
    };
    await shop.run(async (context) => {
      tell(() => context.afterCommit("mail" as never));
      await context.inTransaction((inner) => {
        kept.push(inner);
        tell(() => note(context, "outer"));
      });
      for (const inner of kept) tell(() => note(inner, "late"));
    });
    await shop.service.drain();
    expect(told).toEqual([
      "ctx.afterCommit takes a function: pass the work to run.",
      "ctx.afterCommit was called on the context outside of an open transaction. Use the context that ctx.inTransaction passes to its work.",
      "The transaction has ended. Use its context only within its work. The work of ctx.afterCommit receives its own context.",
    ]);
    expect(done).toEqual([]);
  });

  test("a client that has left does not abort it", async () => {
    const client = new AbortController();
    const request = new Request("http://shop.example/Memos(1)", { signal: client.signal });
    const Memo = entityType("Memo", { id: edm.int32().key() });
    const memos = entitySet(Memo, {
      getAll: () => [{ id: 7 }],
      getByKey: (id, context) => {
        context.afterCommit(async (later) => {
          client.abort();
          const texts = [later.signal.aborted, context.signal.aborted, await later.set.count()];
          await later.sets(shop.events).create({ text: texts.join() });
        });
        return { id };
      },
    });
    const service = odataService({ entitySets: [memos, shop.events], schemaCheck: false });
    await service.fetch(request);
    await service.drain();
    expect(await eventsIn(db)).toEqual(["false,true,1"]);
  });

  test("work that registers itself again ends", async () => {
    const Memo = entityType("Memo", { id: edm.int32().key() });
    const errors: unknown[] = [];
    let runs = 0;
    const memos = entitySet(Memo, {
      getByKey: (id, context) => {
        context.afterCommit(async (later) => {
          runs += 1;
          await later.set.get(id);
        });
        return { id };
      },
    });
    const logger = {
      error: (_text: string, { err }: { readonly err?: unknown }) => errors.push(err),
      warn() {},
      info() {},
    };
    const service = odataService({ entitySets: [memos], logger });
    await service.fetch(new Request("http://shop.example/Memos(1)"));
    await service.drain();
    expect(runs).toBeLessThanOrEqual(32);
    expect(errors).toEqual([
      new Error(
        "Calls of ctx.sets are nested 32 levels deep, the last one to Memos: a handler or hook calls its own set.",
      ),
    ]);
  });

  test("`drain` of a reloadable service waits for replaced services, too, which are closed afterwards", async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const Memo = entityType("Memo", { id: edm.int32().key() });
    const serviceOf = (text: string) =>
      odataService({
        entitySets: [
          entitySet(Memo, {
            getByKey: (id, context) => {
              context.afterCommit(async () => {
                if (text === "old") await held;
                done.push(text);
              });
              return { id };
            },
          }),
        ],
      });
    const service = reloadable(serviceOf("old"));
    await service.fetch(new Request("http://shop.example/Memos(1)"));
    await service.replace(serviceOf("new"), { close: () => void done.push("closed") });
    await service.fetch(new Request("http://shop.example/Memos(1)"));
    const drained = service.drain();
    await expect.poll(() => done).toEqual(["new"]);
    release();
    await drained;
    await expect.poll(() => done).toEqual(["new", "old", "closed"]);
  });
});

test("work of a change set that is tried again after a conflict runs once", async () => {
  const failures = new Failures();
  const db: AnyDatabase = new Kysely({ dialect: failingDialect(sqliteDialect(":memory:"), failures) });
  onTestFinished(() => db.destroy());
  await sql`create table tags (name varchar(50) primary key)`.execute(db);
  const calls: string[] = [];
  const Tag = entityType("Tag", { name: edm.string({ maxLength: 50 }).key() });
  const tags = sqlEntitySet(Tag, {
    db,
    table: "tags",
    operations: ["create"],
    after: {
      create: ({ key, ctx }) => {
        calls.push(`wrote ${key}`);
        ctx.afterCommit(() => calls.push(`committed ${key}`));
      },
    },
  });
  const service = odataService({ entitySets: [tags], schemaCheck: false });
  let left = 1;
  failures.set((command) => (command === "commit" && left-- > 0 ? BUSY : null));
  const add = (name: string) => ({ request: "POST Tags", body: { Name: name } });
  const request = { method: "POST", headers: MULTIPART, body: multipart([[add("red"), add("blue")]]) };
  const response = await service.fetch(new Request("http://tags.example/$batch", request));
  expect(received(response.headers.get("content-type") ?? undefined, await response.text())).toMatchObject([
    [{ status: 201 }, { status: 201 }],
  ]);
  await service.drain();
  expect(calls).toEqual(["wrote red", "wrote blue", "wrote red", "wrote blue", "committed red", "committed blue"]);
});
