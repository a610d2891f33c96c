import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { Kysely, sql } from "kysely";
import { edm, entitySet, entityType, hasMany, odataService, type ODataService, type ServiceDefaults } from "odatakit";
import { sqlEntitySet, sqlSource } from "odatakit/kysely";
import { postgresDialect } from "odatakit/postgres";
import { Pool, type PoolConfig } from "pg";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { AnyDatabase } from "../../engine/executors/engines.ts";
import { recordingLogger } from "../../service/http/model.ts";

const url = process.env["ODATAKIT_POSTGRES"];
const SCHEMA = `batches_${String(process.pid)}_${String(Date.now())}`;
const Item = entityType("Item", { id: edm.int32().key(), name: edm.string(), groupId: edm.int32() });
const Group = entityType("Group", { id: edm.int32().key(), code: edm.string() });
const ROWS = 30;

interface Opened {
  readonly db: AnyDatabase;
  readonly pool: Pool;
  readonly service: ODataService;
}

/** A service over a pool with one connection. */
function open(
  others: {
    readonly pool?: PoolConfig;
    readonly defaults?: ServiceDefaults;
    readonly table?: string;
    readonly preparedStatements?: boolean;
    readonly convert?: (cell: unknown) => string;
  } = {},
): Opened {
  const { defaults = {}, table = "items", preparedStatements, convert = String } = others;
  const pool = new Pool({ connectionString: url, max: 1, options: `-c search_path=${SCHEMA}`, ...others.pool });
  const db: AnyDatabase = new Kysely({ dialect: postgresDialect({ pool }) });
  onTestFinished(() => db.destroy());
  return { db, pool, ...serviceOver(db, { defaults, table, preparedStatements, convert }) };
}

interface ServiceSettings {
  readonly defaults?: ServiceDefaults;
  readonly table?: string;
  readonly preparedStatements?: boolean | undefined;
  readonly convert?: (cell: unknown) => string;
}

/** A further service over the same connection. */
function serviceOver(
  db: AnyDatabase,
  { defaults = {}, table = "items", preparedStatements, convert = String }: ServiceSettings = {},
): Pick<Opened, "service"> {
  const code = { convert: { fromDatabase: convert, toDatabase: (value: string) => value } };
  const service = odataService({
    defaults,
    schemaCheck: false,
    logger: recordingLogger(),
    entitySets: [
      sqlEntitySet(Item, { db, table, columns: { groupId: "group_id" }, operations: ["read"], preparedStatements }),
      sqlEntitySet(Group, {
        db,
        table: "groups",
        columns: { code },
        operations: ["read"],
        navigation: { items: hasMany(Item, { on: { id: "groupId" }, target: "Items" }) },
      }),
    ],
  });
  return { service };
}

async function send(service: ODataService, target: string): Promise<readonly [status: number, body: unknown]> {
  const headers = { Accept: "application/json;odata.metadata=none" };
  const response = await service.fetch(new Request(`http://service.example/${target}`, { headers }));
  return [response.status, await response.json()];
}

const item = (id: number): object => ({
  Id: id,
  Name: `Item ${String(id)}`,
  GroupId: id % 3,
});

async function prepared(db: AnyDatabase): Promise<readonly string[]> {
  const { rows } = await sql<{ statement: string }>`select statement from pg_prepared_statements`.execute(db);
  return rows.map(({ statement }) => statement);
}

