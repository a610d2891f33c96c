import { Kysely, sql } from "kysely";
import { action, edm, entityType, ODataError, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { expect, onTestFinished, test } from "vitest";
import type { AnyDatabase } from "../../engine/executors/engines.ts";
import { MULTIPART, multipart } from "../../service/http/batch-model.ts";
import { passTime, stopClock } from "../../timers.ts";
import { Failures, failingDialect } from "./failing-dialect.ts";

const ORIGIN = "http://shop.example";
const LIMIT = 5000;
/** The milliseconds that pass at once. */
const STEP = 50;
const CONFLICT = Object.assign(new Error("could not serialize access"), { code: "40001" });
const DEADLOCK = Object.assign(new Error("Deadlock found"), { errno: 1213, code: "ER_LOCK_DEADLOCK" });
const LOCKED = Object.assign(new Error("database is locked"), { code: "ERR_SQLITE_ERROR", errcode: 5 });

const Thing = entityType("Thing", { id: edm.int32().key(), name: edm.string() });
const Part = entityType("Part", { id: edm.int32().key(), thingId: edm.int32() });

function passed(time: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, time);
  });
}

async function open() {
  stopClock();
  const failures = new Failures();
  const db: AnyDatabase = new Kysely({ dialect: failingDialect(sqliteDialect(":memory:"), failures) });
  onTestFinished(() => db.destroy());
  await sql`create table things (id integer primary key, name text not null)`.execute(db);
  const logged: Array<readonly [message: string, cause: unknown]> = [];
  const things = sqlEntitySet(Thing, {
    db,
    table: "things",
    operations: ["read", "create", "patch"],
    before: { patch: () => undefined },
  });
  const add = action({
    params: { id: edm.int32() },
    handler: ({ id }, outer) =>
      outer.inTransaction(async (ctx) => {
        await ctx.sets(things).create({ id, name: "added" });
      }),
  });
  const service = odataService({
    entitySets: [things],
    actions: { Add: add },
    schemaCheck: false,
    defaults: { transactionTimeout: LIMIT },
    logger: {
      error: (message, { err }) => logged.push([message, err instanceof Error ? err.cause : err]),
      warn: () => undefined,
      info: () => undefined,
    },
  });
  /** Sends a request, and lets time pass until its response. @returns the milliseconds */
  const send = async (method: string, path: string, body: unknown, init: RequestInit = {}) => {
    const headers = { "Content-Type": "application/json" };
    const request = new Request(`${ORIGIN}/${path}`, { method, headers, body: JSON.stringify(body), ...init });
    const state = { isOver: false };
    const begun = performance.now();
    const whole = async () => {
      const response = await service.fetch(request);
      // The response to a batch begins at once.
      return { response, text: await response.text() };
    };
    const answer = whole().finally(() => {
      state.isOver = true;
    });
    answer.catch(() => undefined);
    while (!state.isOver) await passTime(STEP);
    return { ...(await answer), took: performance.now() - begun };
  };
  const begun = () => failures.commands.filter((command) => command === "begin").length;
  return { db, failures, logged, send, begun };
}

type Opened = Awaited<ReturnType<typeof open>>;

/** The ways of a request to write in a transaction, with the status of success. */
const WAYS: ReadonlyArray<readonly [string, (opened: Opened) => ReturnType<Opened["send"]>, number]> = [
  ["ctx.inTransaction", ({ send }) => send("POST", "Add", { id: 2 }), 204],
  ["a write with hooks", ({ send }) => send("PATCH", "Things(1)", { Name: "n" }), 200],
  [
    "a change set",
    ({ send }) => {
      const add = (id: number) => ({ request: "POST Things", body: { Id: id, Name: "n" } });
      return send("POST", "$batch", null, { headers: MULTIPART, body: multipart([[add(2), add(3)]]) });
    },
    200,
  ],
];

test.each(WAYS)("%s is tried again after many conflicts", async (_way, write, status) => {
  const opened = await open();
  await sql`insert into things values (1, 'one')`.execute(opened.db);
  let left = 7;
  opened.failures.set((command) => {
    if (command !== "commit" || left-- <= 0) return null;
    return left % 2 === 0 ? CONFLICT : DEADLOCK;
  });
  const { response, text } = await write(opened);
  expect([response.status, opened.begun(), text.includes("503")]).toEqual([status, 8, false]);
  expect(opened.logged).toEqual([]);
});

