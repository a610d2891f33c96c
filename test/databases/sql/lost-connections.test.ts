import process from "node:process";
import { Kysely, MysqlDialect, sql } from "kysely";
import { createPool } from "mysql2";
import { edm, entityType, odataService, type ODataService, type TracedStatement } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { postgresDialect } from "odatakit/postgres";
import { Pool } from "pg";
import { afterEach, describe, expect, test } from "vitest";
import { isConnectionLost } from "../../../src/databases/kinds/connection-lost.ts";
import type { AnyDatabase } from "../../engine/executors/engines.ts";

/** A read whose connection the database ends runs once more. A write never does. */

const postgres = process.env["ODATAKIT_POSTGRES"];
const mariadb = process.env["ODATAKIT_MYSQL"];

const Item = entityType("Item", { id: edm.int32().key(), name: edm.string() });
const logger = { error: () => undefined, warn: () => undefined, info: () => undefined };

const ended: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ended.splice(0)) await end();
});

let schemas = 0;

interface Opened {
  readonly admin: AnyDatabase;
  /** Also the name of the application in the connections of the service. */
  readonly schema: string;
  readonly service: ODataService;
  readonly events: TracedStatement[];
  /** How often the database began a statement that ends its connection. */
  readonly tries: () => Promise<number>;
  /** Lets the database end the connections of so many statements from now on. */
  readonly lose: (count: number) => Promise<void>;
}

/**
 * A table of PostgreSQL, and a set over a view, whose function ends its own connection. Triggers of the table do so for
 * writes, and at the end of a transaction. A sequence counts: it is not undone with a transaction.
 */
async function open({ max = 4, queryTimeout = 10_000 } = {}): Promise<Opened> {
  schemas += 1;
  const schema = `lost_${String(process.pid)}_${String(schemas)}`;
  const admin: AnyDatabase = new Kysely({
    dialect: postgresDialect({ pool: new Pool({ connectionString: postgres, max: 1 }) }),
  });
  ended.push(async () => {
    await sql`drop schema ${sql.id(schema)} cascade`.execute(admin);
    await admin.destroy();
  });
  await sql`create schema ${sql.id(schema)}`.execute(admin);
  await sql`set search_path = ${sql.id(schema)}`.execute(admin);
  await sql
    .raw(`
    create table items (id integer primary key, name text collate "C" not null);
    insert into items values (1, 'first'), (2, 'second');
    create sequence tries minvalue 0 start 0;
    create table losses (most integer not null);
    insert into losses values (0);
    create function lose() returns void language plpgsql as $$
      begin
        if nextval('tries') < (select most from losses) then
          perform pg_terminate_backend(pg_backend_pid());
          perform pg_sleep(5);
        end if;
      end $$;
    create function read_items() returns setof items language plpgsql as $$
      begin
        perform lose();
        return query select * from items;
      end $$;
    create view seen as select * from read_items();
    create function lose_in_write() returns trigger language plpgsql as $$
      begin
        perform lose();
        return new;
      end $$;
    create trigger late after insert on items for each row execute function lose_in_write();
    create constraint trigger latest after update on items deferrable initially deferred
      for each row execute function lose_in_write();
  `)
    .execute(admin);
  const pool = new Pool({
    connectionString: postgres,
    max,
    options: `-c search_path=${schema}`,
    application_name: schema,
  });
  const db: AnyDatabase = new Kysely({ dialect: postgresDialect({ pool }) });
  ended.unshift(() => db.destroy());
  const events: TracedStatement[] = [];
  const service = odataService({
    entitySets: [
      sqlEntitySet(Item, { db, table: "items", name: "Items", operations: ["read", "create", "patch"] }),
      sqlEntitySet(Item, { db, table: "seen", name: "Seen", operations: ["read"] }),
    ],
    defaults: { queryTimeout },
    schemaCheck: false,
    batch: { json: true },
    logger,
    onStatement: (event) => {
      events.push(event);
    },
  });
  await service.ready();
  return {
    admin,
    schema,
    service,
    events,
    tries: async () => {
      const { rows } = await sql<{ n: string }>`select last_value + is_called::integer as n from tries`.execute(admin);
      return Number(rows[0]?.n);
    },
    lose: async (count) => {
      await sql`select setval('tries', 0, false)`.execute(admin);
      await sql`update losses set most = ${count}`.execute(admin);
      events.splice(0);
    },
  };
}

function ask(service: ODataService, method: string, target: string, body?: object): Promise<Response> {
  const init = { method, headers: { "Content-Type": "application/json" } };
  return service.fetch(
    new Request(`http://x${target}`, body === undefined ? init : { ...init, body: JSON.stringify(body) }),
  );
}

