import { sql } from "kysely";
import { odataService } from "odatakit";
import { introspectDatabase, writeDeclarations } from "odatakit/introspect";
import { describe, expect, test } from "vitest";
import { ENGINES, type AnyDatabase, type DatabaseName } from "../../../engine/executors/engines.ts";
import { countRows } from "../../../engine/walk/count-rows.ts";
import { walkService } from "../../../engine/walk/walk-service.ts";

/** A table with rows that have no key. */
interface Case {
  readonly what: string;
  readonly only: readonly DatabaseName[];
  readonly statements: readonly string[];
  /** The keys of the entities that remain. */
  readonly keys: readonly unknown[];
  readonly isPartial: boolean;
  /** The number of rows that are left out, as the warning says. */
  readonly leftOut?: string;
}

const MANY = "with recursive n(i) as (select 1 union all select i + 1 from n where i < 12000)";

const CASES: readonly Case[] = [
  {
    what: "infinite times",
    only: ["postgres"],
    statements: [
      "create table odd (at timestamptz primary key, n int)",
      "insert into odd values ('2024-02-29T12:00:00Z', 1), ('infinity', 2), ('-infinity', 3)",
    ],
    keys: ["2024-02-29T12:00:00.000000Z"],
    isPartial: true,
    leftOut: "leaves out 2 rows whose at is no value of the key",
  },
  {
    what: "infinite dates, and dates without four digits of the year",
    only: ["postgres"],
    statements: [
      "create table odd (id int, at date, primary key (id, at))",
      "insert into odd values (1, '2024-02-29'), (2, 'infinity'), (3, '12000-01-01'), (4, '0044-03-15 BC')",
    ],
    keys: [1],
    isPartial: true,
    leftOut: "leaves out 3 rows whose id, at is no value of the key",
  },
  {
    what: "numbers that are no numbers",
    only: ["postgres"],
    statements: ["create table odd (id numeric primary key, n int)", "insert into odd values (1.5, 1), ('NaN', 2)"],
    keys: [1.5],
    isPartial: true,
    leftOut: "leaves out 1 row whose id is no value of the key",
  },
  {
    what: "finite times",
    only: ["postgres"],
    statements: ["create table odd (at timestamp primary key, n int)", "insert into odd values ('2024-02-29', 1)"],
    keys: ["2024-02-29T00:00:00.000000Z"],
    isPartial: false,
  },
  {
    what: "zero dates",
    only: ["mariadb"],
    statements: [
      "set sql_mode = ''",
      "create table odd (at date primary key, n int)",
      "insert into odd values ('2024-02-29', 1), ('0000-00-00', 2), ('2024-00-00', 3)",
    ],
    keys: ["2024-02-29"],
    isPartial: true,
    leftOut: "leaves out 2 rows whose at is no value of the key",
  },
  {
    what: "integers and, beyond the sample, texts and nulls: the rowid is the key",
    only: ["sqlite"],
    statements: [
      "create table odd (id int, n int not null, primary key (id, n)) ",
      `insert into odd ${MANY} select iif(i = 6000, 'x', iif(i = 6001, null, i)), i from n`,
    ],
    keys: [1, 2, 3],
    isPartial: false,
  },
  {
    what: "integers and, beyond the sample, null, without a name for the rowid",
    only: ["sqlite"],
    statements: [
      "create table odd (id int primary key, rowid text, oid text, _rowid_ text)",
      `insert into odd (id) ${MANY} select iif(i between 6000 and 6002, null, i) from n`,
    ],
    keys: [1, 2, 3],
    isPartial: true,
    leftOut: "leaves out 3 rows whose id is null",
  },
  {
    what: "integers and, beyond the sample, texts: the key is a text",
    only: ["sqlite"],
    statements: [
      "create table odd (id int primary key, n int) without rowid",
      `insert into odd ${MANY} select iif(i between 6000 and 6200, 'x' || i, i), i from n`,
    ],
    keys: ["1", "10", "100"],
    isPartial: false,
  },
  {
    what: "integers and, beyond the sample, texts in a further column of the key",
    only: ["sqlite"],
    statements: [
      "create table odd (n int not null, id int, primary key (id, n)) without rowid",
      `insert into odd ${MANY} select iif(i = 6000, 'x', i), i from n`,
    ],
    keys: ["1", "10", "100"],
    isPartial: false,
  },
  {
    what: "texts and, beyond the sample, bytes: the rowid is the key",
    only: ["sqlite"],
    statements: [
      "create table odd (id text primary key, n int)",
      `insert into odd ${MANY} select iif(i = 6000, x'ff', printf('%05d', i)), i from n`,
    ],
    keys: [1, 2, 3],
    isPartial: false,
  },
  {
    what: "texts only, beyond the sample too",
    only: ["sqlite"],
    statements: [
      "create table odd (id text primary key, n int)",
      `insert into odd ${MANY} select printf('%05d', i), i from n`,
    ],
    keys: ["00001", "00002", "00003"],
    isPartial: false,
  },
  {
    what: "cells beyond the sample that contradict a column without null",
    only: ["sqlite"],
    statements: [
      "create table odd (id integer primary key, n int not null, at datetime not null, flag boolean not null)",
      `insert into odd ${MANY} select i, iif(i = 6000, 'many', i), iif(i = 6000, 'soon', '2024-02-29 12:00:00'), iif(i = 6000, 7, 1) from n`,
    ],
    keys: [1, 2, 3],
    isPartial: false,
  },
];

