import { Socket } from "node:net";
import process from "node:process";
import { Kysely, sql } from "kysely";
import { createPool } from "mysql2";
import { edm, entityType, odataService, type ODataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { mariadbDialect } from "odatakit/mariadb";
import { postgresDialect } from "odatakit/postgres";
import { Pool } from "pg";
import { afterEach, describe, expect, test } from "vitest";
import { isArrayReader } from "../../../src/databases/connection/array-reader.ts";
import type { AnyDatabase } from "../../engine/executors/engines.ts";
import { NEVER } from "../../timers.ts";

/** A driver parses messages of the server outside of any request: an exception there ends its connection, not the process. */

const { ODATAKIT_POSTGRES: postgres, ODATAKIT_MYSQL: mariadb } = process.env;

const Item = entityType("Item", { id: edm.int32().key(), name: edm.string() });
const logger = { error: () => undefined, warn: () => undefined, info: () => undefined };

const ended: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ended.splice(0)) await end();
});

/** The rows that a driver fails to read have this name. */
const BAD = "bad";
const TOO_LONG = Object.assign(new Error("Cannot create a string longer than 0x1fffffe8 characters"), {
  code: "ERR_STRING_TOO_LONG",
});

interface Opened {
  readonly db: AnyDatabase;
  /** How many connections the pool has opened. */
  readonly opened: () => number;
}

function openPostgres(): Opened {
  const pool = new Pool({ connectionString: postgres, max: 1 });
  let count = 0;
  pool.on("connect", (client) => {
    count += 1;
    // The parser of the driver emits each row, and has no handler of exceptions.
    client.connection.on("dataRow", ({ fields }: { readonly fields: readonly unknown[] }) => {
      if (fields.includes(BAD)) throw TOO_LONG;
    });
  });
  return { db: new Kysely({ dialect: postgresDialect({ pool }) }), opened: () => count };
}

function openMariadb(): Opened {
  const pool = createPool({ uri: `${mariadb ?? ""}/mysql`, connectionLimit: 1 });
  let count = 0;
  pool.on("connection", (connection) => {
    count += 1;
    const socket: unknown = Reflect.get(connection, "stream");
    if (!(socket instanceof Socket)) throw new Error("The driver has no socket.");
    for (const parse of socket.listeners("data")) {
      socket.removeListener("data", parse as () => void);
      socket.on("data", (chunk: Buffer) => {
        if (chunk.includes(BAD)) throw TOO_LONG;
        Reflect.apply(parse, socket, [chunk]);
      });
    }
  });
  return { db: new Kysely({ dialect: mariadbDialect({ pool }) }), opened: () => count };
}

async function get(service: ODataService, target: string): Promise<unknown> {
  const response = await service.fetch(new Request(`http://service.example/${target}`));
  return [response.status, await response.json()];
}

const REFUSED = {
  code: "InvalidQueryOption",
  message: "A value has more than 536870888 characters, and cannot be read. Request less at once.",
};

describe.each([
  ...(postgres === undefined ? [] : [{ title: "pg", open: openPostgres }]),
  ...(mariadb === undefined ? [] : [{ title: "mysql2", open: openMariadb }]),
])("an exception in the parser of $title", ({ open }) => {
  test("ends its connection, and its request with 400", async () => {
    const { db, opened } = open();
    const table = `driver_exceptions_${String(process.pid)}`;
    await sql`create table ${sql.id(table)} (id integer primary key, name varchar(20) not null)`.execute(db);
    ended.push(async () => {
      await sql`drop table ${sql.id(table)}`.execute(db);
      await db.destroy();
    });
    await sql`insert into ${sql.id(table)} values (1, 'good'), (2, ${BAD}), (3, 'good'), (4, 'good')`.execute(db);
    const service = odataService({
      entitySets: [sqlEntitySet(Item, { db, table, name: "Items", operations: ["read"] })],
      logger,
    });
    await service.ready();
    const before = opened();
    expect(await get(service, "Items")).toEqual([400, { error: REFUSED }]);
    expect(await get(service, "Items(2)")).toEqual([400, { error: REFUSED }]);
    // The rows after the exception belong to no other statement.
    expect(await get(service, "Items?$filter=Id ne 2&$select=Id")).toEqual([
      200,
      {
        "@odata.context": "http://service.example/$metadata#Items(Id)",
        value: [{ Id: 1 }, { Id: 3 }, { Id: 4 }],
      },
    ]);
    expect(opened()).toBe(before + 2);
  });
});

