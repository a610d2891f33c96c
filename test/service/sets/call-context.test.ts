import { Kysely, sql } from "kysely";
import {
  action,
  applyDelta,
  arraySource,
  edm,
  entitySet,
  entityType,
  hasRequired,
  odataService,
  type Context,
} from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { AnyDatabase } from "../../engine/executors/engines.ts";

const Team = entityType("Team", { id: edm.int32().key(), name: edm.string() });
const Task = entityType("Task", {
  id: edm.int32().key(),
  teamId: edm.int32(),
  owner: edm.string(),
  text: edm.string(),
});
const Squad = entityType("Squad", { id: edm.int32().key(), name: edm.string() });
const Step = entityType("Step", { id: edm.int32().key(), teamId: edm.int32(), text: edm.string() });
const Note = entityType("Note", {
  id: edm.int32().key(),
  owner: edm.string(),
  teamId: edm.int32(),
  text: edm.string(),
});

/** A service that counts the calls of its rules, and the calls of a `queryable` handler by whether a transaction is open. */
function office(db: AnyDatabase) {
  const asked: string[] = [];
  const opened: boolean[] = [];
  const office = { asked, opened, script: (_context: Context): unknown => undefined };
  const teams = entitySet(Team, {
    queryable: (context) => {
      opened.push(context.transaction !== undefined);
      return arraySource(Team, [{ id: 1, name: "red" }]);
    },
    getByKey: (id) => (id === 1 ? { id: 1, name: "red" } : null),
  });
  const tasks = sqlEntitySet(Task, {
    db,
    table: "task",
    operations: ["read", "create", "replace", "patch", "delete"],
    etag: ["text"],
    authorization: {
      rows: (user, task) => {
        asked.push(user.id ?? "");
        return task.owner.eq(user.id ?? "");
      },
    },
  });
  const squads = sqlEntitySet(Squad, { db, table: "squad", operations: ["read", "patch"] });
  const steps = sqlEntitySet(Step, {
    db,
    table: "task",
    operations: ["read", "patch"],
    navigation: { squad: hasRequired(Squad, { on: { teamId: "id" }, target: "Squads" }) },
    authorization: { rows: (_user, step) => step.squad.name.eq("red") },
  });
  let note = { id: 1, owner: "ann", teamId: 1, text: "a" };
  const notes = entitySet(Note, {
    etag: ["text"],
    getByKey: () => note,
    getAll: () => [note],
    patch: (_id, delta) => (note = applyDelta(Note, note, delta)),
    navigation: { team: hasRequired(Team, { on: { teamId: "id" }, target: "Teams" }) },
    authorization: {
      rows: (user, row) => {
        asked.push(user.id ?? "");
        return row.team.name.eq("red");
      },
    },
  });
  const service = odataService({
    entitySets: [teams, tasks, squads, steps, notes],
    actions: {
      run: action({
        authorization: [],
        handler: async (_parameters, context) => {
          await office.script(context);
        },
      }),
    },
    schemaCheck: false,
    authenticate: ({ headers }) => ({ id: headers.get("x-user") ?? "ann" }),
  });
  return Object.assign(office, { tasks, squads, steps, teams, service });
}

