import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import { edm, entityType, fn, action, hasMany, odataService, type ODataService, type ServiceOptions } from "odatakit";
import { sqlEntitySet, type SqlEntitySetOptions } from "odatakit/kysely";
import { toNodeHandler } from "odatakit/node";
import { afterEach, describe, expect, test } from "vitest";
import { POSITION_READ, REPLAY_READ, toPosition, toReplay } from "../../../src/databases/replicas/positions.ts";
import { until } from "../../timers.ts";
import { openPair, PRIMARY, REPLICA, type ReplicaPair } from "./replica-pair.ts";

/** Reads go to a real streaming replica. It is late as long as a test pauses its replay. */

const TABLES = `
  create table items (id integer primary key, name text collate "C" not null, version integer not null);
  insert into items values (1, 'first', 1), (2, 'second', 1), (3, 'third', 1), (4, 'fourth', 1);
  create table parts (id integer primary key, item integer not null references items, label text collate "C" not null);
  insert into parts values (10, 1, 'bolt'), (11, 1, 'nut');
`;

const Part = entityType("Part", { id: edm.int32().key(), item: edm.int32(), label: edm.string() });
const Item = entityType("Item", { id: edm.int32().key(), name: edm.string(), version: edm.int32().computed() });
const NameOf = { returns: edm.string(), params: { id: edm.int32() } } as const;
const SECRET = "a secret of the tests of replicas";
const HEADER = "X-OData-Position";

interface Opened extends ReplicaPair {
  readonly service: ODataService;
  readonly warnings: string[];
}

/** A response of a batch. */
interface Answered {
  readonly id: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: { readonly Name?: string };
}

const ended: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ended.splice(0).toReversed()) await end();
});

type Settings = Partial<ServiceOptions> & {
  readonly replicaWait?: number;
  readonly session?: string;
  readonly isCold?: boolean;
};

async function open(
  { replicaWait, session, isCold = false, ...options }: Settings = {},
  change?: Partial<ReplicaPair>,
): Promise<Opened> {
  const pair = { ...(await openPair(TABLES, session)), ...change };
  ended.push(() => pair.close());
  const { db, readFrom } = pair;
  const place = { db, readFrom, ...(replicaWait !== undefined && { replicaWait }) };
  const operations: SqlEntitySetOptions<typeof Item>["operations"] = ["read", "create", "patch", "replace", "delete"];
  const items = sqlEntitySet(Item, {
    ...place,
    table: "items",
    operations,
    rowVersion: "version",
    etag: ["version"],
    navigation: { parts: hasMany(() => Part, { on: { id: "item" }, target: "Parts" }) },
  });
  const warnings: string[] = [];
  const service = odataService({
    entitySets: [items, sqlEntitySet(Part, { ...place, table: "parts", operations: ["read", "create"] })],
    functions: {
      NameOf: fn({
        ...NameOf,
        handler: async ({ id }, ctx) => (await ctx.sets(items).get(id))?.name ?? "",
      }),
      NameInTransaction: fn({
        ...NameOf,
        handler: ({ id }, ctx) => ctx.inTransaction(async (inner) => (await inner.sets(items).get(id))?.name ?? ""),
      }),
      NameAfterWrite: fn({
        ...NameOf,
        handler: async ({ id }, ctx) => {
          await ctx.sets(items).patch(id, { name: "written by a function" });
          return (await ctx.sets(items).get(id))?.name ?? "";
        },
      }),
    },
    actions: {
      Rename: action({
        ...NameOf,
        handler: async ({ id }, ctx) => {
          await sql`update items set name = 'renamed' where id = ${id}`.execute(db);
          return (await ctx.sets(items).get(id))?.name ?? "";
        },
      }),
    },
    secret: SECRET,
    batch: { json: true },
    logger: {
      error: (message) => warnings.push(`error: ${message}`),
      warn: (message) => warnings.push(message),
      info: () => undefined,
    },
    ...options,
  });
  await service.ready();
  if (!isCold) await warmUp(service, pair);
  // On a slow machine, the first reading of the replica may be late.
  warnings.length = 0;
  return { ...pair, service, warnings };
}

