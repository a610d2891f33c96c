import process from "node:process";
import { Kysely, MysqlDialect, sql, type CompiledQuery, type LogEvent } from "kysely";
import { createPool, type PoolOptions } from "mysql2";
import { edm, entityType, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { postgresDialect } from "odatakit/postgres";
import { Pool } from "pg";
import { describe, expect, test } from "vitest";
import { ENGINES, type AnyDatabase, type DatabaseEngine } from "../../engine/executors/engines.ts";

/** Columns with UTC and without a time zone, in sessions of many time zones. */

// This process has its own time zone, too.
process.env["TZ"] = "Pacific/Chatham";

const Visit = entityType("Visit", {
  id: edm.int32().key(),
  at: edm.dateTimeOffset({ precision: 3 }).nullable(),
  other: edm.dateTimeOffset({ precision: 6 }).nullable(),
  made: edm.dateTimeOffset({ precision: 3 }).computed(),
});
const columns = { at: { storage: "utc" }, other: { storage: "utc" }, made: { storage: "utc" } } as const;

/** `other` is a datetime if `at` is a timestamp in the session time zone. */
const TABLES = {
  sqlite: "at text, other text, made text default (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))",
  postgres: "at timestamp, other timestamp(6), made timestamp default (now() at time zone 'UTC')",
  mariadb:
    "at timestamp(3) null, other datetime(6), made datetime(3) default current_timestamp(3), unique key (at, id), key (other)",
} as const;

/** The hours that occur twice in Berlin, and the hour that is skipped, in UTC. */
const INSTANTS = [
  "2024-10-27T00:30:00.125Z",
  "2024-10-27T01:30:00.125Z",
  "2024-03-31T00:59:59.999Z",
  "2024-03-31T01:30:00.000Z",
  "1970-01-01T00:00:01.000Z",
];

/** The time zone of Berlin in 2024, for servers without time zone tables. */
const BERLIN: readonly string[] = [
  "replace into mysql.time_zone (Time_zone_id, Use_leap_seconds) values (90001, 'N')",
  "replace into mysql.time_zone_name values ('Odatakit/Berlin', 90001)",
  "replace into mysql.time_zone_transition_type values (90001, 0, 7200, 1, 'CEST'), (90001, 1, 3600, 0, 'CET')",
  "replace into mysql.time_zone_transition values (90001, 1711846800, 0), (90001, 1729990800, 1)",
];

/** Opens sessions in many time zones, with many driver settings, on an open database. */
async function sessionsOf(
  { name, title }: DatabaseEngine,
  db: AnyDatabase,
  log?: (event: LogEvent) => void,
): Promise<readonly AnyDatabase[]> {
  if (name === "sqlite" || title === "PGlite") return [db];
  const place = name === "postgres" ? sql`current_schema()` : sql`database()`;
  const { rows } = await sql<{ place: string }>`select ${place} as place`.execute(db);
  const schema = rows[0]?.place ?? "";
  if (name === "postgres") {
    return ["UTC", "Europe/Berlin", "Asia/Kathmandu", "America/New_York"].map((zone) => {
      const options = `-c search_path=${schema} -c timezone=${zone}`;
      const pool = new Pool({ connectionString: process.env["ODATAKIT_POSTGRES"], max: 1, options });
      return new Kysely({ dialect: postgresDialect({ pool }), ...(log !== undefined && { log }) });
    });
  }
  for (const statement of BERLIN) await sql.raw(statement).execute(db);
  const settings: ReadonlyArray<readonly [zone: string, options: PoolOptions]> = [
    ["+00:00", { timezone: "Z" }],
    ["Odatakit/Berlin", { timezone: "local" }],
    ["+05:45", { timezone: "+05:45", dateStrings: true }],
    ["-09:30", { timezone: "+02:00" }],
  ];
  return settings.map(([zone, options]) => {
    const target = new URL(process.env["ODATAKIT_MYSQL"] ?? "");
    target.pathname = `/${schema}`;
    const pool = createPool({ uri: target.href, connectionLimit: 1, ...options });
    pool.on("connection", (connection) => connection.query(`set time_zone = '${zone}'`));
    return new Kysely({ dialect: new MysqlDialect({ pool }), ...(log !== undefined && { log }) });
  });
}

function serviceOf(db: AnyDatabase) {
  const operations = ["read", "create", "patch"] as const;
  const options = { db, table: "visits", operations, columns, etag: ["at"], paging: "keyset" } as const;
  const service = odataService({
    schemaCheck: false,
    propertyNaming: "camelCase",
    secret: "s".repeat(32),
    entitySets: [sqlEntitySet(Visit, options)],
  });
  return async (target: string, method = "GET", body?: object, headers: Record<string, string> = {}) => {
    const init = body === undefined ? { method } : { method, body: JSON.stringify(body) };
    const accepted = { Accept: "application/json;odata.metadata=none", "Content-Type": "application/json", ...headers };
    const response = await service.fetch(new Request(`http://h${encodeURI(target)}`, { ...init, headers: accepted }));
    const answer = (await response.json()) as { readonly value: ReadonlyArray<{ readonly id: number }> };
    return { status: response.status, answer, etag: response.headers.get("ETag") ?? "" };
  };
}

describe.each(ENGINES)('a column with storage: "utc": $title', (engine) => {
  test("represents the same instant in sessions of every time zone and with every driver setting", async () => {
    const { db, close } = await engine.open();
    await sql`create table visits (id integer primary key, ${sql.raw(TABLES[engine.name])})`.execute(db);
    const sessions = await sessionsOf(engine, db);
    const visits: Array<{ readonly id: number; readonly at: string; readonly other: string }> = [];
    for (const session of sessions) {
      const send = serviceOf(session);
      for (const at of INSTANTS) {
        const visit = { id: visits.length + 1, at, other: at.replace("Z", "001Z") };
        const started = Date.now();
        const created = await send("/Visits", "POST", visit);
        expect(created).toMatchObject({ status: 201, answer: visit });
        // The time of the insert according to the database.
        const { made } = created.answer as unknown as { readonly made: string };
        expect(Math.abs(Date.parse(made) - started), made).toBeLessThan(60_000);
        visits.push(visit);
      }
    }
    for (const session of sessions) {
      const send = serviceOf(session);
      const idsOf = async (query: string): Promise<readonly number[]> =>
        (await send(`/Visits?$select=id&$orderby=id&${query}`)).answer.value.map(({ id }) => id);
      const wanted = (test: (at: number) => boolean): readonly number[] =>
        visits.filter(({ at }) => test(Date.parse(at))).map(({ id }) => id);
      expect((await send("/Visits?$select=id,at,other&$orderby=id")).answer).toEqual({ value: visits });
      for (const at of INSTANTS) {
        const time = Date.parse(at);
        expect(await idsOf(`$filter=at eq ${at}`), at).toEqual(wanted((each) => each === time));
        expect(await idsOf(`$filter=at gt ${at}`), at).toEqual(wanted((each) => each > time));
        expect(await idsOf(`$filter=other lt ${at}`), at).toEqual(wanted((each) => each < time));
        expect(
          await idsOf(`$filter=at in (${at},null) and at add duration'PT0.000001S' lt other add duration'PT1S'`),
        ).toEqual(wanted((each) => each === time));
        const { etag } = await send(`/Visits(${String(visits.find((visit) => visit.at === at)?.id)})`);
        const id = String(visits.find((visit) => visit.at === at)?.id);
        const patched = await send(`/Visits(${id})`, "PATCH", { at }, { "If-Match": etag });
        expect([patched.status, patched.etag]).toEqual([200, etag]);
      }
      expect(await idsOf("$filter=hour(at) eq 1 and date(at) eq 2024-10-27")).toEqual(
        wanted((each) => each === Date.parse(INSTANTS[1] ?? "")),
      );
      expect(
        await idsOf("$filter=at gt now() or made gt now() add duration'PT1M' or made lt now() sub duration'PT10M'"),
      ).toEqual([]);
      const sorted = visits.toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at) || one.id - other.id);
      expect((await send("/Visits?$select=id&$orderby=at")).answer.value).toEqual(sorted.map(({ id }) => ({ id })));
    }
    for (const session of sessions) if (session !== db) await session.destroy();
    await close();
  });
});