test.each(WAYS)(
  "%s gives up after the time of a transaction: 503, and one record with the reason",
  async (_way, write) => {
    const opened = await open();
    await sql`insert into things values (1, 'one')`.execute(opened.db);
    opened.failures.set((command) => (command === "commit" ? CONFLICT : null));
    const { response, text, took } = await write(opened);
    const answer =
      response.status === 200 ? text : `HTTP/1.1 ${String(response.status)} ${JSON.stringify([...response.headers])}`;
    expect(answer).toMatch(/HTTP\/1.1 503/u);
    expect(answer).toMatch(/Retry-After\W+1/iu);
    expect(took).toBeLessThanOrEqual(LIMIT + STEP);
    // Pauses grow to a second, ±50 %.
    expect(opened.begun()).toBeGreaterThan(6);
    expect(opened.begun()).toBeLessThan(20);
    const reason = `Gave up after ${String(opened.begun())} attempts in`;
    expect(opened.logged).toEqual([["A request failed.", expect.any(Error)]]);
    const [[, cause] = []] = opened.logged;
    expect((cause as Error).message).toContain(reason);
    expect((cause as Error).message).toContain("could not serialize access");
    expect((cause as Error).cause).toBe(CONFLICT);
    opened.failures.clear();
    expect(await sql`select id, name from things`.execute(opened.db)).toMatchObject({ rows: [{ id: 1, name: "one" }] });
  },
);

test("an attempt that runs out of time after conflicts reports them", async () => {
  const opened = await open();
  let commits = 0;
  let isHeld = false;
  opened.failures.set((command) => {
    if (command === "commit" && commits++ < 2) return CONFLICT;
    isHeld = commits >= 2;
    return null;
  });
  const late = sqlEntitySet(Part, { db: opened.db, table: "parts", operations: ["create"] });
  const service = odataService({
    entitySets: [late],
    schemaCheck: false,
    actions: {
      Wait: action({
        handler: (_parameters, outer) =>
          outer.inTransaction(async () => {
            if (isHeld) await passed(LIMIT * 2);
          }),
      }),
    },
    defaults: { transactionTimeout: LIMIT },
    logger: {
      error: (message, { err }) => opened.logged.push([message, (err as Error).cause]),
      warn: () => undefined,
      info: () => undefined,
    },
  });
  const begun = performance.now();
  const state = { isOver: false };
  const answer = service.fetch(new Request(`${ORIGIN}/Wait`, { method: "POST" })).finally(() => {
    state.isOver = true;
  });
  while (!state.isOver) await passTime(STEP);
  const { status, headers } = await answer;
  expect([status, headers.get("Retry-After")]).toEqual([503, "1"]);
  expect(performance.now() - begun).toBeLessThanOrEqual(LIMIT + STEP);
  expect(opened.logged).toHaveLength(1);
  expect(String(opened.logged[0]?.[1])).toMatch(
    /took longer than 5000 ms .* 2 earlier attempts failed because of concurrent transactions, the last one with: could not serialize access/u,
  );
});

test("a client that leaves ends the attempts", async () => {
  const opened = await open();
  const client = new AbortController();
  opened.failures.set((command) => {
    if (command !== "commit") return null;
    if (opened.begun() === 3) client.abort();
    return CONFLICT;
  });
  await opened.send("POST", "Add", { id: 2 }, { signal: client.signal }).catch(() => undefined);
  expect(opened.begun()).toBe(3);
  expect(opened.logged).toEqual([]);
});

test("a locked file is tried three times, because each attempt has waited for it", async () => {
  const opened = await open();
  opened.failures.set((command) => (command === "commit" ? LOCKED : null));
  const { response } = await opened.send("POST", "Add", { id: 2 });
  expect([response.status, opened.begun()]).toEqual([503, 3]);
});

test("an error of the application after a conflict stays as it is", async () => {
  const opened = await open();
  let commits = 0;
  opened.failures.set((command) => (command === "commit" && commits++ === 0 ? CONFLICT : null));
  const late = sqlEntitySet(Part, { db: opened.db, table: "parts", operations: ["create"] });
  const details = [{ code: "Until", message: "Until noon." }];
  const service = odataService({
    entitySets: [late],
    schemaCheck: false,
    actions: {
      Wait: action({
        handler: (_parameters, outer) =>
          outer.inTransaction(() => {
            if (commits === 0) return;
            throw new ODataError(503, "Maintenance", "Later.", { target: "Parts", details, cause: new Error("why") });
          }),
      }),
    },
    logger: { error: () => undefined, warn: () => undefined, info: () => undefined },
  });
  const state = { isOver: false };
  const answer = service.fetch(new Request(`${ORIGIN}/Wait`, { method: "POST" })).finally(() => {
    state.isOver = true;
  });
  while (!state.isOver) await passTime(STEP);
  const { error } = (await (await answer).json()) as { readonly error: object };
  expect(error).toMatchObject({ code: "Maintenance", message: "Later.", target: "Parts", details });
});
