import { sql } from "kysely";
import { edm, entityType } from "odatakit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { pgColumnFormat } from "../../../src/databases/postgres/dialect/column-format.ts";
import { declaredEntityType } from "../../../src/definition/model/declared-entity-type.ts";
import { ENGINES, isCluster, type OpenDatabase } from "../../engine/executors/engines.ts";
import { DISTRIBUTED } from "./distributed-engines.ts";

const Cell = entityType("Cell", {
  id: edm.int32().key(),
  date: edm.date(),
  time: edm.timeOfDay(),
  whole: edm.dateTimeOffset({ precision: 0 }),
  milli: edm.dateTimeOffset({ precision: 3 }),
  micro: edm.dateTimeOffset({ precision: 6 }),
  free: edm.dateTimeOffset(),
});

const DATES = ["2024-02-29", "0001-01-01", "0001-12-31 BC", "4713-01-01 BC", "12345-06-07", "infinity", "-infinity"];
const TIMES = ["00:00:00", "23:59:59.999999", "10:20:00.5", "10:00:30", "24:00:00"];
const INSTANTS = [
  ...DATES,
  ...DATES.slice(0, 5).flatMap((date) =>
    TIMES.map((time) => `${date.replace(" BC", "")} ${time}+05:45${date.endsWith("BC") ? " BC" : ""}`),
  ),
];

describe.each(ENGINES.filter(({ name }) => name === "postgres"))("cells that writes return over $title", ({ open }) => {
  let opened: OpenDatabase;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(() => opened.close());

  test.each([
    ["date", "date", DATES],
    ["time", "time", TIMES],
    ["whole", "timestamptz", INSTANTS],
    ["milli", "timestamptz", INSTANTS],
    ["micro", "timestamptz", INSTANTS],
    ["free", "timestamptz", INSTANTS],
  ] as const)("%s: as they are read", async (field, type, texts) => {
    const property = declaredEntityType(Cell).properties.find((each) => each.field === field);
    const format = property === undefined ? null : pgColumnFormat(property, undefined);
    if (format?.toReturned === undefined || format.toReturned === null) throw new Error("The cell has a form.");
    for (const text of texts) {
      const value = sql`(${sql.lit(text)}::${sql.raw(type)})`;
      const { rows } =
        await sql`select ${format.toSelected(value)} as read, ${format.toReturned(value)} as returned`.execute(
          opened.db,
        );
      const [row] = rows as ReadonlyArray<{ readonly read: unknown; readonly returned: unknown }>;
      expect([text, row?.returned]).toEqual([text, row?.read]);
    }
  });
});

test.each(DISTRIBUTED)(
  "$title fails for a statement that Citus refuses, and for cells that depend on the session",
  async ({ open }) => {
    const { db, close } = await open();
    await sql`create table days (day date)`.execute(db);
    const run = async (text: string): Promise<void> => {
      const ran = sql.raw(text).execute(db);
      // A cluster refuses the statements.
      if (isCluster()) await expect(ran).rejects.toThrow(/^(?:non-IMMUTABLE functions|complex joins) are /);
      else await ran;
    };
    await run(`insert into days values ('2024-02-29') returning day::text as "c0"`);
    await run(`insert into "days" values ('2024-02-29') returning "day"::text as "c0"`);
    await run(`select 1 from "days" as "it" left join "days" as "r1" on 1 = 1`);
    // There the check of the statements ends with the first.
    const found = isCluster()
      ? /^complex joins are /
      : /refuses 2 statements\.\na join of tables: .*\n"day"::text in returning: /;
    await expect(close()).rejects.toThrow(found);
  },
);
