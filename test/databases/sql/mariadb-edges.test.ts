import { Kysely, MysqlDialect, sql } from "kysely";
import { createPool, type PoolOptions } from "mysql2";
import { edm, entityType, odataService, type ODataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { mariadbDialect } from "odatakit/mariadb";
import { describe, expect, test } from "vitest";
import { required } from "../../../src/base/required.ts";
import { ENGINES, type AnyDatabase, type OpenDatabase } from "../../engine/executors/engines.ts";

/** Values at the edges of the types of MariaDB, and pools at their edges. */

const { ODATAKIT_MYSQL: server = "" } = process.env;

const Edge = entityType("Edge", {
  id: edm.int32().key(),
  at: edm.dateTimeOffset({ precision: 0 }).nullable(),
  single: edm.single().nullable(),
  wide: edm.single().nullable(),
  bits: edm.byte().nullable(),
  many: edm.int64().nullable(),
});

const TABLE = sql`create table edges (id int primary key, at timestamp null, single float, wide double, bits bit(8), many bit(64))`;

async function uriOf(db: AnyDatabase): Promise<string> {
  const { rows } = await sql<{ name: string }>`select database() as name`.execute(db);
  const uri = new URL(server);
  uri.pathname = `/${rows[0]?.name ?? ""}`;
  return uri.href;
}

function serviceOver(db: AnyDatabase): ODataService {
  const operations = ["read", "create", "patch", "replace"] as const;
  const edges = sqlEntitySet(Edge, { db, table: "edges", operations, columns: { at: { storage: "utc" } } });
  return odataService({ logger: QUIET, propertyNaming: "camelCase", entitySets: [edges] });
}

const QUIET = { error: () => undefined, warn: () => undefined, info: () => undefined };
const DIALECTS = [
  ["mariadbDialect", mariadbDialect],
  ["MysqlDialect", (options: { pool: ReturnType<typeof createPool> }) => new MysqlDialect(options)],
] as const;

async function send(service: ODataService, target: string, method = "GET", body?: object): Promise<readonly unknown[]> {
  const init = {
    method,
    headers: { "Content-Type": "application/json", Accept: "application/json;odata.metadata=none" },
  };
  const given = body === undefined ? init : { ...init, body: JSON.stringify(body) };
  const response = await service.fetch(new Request(`http://service.example/${encodeURI(target)}`, given));
  const text = await response.text();
  return [response.status, text === "" ? null : (JSON.parse(text) as unknown)];
}

const MARIADB = ENGINES.find(({ name }) => name === "mariadb");
const open = (): Promise<OpenDatabase> => required(MARIADB, "The tests are skipped without MariaDB.").open();

describe.skipIf(MARIADB === undefined)("MariaDB", () => {
  describe.each(DIALECTS)("with %s", (_name, dialect) => {
    test.each(["", "STRICT_TRANS_TABLES"])("stores values at the edges of types, sql_mode='%s'", async (mode) => {
      const { db, close } = await open();
      await TABLE.execute(db);
      const pool = createPool({ uri: await uriOf(db), connectionLimit: 1 });
      pool.on("connection", (connection) => void connection.query(`set session sql_mode = '${mode}'`));
      const own: AnyDatabase = new Kysely({ dialect: dialect({ pool }) });
      const service = serviceOver(own);
      await service.ready();
      const row = { at: null, single: null, wide: null, bits: null, many: null };
      const greatest = 3.402_823_466_385_288_6e38;
      for (const [id, given, stored] of [
        [1, { single: 3.402_823_5e38 }, { single: greatest }],
        [2, { single: -3.402_823_5e38 }, { single: -greatest }],
        [3, { single: 0.1 }, { single: 0.100_000_001_490_116_12 }],
        [4, { bits: 0, many: 0 }, { bits: 0, many: 0 }],
        [5, { bits: 255, many: 5 }, { bits: 255, many: 5 }],
        [6, { bits: 53 }, { bits: 53 }],
        [7, { at: "1970-01-01T00:00:01Z" }, { at: "1970-01-01T00:00:01Z" }],
        [8, { at: "2038-01-19T03:14:07Z" }, { at: "2038-01-19T03:14:07Z" }],
      ] as const) {
        expect(await send(service, "Edges", "POST", { id, ...given })).toEqual([201, { id, ...row, ...stored }]);
        expect(await send(service, `Edges(${String(id)})`)).toEqual([200, { id, ...row, ...stored }]);
        for (const [name, value] of Object.entries(stored)) {
          const found = await send(
            service,
            `Edges?$select=id&$filter=${name} eq ${String(value).replace("+", "")} and id eq ${String(id)}`,
          );
          expect([name, found]).toEqual([name, [200, { value: [{ id }] }]]);
        }
      }
      const refused = [
        { at: "1969-12-31T23:59:59Z" },
        { at: "1970-01-01T00:00:00Z" },
        { at: "2038-01-19T03:14:08Z" },
        { at: "2150-01-01T00:00:00Z" },
        { at: "0001-01-01T00:00:00Z" },
      ];
      for (const body of refused) {
        for (const [target, method] of [
          ["Edges", "POST"],
          ["Edges(7)", "PATCH"],
          ["Edges(7)", "PUT"],
        ] as const) {
          const given = method === "POST" ? { id: 90, ...body } : body;
          const [status] = await send(service, target, method, given);
          expect([body, method, status]).toEqual([body, method, 400]);
        }
      }
      expect(await send(service, "Edges(7)")).toEqual([200, { id: 7, ...row, at: "1970-01-01T00:00:01Z" }]);
      expect(await send(service, "Edges?$select=id&$filter=id eq 90")).toEqual([200, { value: [] }]);
      for (const at of [
        "1900-01-01T00:00:00Z",
        "2038-01-19T03:14:08Z",
        "9999-12-31T23:59:59Z",
        "0001-01-01T00:00:00Z",
      ]) {
        const after = Number(at.slice(0, 4)) > 2000;
        for (const [operator, all] of [
          ["eq", false],
          ["gt", !after],
          ["ge", !after],
          ["lt", after],
          ["le", after],
        ] as const) {
          const found = await send(service, `Edges?$select=id&$orderby=id&$filter=at ${operator} ${at}`);
          expect([at, operator, found]).toEqual([at, operator, [200, { value: all ? [{ id: 7 }, { id: 8 }] : [] }]]);
        }
        expect((await send(service, `Edges?$filter=at in (${at})`))[0]).toBe(200);
      }
      await own.destroy();
      await close();
    });

    test.each<readonly [PoolOptions, string]>([
      [{ waitForConnections: false }, "No connections available."],
      [{ queueLimit: 1 }, "Queue limit reached."],
    ])("a pool of one connection with %j is 503 while it is busy: %s", async (options, message) => {
      const { db, close } = await open();
      await TABLE.execute(db);
      const pool = createPool({ uri: await uriOf(db), connectionLimit: 1, ...options });
      const own: AnyDatabase = new Kysely({ dialect: dialect({ pool }) });
      const service = serviceOver(own);
      await service.ready();
      let release: () => void = () => undefined;
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      let hold: () => void = () => undefined;
      const held = new Promise<void>((resolve) => {
        hold = resolve;
      });
      const busy = own.connection().execute(() => {
        hold();
        return released;
      });
      await held;
      const waiting = [0, 1, 2].map(async () => {
        const response = await service.fetch(new Request("http://service.example/Edges"));
        return [response.status, response.headers.get("retry-after")] as const;
      });
      const writing = service.fetch(
        new Request("http://service.example/Edges", {
          method: "POST",
          headers: { "Content-Type": "application/json" },
          body: JSON.stringify({ id: 5 }),
        }),
      );
      const written = await writing;
      release();
      const answers = await Promise.all(waiting);
      expect(answers).toContainEqual([503, "1"]);
      expect(answers.filter(([status]) => status !== 503 && status !== 200)).toEqual([]);
      expect([message, written.status, written.headers.get("retry-after")]).toEqual([message, 503, "1"]);
      await busy;
      await own.destroy();
      await close();
    });
  });
});
