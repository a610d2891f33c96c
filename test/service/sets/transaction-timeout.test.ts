import { sql, type Transaction } from "kysely";
import { edm, entitySet, entityType } from "odatakit";
import { describe, expect, test } from "vitest";
import { ENGINES, type AnyDatabase } from "../../engine/executors/engines.ts";
import { NEVER, passTime, stopTimers } from "../../timers.ts";
import { hookShop, useHookTables } from "./hook-model.ts";

const LIMIT = 5000;
const MESSAGE =
  "The changes took longer than 5 seconds and are rolled back. Send fewer changes at once, or try again later.";
const causeOf = (running: string): string =>
  `The transaction took longer than 5000 ms and is rolled back: ${running} has not finished. A function that uses its own \`db\` instead of \`ctx.transaction\`, or another \`ctx\` than the one it receives, waits for the transaction itself. Otherwise, pass a longer \`timeout\` to ctx.inTransaction, or raise \`transactionTimeout\`.`;
const CAUSE = causeOf("the work of ctx.inTransaction");

describe.each(ENGINES)("the time of transactions over $title", (engine) => {
  let db: AnyDatabase;
  useHookTables(engine, (opened) => (db = opened));

  const names = async (): Promise<readonly string[]> => {
    const { rows } = await sql<{ name: string }>`select name from customers order by id`.execute(db);
    return rows.map(({ name }) => name);
  };
  const insert = (transaction: unknown, id: number): Promise<unknown> =>
    sql`insert into customers (id, name) values (${id}, ${"late"})`.execute(transaction as Transaction<unknown>);

  /** A function that waits until the test lets it continue. */
  function held() {
    let release = (): void => undefined;
    const waiting = new Promise<void>((resolve) => {
      release = resolve;
    });
    return { waiting, release: () => release() };
  }

  test("`ctx.inTransaction` ends with `transactionTimeout`: 503, logged, and late functions write nothing", async () => {
    stopTimers();
    const shop = hookShop(db, { service: { defaults: { transactionTimeout: LIMIT } } });
    const { waiting, release } = held();
    const late: unknown[] = [];
    let ended = Promise.resolve<unknown>(undefined);
    const begun = held();
    const answer = shop.run((context) => {
      const work = context.inTransaction(async (inner) => {
        const { transaction } = inner;
        await inner.sets(shop.customers).create({ id: 1, name: "Ann" });
        const rest = async (): Promise<void> => {
          await waiting;
          await insert(transaction, 2).catch((error: Error) => late.push(error.message));
          await inner
            .sets(shop.customers)
            .create({ id: 3, name: "Bob" })
            .catch((error: Error) => late.push(error.message));
          await inner.inTransaction(() => 1).catch((error: Error) => late.push(error.message));
        };
        ended = rest();
        begun.release();
        await ended;
      });
      // The rest continues at the moment at which the rollback begins.
      return work;
    });
    // The timer of the transaction starts before its first statement.
    await begun.waiting;
    await passTime(LIMIT - 1);
    await passTime(1);
    release();
    const { status, json } = await answer;
    expect([status, json]).toEqual([503, { error: { code: "ServiceUnavailable", message: MESSAGE } }]);
    await ended;
    expect(late).toHaveLength(3);
    for (const each of late) expect(each).toMatch(/^The transaction has ended\. /u);
    expect(await names()).toEqual([]);
    expect(shop.logged.filter(({ message }) => message === "A request failed.")).toEqual([
      {
        message: "A request failed.",
        fields: {
          requestId: expect.any(String) as unknown,
          method: "POST",
          path: "/run",
          status: 503,
          err: expect.objectContaining({ cause: new Error(CAUSE) }) as unknown,
        },
      },
    ]);
    const next = await shop.run((context) => context.inTransaction((inner) => insert(inner.transaction, 4)));
    expect([next.status, await names()]).toEqual([204, ["late"]]);
  });

  test("a statement that a late function sends during the rollback is refused", async () => {
    stopTimers();
    const shop = hookShop(db, { service: { defaults: { transactionTimeout: LIMIT } } });
    const late: unknown[] = [];
    const begun = held();
    let next = Promise.resolve<unknown>(undefined);
    const answer = shop.run((context) =>
      context.inTransaction(async ({ transaction }) => {
        await insert(transaction, 1);
        begun.release();
        // Runs after the timer of the transaction, in the same turn.
        next = new Promise((resolve) => {
          setTimeout(() => {
            const refused = insert(transaction, 2).catch((error: Error) => late.push(error.message));
            resolve(refused);
          }, LIMIT);
        });
        await next;
        await held().waiting;
      }),
    );
    // The timer of the transaction starts before its first statement.
    await begun.waiting;
    await passTime(LIMIT);
    await passTime(LIMIT);
    expect((await answer).status).toBe(503);
    await next;
    expect(await names()).toEqual([]);
    expect(late.length).toBeLessThanOrEqual(1);
  });

  test("`timeout` of a call takes precedence, and null of either means no limit", async () => {
    stopTimers();
    const other = hookShop(db, { service: { defaults: { transactionTimeout: null } } });
    const shop = hookShop(db, { service: { defaults: { transactionTimeout: LIMIT } } });
    for (const [{ run }, options] of [
      [other, {}],
      [shop, { timeout: null }],
      [shop, { timeout: NEVER }],
    ] as const) {
      const { waiting, release } = held();
      const begun = held();
      const answer = run((context) =>
        context.inTransaction(async () => {
          begun.release();
          await waiting;
        }, options),
      );
      await begun.waiting;
      await passTime(10 * LIMIT);
      release();
      expect((await answer).status).toBe(204);
    }
  });

  test("a change set whose handlers do not settle is rolled back: 503", async () => {
    stopTimers();
    const Memo = entityType("Memo", { id: edm.int32().key() });
    const { waiting, release } = held();
    let rest = Promise.resolve<unknown>(undefined);
    const memos = entitySet(Memo, {
      transactional: true,
      create: async (memo, { transaction }) => {
        await insert(transaction, memo.id);
        const late = async (): Promise<void> => {
          await waiting;
          await insert(transaction, memo.id + 1).catch(() => undefined);
        };
        rest = late();
        begun.release();
        await rest;
        return memo;
      },
    });
    const shop = hookShop(db, { service: { defaults: { transactionTimeout: LIMIT }, entitySets: [memos] } });
    const begun = held();
    const answer = shop.batch([
      [
        { request: "POST Customers", body: { Id: 1, Name: "Ann" } },
        { request: "POST Memos", body: { Id: 5 } },
      ],
    ]);
    // The timer of the transaction starts before its first statement.
    await begun.waiting;
    await passTime(LIMIT);
    release();
    const [response] = await answer;
    expect(response).toMatchObject({
      status: 503,
      json: { error: { code: "ServiceUnavailable", message: MESSAGE } },
    });
    expect(shop.logged.map(({ fields: { err } }) => (err as Error | undefined)?.cause)).toContainEqual(
      new Error(causeOf("POST Memos")),
    );
    await rest;
    expect(await names()).toEqual([]);
  });

  test("a hook that does not settle ends with `transactionTimeout`: 503, and what it wrote is undone", async () => {
    stopTimers();
    const begun = held();
    const { waiting, release } = held();
    const late: unknown[] = [];
    let rest = Promise.resolve<unknown>(undefined);
    const shop: ReturnType<typeof hookShop> = hookShop(db, {
      service: { defaults: { transactionTimeout: LIMIT } },
      customers: {
        after: {
          create: async ({ ctx }) => {
            ctx.afterCommit(() => late.push("never"));
            const write = async (): Promise<void> => {
              await waiting;
              await ctx.set.delete(1).catch((error: Error) => late.push(error.message));
            };
            rest = write();
            begun.release();
            await rest;
          },
        },
      },
    });
    const answer = shop.send("POST", "Customers", { Id: 1, Name: "Ann" });
    await begun.waiting;
    await passTime(LIMIT);
    release();
    const { status, json } = await answer;
    const message = "The write took longer than 5 seconds and is rolled back. Try again later.";
    expect([status, json]).toEqual([503, { error: { code: "ServiceUnavailable", message } }]);
    expect(shop.logged.filter((record) => record.message === "A request failed.")).toEqual([
      {
        message: "A request failed.",
        fields: {
          requestId: expect.any(String) as unknown,
          method: "POST",
          path: "/Customers",
          set: "Customers",
          status: 503,
          err: expect.objectContaining({ cause: new Error(causeOf("after.create of Customers")) }) as unknown,
        },
      },
    ]);
    await rest;
    await shop.service.drain();
    expect(late).toEqual([expect.stringMatching(/^The transaction has ended\. /u)]);
    expect(await names()).toEqual([]);
  });

  test("an `async` function of `set` that does not settle ends the same way, and the log names it", async () => {
    stopTimers();
    const begun = held();
    const { waiting, release } = held();
    const shop: ReturnType<typeof hookShop> = hookShop(db, {
      service: { defaults: { transactionTimeout: LIMIT } },
      customers: {
        set: {
          name: {
            create: async ({ ctx }) => {
              await insert(ctx.transaction, 2);
              begun.release();
              await waiting;
              return "late";
            },
          },
        },
      },
    });
    const answer = shop.send("POST", "Customers", { Id: 1 });
    await begun.waiting;
    await passTime(LIMIT);
    release();
    expect((await answer).status).toBe(503);
    expect(shop.logged.map(({ fields }) => (fields["err"] as Error).cause)).toEqual([
      new Error(causeOf("`set.name.create` of Customers")),
    ]);
    expect(await names()).toEqual([]);
  });
});
