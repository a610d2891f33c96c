import fc from "fast-check";
import { sql } from "kysely";
import { odataService } from "odatakit";
import { introspectDatabase } from "odatakit/introspect";
import { describe, expect, test } from "vitest";
import { fuzzCount, SEED } from "../../../cases.ts";
import { ENGINES, type AnyDatabase } from "../../../engine/executors/engines.ts";
import { countRows } from "../../../engine/walk/count-rows.ts";
import { walkService } from "../../../engine/walk/walk-service.ts";
import { rewriteEverything } from "./rewrite-everything.ts";

/** Literals by type. The rows omit literals that a server rejects. */
type Literals = Readonly<Record<string, readonly string[]>>;

const TEXTS = ["''", "'a'", "'it''s'", "' '", "'ünï 😀'", "'%_\\'", "'a/b?c&d#e'", "'0'", "'A'", "'ß'", "'null'"];
const INTEGERS = ["0", "1", "-1", "127", "32767", "2147483647", "-2147483648", "9223372036854775807"];
const DECIMALS = ["0", "1.5", "-0.01", "99999999.99", "0.1"];
const DOUBLES = ["0", "0.1", "-1e300", "1e-300", "1.1", "123456789.123"];

const TYPES: Readonly<Partial<Record<string, Literals>>> = {
  postgres: {
    smallint: INTEGERS,
    integer: INTEGERS,
    bigint: INTEGERS,
    oid: INTEGERS,
    text: TEXTS,
    "varchar(5)": TEXTS,
    "char(3)": TEXTS,
    name: TEXTS,
    '"char"': TEXTS,
    numeric: [...DECIMALS, "'NaN'", "1e100", "12345678901234567890.123456789"],
    "numeric(10, 2)": [...DECIMALS, "'NaN'"],
    money: DECIMALS,
    real: [...DOUBLES, "'NaN'", "'-Infinity'"],
    "double precision": [...DOUBLES, "'NaN'", "'Infinity'"],
    boolean: ["true", "false"],
    date: [
      "'2024-02-29'",
      "'infinity'",
      "'-infinity'",
      "'0001-01-01'",
      "'0044-03-15 BC'",
      "'9999-12-31'",
      "'20000-01-01'",
    ],
    timestamp: ["'2024-02-29 12:30:00.123456'", "'infinity'", "'0044-03-15 00:00:00 BC'", "'20000-01-01 00:00:00'"],
    timestamptz: ["'2024-02-29 12:30:00+05:45'", "'-infinity'", "'9999-12-31 23:59:59.999999+00'"],
    "timestamptz(0)": ["'2024-02-29 12:30:00+00'", "'1582-10-10 00:00:00+00'"],
    time: ["'12:30'", "'24:00:00'", "'00:00:00.000001'"],
    timetz: ["'12:30+02'"],
    interval: ["'1 day 2 hours'", "'-1 month'"],
    uuid: ["'00000000-0000-4000-8000-00000000000A'"],
    bytea: ["'\\x00ff'", "''"],
    json: [`'{"a": 1}'`, "'null'"],
    jsonb: [`'[1, 2]'`, `'"x"'`],
    xml: ["'<a/>'"],
    inet: ["'10.0.0.1/8'"],
    macaddr: ["'08:00:2b:01:02:03'"],
    "bit(3)": ["'101'"],
    "varbit(5)": ["'1'"],
    "integer[]": ["'{1,2,null}'", "'{}'", "'{{1,2},{3,4}}'"],
    "text[]": [`'{a,"b,c",null}'`],
    int4range: ["'[1,5)'"],
    point: ["'(1,2)'"],
    tsvector: ["'a b'"],
    mood: ["'sad'", "'ok'"],
    "mood[]": ["'{sad}'"],
  },
  mariadb: {
    "tinyint(1)": ["0", "1", "2", "-128"],
    tinyint: INTEGERS,
    smallint: INTEGERS,
    mediumint: INTEGERS,
    int: INTEGERS,
    "int(6) zerofill": INTEGERS,
    "bigint zerofill": INTEGERS,
    "decimal(10,2) zerofill": DECIMALS,
    bigint: INTEGERS,
    "int unsigned": INTEGERS,
    "bigint unsigned": [...INTEGERS, "18446744073709551615"],
    "varchar(5)": TEXTS,
    "char(3)": TEXTS,
    text: TEXTS,
    "varchar(5) character set latin1": TEXTS,
    "varchar(6) collate utf8mb4_bin": TEXTS,
    "decimal(10,2)": DECIMALS,
    "decimal(5,0)": DECIMALS,
    float: DOUBLES,
    double: DOUBLES,
    date: ["'2024-02-29'", "'0000-00-00'", "'2024-00-00'", "'9999-12-31'", "'0001-01-01'"],
    "datetime(6)": ["'2024-02-29 12:30:00.123456'", "'0000-00-00 00:00:00'", "'1000-01-01 00:00:00'"],
    "timestamp null": ["'2024-02-29 12:30:00'", "'0000-00-00 00:00:00'"],
    time: ["'12:30:00'", "'-838:59:59'", "'25:00:00'"],
    year: ["2024", "0000", "1901"],
    "bit(1)": ["b'0'", "b'1'"],
    "bit(8)": ["b'101'"],
    "bit(64)": ["18446744073709551615"],
    "binary(3)": ["x'00ff'"],
    "varbinary(4)": ["x'00'", "''"],
    blob: ["x'ff'"],
    "enum('a','b')": ["'a'", "'b'"],
    "set('a','b')": ["'a,b'", "''"],
    json: [`'{"a": 1}'`],
    uuid: ["'00000000-0000-4000-8000-00000000000a'"],
    inet6: ["'::1'"],
  },
};

