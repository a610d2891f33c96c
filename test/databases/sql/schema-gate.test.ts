import { Kysely, PostgresDialect, SqliteAdapter, sql, type DatabaseConnection, type Dialect } from "kysely";
import {
  arraySource,
  authenticated,
  ConfigurationError,
  edm,
  entitySet,
  entityType,
  odataService,
  type Logger,
} from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { serve } from "odatakit/node";
import { sqliteDialect } from "odatakit/sqlite";
import { Pool } from "pg";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { AnyDatabase } from "../../engine/executors/engines.ts";

const Note = entityType("Note", { id: edm.int32().key(), text: edm.string() });

interface Logged {
  readonly logger: Logger;
  readonly lines: readonly string[];
}

function toLog(): Logged {
  const lines: string[] = [];
  const keep =
    (level: string): Logger["warn"] =>
    (message, { err }) => {
      lines.push(`${level}: ${message}${err instanceof Error ? ` ${err.name}` : ""}`);
    };
  return { logger: { error: keep("error"), warn: keep("warn"), info: keep("info") }, lines };
}

const request = new Request("http://notes.example/Notes");
const ERROR_HEADERS = {
  "cache-control": "no-store",
  "content-language": "en",
  "content-type": "application/json;odata.metadata=minimal",
  "odata-version": "4.0",
  "x-content-type-options": "nosniff",
  "x-request-id": expect.any(String) as string,
};

function methodsOf(dialect: Dialect): Omit<Dialect, "createAdapter"> {
  return {
    createDriver: () => dialect.createDriver(),
    createIntrospector: (db) => dialect.createIntrospector(db),
    createQueryCompiler: () => dialect.createQueryCompiler(),
  };
}

