import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { DummyDriver, isAbortedTransactionError, Kysely, PostgresAdapter, PostgresQueryCompiler, sql } from "kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { type SynchronousReader, synchronousReaderOf } from "../../../src/databases/connection/synchronous-reader.ts";
import { loadNodeSqlite } from "../../../src/databases/sqlite/driver/sqlite-database.ts";

interface Tables {
  item: { id: number | bigint | null; name: unknown; parent: number | bigint | null };
}

const CREATE = "create table item (id integer primary key, name, parent integer references item deferrable)";
const BEYOND = 2n ** 53n + 1n;

const folder = mkdtempSync(join(tmpdir(), "sqlite-dialect-"));
const opened: Kysely<Tables>[] = [];
let files = 0;

afterEach(async () => {
  for (const db of opened.splice(0)) await db.destroy();
});

afterAll(() => {
  rmSync(folder, { recursive: true });
});

function newFile(): string {
  files += 1;
  return join(folder, `${files}.db`);
}

function open(file: string, options: Parameters<typeof sqliteDialect>[1] = {}): Kysely<Tables> {
  const db = new Kysely<Tables>({ dialect: sqliteDialect(file, options) });
  opened.push(db);
  return db;
}

function readerOf(db: Kysely<Tables>): SynchronousReader {
  const reader = synchronousReaderOf(db);
  if (reader === null) throw new Error("has no synchronous reader");
  return reader;
}

async function insert(db: Kysely<Tables>, ...ids: readonly (number | bigint)[]): Promise<void> {
  for (const id of ids) {
    await db
      .insertInto("item")
      .values({ id, name: `item ${id}`, parent: null })
      .execute();
  }
}

async function allOf<T>(stream: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const each of stream) all.push(each);
  return all;
}

async function idsOf(db: Kysely<Tables>): Promise<readonly unknown[]> {
  const rows = await db.selectFrom("item").select("id").orderBy("id").execute();
  return rows.map(({ id }) => id);
}