interface RandomColumn {
  readonly type: string;
  readonly cells: readonly string[];
  readonly isNotNull: boolean;
}

interface RandomTable {
  readonly key: "composite" | "none" | "serial" | "single" | "unique";
  readonly columns: readonly RandomColumn[];
  readonly isView: boolean;
}

function columnsOf(literals: Literals): fc.Arbitrary<RandomColumn> {
  return fc.constantFrom(...Object.entries(literals)).chain(([type, values]) => {
    const cell = fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom(...values) },
      { weight: 1, arbitrary: fc.constant("null") },
    );
    return fc.record({
      type: fc.constant(type),
      cells: fc.array(cell, { minLength: 5, maxLength: 5 }),
      isNotNull: fc.boolean(),
    });
  });
}

function statementsOf({ key, columns, isView }: RandomTable, engine: string): readonly string[] {
  const declared = columns.map(({ type, isNotNull }, at) => `c${at} ${type}${isNotNull ? " not null" : ""}`);
  if (key === "serial") {
    declared.unshift(engine === "postgres" ? "id serial primary key" : "id int auto_increment primary key");
  }
  if (key === "single") declared.push("primary key (c0)");
  if (key === "composite") declared.push("primary key (c0, c1)");
  if (key === "unique") declared.push("unique (c0)");
  // MariaDB then stores zero dates and the nearest values.
  const insert = engine === "mariadb" ? "insert ignore" : "insert";
  const names = columns.map((_column, at) => `c${at}`).join(", ");
  return [
    `create table random (${declared.join(", ")})`,
    ...[0, 1, 2, 3, 4].map(
      (row) => `${insert} into random (${names}) values (${columns.map(({ cells }) => cells[row]).join(", ")})`,
    ),
    ...(isView ? ["create view random_view as select * from random"] : []),
  ];
}

/** Selects a column as a text that shows each difference. */
function textOf(column: string, engine: string) {
  const name = sql.id(column);
  return engine === "postgres" ? sql`${name}::text as ${name}` : sql`hex(${name}) as ${name}`;
}

const DROPS = ["drop view if exists random_view", "drop table if exists random"];

/** Runs statements; a server refuses some keys and cells. @returns whether the table exists */
async function make(db: AnyDatabase, statements: readonly string[]): Promise<boolean> {
  let exists = true;
  for (const [at, statement] of statements.entries()) {
    await sql
      .raw(statement)
      .execute(db)
      .catch(() => {
        if (at === 0) exists = false;
      });
  }
  return exists;
}

describe.each(ENGINES.filter(({ name }) => TYPES[name] !== undefined))(
  "tables of $title with any types and cells",
  (engine) => {
    test("fail no request, and each entity is found by its values", { timeout: 1_800_000 }, async () => {
      const { db, close } = await engine.open();
      const isShared = engine.title === "PostgreSQL";
      try {
        if (engine.name === "postgres") await sql`create type mood as enum ('sad', 'ok')`.execute(db);
        const { rows } = isShared
          ? await sql<{ name: string }>`select current_schema() as name`.execute(db)
          : { rows: [] };
        const table = fc.record({
          key: fc.constantFrom("composite", "none", "serial", "single", "unique" as const),
          columns: fc.array(columnsOf(TYPES[engine.name] ?? {}), { minLength: 2, maxLength: 6 }),
          isView: fc.integer({ min: 0, max: 3 }).map((drawn) => drawn === 0),
        });
        const fails = fc.asyncProperty(table, async (drawn) => {
          for (const drop of DROPS) await sql.raw(drop).execute(db);
          if (!(await make(db, statementsOf(drawn, engine.name)))) return;
          const { entitySets, described } = await introspectDatabase(db, {
            ...(isShared ? { schemas: rows.map(({ name }) => name) } : {}),
            operations: ({ kind }) => (kind === "table" ? ["patch", "read"] : ["read"]),
          });
          const logger = {
            error: () => undefined,
            warn: () => undefined,
            info: () => undefined,
          };
          const service = odataService({ prefix: "/odata", profile: "standard", entitySets, logger });
          await service.ready();
          const counts = await countRows({ db }, described);
          const { refused, faults } = await walkService(service, "http://service.example/odata/", counts);
          expect({ refused, faults }).toEqual({ refused: [], faults: [] });
          const columns = drawn.columns.map((_column, at) => textOf(`c${at}`, engine.name));
          const cells = sql`select ${sql.join(columns)} from random order by 1, 2`;
          const before = await cells.execute(db);
          expect(await rewriteEverything(service, described)).toEqual([]);
          expect((await cells.execute(db)).rows).toEqual(before.rows);
        });
        await fc.assert(fails, { numRuns: fuzzCount(150), seed: SEED });
      } finally {
        await close();
      }
    });
  },
);
