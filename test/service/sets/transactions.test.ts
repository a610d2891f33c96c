import { odataError, type Context, type ReadOptions, type TransactionOptions } from "odatakit";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ENGINES, type AnyDatabase, type OpenDatabase } from "../../engine/executors/engines.ts";
import { createShopTables, shopOver, type Script, type Shop } from "./shop-model.ts";

describe.each(ENGINES)("transactions of a handler over $title", (engine) => {
  let open: OpenDatabase;
  let db: AnyDatabase;
  let shop: Shop;

  beforeAll(async () => {
    open = await engine.open();
    ({ db } = open);
    await createShopTables(db, engine);
    shop = shopOver(db);
  });
  afterAll(() => open.close());
  beforeEach(async () => {
    await db.deleteFrom("order_lines").execute();
    await db.deleteFrom("orders").execute();
    await db.deleteFrom("accounts").execute();
    await db
      .insertInto("accounts")
      .values([
        { id: 1, balance: 100 },
        { id: 2, balance: 0 },
      ])
      .execute();
    const row = { owner: "ann", status: "open", total: "1.00", placed: null, street: null, city: null, version: 1 };
    await db
      .insertInto("orders")
      .values({ ...row, id: 1 })
      .execute();
  });

  const resultOf = (script: Script): Promise<unknown> => shop.resultOf(script);
  const balances = async (): Promise<readonly number[]> => {
    const rows = await db.selectFrom("accounts").select("balance").orderBy("id").execute();
    return rows.map(({ balance }) => Number(balance));
  };
  const accounts = ({ sets }: Context) => sets(shop.accounts);
  const move = async (context: Context, amount: bigint): Promise<void> => {
    const [from, to] = [await accounts(context).get(1), await accounts(context).get(2)];
    await accounts(context).patch(2, { balance: (to?.balance ?? 0n) + amount });
    await accounts(context).patch(1, { balance: (from?.balance ?? 0n) - amount });
  };

  test("commits when the work returns, and reads see its writes", async () => {
    const result = await resultOf((context) =>
      context.inTransaction(async (inner) => {
        await move(inner, 30n);
        return [
          await accounts(inner).get(2),
          (await accounts(inner).query({ filter: (a) => a.balance.gt(20n) })).map(({ id }) => id),
          await accounts(inner).count({ filter: (a) => a.balance.eq(30n) }),
          inner.transaction === undefined,
          context.transaction === undefined,
        ];
      }),
    );
    expect(result).toEqual([{ id: 2, balance: "30n" }, [1, 2], 1, false, true]);
    expect(await balances()).toEqual([70, 30]);
  });

  test("rolls back and rethrows when the work throws", async () => {
    const result = await resultOf((context) =>
      context.inTransaction(async (inner) => {
        await move(inner, 30n);
        throw new Error("changed its mind");
      }),
    );
    expect(result).toBe("Error: changed its mind");
    expect(await balances()).toEqual([100, 0]);
  });

  test("rolls back when the work does not catch a failed write", async () => {
    expect(await resultOf((context) => context.inTransaction((inner) => move(inner, 130n)))).toBe("400 InvalidBody");
    expect(await balances()).toEqual([100, 0]);
  });

  test("rolls back when the work returns an ODataError, which becomes the result", async () => {
    const answer = await shop.run((context) =>
      context.inTransaction(async (inner) => {
        await move(inner, 30n);
        return odataError(402, "PaymentRequired", "There is no money.");
      }),
    );
    expect([answer.status, await answer.json()]).toEqual([
      402,
      { error: { code: "PaymentRequired", message: "There is no money." } },
    ]);
    expect(await balances()).toEqual([100, 0]);
  });

  test("continues after a failed write, which is rolled back", async () => {
    const result = await resultOf((context) =>
      context.inTransaction(async (inner) => {
        const { sets } = inner;
        await accounts(inner).patch(2, { balance: 1n });
        const failed = await sets(shop.orders)
          .create({
            id: 5,
            owner: "ann",
            total: "1",
            lines: [
              { id: 1, text: "a" },
              { id: 1, text: "b" },
            ],
          })
          .catch((error: { readonly code: string }) => error.code);
        await accounts(inner).patch(1, { balance: 99n });
        return [failed, await sets(shop.orders).get(5), await sets(shop.lines).count()];
      }),
    );
    expect(result).toEqual(["Conflict", null, 0]);
    expect(await balances()).toEqual([99, 1]);
  });

  test("within another transaction is a part of it: a failure rolls back only the part", async () => {
    const result = await resultOf((context) =>
      context.inTransaction(async (outer) => {
        await accounts(outer).patch(1, { balance: 50n });
        await outer.inTransaction((inner) => accounts(inner).patch(2, { balance: 5n }));
        const refused = await outer.inTransaction(async (inner) => {
          await accounts(inner).patch(2, { balance: 7n });
          return odataError(400, "No", "Not this.");
        });
        await outer
          .inTransaction(async (inner) => {
            await accounts(inner).patch(2, { balance: 8n });
            throw new Error("no");
          })
          .catch(() => undefined);
        return [refused.code, await accounts(outer).get(2)];
      }),
    );
    expect(result).toEqual(["No", { id: 2, balance: "5n" }]);
    expect(await balances()).toEqual([50, 5]);
  });

  test("the outer context cannot be used within a part of a transaction", async () => {
    const told = (call: Promise<unknown>): Promise<unknown> => call.catch((error: Error) => error.message);
    const result = await resultOf((context) =>
      context.inTransaction(async (outer) => {
        const within = await outer.inTransaction(async () => [
          await told(accounts(outer).get(1)),
          await told(outer.inTransaction(() => 1)),
        ]);
        const inTurn = [outer.inTransaction(() => 1), accounts(outer).get(1), outer.inTransaction(() => 2)];
        return [...within, ...(await Promise.all(inTurn))];
      }),
    );
    const refused: unknown = expect.stringMatching(/Use the context that ctx\.inTransaction passes/);
    expect(result).toEqual([refused, refused, 1, { id: 1, balance: "100n" }, 2]);
  });

  test("parallel calls run one after another", async () => {
    const result = await resultOf((context) =>
      context.inTransaction(async (inner) => {
        const { sets } = inner;
        const settled = await Promise.allSettled([
          sets(shop.orders).create({ id: 10, owner: "ann", total: "1" }),
          sets(shop.orders).create({ id: 10, owner: "ann", total: "2" }),
          sets(shop.orders).create({ id: 11, owner: "ann", total: "3" }),
          sets(shop.orders).query({ orderBy: "id" }),
        ]);
        return settled.map((each) => each.status);
      }),
    );
    expect(result).toEqual(["fulfilled", "rejected", "fulfilled", "fulfilled"]);
    expect(await db.selectFrom("orders").select("id").orderBy("id").execute()).toEqual([
      { id: 1 },
      { id: 10 },
      { id: 11 },
    ]);
  });

  test("a call that is not awaited fails the transaction", async () => {
    const result = await resultOf((context) =>
      context.inTransaction((inner) => {
        accounts(inner)
          .patch(1, { balance: 5n })
          .catch(() => undefined);
      }),
    );
    expect(result).toMatch(/1 calls? of ctx\.sets .*Await every call/);
    expect(await balances()).toEqual([100, 0]);
  });

  test("a context cannot be used after the end of its transaction", async () => {
    const kept: Context[] = [];
    const result = await resultOf(async (context) => {
      await context.inTransaction((inner) => {
        kept.push(inner);
      });
      const [inner] = kept as [Context];
      const told = [];
      for (const call of [
        () => accounts(inner).get(1),
        () => accounts(inner).create({ id: 3, balance: 1n }),
        () => inner.inTransaction(() => 1),
        async () => inner.transaction,
      ]) {
        told.push(
          await call().then(
            () => "done",
            (error: Error) => error.message,
          ),
        );
      }
      return told;
    });
    expect(result).toEqual(Array.from({ length: 4 }, () => expect.stringMatching(/transaction has ended/)));
    expect(await balances()).toEqual([100, 0]);
  });

  test("the outer context cannot be used within an open transaction", async () => {
    const result = await resultOf((context) =>
      context.inTransaction(async () => [
        await accounts(context)
          .get(1)
          .catch((error: Error) => error.message),
        await context.inTransaction(() => 1).catch((error: Error) => error.message),
      ]),
    );
    expect(result).toEqual([
      expect.stringMatching(/Use the context that ctx\.inTransaction passes/),
      expect.any(String),
    ]);
    expect(await resultOf((context) => accounts(context).count())).toBe(2);
  });

  test.each<[string, ReadOptions, TransactionOptions]>([
    ["locks", { forUpdate: true }, {}],
    ["repeatable read", {}, { isolation: "repeatable read" }],
    ["serializable", {}, { isolation: "serializable" }],
  ])("concurrent transactions with %s never lose a change: each is added", async (_way, read, options) => {
    let runs = 0;
    const add = (context: Context) =>
      context.inTransaction(async (inner) => {
        runs += 1;
        const account = await accounts(inner).get(1, read);
        await accounts(inner).patch(1, { balance: (account?.balance ?? 0n) + 1n });
        return "added";
      }, options);
    const answers = await Promise.all([1, 2, 3].map(() => shop.run(add)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await balances()).toEqual([103, 0]);
    expect(runs).toBeGreaterThanOrEqual(3);
  });

  test("`forUpdate` locks a row of the transaction, and works in its parts", async () => {
    const result = await resultOf((context) =>
      context.inTransaction(async (outer) => [
        await accounts(outer).get(1, { forUpdate: true }),
        await accounts(outer).get(1, { forUpdate: false }),
        await accounts(outer).get(3, { forUpdate: true }),
        await outer.inTransaction((inner) => accounts(inner).get(2, { forUpdate: true }), {
          isolation: "read committed",
        }),
      ]),
    );
    const one = { id: 1, balance: "100n" };
    expect(result).toEqual([one, one, null, { id: 2, balance: "0n" }]);
  });

  test("`forUpdate` sees no row that the user does not see", async () => {
    const get = (context: Context) =>
      context.inTransaction(async (inner) => (await inner.sets(shop.orders).get(1, { forUpdate: true }))?.id ?? null);
    expect([await shop.resultOf(get), await shop.resultOf(get, "bob")]).toEqual([1, null]);
  });

  test.each<[string, (context: Context) => unknown, RegExp]>([
    [
      "outside of a transaction",
      (context) => accounts(context).get(1, { forUpdate: true }),
      /get: `forUpdate` locks a row until the transaction ends\. Call it within ctx\.inTransaction\./u,
    ],
    [
      "of a set without a table",
      (context) => context.inTransaction((inner) => inner.sets(shop.notes).get(1, { forUpdate: true })),
      /Notes has no table/u,
    ],
    [
      "that is no boolean",
      (context) => accounts(context).get(1, { forUpdate: 1 as never }),
      /`forUpdate` of ctx\.sets\(Accounts\)\.get must be true or false/u,
    ],
    [
      "with another name",
      (context) => accounts(context).get(1, { lock: true } as never),
      /has no option `lock`, only `forUpdate`/u,
    ],
    [
      "as an unknown isolation",
      (context) => context.inTransaction(() => 1, { isolation: "snapshot" as never }),
      /`isolation` of ctx\.inTransaction is .*Pass one of "read committed", "repeatable read", "serializable"/u,
    ],
    [
      "as a stronger isolation of a part",
      (context) => context.inTransaction((outer) => outer.inTransaction(() => 1, { isolation: "serializable" })),
      /asks for "serializable" within a transaction that is "read committed"/u,
    ],
  ])("refuses a lock %s", async (_what, script, message) => {
    expect(await resultOf(script)).toMatch(message);
    expect(await balances()).toEqual([100, 0]);
  });

  test("includes handlers of other sets through ctx.transaction; handlers without a database just run", async () => {
    const result = await resultOf((context) =>
      context.inTransaction(async (inner) => {
        await inner.sets(shop.notes).create({ id: 2, text: "in" });
        await accounts(inner).patch(1, { balance: 1n });
        const [seen] = shop.seen;
        const transaction = seen?.transaction as AnyDatabase;
        return (await transaction.selectFrom("accounts").select("balance").where("id", "=", 1).execute()).map(
          ({ balance }) => Number(balance),
        );
      }),
    );
    expect(result).toEqual([1]);
  });
});
