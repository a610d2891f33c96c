import { sql } from "kysely";
import { odataService } from "odatakit";
import { introspectDatabase } from "odatakit/introspect";
import { describe, expect, test } from "vitest";
import { ENGINES } from "../../../engine/executors/engines.ts";

type Expected = boolean | number | string | undefined;

/** A column, its default as a value of the property or undefined, and whether the database refuses its own default. */
type Case = readonly [definition: string, expected: Expected, isRefused?: true];

const SHARED: readonly Case[] = [
  ["int default 0", 0],
  ["int default -7", -7],
  ["int not null default 42", 42],
  ["smallint default (3)", 3],
  ["bigint default 9223372036854775807", "9223372036854775807"],
  ["varchar(10) default 'new'", "new"],
  ["varchar(10) not null default ''", ""],
  ["varchar(10) default 'it''s'", "it's"],
  ["numeric(8, 2) default 1.50", 1.5],
  ["numeric(8, 2) default 0", 0],
  ["double precision default 0.25", 0.25],
  ["timestamp default current_timestamp", undefined],
  ["date default '2024-02-29'", undefined],
  ["int default (1 + 1)", undefined],
  ["int default null", undefined],
];
const CASES: Readonly<Record<string, readonly Case[]>> = {
  sqlite: [
    ...SHARED.filter(([definition]) => !definition.startsWith("numeric")),
    ["integer default true", 1],
    ["boolean default false", false],
    ["boolean default 1", true],
    ['text default "open"', "open"],
    ["text default 5", undefined],
    ["text default (lower('A'))", undefined],
    ["blob default x'00'", undefined],
    ["numeric default 1.5", 1.5],
  ],
  postgres: [
    ...SHARED,
    ["boolean default true", true],
    ["boolean not null default false", false],
    ["text default 'a\\b'", "a\\b"],
    ["text default lower('A')", undefined],
    ["char(3) default 'a'", undefined],
    ["varchar(2) default 'too long'", undefined, true],
    ["numeric(4, 1) default 1.25", undefined],
    ["numeric(4, 1) default 12345", undefined, true],
    ["numeric default 12345678901234567890.5", "12345678901234567890.5"],
    ["smallint default 70000", undefined, true],
    ["uuid default gen_random_uuid()", undefined],
    ["int[] default '{}'", undefined],
    ["mood default 'sad'", "sad"],
    ["label default 'very happy'", undefined],
  ],
  mariadb: [
    ...SHARED,
    ["tinyint(1) default 1", true],
    ["tinyint(1) default 2", undefined],
    ["bit(1) default b'0'", false],
    ["char(3) default 'a'", undefined],
    ["varchar(9) default 'a\\\\b'", undefined],
    ["enum('sad', 'ok') default 'ok'", "ok"],
    ["enum('sad', 'very happy') default 'sad'", undefined],
    ["bigint unsigned default 18446744073709551615", "18446744073709551615"],
  ],
};

describe.each(ENGINES)("literal defaults over $title", (engine) => {
  test("are those of properties, and expressions are not", async () => {
    const { db, close } = await engine.open();
    const cases = CASES[engine.name] ?? [];
    try {
      if (engine.name === "postgres") {
        await sql`create type mood as enum ('sad', 'ok')`.execute(db);
        await sql`create type label as enum ('sad', 'very happy')`.execute(db);
      }
      const columns = cases.map(([definition], at) => `c${at} ${definition}`);
      await sql.raw(`create table defaults (id int primary key, ${columns.join(", ")})`).execute(db);
      const schemas = engine.title === "PostgreSQL" ? [await schemaOf(db)] : undefined;
      const { entitySets, described } = await introspectDatabase(db, {
        ...(schemas === undefined ? {} : { schemas }),
        operations: () => ["create", "read"],
      });
      const [set] = described.sets;
      const found = cases.map(([definition], at) => {
        return [definition, set?.properties.find(({ column }) => column === `c${at}`)?.defaultValue];
      });
      expect(found).toEqual(cases.map(([definition, expected]) => [definition, expected]));
      const service = odataService({ prefix: "/odata", profile: "standard", entitySets });
      await service.ready();
      const posted = await service.fetch(
        new Request("http://x/odata/Defaults", {
          method: "POST",
          headers: { "Content-Type": "application/json" },
          body: '{"Id":1}',
        }),
      );
      expect([posted.status, posted.status === 201 ? "" : await posted.text()]).toEqual([201, ""]);
      // The database has the same value in a row that it makes itself.
      const refused = cases.flatMap(([, , isRefused], at) => (isRefused === true ? [`, c${at}`] : []));
      await sql
        .raw(`insert into defaults (id${refused.join("")}) values (2${", null".repeat(refused.length)})`)
        .execute(db);
      const literal = cases.flatMap(([, expected], at) => (expected === undefined ? [] : [`c${at}`]));
      const { rows } = await sql<
        Readonly<Record<string, unknown>>
      >`select ${sql.join(literal.map((name) => sql.id(name)))} from defaults order by id`.execute(db);
      expect(rows[0]).toEqual(rows[1]);
    } finally {
      await close();
    }
  });
});

async function schemaOf(db: Parameters<typeof introspectDatabase>[0]): Promise<string> {
  const { rows } = await sql<{ name: string }>`select current_schema() as name`.execute(db);
  return rows[0]?.name ?? "";
}