/** Reads until the service knows that the replica is there. */
async function warmUp(service: ODataService, { used }: ReplicaPair): Promise<void> {
  for (let known = -1; known !== used.primary;) {
    known = used.primary;
    await send(service, "/Items(1)");
    await sleep(5);
  }
}

interface Answer {
  readonly status: number;
  readonly position: string | null;
  readonly etag: string | null;
  // oxlint-disable-next-line typescript/no-explicit-any -- the tests know the bodies
  readonly body: any;
}

async function send(
  service: Pick<ODataService, "fetch">,
  target: string,
  { method = "GET", body, signal, ...headers }: Record<string, unknown> = {},
): Promise<Answer> {
  const given = new Headers({ "Content-Type": "application/json" });
  for (const [name, value] of Object.entries(headers)) if (typeof value === "string") given.set(name, value);
  const init = { method: String(method), headers: given, body: body === undefined ? null : JSON.stringify(body) };
  const url = new URL(target, "http://localhost");
  const response = await service.fetch(
    new Request(url, signal === undefined ? init : { ...init, signal: signal as AbortSignal }),
  );
  const text = await response.text();
  const { status } = response;
  const isJson = /^[{"]/.test(text);
  return {
    status,
    position: response.headers.get(HEADER),
    etag: response.headers.get("ETag"),
    body: isJson ? JSON.parse(text) : text,
  };
}

const patch = (service: ODataService, id: number, name: string, headers: object = {}): Promise<Answer> =>
  send(service, `/Items(${String(id)})`, { method: "PATCH", body: { Name: name }, ...headers });

const reading = (position: string | null): Record<string, string> => ({ [HEADER]: position ?? "none" });

describe.skipIf(PRIMARY === undefined || REPLICA === undefined)("reads of a streaming replica", () => {
  test("reads without a position return the state of the replica", async () => {
    const { service, pause, resume, catchUp } = await open();
    await pause();
    expect((await patch(service, 1, "new")).status).toBe(200);
    const targets: Record<string, unknown> = {
      "/Items(1)": "first",
      "/Items(1)/Name/$value": "first",
      "/Items?$filter=Name eq 'new'&$count=true": [],
      "/Items/$count": "4",
      "/NameOf(id=1)": "first",
    };
    for (const [target, expected] of Object.entries(targets)) {
      const { status, body, position } = await send(service, target);
      expect({ target, status, position }).toEqual({ target, status: 200, position: null });
      expect(body.Name ?? body.value ?? body).toEqual(expected);
    }
    await resume();
    await catchUp();
    expect((await send(service, "/Items(1)")).body.Name).toBe("new");
  });

  test("500 pairs of a write and a read over HTTP: none is stale, and no ETag is outdated", async () => {
    const { service, watcher, used } = await open({ replicaWait: 5000 });
    const server = createServer(toNodeHandler(service)).listen(0);
    await once(server, "listening");
    ended.push(async () => server.close());
    const root = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
    const remote = {
      fetch: (request: Request) => fetch(new Request(new URL(new URL(request.url).pathname, root), request)),
    };
    // The replica stops and goes on all the time.
    const over = new AbortController();
    const stumbling = (async () => {
      while (!over.signal.aborted) {
        await sql`select pg_wal_replay_pause()`.execute(watcher);
        await sleep(15);
        await sql`select pg_wal_replay_resume()`.execute(watcher);
        await sleep(10);
      }
    })();
    const counts = { stale: 0, failed: 0, pairs: 0 };
    const before = used.replica;
    await Promise.all(
      [1, 2, 3, 4].map(async (id) => {
        let etag = (await send(remote, `/Items(${String(id)})`)).etag;
        for (let round = 0; round < 125; round += 1) {
          const name = `round ${String(round)}`;
          const written = await send(remote, `/Items(${String(id)})`, {
            method: "PATCH",
            body: { Name: name },
            "If-Match": etag,
            Prefer: "return=minimal",
          });
          if (written.status !== 204) counts.failed += 1;
          const read = await send(remote, `/Items(${String(id)})`, reading(written.position));
          if (read.body.Name !== name) counts.stale += 1;
          ({ etag } = read);
          counts.pairs += 1;
        }
      }),
    );
    over.abort();
    await stumbling;
    expect(counts).toEqual({ stale: 0, failed: 0, pairs: 500 });
    expect(used.replica - before).toBeGreaterThan(250);
  });

  test("a position counts for commits that the primary has not written to its disk yet", async () => {
    const { service } = await open({ session: "-c synchronous_commit=off" });
    for (let round = 0; round < 10; round += 1) {
      const { position } = await patch(service, 1, `round ${String(round)}`);
      expect((await send(service, "/Items(1)", reading(position))).body.Name).toBe(`round ${String(round)}`);
    }
  });

  test("a read waits until the replica shows the write, and then reads the replica", async () => {
    const { service, pause, resume, used } = await open({ replicaWait: 5000 });
    await send(service, "/Items(1)");
    await pause();
    const { position } = await patch(service, 1, "new");
    const primary = used.primary;
    const read = send(service, "/Items(1)", reading(position));
    await sleep(150);
    await resume();
    expect((await read).body.Name).toBe("new");
    expect(used.primary).toBe(primary);
  });

  test("a read whose wait is over reads the primary", async () => {
    const { service, pause, used } = await open({ replicaWait: 100 });
    await send(service, "/Items(1)");
    await pause();
    const { position } = await patch(service, 1, "new");
    const before = { ...used };
    const begun = performance.now();
    const target = "/Items?$filter=Id eq 1&$count=true&$expand=Parts($count=true;$orderby=Id)";
    const { body } = await send(service, target, reading(position));
    expect(performance.now() - begun).toBeGreaterThanOrEqual(95);
    expect(body).toEqual({
      "@odata.context": "http://localhost/$metadata#Items",
      "@odata.count": 1,
      value: [
        {
          "@odata.etag": expect.any(String),
          Id: 1,
          Name: "new",
          Version: 2,
          "Parts@odata.count": 2,
          Parts: [
            { Id: 10, Item: 1, Label: "bolt" },
            { Id: 11, Item: 1, Label: "nut" },
          ],
        },
      ],
    });
    expect(used.primary).toBeGreaterThan(before.primary);
  });

  test("a position that the replica is known to show costs no statement", async () => {
    const { service, used, catchUp } = await open();
    const { position } = await patch(service, 1, "new");
    await catchUp();
    for (let warm = 0; warm < 3; warm += 1) await send(service, "/Items(1)", reading(position));
    const before = { ...used };
    for (let round = 0; round < 20; round += 1) await send(service, "/Items(1)", reading(position));
    expect(used).toEqual({ replica: before.replica + 20, primary: before.primary });
  });

  test("a write costs one statement more, and a read nothing", async () => {
    const { service, used } = await open();
    await patch(service, 1, "warm");
    await send(service, "/Items(1)");
    const before = { ...used };
    await patch(service, 1, "new");
    expect(used).toEqual({ ...before, primary: before.primary + 2 });
    await send(service, "/Items(1)");
    expect(used).toEqual({ replica: before.replica + 1, primary: before.primary + 2 });
  });

  test("requests that wait share one statement at a time, and hold no connection", async () => {
    const { service, pause, used } = await open({ replicaWait: 2000 });
    await send(service, "/Items(1)");
    await pause();
    const { position } = await patch(service, 1, "new");
    const before = used.replica;
    let isOver = false;
    const waiting = Promise.all(
      Array.from({ length: 40 }, async () => {
        const answer = await send(service, "/Items(1)", reading(position));
        isOver = true;
        return answer;
      }),
    );
    await sleep(50);
    // The pool of the replica has four connections.
    expect((await send(service, "/Items(1)")).body.Name).toBe("first");
    expect(isOver).toBe(false);
    expect((await waiting).map(({ body }) => body.Name)).toEqual(Array.from({ length: 40 }, () => "new"));
    expect(used.replica - before).toBeLessThan(250);
  });

  test("a client that leaves does not wait any longer", async () => {
    const { service, pause } = await open({ replicaWait: 60_000, defaults: { queryTimeout: null } });
    await send(service, "/Items(1)");
    await pause();
    const { position } = await patch(service, 1, "new");
    const controller = new AbortController();
    const begun = performance.now();
    const read = send(service, "/Items(1)", { ...reading(position), signal: controller.signal });
    setTimeout(() => controller.abort(), 50);
    await read.catch(() => undefined);
    // Far below its wait.
    expect(performance.now() - begun).toBeLessThan(40_000);
  });

  test("a read waits for at most half of its time, and leaves the rest to the primary", async () => {
    const { service, pause } = await open({ replicaWait: 5000, defaults: { queryTimeout: 4000 } });
    await send(service, "/Items(1)");
    await pause();
    const { position } = await patch(service, 1, "new");
    // Otherwise the read would be 503: its time would be over.
    const { body } = await send(service, "/Items?$filter=Id eq 1", reading(position));
    expect(body.value[0].Name).toBe("new");
  });

  test("transactions, actions, and reads after a write read the primary", async () => {
    const { service, pause } = await open();
    await pause();
    await patch(service, 1, "new");
    expect((await send(service, "/NameOf(id=1)")).body).toBe("first");
    expect((await send(service, "/NameInTransaction(id=1)")).body).toBe("new");
    const written = await send(service, "/NameAfterWrite(id=2)");
    expect(written).toEqual({ ...written, status: 200, position: expect.any(String) });
    expect(written.body).toBe("written by a function");
    const renamed = await send(service, "/Rename", { method: "POST", body: { id: 3 } });
    expect(renamed.body).toBe("renamed");
    expect((await send(service, "/Items(3)", reading(renamed.position))).body.Name).toBe("renamed");
  });

  test("a write checks its preconditions on the primary", async () => {
    const { service, pause } = await open();
    await pause();
    const stale = await send(service, "/Items(1)");
    const { etag } = await patch(service, 1, "new", { "If-Match": stale.etag });
    expect((await patch(service, 1, "lost", { "If-Match": stale.etag })).status).toBe(412);
    expect((await patch(service, 1, "newer", { "If-Match": etag })).status).toBe(200);
  });

  test("operations of a batch after a write read the primary, and report positions", async () => {
    const { service, pause } = await open({ replicaWait: 50 });
    await pause();
    const requests = [
      { id: "1", method: "GET", url: "Items(1)" },
      {
        id: "2",
        method: "PATCH",
        url: "Items(1)",
        headers: { "content-type": "application/json" },
        body: { Name: "new" },
      },
      { id: "3", method: "GET", url: "Items(1)" },
      {
        id: "4",
        atomicityGroup: "g",
        method: "PATCH",
        url: "Items(2)",
        headers: { "content-type": "application/json" },
        body: { Name: "both" },
      },
      {
        id: "5",
        atomicityGroup: "g",
        method: "PATCH",
        url: "Items(3)",
        headers: { "content-type": "application/json" },
        body: { Name: "both" },
      },
      { id: "6", method: "GET", url: "Items(9)" },
    ];
    const { body } = await send(service, "/$batch", { method: "POST", body: { requests } });
    const responses = body.responses as readonly Answered[];
    expect(responses.map((each) => [each.id, each.status, each.body?.Name])).toEqual([
      ["1", 200, "first"],
      ["2", 200, "new"],
      ["3", 200, "new"],
      ["4", 200, "both"],
      ["5", 200, "both"],
      ["6", 404, undefined],
    ]);
    const positions = responses.map((each) => each.headers[HEADER] ?? each.headers[HEADER.toLowerCase()]);
    expect(positions.map((each) => typeof each)).toEqual([
      "undefined",
      "string",
      "undefined",
      "string",
      "string",
      "undefined",
    ]);
    expect(positions[3]).toBe(positions[4]);
    expect((await send(service, "/Items(2)", reading(positions[3] ?? null))).body.Name).toBe("both");
    const second = await send(service, "/$batch", {
      method: "POST",
      body: { requests: [{ id: "1", method: "GET", url: "Items(2)" }] },
      ...reading(positions[3] ?? null),
    });
    expect(second.body.responses[0].body.Name).toBe("both");
  });

  test("a large page is read from the replica, and its expansions too", async () => {
    const { service, pause, admin, used } = await open({ defaults: { maxTop: null, maxResponseEntities: null } });
    await sql`insert into items select n, 'item', 1 from generate_series(100, 3500) n`.execute(admin);
    await pause();
    await sql`update items set name = 'changed'`.execute(admin);
    await send(service, "/Items(1)");
    const { primary } = used;
    const { body } = await send(service, "/Items?$orderby=Id&$expand=Parts");
    expect(body.value).toHaveLength(3405);
    const found = body.value as ReadonlyArray<{ readonly Name: string; readonly Parts: readonly unknown[] }>;
    expect(found.filter((each) => each.Name === "changed")).toEqual([]);
    expect(found[0]?.Parts).toHaveLength(2);
    expect(used.primary).toBe(primary);
  });

  test("a session store replaces the header", async () => {
    const sessions = new Map<string, string>();
    const sessionOf = (ctx: { readonly request: { readonly headers: Headers } }): string =>
      ctx.request.headers.get("x-session") ?? "";
    const { service, pause } = await open({
      replicaWait: 50,
      positions: {
        read: async (ctx) => sessions.get(sessionOf(ctx)) ?? null,
        write: async (ctx, position) => void sessions.set(sessionOf(ctx), position),
      },
    });
    await pause();
    const written = await patch(service, 1, "new", { "X-Session": "a" });
    expect(sessions.get("a")).toBe(written.position);
    expect((await send(service, "/Items(1)", { "X-Session": "a" })).body.Name).toBe("new");
    expect((await send(service, "/Items(1)", { "X-Session": "b" })).body.Name).toBe("first");
    // The later of both counts.
    expect((await send(service, "/Items(1)", { "X-Session": "b", ...reading(written.position) })).body.Name).toBe(
      "new",
    );
    sessions.set("c", "no position");
    expect((await send(service, "/Items(1)", { "X-Session": "c" })).body.Name).toBe("new");
  });

  test("a session store that fails is logged, and reads use the primary", async () => {
    const { service, pause, warnings } = await open({
      isCold: true,
      positions: {
        read: () => Promise.reject(new Error("no store")),
        write: () => {
          throw new Error("no store");
        },
      },
    });
    await pause();
    const written = await patch(service, 1, "new");
    expect(written).toEqual({ ...written, status: 200, position: expect.any(String) });
    expect((await send(service, "/Items(1)")).body.Name).toBe("new");
    expect(warnings).toEqual([
      "error: `read` of `positions` failed: the request reads the primary.",
      "error: `write` of `positions` failed: the next reads of the session may not show the write.",
      "error: `read` of `positions` failed: the request reads the primary.",
    ]);
  });

  test("reads use the primary while the replica is away, and return to it", async () => {
    const { service, cut, mend, pause, warnings } = await open({ replicaWait: 5000 });
    await pause();
    await patch(service, 1, "new");
    expect((await send(service, "/Items(1)")).body.Name).toBe("first");
    await cut();
    for (let round = 0; round < 5; round += 1) {
      expect(await send(service, "/Items(1)")).toMatchObject({ status: 200, body: { Name: "new" } });
    }
    expect(warnings).toEqual(["The replica cannot be reached: reads use the primary until it can."]);
    await mend();
    await expect.poll(async () => (await send(service, "/Items(1)")).body.Name, { interval: 100 }).toBe("first");
    expect(warnings).toHaveLength(1);
  });

  test("a replica that is away from the start costs no request", async () => {
    const { service, warnings, cut } = await open({ replicaWait: 200, isCold: true });
    await cut();
    expect(await send(service, "/Items(1)")).toMatchObject({ status: 200, body: { Name: "first" } });
    expect(await send(service, "/Items?$expand=Parts")).toMatchObject({ status: 200 });
    expect(warnings).toEqual(["The replica cannot be reached: reads use the primary until it can."]);
  });

  test("a statement that replay cancels runs on the primary", async () => {
    const { service, admin, watcher, warnings, catchUp } = await open({ defaults: { queryTimeout: null } });
    await sql
      .raw("create view slow as select items.* from items, pg_sleep(case when pg_is_in_recovery() then 100 else 0 end)")
      .execute(admin);
    await sql.raw("alter table items rename to kept; alter view slow rename to items").execute(admin);
    await catchUp();
    await send(service, "/Parts(10)");
    await sql`alter system set max_standby_streaming_delay = 0`.execute(watcher);
    await sql`select pg_reload_conf()`.execute(watcher);
    try {
      const read = send(service, "/Items(1)");
      await until(async () => {
        const { rows } = await sql`select 1 as one from pg_stat_activity where wait_event = 'PgSleep'`.execute(watcher);
        return rows.length > 0;
      });
      await sql.raw("alter table kept add column more integer").execute(admin);
      expect(await read).toMatchObject({ status: 200, body: { Name: "first" } });
      expect(warnings).toEqual(["The replica refused a statement, so the primary ran it."]);
    } finally {
      await sql`alter system reset max_standby_streaming_delay`.execute(watcher);
      await sql`select pg_reload_conf()`.execute(watcher);
    }
  });

  test("a table that the replica does not have yet is read from the primary", async () => {
    const { service, admin, pause, warnings } = await open();
    await send(service, "/Items(1)");
    await sql.raw("alter table parts rename to later").execute(admin);
    await pause();
    await sql.raw("alter table later rename to parts").execute(admin);
    expect(await send(service, "/Parts(10)")).toMatchObject({ status: 200, body: { Label: "bolt" } });
    expect(warnings).toEqual(["The replica refused a statement, so the primary ran it."]);
  });

  test("a server that was promoted is not read", async () => {
    // A second pool to the primary is in the state of a promoted server: it is not in recovery.
    const other = await openPair(TABLES);
    ended.push(() => other.close());
    const { service, used, warnings } = await open({ isCold: true }, { readFrom: other.db });
    expect(await send(service, "/Items(1)")).toMatchObject({ status: 200, body: { Name: "first" } });
    const { position } = await patch(service, 1, "new");
    expect((await send(service, "/Items(1)", reading(position))).body.Name).toBe("new");
    expect(used.replica).toBe(0);
    expect(warnings).toEqual(["`readFrom` is no replica, or it was promoted: reads use the primary until it is one."]);
  });

  test("a record that fills a page of the log is reached, although the insert position is after the next header", async () => {
    const { admin, watcher } = await open();
    const emit = async (length: number): Promise<void> => {
      await sql`select pg_logical_emit_message(false, 'fill', repeat('x', ${length}))`.execute(admin);
    };
    const position = async (): Promise<readonly string[]> => {
      const { rows } = await sql.raw<Record<string, string>>(POSITION_READ.statement.sql).execute(admin);
      return Object.values(rows[0] ?? {});
    };
    const inserted = async (): Promise<number> => Number((await position())[1]);
    let found: readonly string[] = [];
    // Other work of the server may come between.
    for (let tries = 0; tries < 2000 && Number(found[1]) % 8192 !== 24; tries += 1) {
      const before = await inserted();
      await emit(1000);
      const overhead = (await inserted()) - before - 1000;
      const left = 8192 - ((await inserted()) % 8192);
      if (left - overhead < 400) continue;
      // A record is padded, and by how much depends on its length.
      await emit(left - overhead + 8 * ((tries % 9) - 4));
      found = await position();
    }
    const { offset } = toPosition(found);
    expect(Number(offset) % 8192).toBe(0);
    const reached = async (): Promise<boolean> => (toReplay(await replay()).offset ?? 0n) >= offset;
    const replay = async (): Promise<readonly unknown[]> => {
      const { rows } = await sql.raw<object>(REPLAY_READ.statement.sql).execute(watcher);
      return Object.values(rows[0] ?? {});
    };
    // No commit flushes the record: the server does so within five seconds.
    await expect.poll(reached, { interval: 20 }).toBe(true);
  });

  test.each([
    ["no token", "AAAA"],
    ["a position as PostgreSQL writes it", "0/16B3748"],
    ["a token of another secret", "other"],
    ["a changed token", "changed"],
    ["an empty text", ""],
  ])("rejects %s", async (_what, token) => {
    const { service } = await open();
    const { position } = await patch(service, 1, "new");
    const made: Readonly<Record<string, () => Promise<string>>> = {
      changed: () => Promise.resolve(`${position?.startsWith("A") === true ? "B" : "A"}${String(position?.slice(1))}`),
      other: async () => {
        const other = await open({ secret: "another secret of the tests" });
        return String((await patch(other.service, 1, "other")).position);
      },
    };
    const { status, body } = await send(service, "/Items(1)", { [HEADER]: (await made[token]?.()) ?? token });
    expect({ status, body }).toEqual({
      status: 400,
      body: {
        error: {
          code: "InvalidParameter",
          message:
            "X-OData-Position is not a position of this service: return the header of the last response to a write unchanged, or omit it.",
          target: HEADER,
        },
      },
    });
  });
});