describe("the rules and sources of a request", () => {
  let db: AnyDatabase;
  let shop: ReturnType<typeof office>;

  beforeAll(() => {
    db = new Kysely({ dialect: sqliteDialect(":memory:") });
  });
  afterAll(() => db.destroy());
  beforeEach(async () => {
    await sql`drop table if exists task`.execute(db);
    await sql`create table task (id integer primary key, teamId integer, owner text, text text)`.execute(db);
    await sql`insert into task values (1, 1, 'ann', 'a'), (2, 1, 'bob', 'b')`.execute(db);
    await sql`drop table if exists squad`.execute(db);
    await sql`create table squad (id integer primary key, name text)`.execute(db);
    await sql`insert into squad values (1, 'red')`.execute(db);
    shop = office(db);
  });

  /** Runs a script as the handler of an action for Ann. */
  async function run<T>(script: (context: Context) => Promise<T>): Promise<T> {
    let result: { readonly value: T } | undefined;
    shop.script = async (context) => {
      result = { value: await script(context) };
    };
    const response = await shop.service.fetch(new Request("http://localhost/run", { method: "POST" }));
    expect(response.status, await response.text()).toBe(204);
    if (result === undefined) throw new Error("The script did not run.");
    return result.value;
  }

  async function send(method: string, path: string, body?: object, etag?: string): Promise<Response> {
    const headers = { "content-type": "application/json", ...(etag === undefined ? {} : { "if-match": etag }) };
    const text = body === undefined ? null : JSON.stringify(body);
    return shop.service.fetch(new Request(`http://localhost/${path}`, { method, headers, body: text }));
  }

  test("a rule is called once for all calls of ctx.sets in a request", async () => {
    await run(async ({ sets }) => {
      await sets(shop.tasks).query();
      await sets(shop.tasks).get(1);
      await sets(shop.tasks).patch(1, { text: "c" });
      await sets(shop.tasks).count();
    });
    expect(shop.asked).toEqual(["ann"]);
    await run(({ sets }) => sets(shop.tasks).query());
    expect(shop.asked).toEqual(["ann", "ann"]);
  });

  test("a rule is called once for a request and the work of its transactions", async () => {
    await run(async (context) => {
      await context.sets(shop.tasks).query();
      for (const text of ["c", "d"]) {
        await context.inTransaction(async ({ sets }) => {
          await sets(shop.tasks).patch(1, { text });
          expect(await sets(shop.tasks).query()).toMatchObject([{ text }]);
        });
      }
    });
    expect(shop.asked).toEqual(["ann"]);
  });

  test("each call of ctx.sets opens the sources of its set again, and so sees earlier writes", async () => {
    await run(async ({ sets, inTransaction }) => {
      await sets(shop.teams).query({ filter: (team) => team.name.eq("red") });
      await sets(shop.teams).query({ filter: (team) => team.name.eq("red") });
      await inTransaction((inner) => inner.sets(shop.teams).query());
    });
    expect(shop.opened).toEqual([false, false, true]);
  });

  test("a path of a rule sees the writes of its transaction", async () => {
    const count = ({ sets }: Context): Promise<number> => sets(shop.steps).count();
    const counts = await run(async (context) => [
      await count(context),
      await context.inTransaction(async (inner) => {
        await inner.sets(shop.squads).patch(1, { name: "blue" });
        return [await count(inner), await inner.sets(shop.steps).patch(1, { text: "c" })];
      }),
      await count(context),
    ]);
    expect(counts).toEqual([2, [0, null], 0]);
  });

  test("a trusted call does not call the rule, and does not lift it for other calls", async () => {
    const counts = await run(async ({ sets }) => [
      await sets(shop.tasks, { trusted: true }).count(),
      shop.asked.length,
      await sets(shop.tasks).count(),
      await sets(shop.tasks, { trusted: true }).count(),
    ]);
    expect(counts).toEqual([2, 0, 1, 2]);
    expect(shop.asked).toEqual(["ann"]);
  });

  test("the reads and the write of a conditional request share a rule and its sources", async () => {
    const etag = (await send("GET", "Notes(1)")).headers.get("etag") ?? "";
    const [asked, opened] = [shop.asked.length, shop.opened.length];
    expect((await send("PATCH", "Notes(1)", { Text: "b" }, etag)).status).toBe(200);
    expect(shop.asked.length - asked).toBe(1);
    expect(shop.opened.length - opened).toBe(1);
  });

  test.each([
    ["a proxy", (context: Context) => proxied(context, { id: "bob" })],
    [
      "a copy",
      ({ service, request, host, signal, sets, inTransaction, afterCommit }: Context): Context => {
        const own = { service, request, host, signal, sets, inTransaction, afterCommit };
        return { ...own, transaction: undefined, user: { id: "bob" } };
      },
    ],
  ])("%s of a context for another user obeys the rule for that user alone", async (_what, foreign) => {
    const patch = patchOf(shop.tasks);
    const patched = await run(async (context) => {
      const own = await context.sets(shop.tasks).get(1);
      const other = foreign(context);
      return [own?.owner, await patch(1, { text: "c" }, other), await patch(2, { text: "c" }, other)];
    });
    expect(patched).toMatchObject(["ann", null, { owner: "bob", text: "c" }]);
  });

  test("a proxy of the context of a conditional write for another user obeys the rule for that user alone", async () => {
    const seen: unknown[] = [];
    const patch = patchOf(shop.tasks);
    const own = entitySet(Note, {
      etag: ["teamId"],
      getByKey: () => ({ id: 1, owner: "ann", teamId: 1, text: "a" }),
      patch: async (_id, delta, context) => {
        await context.sets(shop.tasks).get(1);
        const other = proxied(context, { id: "bob" });
        for (const id of [1, 2]) seen.push(await patch(id, { text: "c" }, other));
        return { id: 1, owner: "ann", teamId: 1, text: "a", ...delta };
      },
    });
    const service = odataService({
      entitySets: [own, shop.tasks],
      schemaCheck: false,
      authenticate: () => ({ id: "ann" }),
    });
    const address = "http://localhost/Notes(1)";
    const etag = (await service.fetch(new Request(address))).headers.get("etag") ?? "";
    const headers = { "content-type": "application/json", "if-match": etag };
    const response = await service.fetch(new Request(address, { method: "PATCH", headers, body: '{"Text":"b"}' }));
    expect(response.status).toBe(200);
    expect(seen).toMatchObject([null, { owner: "bob" }]);
  });
});

function proxied(context: Context, user: { readonly id: string }): Context {
  return new Proxy(context, { get: (target, name) => (name === "user" ? user : Reflect.get(target, name, target)) });
}

type Patch = (key: number, delta: object, context: Context) => unknown;

/** Returns the handler of a set that patches its table. */
function patchOf({ options }: { readonly options: object }): Patch {
  return (options as { readonly patch: Patch }).patch;
}