async function run(db: AnyDatabase, statements: readonly string[]): Promise<void> {
  await db.connection().execute(async (one) => {
    for (const statement of statements) await sql.raw(statement).execute(one);
  });
}

describe.each(ENGINES)("$title", (engine) => {
  test.each(CASES.filter(({ only }) => only.includes(engine.name)))(
    "$what",
    async ({ statements, keys, isPartial, leftOut }) => {
      const { db, close } = await engine.open();
      try {
        await run(db, statements);
        const { entitySets, described, warnings } = await introspectDatabase(db, { include: ["odd"] });
        const logger = {
          error: () => undefined,
          warn: () => undefined,
          info: () => undefined,
        };
        const service = odataService({
          prefix: "/odata",
          profile: "standard",
          entitySets,
          logger,
          defaults: { maxTop: null },
        });
        const counts = await countRows({ db }, described);
        const { refused, faults } = await walkService(service, "http://service.example/odata/", counts);
        expect(faults).toEqual([]);
        expect(refused.filter(([path, status]) => status !== 501 || !/(?:orderby|filter)=At/.test(path))).toEqual([]);
        const read = async (path: string): Promise<readonly Readonly<Record<string, unknown>>[]> => {
          const response = await service.fetch(new Request(`http://h/odata/${path}`));
          expect(response.status).toBe(200);
          return ((await response.json()) as { value: readonly Readonly<Record<string, unknown>>[] }).value;
        };
        const set = described.sets[0]?.setName ?? "";
        expect((await read(`${set}?$top=3`)).map((entity) => Object.values(entity)[0])).toEqual(keys);
        // All rows can be read.
        const pages = keys.length === 3 ? [0, 4000, 8000] : [];
        for (const skip of pages) await read(`${set}?$skip=${String(skip)}&$top=4000`);
        expect(warnings.flatMap(({ code, message }) => (code === "unreadable-key" ? [message] : []))).toEqual(
          leftOut === undefined ? [] : [leftOut],
        );
        const code = writeDeclarations(described, { database: { kind: "postgres" }, service: {} });
        expect(code.some(({ text }) => text.includes(" where "))).toBe(isPartial);
      } finally {
        await run(db, ["drop table odd"]);
        await close();
      }
    },
  );
});
