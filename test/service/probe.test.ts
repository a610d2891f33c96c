import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { Kysely, sql } from "kysely";
import { createPool } from "mysql2";
import { ConfigurationError, edm, entitySet, entityType, odataService, reloadable, type ODataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { mariadbDialect } from "odatakit/mariadb";
import { toNodeHandler } from "odatakit/node";
import { postgresDialect } from "odatakit/postgres";
import { sqliteDialect } from "odatakit/sqlite";
import { Pool } from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import { openPair, PRIMARY, REPLICA } from "../databases/sql/replica-pair.ts";
import { type AnyDatabase, ENGINES } from "../engine/executors/engines.ts";
import { noFailures } from "./http/model.ts";

const Note = entityType("Note", { id: edm.int32().key() });
const ms = expect.any(Number) as number;

function serviceOver(...databases: readonly AnyDatabase[]): ODataService {
  const entitySets = databases.map((db, index) =>
    sqlEntitySet(Note, { name: `Notes${String(index)}`, db, table: "notes", operations: ["read"] }),
  );
  return odataService({ prefix: "/odata", logger: noFailures, entitySets });
}

/** A server that accepts connections, and passes them on while it is not stopped; without a target it never responds. */
async function openLine(target?: { readonly host: string; readonly port: number }) {
  const sockets = new Set<Socket>();
  let accepted = 0;
  const server = createServer((socket) => {
    accepted += 1;
    const far = target === undefined ? null : connect(target);
    for (const each of far === null ? [socket] : [socket, far]) {
      sockets.add(each);
      each.on("error", () => undefined);
      each.on("close", () => sockets.delete(each));
    }
    if (far !== null) socket.pipe(far).pipe(socket);
  });
  const stop = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    if (!server.listening) return;
    server.close();
    await once(server, "close");
  };
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(stop);
  return { port: (server.address() as AddressInfo).port, stop, accepted: () => accepted };
}

function openDatabase(dialect: ConstructorParameters<typeof Kysely>[0]["dialect"]): AnyDatabase {
  return new Kysely({ dialect });
}

const DRIVERS = [
  ["PostgreSQL", (port: number) => postgresDialect({ pool: new Pool({ host: "127.0.0.1", port, max: 3 }) })],
  ["MariaDB", (port: number) => mariadbDialect({ pool: createPool({ host: "127.0.0.1", port, connectionLimit: 3 }) })],
] as const;