describe.each(["file", "memory"])("a database (%s)", (kind) => {
  let file: string;
  let db: Kysely<Tables>;
  let reader: SynchronousReader;

  beforeEach(async () => {
    file = kind === "file" ? newFile() : ":memory:";
    db = open(file);
    reader = readerOf(db);
    await sql.raw(CREATE).execute(db);
  });

  test.each<[string, unknown, unknown, string]>([
    ["a text", "Ärger 😀 '%_", "Ärger 😀 '%_", "text"],
    ["a text with a NUL", "a\0b", "a\0b", "text"],
    ["the empty text", "", "", "text"],
    ["null", null, null, "null"],
    ["true", true, 1, "integer"],
    ["false", false, 0, "integer"],
    ["a whole number", 5, 5, "integer"],
    ["the greatest safe integer", Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, "integer"],
    ["a fraction", 1.5, 1.5, "real"],
    ["a great double", 1e300, 1e300, "real"],
    ["negative zero", -0, -0, "real"],
    ["infinity", -Infinity, -Infinity, "real"],
    ["NaN", Number.NaN, null, "null"],
    ["a small bigint", 7n, 7, "integer"],
    ["2^53 + 1", BEYOND, BEYOND, "integer"],
    ["-(2^53 + 1)", -BEYOND, -BEYOND, "integer"],
    ["the greatest INTEGER", 2n ** 63n - 1n, 2n ** 63n - 1n, "integer"],
    ["the least INTEGER, which a number holds", -(2n ** 63n), -(2 ** 63), "integer"],
    ["the one after it", 1n - 2n ** 63n, 1n - 2n ** 63n, "integer"],
    ["a Date", new Date(Date.UTC(2024, 1, 29, 12)), "2024-02-29T12:00:00.000Z", "text"],
    ["bytes", Uint8Array.of(0, 1, 255), Uint8Array.of(0, 1, 255), "blob"],
  ])("binds and returns %s", async (_title, value, answer, type) => {
    await db.insertInto("item").values({ id: 1, name: value, parent: null }).execute();
    const select = sql<{ name: unknown; type: string }>`select name, typeof(name) as type from item`;
    expect((await select.execute(db)).rows.map((row) => ({ ...row }))).toEqual([{ name: answer, type }]);
    const rows = await db.selectFrom("item").select(["name"]).execute();
    expect(rows.map(({ name }) => name)).toEqual([answer]);
    expect(reader.readRows("select name, typeof(name) from item", [])).toEqual([[answer, type]]);
    expect(reader.readOne("select ?", [value])).toEqual([answer]);
  });

  test.each<[string, unknown, string]>([
    ["undefined", undefined, "Value 2 of the SQL statement is undefined: use null for NULL."],
    ["an object", {}, "Value 2 of the SQL statement is an object: write it as text, such as JSON."],
    ["an array", [1], "Value 2 of the SQL statement is an array: write it as text, such as JSON."],
    ["a symbol", Symbol.iterator, "Value 2 of the SQL statement is a symbol: SQL has no such values."],
    [
      "an invalid Date",
      new Date(Number.NaN),
      "Value 2 of the SQL statement is an invalid Date: it represents no time.",
    ],
    [
      "2^63",
      2n ** 63n,
      "Value 2 of the SQL statement is the bigint 9223372036854775808: an INTEGER of SQLite has 64 bits.",
    ],
  ])("rejects %s", async (_title, value, message) => {
    await expect(sql`select ${1}, ${value}`.execute(db)).rejects.toThrow(message);
    expect(() => reader.readOne("select ?, ?", [1, value])).toThrow(message);
    expect(() => reader.readRows("select ?, ?", [1, value])).toThrow(message);
  });

  test("never rounds integers beyond 2^53, and keeps others as numbers", async () => {
    await insert(db, 1, BEYOND);
    const select = db.selectFrom("item").select("id").orderBy("id");
    const both = [1, BEYOND];
    for (let round = 0; round < 2; round += 1) {
      expect((await select.execute()).map(({ id }) => id)).toEqual(both);
      expect((await allOf(select.stream())).map(({ id }) => id)).toEqual(both);
      expect(reader.readRows("select id from item order by id", [])).toEqual([[1], [BEYOND]]);
      expect(reader.readOne("select id, name from item where id = ?", [BEYOND])).toEqual([BEYOND, `item ${BEYOND}`]);
      expect(reader.readOne("select id, name from item where id = ?", [1])).toEqual([1, "item 1"]);
    }
    const updated = await db.updateTable("item").set({ name: "x" }).returning("id").execute();
    expect(updated.map(({ id }) => id)).toEqual(both);
    const inserted = await db
      .insertInto("item")
      .values({ id: BEYOND + 1n, name: "", parent: null })
      .execute();
    expect(inserted[0]?.insertId).toBe(BEYOND + 1n);
  });

  test("returns the number of changes and the new key as bigint", async () => {
    const into = db.insertInto("item");
    const one = { id: null, name: "one", parent: null };
    expect(await into.values([one, one]).executeTakeFirst()).toMatchObject({
      insertId: 2n,
      numInsertedOrUpdatedRows: 2n,
    });
    const nothing = into.values({ ...one, id: 1 }).onConflict((conflict) => conflict.doNothing());
    expect(await nothing.executeTakeFirst()).toMatchObject({ insertId: undefined, numInsertedOrUpdatedRows: 0n });
    expect(await db.updateTable("item").set({ name: "x" }).executeTakeFirst()).toMatchObject({ numUpdatedRows: 2n });
    expect(await db.deleteFrom("item").where("id", "=", 1).executeTakeFirst()).toMatchObject({ numDeletedRows: 1n });

    const raw = await sql`insert into item (name) values ('raw'), ('rare')`.execute(db);
    expect(raw).toEqual({ rows: [], numAffectedRows: 2n, insertId: 4n });
    expect(await sql`create table other (id integer primary key)`.execute(db)).toEqual({ rows: [] });
    const returning = await sql`  delete from item where id > 2 returning id`.execute(db);
    expect(returning).toMatchObject({ rows: [{ id: 3 }, { id: 4 }], numAffectedRows: 2n });
    expect(await sql`with x as (select 2 as id) delete from item where id in x`.execute(db)).toMatchObject({
      numAffectedRows: 1n,
    });
    expect(await sql`pragma table_list`.execute(db)).not.toHaveProperty("numAffectedRows");
  });

  test("commits a transaction, and rolls it back if it fails", async () => {
    await db.transaction().execute((trx) => insert(trx, 1, 2));
    const failing = db.transaction().execute(async (trx) => {
      await insert(trx, 3);
      expect(await idsOf(trx)).toEqual([1, 2, 3]);
      throw new Error("no");
    });
    await expect(failing).rejects.toThrow("no");
    expect(await idsOf(db)).toEqual([1, 2]);
  });

  test("nests savepoints", async () => {
    const trx = await db.startTransaction().execute();
    await insert(trx, 1);
    const outer = await trx.savepoint('out"er').execute();
    await insert(outer, 2);
    const inner = await outer.savepoint("inner").execute();
    await insert(inner, 3);
    await inner.rollbackToSavepoint("inner").execute();
    expect(await idsOf(trx)).toEqual([1, 2]);
    await inner.releaseSavepoint("inner").execute();
    await insert(trx, 4);
    await outer.rollbackToSavepoint('out"er').execute();
    await insert(trx, 5);
    await trx.commit().execute();
    expect(await idsOf(db)).toEqual([1, 5]);
  });

  test("rejects writes in a read-only transaction, and allows them in the next one", async () => {
    const reading = db
      .transaction()
      .setAccessMode("read only")
      .setIsolationLevel("serializable")
      .execute((trx) => insert(trx, 1));
    await expect(reading).rejects.toThrow("attempt to write a readonly database");
    await db
      .transaction()
      .setAccessMode("read only")
      .execute((trx) => idsOf(trx));
    await db.transaction().execute((trx) => insert(trx, 2));
    expect(await idsOf(db)).toEqual([2]);
  });

  test("checks foreign keys, deferred ones at commit", async () => {
    const orphan = db
      .transaction()
      .execute((trx) => trx.insertInto("item").values({ id: 1, name: "", parent: 9 }).execute());
    await expect(orphan).rejects.toThrow("FOREIGN KEY constraint failed");
    expect(await idsOf(db)).toEqual([]);
    await db.transaction().execute((trx) => insert(trx, 2));
    expect(await idsOf(db)).toEqual([2]);
  });

  test.each(["read write", "read only"] as const)(
    "a transaction (%s) that SQLite has ended is reported as aborted, and the next one works",
    async (accessMode) => {
      const aborted = db
        .transaction()
        .setAccessMode(accessMode)
        .execute((trx) => sql`rollback`.execute(trx));
      await expect(aborted).rejects.toSatisfy(isAbortedTransactionError);
      await db.transaction().execute((trx) => insert(trx, 1));
      expect(await idsOf(db)).toEqual([1]);
    },
  );

  test("the rollback does not hide the error of the statement that ended the transaction", async () => {
    await sql
      .raw("create trigger guard before insert on item begin select raise(rollback, 'guarded'); end")
      .execute(db);
    await expect(db.transaction().execute((trx) => insert(trx, 1))).rejects.toThrow("guarded");
    expect(await idsOf(db)).toEqual([]);
  });

  test("streams every row in chunks", async () => {
    await insert(db, 1, 2, 3, 4, 5);
    const select = db.selectFrom("item").select("id").orderBy("id");
    expect((await allOf(select.stream(2))).map(({ id }) => id)).toEqual([1, 2, 3, 4, 5]);
    const chunks = db.getExecutor().stream<{ id: number }>(select.compile(), 2);
    expect((await allOf(chunks)).map(({ rows }) => rows.length)).toEqual([2, 2, 1]);
    const returned = db.deleteFrom("item").where("id", ">", 3).returning("id").stream();
    expect((await allOf(returned)).map(({ id }) => id)).toEqual([4, 5]);
    const changes = db.getExecutor().stream(db.deleteFrom("item").compile(), 1);
    expect(await allOf(changes)).toMatchObject([{ rows: [], numAffectedRows: 3n }]);
  });

  test("a stream yields to other work of the process", async () => {
    const rows = sql<{
      n: number;
    }>`with recursive r(n) as (select 1 union all select n + 1 from r where n < 5000) select n from r`;
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 0);
    const immediate = (): void => {
      turns += 1;
      handle = setImmediate(immediate);
    };
    let handle = setImmediate(immediate);
    let count = 0;
    for await (const chunk of db.getExecutor().stream(rows.compile(db), 100)) count += chunk.rows.length;
    clearInterval(timer);
    clearImmediate(handle);
    expect(count).toBe(5000);
    expect(turns).toBeGreaterThanOrEqual(9);
  });

  test("an abandoned stream releases its statement and the connection", async () => {
    await insert(db, 1, 2, 3);
    const select = db.selectFrom("item").select("id").orderBy("id");
    for (let round = 0; round < 2; round += 1) {
      for await (const { id } of select.stream(1)) {
        expect(id).toBe(1);
        break;
      }
    }
    await sql`drop table item`.execute(db);
    await expect(select.execute()).rejects.toThrow("no such table: item");
  });

  test("runs a statement again while a stream of it is open", async () => {
    await insert(db, 1, 2, 3);
    const select = db.selectFrom("item").select("id").orderBy("id").compile();
    // Kysely runs one statement at a time per connection; a driver may be used for more.
    const pairs = await db.getExecutor().provideConnection(async (connection) => {
      const found: unknown[] = [];
      for await (const outer of connection.streamQuery<{ id: number }>(select, 1)) {
        for await (const inner of connection.streamQuery<{ id: number }>(select, 1)) {
          found.push([outer.rows[0]?.id, inner.rows[0]?.id]);
        }
        expect((await connection.executeQuery(select)).rows).toMatchObject([{ id: 1 }, { id: 2 }, { id: 3 }]);
        expect(reader.readRows(select.sql, [])).toEqual([[1], [2], [3]]);
      }
      return found;
    });
    expect(pairs).toEqual([1, 2, 3].flatMap((outer) => [1, 2, 3].map((inner) => [outer, inner])));
  });

  test("passes the error of a stream to its reader and releases the connection", async () => {
    const failing = sql<{ a: unknown }>`select odata_decimal_key(value) as a from json_each('["1", "x"]')`;
    for (let round = 0; round < 2; round += 1) {
      await expect(allOf(db.getExecutor().stream(failing.compile(db), 1))).rejects.toThrow('contains "x"');
    }
    expect(await idsOf(db)).toEqual([]);
  });

  test("statements adapt to a schema change", async () => {
    await insert(db, 1);
    const select = "select * from item";
    const columns = async (): Promise<number> => Object.keys((await sql.raw(select).execute(db)).rows[0] ?? {}).length;
    expect(reader.readOne(select, [])).toHaveLength(3);
    expect(await columns()).toBe(3);
    await sql`alter table item add column added text default 'x'`.execute(db);
    expect(reader.readOne(select, [])).toEqual([1, "item 1", null, "x"]);
    expect(await columns()).toBe(4);
  });

  test("runs only one statement at a time, optionally followed by comments", async () => {
    await expect(sql`select 1; delete from item`.execute(db)).rejects.toThrow(
      "Only one SQL statement can be run at a time, but more follows the first: select 1; delete from item",
    );
    expect(() => reader.readOne("select 1; select 2", [])).toThrow("Only one SQL statement");
    expect(reader.readOne("select 1; -- done\n /* ; really */ ;\n--", [])).toEqual([1]);
  });

  test("readOne returns the first row, or undefined", async () => {
    await insert(db, 1, 2);
    expect(reader.readOne("select id from item order by id desc", [])).toEqual([2]);
    expect(reader.readOne("select id from item where id = ?", [9])).toBeUndefined();
    expect(reader.readRows("select id from item where id = ?", [9])).toEqual([]);
  });

  test("returns a cell for each of several columns with the same name", () => {
    expect(reader.readOne("select 1 as a, 2 as a, 3 as __proto__", [])).toEqual([1, 2, 3]);
  });

  test("the introspector lists the tables", async () => {
    const tables = await db.introspection.getTables();
    expect(tables.map(({ name, columns }) => [name, columns.map((column) => column.name)])).toEqual([
      ["item", ["id", "name", "parent"]],
    ]);
  });

  test("both connections have the OData functions", async () => {
    expect((await sql<{ a: string }>`select odata_lower('Ä') as a`.execute(db)).rows[0]?.a).toBe("ä");
    expect(reader.readOne("select odata_lower('Ä')", [])).toEqual(["ä"]);
  });

  test("reads nothing after destroy, and ignores a second destroy", async () => {
    expect(reader.readOne("select 1", [])).toEqual([1]);
    await db.destroy();
    await db.destroy();
    const message = `The SQLite database ${file} was closed: make a new sqliteDialect to use it again.`;
    expect(() => reader.readOne("select 1", [])).toThrow(message);
    await expect(idsOf(db)).rejects.toThrow("driver has already been destroyed");
  });
});

