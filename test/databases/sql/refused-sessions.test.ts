import { Kysely, MysqlDialect, sql } from "kysely";
import { createPool, type PoolOptions } from "mysql2";
import { edm, entityType, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { describe, expect, test } from "vitest";
import { required } from "../../../src/base/required.ts";
import { type AnyDatabase, ENGINES } from "../../engine/executors/engines.ts";

const Item = entityType("Item", { id: edm.int32().key(), name: edm.string().nullable() });

const { ODATAKIT_MYSQL: server = "" } = process.env;

/** Sessions in which statements or values mean something else. */
const REFUSED: ReadonlyArray<readonly [settings: string, options: PoolOptions, message: string]> = [
  [
    "set session sql_mode = 'STRICT_TRANS_TABLES,NO_BACKSLASH_ESCAPES'",
    {},
    "`sql_mode` of the sessions contains NO_BACKSLASH_ESCAPES",
  ],
  ["set session sql_mode = 'ORACLE'", {}, "`sql_mode` of the sessions contains ORACLE"],
  ["set session autocommit = 0", {}, "`autocommit` of the sessions is 0"],
  ["set session sql_select_limit = 100", {}, "`sql_select_limit` of the sessions is 100"],
  ["select 1", { charset: "utf8" }, "The character set of the sessions is utf8mb3"],
  ["select 1", { charset: "latin1" }, "The character set of the sessions is latin1"],
  ["select 1", { rowsAsArray: true }, "The pool gives rows or values another form than the service reads"],
  ["select 1", { nestTables: true }, "The pool gives rows or values another form than the service reads"],
  ["select 1", { nestTables: "_" }, "The pool gives rows or values another form than the service reads"],
  ["select 1", { typeCast: false }, "The pool gives rows or values another form than the service reads"],
  [
    "select 1",
    { typeCast: (field, next) => (field.type === "VAR_STRING" ? `<${field.string() ?? ""}>` : next()) },
    "The pool gives rows or values another form than the service reads",
  ],
];

const MARIADB = ENGINES.find(({ name }) => name === "mariadb");

describe.skipIf(MARIADB === undefined)("sessions of MariaDB", () => {
  test.each(REFUSED)("%s %j stops a service", async (settings, options, message) => {
    const { db, close } = await required(MARIADB, "The tests are skipped without MariaDB.").open();
    await sql`create table items (id int primary key, name varchar(20))`.execute(db);
    const { rows } = await sql<{ name: string }>`select database() as name`.execute(db);
    const uri = new URL(server);
    uri.pathname = `/${rows[0]?.name ?? ""}`;
    const pool = createPool({ uri: uri.href, connectionLimit: 1, ...options });
    pool.on("connection", (connection) => void connection.query(settings));
    const other: AnyDatabase = new Kysely({ dialect: new MysqlDialect({ pool }) });
    const start = (over: AnyDatabase): Promise<unknown> =>
      odataService({ entitySets: [sqlEntitySet(Item, { db: over, table: "items", operations: ["read"] })] }).ready();
    await expect(start(other)).rejects.toThrow(message);
    await expect(start(db)).resolves.toBeUndefined();
    await other.destroy();
    await close();
  });
});