const UNREACHABLE = "The database cannot be reached at the moment. Try again later.";

async function expectUnavailable(response: Response): Promise<void> {
  expect([response.status, response.headers.get("Retry-After")]).toEqual([503, "1"]);
  expect(await response.json()).toEqual({ error: { code: "ServiceUnavailable", message: UNREACHABLE } });
}

describe.skipIf(postgres === undefined)("a connection that PostgreSQL ends", () => {
  const READS = ["/Seen", "/Seen(1)", "/Seen?$count=true&$top=1", "/Seen/$count", "/Seen?$filter=Name eq 'first'"];

  test.each(READS)("during GET %s: the read runs once more", async (target) => {
    const { service, tries, lose } = await open();
    const expected = await (await ask(service, "GET", target)).text();
    await lose(1);
    const response = await ask(service, "GET", target);
    expect([response.status, await response.text()]).toEqual([200, expected]);
    expect(await tries()).toBeGreaterThan(1);
  });

  test("twice: the read is 503, after exactly two attempts", async () => {
    const { service, events, tries, lose } = await open();
    await lose(2);
    await expectUnavailable(await ask(service, "GET", "/Seen"));
    expect(await tries()).toBe(2);
    expect(events).toHaveLength(2);
    expect((await ask(service, "GET", "/Seen")).status).toBe(200);
  });

  test("in a pool of one connection: the read runs once more", async () => {
    const { service, tries, lose } = await open({ max: 1 });
    await lose(1);
    expect((await ask(service, "GET", "/Seen(2)")).status).toBe(200);
    expect(await tries()).toBe(2);
  });

  test("during a POST: 503, the row is not stored, and nothing runs again", async () => {
    const { admin, service, tries, lose } = await open();
    await lose(1);
    await expectUnavailable(await ask(service, "POST", "/Items", { Id: 3, Name: "third" }));
    expect(await tries()).toBe(1);
    expect(await admin.selectFrom("items").select("id").orderBy("id").execute()).toEqual([{ id: 1 }, { id: 2 }]);
    // The pool does not give the ended connection to the next write.
    expect((await ask(service, "POST", "/Items", { Id: 3, Name: "third" })).status).toBe(201);
  });

  test("during the commit of a PATCH: 503, and nothing runs again", async () => {
    const { admin, service, tries, lose } = await open();
    await lose(1);
    await expectUnavailable(await ask(service, "PATCH", "/Items(1)", { Name: "changed" }));
    expect(await tries()).toBe(1);
    const rows = await admin.selectFrom("items").select("name").where("id", "=", 1).execute();
    expect(rows).toEqual([{ name: "first" }]);
  });

  test("in a change set: 503, nothing is stored, and nothing runs again", async () => {
    const { admin, service, tries, lose } = await open();
    await lose(1);
    const part = (id: number): object => ({
      id: String(id),
      atomicityGroup: "g",
      method: "POST",
      url: "Items",
      headers: { "content-type": "application/json" },
      body: { Id: id, Name: "n" },
    });
    const response = await ask(service, "POST", "/$batch", { requests: [part(3), part(4)] });
    const { responses } = (await response.json()) as { readonly responses: readonly { readonly status: number }[] };
    expect(responses.map(({ status }) => status)).toContain(503);
    expect(await tries()).toBe(1);
    expect(await admin.selectFrom("items").select("id").orderBy("id").execute()).toEqual([{ id: 1 }, { id: 2 }]);
  });

  test("while every connection is lost at the same moment: no read fails", async () => {
    const { admin, schema, service } = await open();
    const all = (): Promise<number[]> =>
      Promise.all(Array.from({ length: 12 }, async () => (await ask(service, "GET", "/Items")).status));
    expect(new Set(await all())).toEqual(new Set([200]));
    for (let round = 0; round < 5; round += 1) {
      await sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = ${schema}`.execute(
        admin,
      );
      expect(new Set(await all())).toEqual(new Set([200]));
    }
  });
});

describe.skipIf(mariadb === undefined)("a connection that MariaDB ends", () => {
  test("during a GET: the read runs once more", async () => {
    schemas += 1;
    const name = `lost_${String(process.pid)}_${String(schemas)}`;
    const admin: AnyDatabase = new Kysely({
      dialect: new MysqlDialect({ pool: createPool({ uri: mariadb ?? "", connectionLimit: 1 }) }),
    });
    ended.push(async () => {
      await sql`drop database ${sql.id(name)}`.execute(admin);
      await admin.destroy();
    });
    await sql`create database ${sql.id(name)}`.execute(admin);
    await sql`create table ${sql.id(name, "items")} (id integer primary key, name varchar(20) not null)`.execute(admin);
    await sql`insert into ${sql.id(name, "items")} values (1, 'first')`.execute(admin);
    await sql`create table ${sql.id(name, "waits")} (seconds integer not null)`.execute(admin);
    await sql`insert into ${sql.id(name, "waits")} values (600)`.execute(admin);
    await sql`create view ${sql.id(name, "slow_items")} as
      select id, if(sleep((select seconds from ${sql.id(name, "waits")})) = 0, name, name) as name
      from ${sql.id(name, "items")}`.execute(admin);
    const db: AnyDatabase = new Kysely({
      dialect: new MysqlDialect({ pool: createPool({ uri: `${mariadb ?? ""}/${name}`, connectionLimit: 2 }) }),
    });
    ended.unshift(() => db.destroy());
    const events: TracedStatement[] = [];
    const slow = sqlEntitySet(Item, { db, table: "slow_items", name: "Slow", operations: ["read"] });
    const onStatement = (event: TracedStatement): void => {
      events.push(event);
    };
    const defaults = { queryTimeout: null };
    const service = odataService({ entitySets: [slow], schemaCheck: false, logger, onStatement, defaults });
    await service.ready();
    const reading = ask(service, "GET", "/Slow");
    await expect
      .poll(async () => {
        const { rows } = await sql<{ id: number }>`select id from information_schema.processlist
        where db = ${name} and info like '%slow_items%'`.execute(admin);
        const [found] = rows;
        if (found === undefined) return found;
        // The second run does not wait.
        await sql`update ${sql.id(name, "waits")} set seconds = 0`.execute(admin);
        await sql.raw(`kill ${String(found.id)}`).execute(admin);
        return found;
      })
      .toBeDefined();
    const response = await reading;
    expect([response.status, await response.json()]).toMatchObject([200, { value: [{ Id: 1, Name: "first" }] }]);
    expect(events.filter((event) => event.sql.includes("slow_items"))).toHaveLength(2);
  });
});

describe.skipIf(postgres === undefined)("a connection that returns to its pool within a transaction", () => {
  test.each(["select 1", "select 1 / 0"])("is not used again, after %s", async (statement) => {
    const pool = new Pool({ connectionString: postgres, max: 1 });
    const db: AnyDatabase = new Kysely({ dialect: postgresDialect({ pool }) });
    ended.push(() => db.destroy());
    const view = { db, from: { sql: "select 1 as id, 'a' as name", parameters: [] }, name: "Items" } as const;
    const service = odataService({
      entitySets: [sqlEntitySet(Item, { ...view, operations: ["read"] })],
      schemaCheck: false,
      logger,
    });
    expect((await ask(service, "GET", "/Items")).status).toBe(200);
    const client = await pool.connect();
    await client.query("begin");
    await client.query(statement).catch(() => undefined);
    client.release();
    for (const target of ["/Items", "/Items(1)"]) expect((await ask(service, "GET", target)).status).toBe(200);
  });
});

describe("which errors mean a lost connection", () => {
  const withCode = (code: string, message = "m"): Error => Object.assign(new Error(message), { code });

  test.each<readonly [string, Error, boolean]>([
    ["57P01", withCode("57P01"), true],
    ["57P02", withCode("57P02"), true],
    ["57P03", withCode("57P03"), true],
    ["08006", withCode("08006"), true],
    ["a transaction that has failed before", withCode("25P02"), true],
    ["ECONNRESET", withCode("ECONNRESET"), true],
    ["ECONNREFUSED, once for each address", new AggregateError([withCode("ECONNREFUSED")], "m"), true],
    ["a cause", new Error("m", { cause: withCode("EPIPE") }), true],
    ["the message of pg", new Error("Connection terminated unexpectedly"), true],
    ["a killed connection of MariaDB", Object.assign(new Error("m"), { errno: 1927 }), true],
    ["a cancelled statement", withCode("57014"), false],
    ["too many connections", withCode("53300"), false],
    ["a server that only reads", withCode("25006"), false],
    ["a pool without a free connection", new Error("timeout exceeded when trying to connect"), false],
    ["a closed pool", new Error("Pool is closed."), false],
    ["a server that does not answer", withCode("ETIMEDOUT"), false],
    ["a conflict", withCode("40001"), false],
  ])("%s", (_name, error, expected) => {
    expect(isConnectionLost(error)).toBe(expected);
  });
});
