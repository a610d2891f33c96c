import { setTimeout as pause } from "node:timers/promises";
import { Kysely, sql } from "kysely";
import { edm, entitySet, entityType, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { serve, type ServeOptions } from "odatakit/node";
import { openApiRoute } from "odatakit/openapi";
import { sqliteDialect } from "odatakit/sqlite";
import { expect, onTestFinished, test, vi } from "vitest";
import { hangingDatabase } from "../../hanging-database.ts";
import { passTime, stopTimers, until } from "../../timers.ts";
import { noFailures } from "./model.ts";

const Note = entityType("Note", { id: edm.int32().key(), text: edm.string() });
const PROBES: ServeOptions = { port: 0, host: "127.0.0.1", health: "/healthz", ready: "/readyz" };
const array = odataService({
  prefix: "/odata",
  logger: noFailures,
  entitySets: [entitySet(Note, { getAll: () => [], getByKey: (id) => pause(id, { id, text: "" }) })],
});

async function start(services: Parameters<typeof serve>[0], options: ServeOptions = PROBES) {
  const server = await serve(services, options);
  onTestFinished(() => server.close());
  return server;
}

async function answerOf(url: string, init?: RequestInit) {
  const response = await fetch(url, init);
  return [response.status, await response.text()] as const;
}

test("a process reports that it is alive and ready", async () => {
  const { url } = await start(array);
  expect(await answerOf(`${url}/healthz`)).toEqual([200, '{"status":"ok"}']);
  const response = await fetch(`${url}/readyz?x=1`);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    "content-type": "application/json",
    "cache-control": "no-store",
    "odata-version": "4.0",
    "x-content-type-options": "nosniff",
    "x-request-id": expect.any(String),
  });
  expect([response.status, await response.text()]).toEqual([200, '{"status":"ready"}']);
  expect(await answerOf(`${url}/readyz`, { method: "HEAD" })).toEqual([200, ""]);
  const post = await fetch(`${url}/healthz`, { method: "POST" });
  expect([post.status, post.headers.get("allow"), JSON.parse(await post.text()).error.code]).toEqual([
    405,
    "GET, HEAD",
    "MethodNotAllowed",
  ]);
  expect((await fetch(`${url}/healthz/x`)).status).toBe(404);
  expect((await fetch(`${url}/odata/Notes`)).status).toBe(200);
});

test("a service at the root keeps its paths, and other paths are free", async () => {
  const root = odataService({ logger: noFailures, entitySets: [entitySet(Note, { getAll: () => [] })] });
  const { url } = await start(root);
  expect(await answerOf(`${url}/healthz`)).toEqual([200, '{"status":"ok"}']);
  expect((await fetch(`${url}/Notes`)).status).toBe(200);
  await expect(serve(root, { ...PROBES, ready: "/Notes" })).rejects.toThrow(/a service has this path/u);
});

test.each(["/", "/Notes", "/Notes(1)", "/Notes/$count", "/$metadata", "/$batch", "/service.odc", "/openapi.json"])(
  "a service at the root has the path %s, so it is a ConfigurationError",
  async (path) => {
    const root = odataService({
      logger: noFailures,
      routes: [openApiRoute()],
      entitySets: [entitySet(Note, { getAll: () => [], getByKey: () => null })],
    });
    for (const name of ["health", "ready"] as const) {
      await expect(serve(root, { port: 0, [name]: path })).rejects.toThrow(
        new RegExp(`\`${name}\` of serve cannot be .*: a service has this path\\.[^]*such as "/${name}z"`, "u"),
      );
    }
  },
);

test.each(["/odata", "/odata/healthz", "/odata/"])(
  "a path of a service, %s, is a ConfigurationError",
  async (health) => {
    await expect(serve(array, { ...PROBES, health })).rejects.toThrow(
      /`health` of serve cannot be .*: a service serves all paths below \/odata/u,
    );
  },
);

test("a process is not ready without its database, and says nothing about it", async () => {
  const db = new Kysely<unknown>({ dialect: sqliteDialect(":memory:") });
  await sql`create table notes (id integer primary key, text text not null)`.execute(db);
  const tables = odataService({
    name: "tables",
    logger: noFailures,
    entitySets: [sqlEntitySet(Note, { db, table: "notes", operations: ["read"] })],
  });
  const { url } = await start([array, tables]);
  expect(await answerOf(`${url}/readyz`)).toEqual([200, '{"status":"ready"}']);
  await db.destroy();
  expect(await answerOf(`${url}/readyz`)).toEqual([503, '{"status":"unavailable"}']);
  expect(await answerOf(`${url}/healthz`)).toEqual([200, '{"status":"ok"}']);
});

test("a database that hangs gets one statement, however often a process is checked", async () => {
  const { db, hang } = hangingDatabase();
  const tables = odataService({
    name: "tables",
    logger: { ...noFailures, warn: () => undefined },
    schemaCheck: false,
    entitySets: [sqlEntitySet(Note, { db, table: "notes", operations: ["read"] })],
  });
  const { url } = await start(tables);
  expect((await fetch(`${url}/readyz`)).status).toBe(200);
  const before = hang.statements;
  hang.hangs = true;
  stopTimers();
  const waiting = Array.from({ length: 20 }, () => answerOf(`${url}/readyz`));
  await until(() => vi.getTimerCount() >= 20);
  await passTime(2000);
  const answers = await Promise.all(waiting);
  expect(new Set(answers.map(([status]) => status))).toEqual(new Set([503]));
  expect(hang.statements - before).toBe(1);
  hang.hangs = false;
  hang.release();
  await expect.poll(async () => (await fetch(`${url}/readyz`)).status).toBe(200);
});

test("a process that stops is alive, and not ready, until drainDelay ends", async () => {
  const server = await start(array, { ...PROBES, drainDelay: 2000 });
  const slow = fetch(`${server.url}/odata/Notes(1500)`);
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
  stopTimers();
  const closing = server.close();
  expect((await fetch(`${server.url}/readyz`)).status).toBe(503);
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  expect((await slow).status).toBe(200);
  await passTime(2000);
  await closing;
});