describe.skipIf(url === undefined)("reads over the driver of PostgreSQL", () => {
  let admin: AnyDatabase;
  beforeAll(async () => {
    const pool = new Pool({ connectionString: url, max: 1, options: `-c search_path=${SCHEMA}` });
    admin = new Kysely({ dialect: postgresDialect({ pool }) });
    await sql`create schema ${sql.id(SCHEMA)}`.execute(admin);
    await sql`create table items (id int primary key, name text not null, group_id int not null)`.execute(admin);
    await sql`insert into items select i, 'Item ' || i, i % 3 from generate_series(1, ${ROWS}) i`.execute(admin);
    await sql`create table groups (id int primary key, code int not null)`.execute(admin);
    await sql`insert into groups values (0, 7), (1, 8)`.execute(admin);
    await sql`create view sleepers as select id, pg_sleep(60)::text as name, group_id from items`.execute(admin);
  });
  afterAll(async () => {
    await sql`drop schema ${sql.id(SCHEMA)} cascade`.execute(admin);
    await admin.destroy();
  });

  test("a connection prepares a statement that it uses again", async () => {
    const { db, service } = open();
    for (let id = 1; id <= 4; id += 1) expect(await send(service, `Items(${String(id)})`)).toEqual([200, item(id)]);
    expect(await prepared(db)).toEqual([expect.stringContaining('from "items"')]);
  });

  test("a connection keeps at most 100 prepared statements", async () => {
    const { db, service } = open();
    for (let length = 1; length <= 120; length += 1) {
      const filter = Array.from({ length }, (_none, index) => `Id ne ${String(1000 + index)}`).join(" and ");
      for (let time = 0; time < 3; time += 1) {
        const [status] = await send(service, `Items?$top=1&$filter=${encodeURIComponent(filter)}`);
        expect(status).toBe(200);
      }
    }
    const kept = await prepared(db);
    expect(kept.length).toBeGreaterThan(20);
    expect(kept.length).toBeLessThanOrEqual(100);
    expect(kept.join("").length).toBeLessThanOrEqual(200_000);
  });

  test("`preparedStatements: false` prepares none", async () => {
    const { db, service } = open({ preparedStatements: false });
    for (let id = 1; id <= 4; id += 1) expect(await send(service, `Items(${String(id)})`)).toEqual([200, item(id)]);
    for (let time = 0; time < 3; time += 1) expect((await send(service, "Groups"))[0]).toBe(200);
    expect(await prepared(db)).toEqual([]);
  });

  test("rejects a `preparedStatements` that is not a boolean", () => {
    const { db } = open();
    const preparedStatements = "no" as unknown as boolean;
    expect(() => sqlSource(Item, { db, from: "items", preparedStatements })).toThrow(
      'sqlSource(Item, …): `preparedStatements` is "no". Give true or false.',
    );
  });

  test("statements that a connection has lost are sent again, and prepared no more after eight times", async () => {
    const { db, service } = open();
    for (let time = 0; time < 12; time += 1) {
      for (const id of [1, 2, 3]) expect(await send(service, `Items(${String(id)})`)).toEqual([200, item(id)]);
      await sql`deallocate all`.execute(db);
    }
    for (const id of [1, 2, 3]) expect(await send(service, `Items(${String(id)})`)).toEqual([200, item(id)]);
    expect(await prepared(db)).toEqual([]);
  });

  test("a statement whose columns have changed is planned again", async () => {
    const cells: unknown[] = [];
    const { service } = open({
      convert: (cell) => {
        cells.push(cell);
        return String(cell);
      },
    });
    const entities = (codes: readonly string[]): object => ({
      value: codes.map((Code, Id) => ({ Id, Code })),
    });
    for (let time = 0; time < 3; time += 1) expect(await send(service, "Groups")).toEqual([200, entities(["7", "8"])]);
    await sql`alter table groups alter column code type text using 'c' || code`.execute(admin);
    onTestFinished(async () => {
      await sql`alter table groups alter column code type int using substr(code, 2)::int`.execute(admin);
    });
    for (let time = 0; time < 3; time += 1) {
      expect(await send(service, "Groups")).toEqual([200, entities(["c7", "c8"])]);
    }
    expect(cells).toEqual([7, 8, 7, 8, 7, 8, "c7", "c8", "c7", "c8", "c7", "c8"]);
  });

  test("a page and its total take one connection of a pool that pipelines", async () => {
    const { pool, service } = open({ pool: { max: 4, pipeline: true } });
    await send(service, "Items");
    let acquired = 0;
    pool.on("acquire", () => {
      acquired += 1;
    });
    const [status, body] = await send(service, "Items?$count=true&$top=1&$skip=2&$orderby=Id");
    expect([status, body]).toEqual([
      200,
      {
        "@odata.count": ROWS,
        value: [{ Id: 3, Name: "Item 3", GroupId: 0 }],
      },
    ]);
    expect(acquired).toBe(1);
    const items = "Items($count=true;$top=1;$orderby=Id;$select=Id)";
    expect(await send(service, `Groups?$expand=${items}&$select=Id&$orderby=Id`)).toEqual([
      200,
      {
        value: [
          { Id: 0, "Items@odata.count": 10, Items: [{ Id: 3 }] },
          { Id: 1, "Items@odata.count": 10, Items: [{ Id: 1 }] },
        ],
      },
    ]);
    // One statement writes JSON.
    expect(acquired).toBe(2);
    // A column with a conversion is read as rows: groups, then items with their counts.
    expect(await send(service, `Groups?$expand=${items}&$orderby=Id`)).toEqual([
      200,
      {
        value: [
          { Id: 0, Code: "7", "Items@odata.count": 10, Items: [{ Id: 3 }] },
          { Id: 1, Code: "8", "Items@odata.count": 10, Items: [{ Id: 1 }] },
        ],
      },
    ]);
    expect(acquired).toBe(4);
  });

  test("the server ends a statement itself, and the setting of the application stays", async () => {
    const { db, pool, service } = open({
      pool: { options: `-c search_path=${SCHEMA} -c statement_timeout=50000`, pipeline: true },
      defaults: { queryTimeout: 300 },
      table: "sleepers",
    });
    const { service: patient } = serviceOver(db);
    expect((await send(patient, "Groups"))[0]).toBe(200);
    let acquired = 0;
    pool.on("acquire", () => {
      acquired += 1;
    });
    for (let time = 0; time < 3; time += 1) {
      const [status, body] = await send(service, "Items");
      expect([status, body]).toEqual([503, { error: expect.objectContaining({ code: "QueryTimeout" }) as object }]);
    }
    // No statement was cancelled from another connection.
    expect(acquired).toBe(3);
    const { rows } = await sql`show statement_timeout`.execute(db);
    expect(rows).toEqual([{ statement_timeout: "50s" }]);
    expect((await send(patient, "Groups"))[0]).toBe(200);
  });

  test("a lower limit of the application stays", async () => {
    const { service } = open({
      pool: { options: `-c search_path=${SCHEMA} -c statement_timeout=200` },
      defaults: { queryTimeout: 60_000 },
      table: "sleepers",
    });
    const [status, body] = await send(service, "Items");
    expect([status, body]).toEqual([503, { error: expect.objectContaining({ code: "QueryTimeout" }) as object }]);
  });

  test("the time of a request also passes while all connections are busy", async () => {
    const { db, pool, service } = open({ defaults: { queryTimeout: 100 } });
    const { service: patient } = serviceOver(db);
    expect((await send(patient, "Items"))[0]).toBe(200);
    const client = await pool.connect();
    const [status, body] = await send(service, "Items");
    client.release();
    expect([status, body]).toEqual([503, { error: expect.objectContaining({ code: "QueryTimeout" }) as object }]);
    await sleep(10);
    expect((await send(patient, "Items"))[0]).toBe(200);
  });

  test("a connection of a pool that pipelines prepares statements, too", async () => {
    const { db, service } = open({ pool: { pipeline: true } });
    for (let id = 1; id <= 3; id += 1) expect(await send(service, `Items(${String(id)})`)).toEqual([200, item(id)]);
    expect(await prepared(db)).toEqual([expect.stringContaining('from "items"')]);
  });

  test("an error of one statement in a pipeline leaves the connection as it was", async () => {
    const { db, service } = open({ pool: { pipeline: true } });
    await sql`create view broken as select id, (1 / (id - 1))::text as name, group_id from items`.execute(admin);
    onTestFinished(async () => {
      await sql`drop view broken`.execute(admin);
    });
    const broken = sqlEntitySet(Item, { db, table: "broken", columns: { groupId: "group_id" }, operations: ["read"] });
    const failing = odataService({ entitySets: [broken], schemaCheck: false, logger: recordingLogger() });
    for (let time = 0; time < 3; time += 1) {
      expect((await send(failing, "Items?$count=true&$top=1&$orderby=Name"))[0]).toBe(400);
      expect(await send(service, "Items(1)")).toEqual([200, item(1)]);
    }
  });

  test("a text of several statements has no rows", async () => {
    const { db } = open();
    expect(await sql.raw("select 1 as one; select 2 as two").execute(db)).toEqual({ rows: [] });
  });

  test("the log of Kysely receives texts and values", async () => {
    const { pool } = open();
    const logged: unknown[] = [];
    const db: AnyDatabase = new Kysely({
      dialect: postgresDialect({ pool }),
      log: ({ query }) => {
        logged.push([typeof query.sql, query.parameters]);
      },
    });
    const service = odataService({
      entitySets: [sqlEntitySet(Item, { db, table: "items", columns: { groupId: "group_id" }, operations: ["read"] })],
      schemaCheck: false,
    });
    expect(await send(service, "Items(1)")).toEqual([200, item(1)]);
    expect(logged).toEqual([["string", [64_000_000, "1"]]]);
  });

  test("values that the driver converts by its own settings are left to it", async () => {
    const { db } = open();
    const from = {
      sql: "select * from items where id = any($1) and $2::date > '2000-01-01'",
      parameters: [[2, 3], new Date()],
    };
    const service = odataService({
      entitySets: [
        entitySet(Item, { queryable: () => sqlSource(Item, { db, from, columns: { groupId: "group_id" } }) }),
      ],
    });
    expect(await send(service, "Items?$count=true&$top=1&$orderby=Id")).toEqual([
      200,
      {
        "@odata.count": 2,
        value: [{ Id: 2, Name: "Item 2", GroupId: 2 }],
      },
    ]);
  });

  test("a parser of the application that fails fails the request alone", async () => {
    let isFailing = true;
    const types = {
      getTypeParser: () => (cell: string) => {
        if (isFailing && cell === "8") throw new Error("no eight");
        return cell;
      },
    };
    const { service } = open({ pool: { types } });
    for (let time = 0; time < 3; time += 1) expect((await send(service, "Groups"))[0]).toBe(500);
    isFailing = false;
    expect((await send(service, "Groups"))[0]).toBe(200);
  });

  test.each([false, true])("the driver's own limit of time ends a read (pipeline: %s)", async (pipeline) => {
    // The other statements have this time, too.
    const options = `-c search_path=${SCHEMA} -c statement_timeout=4000`;
    const pool = { query_timeout: 2000, pipeline, options };
    const { service } = open({ pool, table: "sleepers", defaults: { queryTimeout: 4000 } });
    expect((await send(service, "Items"))[0]).toBe(500);
    await sleep(4000);
    expect((await send(service, "Groups"))[0]).toBe(200);
  });

  test("statements that fail at run time are prepared again", async () => {
    const { service } = open();
    const divided = (divisor: number): string => `Items?$filter=100 div (Id sub ${String(divisor)}) gt 1000&$top=1`;
    for (const divisor of [-5, -5, 2, 2, -5, -5]) {
      const [status] = await send(service, divided(divisor));
      expect(status).toBe(200);
    }
    const long = (digits: number): string => `Items?$filter=substring(Name,${"1".repeat(digits)}) eq 'x'`;
    for (const digits of [1, 1, 30, 30, 1, 1]) await send(service, long(digits));
    expect((await send(service, long(1)))[0]).toBe(200);
  });
});
