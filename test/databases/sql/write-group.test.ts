import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setImmediate as nextTurn } from "node:timers/promises";
import { Kysely, sql } from "kysely";
import { edm, entityType, odataService, type ODataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { UndoneWriteError } from "../../../src/databases/connection/synchronous-reader.ts";
import { WriteGroup } from "../../../src/databases/sqlite/driver/write-group.ts";
import type { AnyDatabase } from "../../engine/executors/engines.ts";

/** Writes of requests that arrive together share one transaction over SQLite, and none of them harms another. */

const Thing = entityType("Thing", {
  id: edm.int32().key(),
  name: edm.string(),
  ownerId: edm.int32().nullable(),
});

/** The table checks owners when a transaction ends, and a trigger per name refuses a row in one of SQLite's ways. */
const TABLES: readonly string[] = [
  "create table owner (id integer primary key)",
  `create table thing (
    id integer primary key,
    name text not null unique,
    owner_id integer references owner (id) deferrable initially deferred
  )`,
  "create table log (name text not null)",
  ...["rollback", "abort", "fail"].map(
    (way) => `create trigger refuse_${way} after insert on thing when new.name = '${way}' begin
      insert into log values (new.name);
      select raise(${way}, 'CHECK constraint failed: refused');
    end`,
  ),
];

const SILENT = { error: () => undefined, warn: () => undefined, info: () => undefined };

const folder = mkdtempSync(join(tmpdir(), "write-group-"));
const opened: AnyDatabase[] = [];
let files = 0;

afterEach(async () => {
  for (const db of opened.splice(0)) await db.destroy();
});

afterAll(() => {
  rmSync(folder, { recursive: true });
});

interface Opened {
  readonly db: AnyDatabase;
  readonly service: ODataService;
  /** The names that another connection sees. */
  readonly names: () => readonly unknown[];
  readonly logged: () => readonly unknown[];
}

async function open(): Promise<Opened> {
  files += 1;
  const file = join(folder, `${String(files)}.db`);
  const db: AnyDatabase = new Kysely({ dialect: sqliteDialect(file, { busyTimeout: 0 }) });
  opened.push(db);
  await db.connection().execute(async (connection) => {
    for (const command of TABLES) await sql.raw(command).execute(connection);
  });
  const columns = { ownerId: "owner_id" };
  const things = sqlEntitySet(Thing, {
    db,
    table: "thing",
    columns,
    operations: ["read", "create", "patch", "delete"],
  });
  const service = odataService({ prefix: "", entitySets: [things], logger: SILENT });
  expect((await post(service, 1, "first")).status).toBe(201);
  const column = (name: string, table: string): readonly unknown[] => {
    const other = new DatabaseSync(file);
    try {
      const rows = other.prepare(`select ${name} as cell from ${table} order by rowid`).all();
      return rows.map(({ cell }) => cell);
    } finally {
      other.close();
    }
  };
  return { db, service, names: () => column("name", "thing"), logged: () => column("name", "log") };
}

function send(service: ODataService, method: string, path: string, body?: object): Promise<Response> {
  const content = body === undefined ? {} : { body: JSON.stringify(body) };
  const headers = { "Content-Type": "application/json" };
  return service.fetch(new Request(`http://service.example${path}`, { method, headers, ...content }));
}

function post(service: ODataService, id: number, name: string, ownerId: number | null = null): Promise<Response> {
  return send(service, "POST", "/Things", { Id: id, Name: name, OwnerId: ownerId });
}

function statuses(responses: readonly Response[]): readonly number[] {
  return responses.map(({ status }) => status);
}

const NUMBERS = Array.from({ length: 10 }, (_none, index) => index + 2);

test("writes of one turn become visible together, and their responses follow the commit", async () => {
  const { service, names } = await open();
  const seen: (readonly unknown[])[] = [];
  const sent = NUMBERS.map(async (id) => {
    const response = await post(service, id, `thing ${String(id)}`);
    seen.push(names());
    return response;
  });
  expect(statuses(await Promise.all(sent))).toEqual(NUMBERS.map(() => 201));
  for (const each of seen) expect([1, ...NUMBERS].length - each.length).toBeLessThanOrEqual(0);
});

test("a read meanwhile sees no row that is not committed", async () => {
  const { service } = await open();
  const written = post(service, 2, "second");
  const counted = await send(service, "GET", "/Things/$count");
  const responses = [
    await counted.text(),
    (await written).status,
    await (await send(service, "GET", "/Things/$count")).text(),
  ];
  expect(["1", "2"]).toContain(responses[0]);
  expect(responses.slice(1)).toEqual([201, "2"]);
});

test.each([
  ["a key that is taken", 1, "other", null, 409],
  ["a value that is taken", 50, "first", null, 409],
  ["a missing owner, which the commit finds", 50, "owned", 9, 409],
  ["a trigger that aborts the statement", 50, "abort", null, 400],
  ["a trigger that fails and keeps earlier changes", 50, "fail", null, 400],
  ["a trigger that rolls back the transaction", 50, "rollback", null, 400],
])("%s refuses one write, and no other", async (_why, id, name, owner, status) => {
  const { service, names, logged } = await open();
  const half = NUMBERS.length / 2;
  const all = NUMBERS.map((number, index) => {
    return index === half ? post(service, id, name, owner) : post(service, number, `thing ${String(number)}`);
  });
  const responses = await Promise.all(all);
  expect(statuses(responses)).toEqual(NUMBERS.map((_number, index) => (index === half ? status : 201)));
  const kept = NUMBERS.filter((_number, index) => index !== half);
  expect(new Set(names())).toEqual(new Set(["first", ...kept.map((number) => `thing ${String(number)}`)]));
  expect(logged()).toEqual([]);
});

test("the first and the last write of a turn may be refused", async () => {
  const { service, names } = await open();
  const all = ["rollback", "a", "first", "b", "rollback"].map((name, index) => post(service, 10 + index, name));
  expect(statuses(await Promise.all(all))).toEqual([400, 201, 409, 201, 400]);
  expect(names()).toEqual(["first", "a", "b"]);
});

test("writes of one row in one turn follow each other, and conditions hold", async () => {
  const { service } = await open();
  const all = ["a", "b", "c"].map((Name) => send(service, "PATCH", "/Things(1)", { Name }));
  expect(statuses(await Promise.all(all))).toEqual([200, 200, 200]);
  const gone = [send(service, "DELETE", "/Things(1)"), send(service, "PATCH", "/Things(1)", { Name: "d" })];
  expect(statuses(await Promise.all(gone))).toEqual([204, 404]);
});

test("a transaction of the application in the same turn is separate", async () => {
  const { db, service, names } = await open();
  const before = post(service, 2, "before");
  const failure = new Error("rolled back");
  const transaction = db.transaction().execute(async (trx) => {
    await trx.insertInto("thing").values({ id: 3, name: "inside" }).execute();
    throw failure;
  });
  const after = post(service, 4, "after");
  await expect(transaction).rejects.toBe(failure);
  expect(statuses(await Promise.all([before, after]))).toEqual([201, 201]);
  expect(new Set(names())).toEqual(new Set(["first", "before", "after"]));
});

test("closing the database commits the writes that have run", async () => {
  const { db, service, names } = await open();
  const writes = NUMBERS.map((id) => post(service, id, `thing ${String(id)}`));
  await nextTurn();
  await db.destroy();
  const done = statuses(await Promise.all(writes)).filter((status) => status === 201);
  expect(names().length).toBe(done.length + 1);
});

test("a lock of another process leads to 503, or to success after it is released", async () => {
  const { service, names } = await open();
  const other = new DatabaseSync(join(folder, `${String(files)}.db`));
  other.exec("begin immediate");
  const refused = await Promise.all(NUMBERS.slice(0, 3).map((id) => post(service, id, `thing ${String(id)}`)));
  expect(statuses(refused)).toEqual([503, 503, 503]);
  other.exec("rollback");
  other.close();
  expect((await post(service, 2, "second")).status).toBe(201);
  expect(names()).toEqual(["first", "second"]);
});

describe("a disk that fails", () => {
  /** A connection whose commands fail while they are in `failing`. */
  function connect(): { group: WriteGroup; failing: Set<string>; commands: string[]; end: () => void } {
    const failing = new Set<string>();
    const commands: string[] = [];
    let isTransaction = false;
    const group = new WriteGroup({
      get isTransaction() {
        return isTransaction;
      },
      command: (command) => {
        commands.push(command);
        if (failing.has(command)) throw new Error(`disk I/O error: ${command}`);
        if (command === "begin immediate") isTransaction = true;
        if (command === "commit" || command === "rollback") isTransaction = false;
      },
    });
    const end = (): void => {
      isTransaction = false;
    };
    return { group, failing, commands, end };
  }

  const ended = (writes: readonly Promise<unknown>[]): Promise<readonly unknown[]> =>
    Promise.all(writes.map((write) => write.catch((error: unknown) => error)));

  test.each(["the immediate", "another user"])("ends each write if %s can neither commit nor undo", async (by) => {
    const { group, failing, commands } = connect();
    failing.add("commit").add("rollback");
    const writes = [group.add(() => 1), group.add(() => 2)];
    if (by === "another user") expect(() => group.settle()).toThrow("disk I/O error: rollback");
    for (const error of await ended(writes)) {
      expect(error).not.toBeInstanceOf(UndoneWriteError);
      expect(error).toMatchObject({ cause: { message: "disk I/O error: commit" } });
    }
    expect(group.isOpen).toBe(false);
    // The connection is free, and its transaction is still open.
    expect(() => group.add(() => 3)).toThrow("disk I/O error: rollback");
    expect(() => group.settle()).toThrow("disk I/O error: rollback");
    failing.clear();
    commands.length = 0;
    expect(await group.add(() => 4)).toBe(4);
    const member = ["savepoint odatakit_member", "release odatakit_member"];
    expect(commands).toEqual(["rollback", "begin immediate", ...member, "commit"]);
  });

  test("needs no second rollback if SQLite has ended the transaction itself", async () => {
    const { group, failing, commands, end } = connect();
    failing.add("commit").add("rollback");
    await ended([group.add(() => 1)]);
    end();
    commands.length = 0;
    group.settle();
    expect(commands).toEqual([]);
  });

  test("undoes the whole group if one write cannot be undone", async () => {
    for (const command of ["savepoint odatakit_member", "rollback to odatakit_member", "release odatakit_member"]) {
      const { group, failing, commands } = connect();
      const first = group.add(() => 1);
      failing.add(command);
      if (command !== "rollback to odatakit_member") failing.add("rollback to odatakit_member");
      const second = group.add(() => {
        throw new Error("refused");
      });
      for (const error of await ended([first, second])) expect(error).toBeInstanceOf(UndoneWriteError);
      expect(commands.at(-1)).toBe("rollback");
      expect(commands).not.toContain("commit");
      failing.clear();
      expect(await group.add(() => 3)).toBe(3);
    }
  });

  test("undoes the whole group if one write can be neither kept nor undone", async () => {
    const { group, failing, commands } = connect();
    const first = group.add(() => 1);
    const second = group.add(() => {
      failing.add("release odatakit_member");
      queueMicrotask(() => failing.clear());
      return 2;
    });
    for (const error of await ended([first, second])) expect(error).toBeInstanceOf(UndoneWriteError);
    expect(commands.at(-1)).toBe("rollback");
  });

  test("ends the writes with an error if neither one of them nor the group can be undone", async () => {
    const { group, failing } = connect();
    const first = group.add(() => 1);
    failing.add("rollback to odatakit_member").add("rollback");
    const second = group.add(() => {
      throw new Error("refused");
    });
    for (const error of await ended([first, second])) {
      expect(error).toMatchObject({ cause: { message: "disk I/O error: rollback to odatakit_member" } });
    }
  });
});