describe("a file", () => {
  test.each([
    [undefined, 2],
    ["off", 0],
    ["normal", 1],
    ["full", 2],
    ["extra", 3],
  ] as const)("waits for the disk as `synchronous` %s says", async (synchronous, level) => {
    const db = open(newFile(), { synchronous });
    const { rows } = await sql`select synchronous from pragma_synchronous`.execute(db);
    expect(rows).toEqual([{ synchronous: level }]);
  });

  test("is opened on first use, with a write-ahead log and foreign keys", async () => {
    const file = newFile();
    const db = open(file, { busyTimeout: 1234 });
    const reader = readerOf(db);
    await db.connection().execute(() => Promise.resolve());
    expect(existsSync(file)).toBe(false);
    const pragmas = ["journal_mode", "foreign_keys", "busy_timeout"].map((name) => `(select * from pragma_${name})`);
    expect(reader.readOne(`select ${pragmas.join(", ")}`, [])).toEqual(["wal", 1, 1234]);
    const row = (await sql`select ${sql.raw(pragmas.join(", "))}`.execute(db)).rows[0];
    expect(Object.values(row as object)).toEqual(["wal", 1, 1234]);
  });

  test("synchronous reads see committed rows, not an open transaction", async () => {
    const db = open(newFile());
    const reader = readerOf(db);
    await sql.raw(CREATE).execute(db);
    const count = (): unknown => reader.readOne("select count(*) from item", [])?.[0];
    await insert(db, 1);
    expect(count()).toBe(1);
    await db.transaction().execute(async (trx) => {
      await insert(trx, 2);
      await trx.deleteFrom("item").where("id", "=", 1).execute();
      await insert(trx, 3);
      expect(count()).toBe(1);
      expect(reader.readRows("select id from item", [])).toEqual([[1]]);
    });
    expect(count()).toBe(2);
    const rolledBack = db.transaction().execute(async (trx) => {
      await insert(trx, 4);
      expect(count()).toBe(2);
      throw new Error("no");
    });
    await expect(rolledBack).rejects.toThrow("no");
    expect(count()).toBe(2);
  });

  test("synchronous reads cannot write", async () => {
    const db = open(newFile());
    const reader = readerOf(db);
    await sql.raw(CREATE).execute(db);
    expect(() => reader.readOne("insert into item (id) values (1) returning id", [])).toThrow(
      "attempt to write a readonly database",
    );
  });

  test("is closed completely after only synchronous reads", async () => {
    const file = newFile();
    const writing = open(file);
    await sql.raw(CREATE).execute(writing);
    await writing.destroy();
    const db = open(file);
    expect(readerOf(db).readRows("select * from item", [])).toEqual([]);
    expect(existsSync(`${file}-wal`)).toBe(true);
    await db.destroy();
    expect(existsSync(`${file}-wal`)).toBe(false);
  });

  test("waits for the lock of another program, then reports it; a transaction locks at its start", async () => {
    const file = newFile();
    const db = open(file, { busyTimeout: 20 });
    await sql.raw(CREATE).execute(db);
    const other = new DatabaseSync(file);
    other.exec("begin immediate");
    const start = performance.now();
    await expect(db.transaction().execute(() => Promise.resolve())).rejects.toThrow("database is locked");
    expect(performance.now() - start).toBeGreaterThan(15);
    expect(readerOf(db).readRows("select id from item", [])).toEqual([]);
    await db
      .transaction()
      .setAccessMode("read only")
      .execute((trx) => idsOf(trx));
    other.close();
    await insert(db, 1);
    expect(await idsOf(db)).toEqual([1]);
  });

  test("readonly reads rows, writes nothing and needs no lock", async () => {
    const file = newFile();
    const writing = open(file);
    await sql.raw(CREATE).execute(writing);
    await insert(writing, 1);
    const db = open(file, { readonly: true });
    expect(await idsOf(db)).toEqual([1]);
    expect(readerOf(db).readRows("select id from item", [])).toEqual([[1]]);
    expect(await db.transaction().execute((trx) => idsOf(trx))).toEqual([1]);
    await expect(insert(db, 2)).rejects.toThrow("attempt to write a readonly database");
  });

  test("handles more statements than it caches, even during a stream", async () => {
    const db = open(newFile(), { statements: 1 });
    const reader = readerOf(db);
    await sql.raw(CREATE).execute(db);
    await insert(db, 1, 2, 3);
    for (let round = 0; round < 3; round += 1) {
      for (let n = 0; n < 5; n += 1) {
        expect(reader.readOne(`select ?, ${n}`, [round])).toEqual([round, n]);
        expect((await sql`select ${sql.lit(n)} as n`.execute(db)).rows).toMatchObject([{ n }]);
      }
    }
    const select = db.selectFrom("item").select("id").orderBy("id").compile();
    const seen = await db.getExecutor().provideConnection(async (connection) => {
      const counts: unknown[] = [];
      for await (const { rows } of connection.streamQuery<{ id: number }>(select, 1)) {
        const all = await connection.executeQuery(select);
        await connection.executeQuery(sql`select ${sql.lit(counts.length)}`.compile(db));
        counts.push([rows[0]?.id, all.rows.length]);
      }
      return counts;
    });
    expect(seen).toEqual([
      [1, 3],
      [2, 3],
      [3, 3],
    ]);
  });
});