describe("`service.probe`", () => {
  test("of a service without databases is ok", async () => {
    const set = entitySet(Note, { getAll: () => [] });
    expect(await odataService({ entitySets: [set] }).probe()).toEqual({ ok: true, databases: [] });
  });

  test.each(ENGINES)("reports that $title responds, and that it does not once it is closed", async (engine) => {
    const { db, close } = await engine.open();
    const service = serviceOver(db, db);
    const dialect = engine.title === "PGlite" ? "PostgreSQL" : engine.title;
    const shown = { sets: ["Notes0", "Notes1"], dialect, role: "primary", ms };
    expect(await service.probe({ timeout: 60_000 })).toEqual({ ok: true, databases: [{ ...shown, ok: true }] });
    await close();
    const { ok, databases } = await service.probe({ timeout: 60_000 });
    expect({ ok, databases }).toEqual({
      ok: false,
      databases: [{ ...shown, ok: false, error: expect.any(Error) as Error }],
    });
  });

  test.each(DRIVERS)("reports that %s cannot be reached", async (dialect, dialectAt) => {
    const line = await openLine();
    await line.stop();
    const db = openDatabase(dialectAt(line.port));
    const { ok, databases } = await serviceOver(db).probe({ timeout: 60_000 });
    expect(ok).toBe(false);
    expect(databases).toEqual([
      { sets: ["Notes0"], dialect, role: "primary", ok: false, ms, error: expect.any(Error) as Error },
    ]);
    expect(databases[0]?.error).toMatchObject({ code: "ECONNREFUSED" });
    await db.destroy();
  });

  test.each(DRIVERS)("of %s that hangs ends in time, and uses one connection", async (dialect, dialectAt) => {
    const line = await openLine();
    const db = openDatabase(dialectAt(line.port));
    const service = serviceOver(db);
    for (let round = 0; round < 4; round += 1) {
      const reports = await Promise.all([service.probe({ timeout: 20 }), service.probe({ timeout: 30 })]);
      expect(reports.map(({ ok }) => ok)).toEqual([false, false]);
      expect(reports.map(({ databases: [first] }) => first?.error?.message)).toEqual([
        "The database did not respond within 20 ms.",
        "The database did not respond within 30 ms.",
      ]);
      expect(reports[0].databases[0]).toMatchObject({ sets: ["Notes0"], dialect, ok: false, ms });
    }
    expect(line.accepted()).toBe(1);
    await line.stop();
    // The hanging statement has ended, so the next one is tried.
    await expect
      .poll(async () => (await service.probe({ timeout: 60_000 })).databases[0]?.error)
      .toMatchObject({ code: "ECONNREFUSED" });
    await db.destroy();
  });

  test("is ok only if all databases respond", async () => {
    const line = await openLine();
    await line.stop();
    const dead = openDatabase(DRIVERS[0][1](line.port));
    const alive = openDatabase(sqliteDialect(":memory:"));
    const { ok, databases } = await serviceOver(alive, dead).probe();
    expect([ok, databases.map((each) => [each.sets, each.ok])]).toEqual([
      false,
      [
        [["Notes0"], true],
        [["Notes1"], false],
      ],
    ]);
    await Promise.all([dead.destroy(), alive.destroy()]);
  });

  test("of a reloadable service probes the current service", async () => {
    const [first, second] = [openDatabase(sqliteDialect(":memory:")), openDatabase(sqliteDialect(":memory:"))];
    for (const db of [first, second]) await sql`create table notes (id integer primary key)`.execute(db);
    const service = reloadable(serviceOver(first));
    expect((await service.probe()).databases).toHaveLength(1);
    await service.replace(serviceOver(second, second), { close: () => first.destroy() });
    expect(await service.probe()).toMatchObject({ ok: true, databases: [{ sets: ["Notes0", "Notes1"], ok: true }] });
    await second.destroy();
  });

  test.each([0, -1, 1.5, Infinity, Number.NaN, 2 ** 31, "5", null])("rejects the timeout %s", async (timeout) => {
    const probe = odataService({ entitySets: [] }).probe({ timeout: timeout as number });
    await expect(probe).rejects.toThrow(ConfigurationError);
    await expect(probe).rejects.toThrow(
      /`timeout` of probe cannot be .*[^]*Give whole milliseconds from 1 to 2147483647/u,
    );
  });

  test.each<readonly [unknown, string]>([
    [{ timeuot: 5 }, "probe has no option `timeuot`. Did you mean `timeout`?"],
    [500, "The options of probe cannot be 500. Give { timeout: 2000 }."],
    [null, "The options of probe cannot be null. Give { timeout: 2000 }."],
  ])("rejects the options %j", async (options, message) => {
    const probe = odataService({ entitySets: [] }).probe(options as never);
    await expect(probe).rejects.toThrow(ConfigurationError);
    await expect(probe).rejects.toThrow(message);
  });

  test.skipIf(REPLICA === undefined)("reports a replica, without which the service still works", async () => {
    const pair = await openPair("create table notes (id integer primary key)");
    onTestFinished(pair.close);
    const { db, readFrom } = pair;
    const notes = sqlEntitySet(Note, { db, readFrom, table: "notes", operations: ["read"] });
    const service = odataService({
      secret: "a secret of the tests of probes",
      logger: noFailures,
      entitySets: [notes],
    });
    const rolesOf = async () => {
      const { ok, databases } = await service.probe();
      return [ok, databases.map((each) => `${each.role} ${String(each.ok)}`)];
    };
    expect(await rolesOf()).toEqual([true, ["primary true", "replica true"]]);
    await pair.cut();
    expect(await rolesOf()).toEqual([true, ["primary true", "replica false"]]);
  });
});

/** The sample of the guide to deployment. */
async function sampleServer(shop: ODataService): Promise<string> {
  const odata = toNodeHandler(shop);
  const server = createHttpServer((request, response) => {
    if (/^\/odata(?:[/?]|$)/u.test(request.url ?? "")) odata(request, response);
    else if (request.url === "/health/ready") {
      void shop.probe({ timeout: 1000 }).then(({ ok }) => {
        response.writeHead(ok ? 200 : 503).end(ok ? "ready" : "unavailable");
      });
    } else response.end("Something else.");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
}

describe("the sample of an own server", () => {
  const answerOf = async (url: string) => {
    const response = await fetch(`${url}/health/ready`);
    return [response.status, await response.text()];
  };

  test("is not ready once its database is closed", async () => {
    const db = openDatabase(sqliteDialect(":memory:"));
    await sql`create table notes (id integer primary key)`.execute(db);
    const shop = serviceOver(db);
    await shop.ready();
    const url = await sampleServer(shop);
    expect(await answerOf(url)).toEqual([200, "ready"]);
    await db.destroy();
    expect(await answerOf(url)).toEqual([503, "unavailable"]);
  });

  test.skipIf(PRIMARY === undefined)("is not ready while PostgreSQL is stopped", async () => {
    const { hostname: host, port, username, password, pathname } = new URL(PRIMARY ?? "");
    const line = await openLine({ host, port: Number(port === "" ? 5432 : port) });
    const at = `postgres://${username}${password === "" ? "" : `:${password}`}@127.0.0.1:${String(line.port)}${pathname}`;
    const pool = new Pool({ connectionString: at });
    const db = openDatabase(postgresDialect({ pool }));
    const url = await sampleServer(serviceOver(db));
    expect(await answerOf(url)).toEqual([200, "ready"]);
    await line.stop();
    expect(await answerOf(url)).toEqual([503, "unavailable"]);
    await db.destroy();
  });
});
