import { Kysely, MysqlDialect, sql } from "kysely";
import { createPool } from "mysql2";
import { ConfigurationError, edm, entityType, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { mariadbDialect, type MariadbOptions } from "odatakit/mariadb";
import { describe, expect, test } from "vitest";
import { ENGINES, type AnyDatabase } from "../../engine/executors/engines.ts";

const { ODATAKIT_MYSQL: server = "mysql://localhost" } = process.env;

const Secret = entityType("Secret", { id: edm.int32().key(), owner: edm.string(), name: edm.string().nullable() });

/** Ends its text early where a backslash does not quote, and reads a column that the service does not publish. */
const INJECTION = "\\''' or 1=1) union select id,owner,name from sec # '";
const HOSTILE = "set session sql_mode = 'STRICT_TRANS_TABLES,NO_BACKSLASH_ESCAPES'";

async function uriOf(db: AnyDatabase): Promise<string> {
  const { rows } = await sql<{ name: string }>`select database() as name`.execute(db);
  const uri = new URL(server);
  uri.pathname = `/${rows[0]?.name ?? ""}`;
  return uri.href;
}

describe.each(ENGINES.filter(({ name }) => name === "mariadb"))("mariadbDialect over $title", ({ open }) => {
  test("binds values on the server, also where a backslash quotes nothing", async () => {
    const { db, close } = await open();
    await sql`create table sec (id int primary key, owner varchar(20) not null, name varchar(90))`.execute(db);
    await sql`insert into sec values (1, 'me', 'mine'), (2, 'you', 'hidden')`.execute(db);
    const pool = createPool({ uri: await uriOf(db), connectionLimit: 1 });
    const own: AnyDatabase = new Kysely({ dialect: mariadbDialect({ pool }) });
    // After the dialect has made the session safe.
    await sql.raw(HOSTILE).execute(own);
    const secrets = sqlEntitySet(Secret, {
      db: own,
      table: "sec",
      operations: ["read", "patch"],
      authorization: { rows: (_user, row) => row.owner.eq("me") },
    });
    const service = odataService({ entitySets: [secrets], schemaCheck: false, authenticate: () => ({ id: "me" }) });
    const get = async (target: string): Promise<unknown> => {
      const response = await service.fetch(new Request(`http://service.example/${target}`));
      return [response.status, ((await response.json()) as { readonly value: unknown }).value];
    };
    expect(await get("Secrets?$select=Id")).toEqual([200, [{ Id: 1 }]]);
    const literal = `'${encodeURIComponent(INJECTION.replaceAll("'", "''"))}'`;
    for (const query of [
      `$filter=Name eq ${literal}`,
      `$filter=Name in (${literal},'x')`,
      `$filter=contains(Name,${literal})`,
      `$filter=concat(Name,${literal}) eq 'x'`,
    ]) {
      expect([query, await get(`Secrets?${query}`)]).toEqual([query, [200, []]]);
    }
    const patch = (id: number, name: string): Promise<Response> =>
      service.fetch(
        new Request(`http://service.example/Secrets(${String(id)})`, {
          method: "PATCH",
          headers: { "Content-Type": "application/json" },
          body: JSON.stringify({ Name: name }),
        }),
      );
    expect((await patch(1, "\\', name = 'x' where id = 2 # ")).status).toBe(200);
    expect((await patch(2, "\\', name = 'x' where id = 2 # ")).status).toBe(404);
    expect((await sql`select id, name from sec order by id`.execute(db)).rows).toEqual([
      { id: 1, name: "\\', name = 'x' where id = 2 # " },
      { id: 2, name: "hidden" },
    ]);
    expect(await get(`Secrets?$filter=Name eq '${encodeURIComponent("\\'', name = ''x'' where id = 2 # ")}'`)).toEqual([
      200,
      [{ Id: 1, Owner: "me", Name: "\\', name = 'x' where id = 2 # " }],
    ]);
    await own.destroy();
    await close();
  });

  test("makes sessions safe that the schema check would refuse", async () => {
    const { db, close } = await open();
    await sql`create table sec (id int primary key, owner varchar(20) not null, name varchar(90))`.execute(db);
    const uri = await uriOf(db);
    const serviceOver = (other: AnyDatabase) =>
      odataService({ entitySets: [sqlEntitySet(Secret, { db: other, table: "sec", operations: ["read"] })] });
    const settings = [HOSTILE, "set session sql_mode = 'ORACLE'", "set autocommit = 0", "set sql_select_limit = 1"];
    for (const setting of settings) {
      const makePool = () => {
        const pool = createPool({ uri, connectionLimit: 1 });
        pool.on("connection", (connection) => void connection.query(setting));
        return pool;
      };
      const own: AnyDatabase = new Kysely({ dialect: mariadbDialect({ pool: makePool() }) });
      await expect(serviceOver(own).ready()).resolves.toBeUndefined();
      await own.destroy();
      const plain: AnyDatabase = new Kysely({ dialect: new MysqlDialect({ pool: makePool() }) });
      await expect(serviceOver(plain).ready()).rejects.toThrow(ConfigurationError);
      await plain.destroy();
    }
    await close();
  });

  test("keeps a bounded number of prepared statements for each connection", async () => {
    const { db, close } = await open();
    const pool = createPool({ uri: await uriOf(db), connectionLimit: 1 });
    const own: AnyDatabase = new Kysely({ dialect: mariadbDialect({ pool, statements: 3 }) });
    const prepared = async (): Promise<number> => {
      const { rows } = await sql<{ Value: string }>`show session status like 'Com_stmt_prepare'`.execute(own);
      const closed = await sql<{ Value: string }>`show session status like 'Com_stmt_close'`.execute(own);
      return Number(rows[0]?.Value) - Number(closed.rows[0]?.Value);
    };
    for (let index = 0; index < 20; index += 1) {
      const { rows } = await sql<{ v: string }>`select ${sql.raw(String(index))} as n, ${"a"} as v`.execute(own);
      expect(rows).toEqual([{ n: index, v: "a" }]);
    }
    expect(await prepared()).toBe(3);
    const before = await sql<{ Value: string }>`show session status like 'Com_stmt_prepare'`.execute(own);
    for (let index = 0; index < 5; index += 1) await sql`select 19 as n, ${"a"} as v`.execute(own);
    expect((await sql`show session status like 'Com_stmt_prepare'`.execute(own)).rows).toEqual(before.rows);
    await own.destroy();
    await close();
  });

  test("writes and reads values of applications as MysqlDialect does", async () => {
    const { db, close } = await open();
    await sql`create table vals (id int primary key auto_increment, i bigint, n decimal(20,5), d double, t varchar(20), b blob, at datetime(3), j json, f boolean)`.execute(
      db,
    );
    const uri = await uriOf(db);
    const at = new Date("2024-02-29T12:34:56.789Z");
    const row = {
      i: 9_007_199_254_740_993n,
      n: 0.1,
      d: 0.1,
      t: "é😀\\'",
      b: Buffer.from([0, 255]),
      at,
      j: '{"a":1}',
      f: true,
    };
    const dialects = [mariadbDialect, (options: MariadbOptions) => new MysqlDialect(options)];
    const results = [];
    for (const dialect of dialects) {
      const pool = createPool({ uri, connectionLimit: 1, supportBigNumbers: true, bigNumberStrings: true });
      const own: AnyDatabase = new Kysely({ dialect: dialect({ pool }) });
      const inserted = await own.insertInto("vals").values(row).executeTakeFirstOrThrow();
      await own.insertInto("vals").values({ i: null, t: undefined, n: 5 }).execute();
      const found = await own
        .selectFrom("vals")
        .select(["i", "n", "d", "t", "b", "at", "j", "f"])
        .where("id", ">=", Number(inserted.insertId))
        .orderBy("id")
        .limit(2)
        .execute();
      const streamed = [];
      for await (const each of own.selectFrom("vals").select("t").where("d", "=", 0.1).limit(1).stream()) {
        streamed.push(each);
      }
      const updated = await own.updateTable("vals").set({ n: 7.25 }).where("d", "=", 0.1).executeTakeFirstOrThrow();
      results.push({ found, streamed, updated: updated.numUpdatedRows > 0n });
      await own.deleteFrom("vals").execute();
      await own.destroy();
    }
    expect(results[0]).toEqual(results[1]);
    await close();
  });
});

test.each<readonly [options: object, message: string]>([
  [{}, "mariadbDialect: `pool` is no pool of mysql2."],
  [{ pool: {} }, "mariadbDialect: `pool` is no pool of mysql2."],
  [{ pool: createPool({ typeCast: false }) }, "the option `typeCast` of the pool"],
  [{ pool: createPool({ typeCast: (_field, next) => next() }) }, "the option `typeCast` of the pool"],
  [{ pool: createPool({ rowsAsArray: true }) }, "the option `rowsAsArray` of the pool"],
  [{ pool: createPool({ nestTables: true }) }, "the option `nestTables` of the pool"],
  [{ pool: createPool({ nestTables: "_" }) }, "the option `nestTables` of the pool"],
  [{ pool: { getConnection: () => undefined }, statements: 0 }, "mariadbDialect: `statements` cannot be 0."],
  [{ pool: { getConnection: () => undefined }, statement: 5 }, "Did you mean `statements`?"],
])("%j is refused", (options, message) => {
  expect(() => mariadbDialect(options as MariadbOptions)).toThrow(ConfigurationError);
  expect(() => mariadbDialect(options as MariadbOptions)).toThrow(message);
});