describe("an in-memory database", () => {
  test.each([":memory:", "file:shared?mode=memory"])("%s has one connection", async (file) => {
    const db = open(file);
    const reader = readerOf(db);
    await sql.raw(CREATE).execute(db);
    await db.transaction().execute(async (trx) => {
      await insert(trx, 1);
      expect(reader.readRows("select id from item", [])).toEqual([[1]]);
    });
  });
});

describe("has no synchronous reader", () => {
  test("for a transaction, whose rows only its own connection sees", async () => {
    const db = open(":memory:");
    expect(await db.transaction().execute((trx) => Promise.resolve(synchronousReaderOf(trx)))).toBeNull();
  });

  test("for another dialect", () => {
    const db = new Kysely<Tables>({
      dialect: {
        createAdapter: () => new PostgresAdapter(),
        createDriver: () => new DummyDriver(),
        createIntrospector: () => {
          throw new Error("not asked for");
        },
        createQueryCompiler: () => new PostgresQueryCompiler(),
      },
    });
    expect(synchronousReaderOf(db)).toBeNull();
  });
});

describe("reports files that cannot be opened:", () => {
  test("a missing folder", async () => {
    const file = join(folder, "none", "a.db");
    const message = `Cannot open the SQLite database ${file}: unable to open database file. Check that its folder exists and may be written to, and that the file is a SQLite database.`;
    const db = open(file);
    await expect(idsOf(db)).rejects.toThrow(message);
    expect(() => readerOf(db).readOne("select 1", [])).toThrow(message);
  });

  test("a file that is not a database", async () => {
    const file = newFile();
    writeFileSync(file, "This is a text that is long enough to be looked at as a database, but it is none.".repeat(20));
    await expect(idsOf(open(file))).rejects.toThrow(`Cannot open the SQLite database ${file}: file is not a database.`);
    expect(() => readerOf(open(file)).readOne("select 1", [])).toThrow("file is not a database");
  });

  test("a missing file for readonly, until it exists", async () => {
    const file = newFile();
    const db = open(file, { readonly: true });
    await expect(idsOf(db)).rejects.toThrow(
      `Cannot open the SQLite database ${file}: unable to open database file. Check that it exists, is a SQLite database and may be read.`,
    );
    await sql.raw(CREATE).execute(open(file));
    expect(await idsOf(db)).toEqual([]);
  });

  test.each([
    ["an old Node.js", { version: "v20.0.0" }],
    ["one without SQLite", { version: "v20.0.0", getBuiltinModule: () => undefined }],
  ])("%s", (_title, runtime) => {
    expect(() => loadNodeSqlite(runtime)).toThrow(
      "sqliteDialect requires the module node:sqlite of Node.js 22.18 or later; this is v20.0.0.",
    );
  });
});