describe("before the first request", () => {
  const opened: AnyDatabase[] = [];
  afterEach(async () => {
    for (const db of opened.splice(0)) await db.destroy();
  });
  const keep = (db: AnyDatabase): AnyDatabase => {
    opened.push(db);
    return db;
  };
  const embedded = (): AnyDatabase => keep(new Kysely({ dialect: sqliteDialect(":memory:") }));
  /** Nothing listens there. */
  const unreachable = (): AnyDatabase =>
    keep(new Kysely({ dialect: new PostgresDialect({ pool: new Pool({ host: "127.0.0.1", port: 1 }) }) }));
  const notes = (db: AnyDatabase) => sqlEntitySet(Note, { db, table: "notes", operations: ["read"] });
  const createNotes = sql`create table notes (id integer primary key, text text not null)`;

  test("returns 503 after half a minute if the database never returns its catalogue, and retries on the next request", async () => {
    const postgres = new PostgresDialect({ pool: new Pool({ host: "127.0.0.1", port: 1 }) });
    let asked = 0;
    const connection: DatabaseConnection = {
      executeQuery: () => {
        asked += 1;
        return new Promise(() => {});
      },
      streamQuery: () => {
        throw new Error("Nothing is streamed.");
      },
    };
    const nothing = (): Promise<void> => Promise.resolve();
    const endless = keep(
      new Kysely({
        dialect: {
          ...methodsOf(postgres),
          createAdapter: () => postgres.createAdapter(),
          createDriver: () => ({
            init: nothing,
            acquireConnection: () => Promise.resolve(connection),
            beginTransaction: nothing,
            commitTransaction: nothing,
            rollbackTransaction: nothing,
            releaseConnection: nothing,
            destroy: nothing,
          }),
        },
      }),
    );
    const { logger, lines } = toLog();
    const service = odataService({ entitySets: [notes(endless)], logger });
    vi.useFakeTimers();
    try {
      for (const time of [1, 2]) {
        const answer = service.fetch(request.clone());
        await vi.advanceTimersByTimeAsync(30_000);
        const { status, headers } = await answer;
        expect([status, headers.get("retry-after"), asked]).toEqual([503, "1", time]);
      }
    } finally {
      vi.useRealTimers();
    }
    expect(lines).toEqual(["error: A request failed. ODataError", "error: A request failed. ODataError"]);
  });

  test("distinguishes a database that rejects connections from a hidden catalogue", async () => {
    // This file is not an SQLite database.
    const db = keep(new Kysely({ dialect: sqliteDialect(import.meta.filename) }));
    const { logger, lines } = toLog();
    const service = odataService({ entitySets: [notes(db)], logger });
    await expect(service.ready()).rejects.toThrow(/the database of Notes cannot be read: .* file is not a database/);
    expect((await service.fetch(request.clone())).status).toBe(503);
    expect(lines).toEqual(["error: A request failed. ODataError"]);
    const warned = odataService({ entitySets: [notes(db)], logger, schemaCheck: "warn" });
    await expect(warned.ready()).resolves.toBeUndefined();
  });

  test("requests that read no data, and anonymous users, do not wait for the check", async () => {
    const { logger, lines } = toLog();
    const service = odataService({ entitySets: [notes(embedded())], authorization: authenticated(), logger });
    const open = odataService({ entitySets: [notes(embedded())], logger });
    const statusOf = async (asked: typeof service, path: string): Promise<number> =>
      (await asked.fetch(new Request(`http://notes.example/${path}`))).status;
    expect([await statusOf(service, "Notes"), await statusOf(service, "Notes(1)")]).toEqual([401, 401]);
    expect([await statusOf(open, ""), await statusOf(open, "$metadata"), await statusOf(open, "Nope")]).toEqual([
      200, 200, 404,
    ]);
    expect(lines).toEqual([]);
    expect(await statusOf(open, "Notes")).toBe(500);
    expect(lines).toHaveLength(1);
  });

  test("compares declarations with tables that were created after the service", async () => {
    const db = embedded();
    const service = odataService({ entitySets: [notes(db)] });
    await createNotes.execute(db);
    // SQLite is synchronous, so even the first request needs no promise.
    const answer = service.handle({
      method: "GET",
      target: "/Notes/$count",
      scheme: "http",
      host: "notes.example",
      header: () => undefined,
      headers: new Headers(),
      signal: new AbortController().signal,
      hasBody: false,
      readBody: () => new Uint8Array(),
    });
    expect(answer).not.toBeInstanceOf(Promise);
    expect(answer).toMatchObject({ status: 200 });
    await expect(service.ready()).resolves.toBeUndefined();
  });

  test("logs faults once, and hides their text from responses", async () => {
    const db = embedded();
    const { logger, lines } = toLog();
    const service = odataService({ entitySets: [notes(db)], logger });
    const responses = [await service.fetch(request), await service.fetch(request)];
    for (const response of responses) {
      expect([response.status, Object.fromEntries(response.headers), await response.json()]).toEqual([
        500,
        { ...ERROR_HEADERS, "content-length": "145" },
        {
          error: {
            code: "InternalServerError",
            message: "The declarations of the service do not match its database. The log contains the differences.",
          },
        },
      ]);
    }
    expect(lines).toEqual(["error: The schema check failed, so requests return 500. ConfigurationError"]);
    await expect(service.ready()).rejects.toThrow(
      "The service cannot start: 1 fault where its declarations and its database differ.\n" +
        "  1. Notes: The database has no table `notes`. " +
        "The service sees no tables in this database. Create the table, or correct the name of the database.",
    );
    await createNotes.execute(db);
    await service.ready();
    expect((await service.fetch(request)).status).toBe(200);
  });

  test("repeats a failed check for a later request", async () => {
    const db = embedded();
    const service = odataService({ entitySets: [notes(db)], logger: toLog().logger });
    expect((await service.fetch(request)).status).toBe(500);
    await createNotes.execute(db);
    await expect.poll(async () => (await service.fetch(request)).status).toBe(200);
  });

  test("`warn` logs what differs, and `false` reads no catalogue", async () => {
    const db = embedded();
    await sql`create table notes (id integer primary key, text text)`.execute(db);
    const { logger, lines } = toLog();
    const warned = odataService({ entitySets: [notes(db)], logger, schemaCheck: "warn" });
    const unchecked = odataService({ entitySets: [notes(db)], logger, schemaCheck: false });
    expect([(await warned.fetch(request)).status, (await unchecked.fetch(request)).status]).toEqual([200, 200]);
    expect(lines).toEqual([
      "warn: Notes: The column `notes.text` may be null, but the property may not. Add `not null` to the column, or declare the property with `.nullable()`.",
    ]);
    expect(() => odataService({ entitySets: [], schemaCheck: true as unknown as false })).toThrow(
      '`schemaCheck` of odataService cannot be true. Give "error" or "warn" or false.',
    );
  });

  test("reports an unavailable database clearly, and returns 503", async () => {
    const { logger, lines } = toLog();
    const service = odataService({ entitySets: [notes(unreachable())], logger });
    await expect(service.ready()).rejects.toThrow(
      "The schema check failed: the database of Notes cannot be read: connect ECONNREFUSED 127.0.0.1:1. " +
        "Check that the database runs and that the settings of the connection are right. " +
        'To start the service without the check, set schemaCheck: "warn".',
    );
    await expect(serve(service, { port: 0 })).rejects.toThrow("the database of Notes cannot be read");
    const response = await service.fetch(request);
    expect([response.status, Object.fromEntries(response.headers), await response.json()]).toEqual([
      503,
      { ...ERROR_HEADERS, "content-length": "114", "retry-after": "1" },
      {
        error: {
          code: "ServiceUnavailable",
          message: "The database cannot be reached at the moment. Try again later.",
        },
      },
    ]);
    expect(lines).toEqual(["error: A request failed. ODataError"]);
    const lenient = odataService({ entitySets: [notes(unreachable())], logger, schemaCheck: "warn" });
    await lenient.ready();
    expect(lines.at(-1)).toContain("warn: The schema check failed: the database of Notes cannot be read");
  });

  test("concurrent requests share one check", async () => {
    const { logger, lines } = toLog();
    let connections = 0;
    const connect = (): Promise<never> => {
      connections += 1;
      return Promise.reject(Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" }));
    };
    const pool = { connect, end: () => Promise.resolve() } as never;
    const service = odataService({
      entitySets: [notes(keep(new Kysely({ dialect: new PostgresDialect({ pool }) })))],
      logger,
    });
    const responses = await Promise.all([service.fetch(request.clone()), service.fetch(request.clone())]);
    expect(responses.map(({ status }) => status)).toEqual([503, 503]);
    // One check runs two statements at once, each on its own connection.
    expect(connections).toBe(2);
    expect(lines).toHaveLength(1);
  });

  test("concurrent requests share the error of one check", async () => {
    const sqlite = { ...methodsOf(sqliteDialect(":memory:")), createAdapter: () => new SqliteAdapter() };
    const { logger, lines } = toLog();
    const service = odataService({ entitySets: [notes(keep(new Kysely({ dialect: sqlite })))], logger });
    const responses = await Promise.all([service.fetch(request.clone()), service.fetch(request.clone())]);
    expect(responses.map(({ status }) => status)).toEqual([500, 500]);
    expect(lines).toEqual(["error: The schema check failed, so requests return 500. ConfigurationError"]);
  });

  test.each<readonly [string, Error, string]>([
    [
      "several addresses",
      new AggregateError(
        [new Error("connect ECONNREFUSED ::1:5432"), new Error("connect ECONNREFUSED 127.0.0.1:5432")],
        "several addresses",
      ),
      "connect ECONNREFUSED ::1:5432",
    ],
    ["an error without a message", Object.assign(new Error("x"), { name: "PoolError", message: "" }), "PoolError"],
  ])("`ready` names the reason of a failed connection: %s", async (_name, error, reason) => {
    const pool = { connect: () => Promise.reject(error), end: () => Promise.resolve() } as never;
    const db = keep(new Kysely({ dialect: new PostgresDialect({ pool }) }));
    const service = odataService({ entitySets: [notes(db)], logger: toLog().logger });
    await expect(service.ready()).rejects.toThrow(`the database of Notes cannot be read: ${reason}.`);
  });

  test("`serve` reports the faults of all services at once", async () => {
    const db = embedded();
    const services = ["v1", "v2"].map((name) => odataService({ name, entitySets: [notes(db)] }));
    const failed: unknown = await serve(services, { port: 0 }).then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(failed).toBeInstanceOf(ConfigurationError);
    expect((failed as ConfigurationError).faults).toHaveLength(2);
  });

  test("warns about an engine that hides its catalogue", async () => {
    const dialect = sqliteDialect(":memory:");
    const createAdapter = (): ReturnType<typeof dialect.createAdapter> =>
      new Proxy(dialect.createAdapter(), {
        get: (target, name) => {
          const value: unknown = Reflect.get(target, name);
          if (typeof value !== "function") return value;
          if (name !== "readRows" && name !== "read") return value.bind(target) as unknown;
          return (text: string, ...given: readonly unknown[]): unknown => {
            if (text.includes("pragma_")) throw new Error("pragmas are not allowed");
            return Reflect.apply(value, target, [text, ...given]);
          };
        },
      });
    const refusing = { ...methodsOf(dialect), createAdapter };
    const db = keep(new Kysely({ dialect: refusing }));
    await createNotes.execute(db);
    const { logger, lines } = toLog();
    const service = odataService({ entitySets: [notes(db)], logger });
    expect((await service.fetch(request)).status).toBe(200);
    expect(lines).toEqual([
      "warn: Notes: The catalogue of the database cannot be read, so its schema is not checked: pragmas are not allowed. Let the user of the service read the catalogue, or set `schemaCheck: false`.",
    ]);
  });

  test("does not wait in a service without a database", async () => {
    const set = entitySet(Note, { queryable: () => arraySource(Note, [{ id: 1, text: "a" }]) });
    const service = odataService({ entitySets: [set] });
    await service.ready();
    expect((await service.fetch(request)).status).toBe(200);
  });
});