describe.each(ENGINES.filter(({ title }) => title === "PostgreSQL" || title === "MariaDB"))(
  "an index on it: $title",
  (engine) => {
    test("serves filters and orders", async () => {
      const { db, close } = await engine.open();
      await sql`create table visits (id integer primary key, ${sql.raw(TABLES[engine.name])})`.execute(db);
      if (engine.name === "postgres") await sql`create index visits_at on visits (at nulls first, id)`.execute(db);
      const rows = Array.from({ length: 5000 }, (_none, id) => {
        const at = new Date(1_700_000_000_000 + id * 60_000).toISOString().replace("T", " ").slice(0, -1);
        return sql`(${id}, ${at})`;
      });
      await sql`insert into visits (id, at) values ${sql.join(rows)}`.execute(db);
      await sql.raw(engine.name === "mariadb" ? "analyze table visits" : "analyze visits").execute(db);
      const statements: CompiledQuery[] = [];
      const [, session] = await sessionsOf(engine, db, ({ query }) => statements.push(query));
      if (session === undefined) throw new Error("There is no session.");
      const send = serviceOf(session);
      for (const [filter, order] of [
        ["at eq 2023-11-15T00:00:20Z", "id"],
        ["at ge 2023-11-15T00:00:20Z and at lt 2023-11-15T00:10:00Z", "at"],
        ["at in (2023-11-15T00:00:20Z,2023-11-16T00:00:20Z)", "id"],
        ["at le now()", "at desc"],
      ] as const) {
        statements.length = 0;
        expect((await send(`/Visits?$top=5&$select=id&$filter=${filter}&$orderby=${order}`)).status).toBe(200);
        const { sql: text = "", parameters = [] } = statements[0] ?? {};
        const explained =
          engine.name === "mariadb" ? text.replace(" for select", " for explain select") : `explain ${text}`;
        const { rows: plan } = await session.executeQuery<object>({
          ...sql`select 1`.compile(session),
          sql: explained,
          parameters,
        });
        expect(JSON.stringify(plan), filter).toMatch(/visits_at|"key":"at"/);
      }
      await session.destroy();
      await close();
    });
  },
);