describe("faults of the options", () => {
  const dialect = sqliteDialect as (file: unknown, options?: unknown) => unknown;

  test.each<[string, unknown, unknown, string]>([
    ["no file", undefined, {}, 'sqliteDialect: the file cannot be undefined. Give the path of a file, or ":memory:".'],
    ["an empty file", "", {}, 'sqliteDialect: the file cannot be "". Give the path of a file, or ":memory:".'],
    ["readonly", "a.db", { readonly: "yes" }, 'sqliteDialect: `readonly` cannot be "yes". Give true or false.'],
    [
      "busyTimeout",
      "a.db",
      { busyTimeout: 2 ** 31 },
      "sqliteDialect: `busyTimeout` cannot be 2147483648. Give a whole number of milliseconds.",
    ],
    [
      "synchronous",
      "a.db",
      { synchronous: 1 },
      'sqliteDialect: `synchronous` cannot be 1. Give one of "off", "normal", "full", "extra".',
    ],
    [
      "statements",
      "a.db",
      { statements: 0 },
      "sqliteDialect: `statements` cannot be 0. Give a whole number of 1 or more.",
    ],
    [
      "readerThreads",
      "a.db",
      { readerThreads: 65 },
      "sqliteDialect: `readerThreads` cannot be 65. Give a whole number of 0 to 64.",
    ],
    [
      "maxQueuedQueries",
      "a.db",
      { maxQueuedQueries: null },
      "sqliteDialect: `maxQueuedQueries` cannot be null. Give a whole number.",
    ],
    [
      "a near name",
      "a.db",
      { readOnly: true },
      "sqliteDialect: there is no option `readOnly`. Did you mean `readonly`?",
    ],
    [
      "another name",
      "a.db",
      { wal: true },
      "sqliteDialect: there is no option `wal`. Use `readonly`, `busyTimeout`, `synchronous`, `journalMode`, `statements`, `readerThreads`, `maxQueuedQueries`.",
    ],
  ])("%s", (_title, file, options, message) => {
    expect(() => dialect(file, options)).toThrow(message);
  });

  test("are reported together", () => {
    expect(() => dialect("", { statements: 1.5, busyTimeout: -1 })).toThrow(/3 faults/);
  });

  test("undefined is the default", () => {
    expect(() =>
      dialect(":memory:", { readonly: undefined, busyTimeout: undefined, statements: undefined }),
    ).not.toThrow();
  });
});