describe.runIf(postgres !== undefined)("reads over pg", () => {
  test("keep no rows beyond their limit, and the connection reads on", async () => {
    const db: AnyDatabase = new Kysely({
      dialect: postgresDialect({ pool: new Pool({ connectionString: postgres, max: 1 }) }),
    });
    ended.push(() => db.destroy());
    const text = "select i, repeat('x', i), null from generate_series(1, 100) as n(i)";
    const read = (most: number): Promise<unknown> =>
      db.getExecutor().provideConnection((connection) => {
        if (!isArrayReader(connection)) throw new Error("The connection reads no arrays.");
        return connection.readEach([{ sql: text, parameters: [] }], {
          timeout: null,
          prepares: true,
          most,
          enough: most,
        });
      });
    const rows = Array.from({ length: 100 }, (_, index) => [index + 1, "x".repeat(index + 1), null]);
    // The digits of the numbers count, too.
    for (let again = 0; again < 3; again += 1) {
      expect(await read(9)).toEqual([{ rows: rows.slice(0, 3), isCut: true, seen: 3 }]);
      // The number of the third row fits, but not its text.
      expect(await read(8)).toEqual([{ rows: rows.slice(0, 2), isCut: true, seen: 3 }]);
      expect(await read(0)).toEqual([{ rows: [], isCut: true, seen: 0 }]);
      expect(await read(5242)).toEqual([{ rows, isCut: false }]);
    }
  });

  test("keep the rows that fit if a column ends each, although their connection ends", async () => {
    const db: AnyDatabase = new Kysely({
      dialect: postgresDialect({ pool: new Pool({ connectionString: postgres, max: 1 }) }),
    });
    ended.push(() => db.destroy());
    const text = "select nullif(i, 2), nullif(repeat('x', i), 'xxx'), 0 from generate_series(1, 1000000) as n(i)";
    const read = (most: number, enough: number): Promise<unknown> =>
      db.getExecutor().provideConnection((connection) => {
        if (!isArrayReader(connection)) throw new Error("The connection reads no arrays.");
        const command = { sql: text, parameters: [], width: 2 };
        return connection.readEach([command], { timeout: null, prepares: true, most, enough });
      });
    const rows = [
      [1, "x"],
      [null, "xx"],
      [3, null],
      [4, "xxxx"],
    ];
    // The third column counts, too: the first three rows have 3, 3 and 2 characters.
    expect(await read(8, 8)).toEqual([{ rows: rows.slice(0, 3), isCut: true, seen: 3 }]);
    expect(await read(7, 7)).toEqual([{ rows: rows.slice(0, 2), isCut: true, seen: 2 }]);
    expect(await read(13, 6)).toEqual([{ rows: rows.slice(0, 2), isCut: true, seen: 2 }]);
    expect(await read(13, 8)).toEqual([{ rows: rows.slice(0, 3), isCut: true, seen: 3 }]);
    expect(await read(3, 0)).toEqual([{ rows: rows.slice(0, 1), isCut: true, seen: 1 }]);
    expect(await read(2, 2)).toEqual([{ rows: [], isCut: true, seen: 1 }]);
  });

  test("rows beyond maxResponseBytes are not kept", async () => {
    const db: AnyDatabase = new Kysely({
      dialect: postgresDialect({ pool: new Pool({ connectionString: postgres, max: 2 }) }),
    });
    const view = `long_texts_${String(process.pid)}`;
    ended.push(async () => {
      await sql`drop view ${sql.id(view)}`.execute(db);
      await db.destroy();
    });
    await sql
      .raw(`create view ${view} as select i as id, repeat('x', 100000000) as name from generate_series(1, 3) as n(i)`)
      .execute(db);
    const service = odataService({
      entitySets: [sqlEntitySet(Item, { db, table: view, name: "Items", operations: ["read"] })],
      defaults: { queryTimeout: NEVER },
      schemaCheck: false,
      logger,
    });
    const message =
      "The first entity would exceed maxResponseBytes, which limits a response, and those of a batch together: request fewer properties with $select, fewer entities with $filter and $top, or fewer expansions.";
    expect(await get(service, "Items")).toEqual([400, { error: { code: "InvalidQueryOption", message } }]);
    expect(await get(service, "Items?$select=Id&$filter=Id eq 2")).toEqual([
      200,
      { "@odata.context": "http://service.example/$metadata#Items(Id)", value: [{ Id: 2 }] },
    ]);
  });
});
