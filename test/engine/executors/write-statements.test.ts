import process from "node:process";
import { Kysely, PostgresDialect, MysqlDialect, sql, type Dialect } from "kysely";
import { createPool } from "mysql2";
import { edm, entityType, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { Pool } from "pg";
import { describe, expect, test } from "vitest";
import { countStatements } from "./count-statements.ts";
import type { AnyDatabase } from "./engines.ts";

/** How many statements a write takes: one if the database returns the rows that it writes. */

const ORIGIN = "http://service.example";
const TABLE = "counted_drafts";
const Draft = entityType("Draft", {
  id: edm.int32().key(),
  text: edm.string().nullable(),
  version: edm.int32().computed(),
});

interface Counted {
  readonly title: string;
  readonly dialect: () => Dialect;
  /** A database to create for the test, if the connection has none. */
  readonly schema?: string;
  /** The statements of POST, PATCH, and PATCH with If-Match, by their first words. */
  readonly expected: readonly (readonly string[])[];
}

const RETURNING = [["insert"], ["update"], ["select", "update"]];
/** Without `returning`, each write locks, writes and reads back in a transaction. */
const LOCKED_UPDATE = ["begin", "select", "update", "select", "commit"];
const READ_BACK = [["begin", "insert", "select", "commit"], LOCKED_UPDATE, ["select", ...LOCKED_UPDATE]];

const { ODATAKIT_POSTGRES: postgres, ODATAKIT_MYSQL: mariadb } = process.env;
const DATABASES: readonly Counted[] = [
  { title: "SQLite", dialect: () => sqliteDialect(":memory:"), expected: RETURNING },
  ...(postgres === undefined
    ? []
    : [
        {
          title: "PostgreSQL",
          dialect: () => new PostgresDialect({ pool: new Pool({ connectionString: postgres, max: 2 }) }),
          expected: RETURNING,
        },
      ]),
  ...(mariadb === undefined
    ? []
    : [
        {
          title: "MariaDB",
          dialect: () => new MysqlDialect({ pool: createPool({ uri: mariadb, connectionLimit: 1 }) }),
          schema: "counted_writes",
          expected: READ_BACK,
        },
      ]),
];

describe.each(DATABASES)("$title", ({ dialect, schema, expected }) => {
  test("inserts and changes a row with one statement, after one read for If-Match", async () => {
    const counter = countStatements(dialect());
    const db: AnyDatabase = new Kysely({ dialect: counter.dialect, log: counter.log });
    if (schema !== undefined) {
      await sql`create database if not exists ${sql.id(schema)}`.execute(db);
      await sql`use ${sql.id(schema)}`.execute(db);
    }
    await sql`drop table if exists ${sql.id(TABLE)}`.execute(db);
    await sql`create table ${sql.id(TABLE)} (id int primary key, text varchar(50), version int not null default 1)`.execute(
      db,
    );
    const set = sqlEntitySet(Draft, {
      db,
      table: TABLE,
      operations: ["read", "create", "patch"],
      rowVersion: "version",
      etag: ["version"],
    });
    const service = odataService({ entitySets: [set] });
    async function ask(method: string, target: string, body: object, etag?: string): Promise<Response> {
      const headers = { "Content-Type": "application/json", ...(etag === undefined ? {} : { "If-Match": etag }) };
      return service.fetch(new Request(`${ORIGIN}/${target}`, { method, headers, body: JSON.stringify(body) }));
    }
    // The table is inspected once, before its first write.
    let etag = (await ask("POST", "Drafts", { Id: 1, Text: "a" })).headers.get("etag") ?? "";
    const seen: (readonly string[])[] = [];
    for (const [method, target, body, isConditional] of [
      ["POST", "Drafts", { Id: 2, Text: "b" }, false],
      ["PATCH", "Drafts(1)", { Text: "c" }, false],
      ["PATCH", "Drafts(1)", { Text: "d" }, true],
    ] as const) {
      counter.reset();
      const response = await ask(method, target, body, isConditional ? etag : undefined);
      expect(response.status).toBe(method === "POST" ? 201 : 200);
      expect(await response.json()).toMatchObject(body);
      seen.push(counter.texts().map((text) => text.trimStart().split(/\s/u, 1)[0] ?? ""));
      if (method === "PATCH") etag = response.headers.get("etag") ?? "";
    }
    expect(seen).toEqual(expected);
    expect((await ask("PATCH", "Drafts(1)", { Text: "e" }, '"other"')).status).toBe(412);
    await sql`drop table ${sql.id(TABLE)}`.execute(db);
    if (schema !== undefined) await sql`drop database ${sql.id(schema)}`.execute(db);
    await db.destroy();
  });
});
