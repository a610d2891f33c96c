import { sql } from "kysely";
import { arraySource, edm, entitySet, entityType, odataService, type ODataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { describe, expect, test } from "vitest";
import { ENGINES, type AnyDatabase } from "../executors/engines.ts";
import { sentStatements } from "../kysely/sent-statements.ts";

const Item = entityType("Item", {
  id: edm.int32().key(),
  byte: edm.byte().nullable(),
  small: edm.int16().nullable(),
  long: edm.int64().nullable(),
});
const ROWS = [
  { id: 1, byte: 1, small: 1, long: 5n },
  { id: 2, byte: 255, small: null, long: null },
  { id: -2_147_483_648, byte: null, small: -32_768, long: -9_223_372_036_854_775_808n },
];
const TYPES = {
  sqlite: ["integer", "integer", "integer", "integer"],
  postgres: ["int4", "int2", "int2", "int8"],
  mariadb: ["int", "tinyint unsigned", "smallint", "bigint"],
} as const;

const NUMBERS = "40000 2147483648 -2147483649 9007199254740993 9223372036854775808 1e30".split(" ");
const CONDITIONS = NUMBERS.flatMap((number) =>
  ["Id", "Byte", "Small", "Long"].flatMap((name) => [
    ...["eq", "ne", "gt", "ge", "lt", "le"].map((operator) => `${name} ${operator} ${number}`),
    `not (${name} eq ${number})`,
    `not (${name} ne ${number})`,
    `${number} eq ${name}`,
    `(${name} eq ${number}) ne true`,
    `${name} in (1,${number})`,
    `not (${name} in (${number},2))`,
  ]),
);

async function answersOf(service: ODataService, conditions: readonly string[]): Promise<readonly unknown[]> {
  const answers: unknown[] = [];
  for (const condition of conditions) {
    const target = `http://service.example/Items?$filter=${encodeURIComponent(condition)}&$select=Id&$orderby=Id`;
    const response = await service.fetch(new Request(target));
    answers.push([condition, response.status, await response.text()]);
  }
  return answers;
}

let known: Promise<readonly unknown[]> | undefined;

/** The answers over arrays, which are the same for all databases. */
function inMemory(): Promise<readonly unknown[]> {
  const memory = odataService({
    profile: "standard",
    entitySets: [entitySet(Item, { name: "Items", queryable: () => arraySource(Item, ROWS) })],
  });
  known ??= answersOf(memory, CONDITIONS);
  return known;
}

describe.each(ENGINES)("integers beyond the type of a column of $title", ({ name, open }) => {
  async function makeItems(db: AnyDatabase): Promise<void> {
    const [id, byte, small, long] = TYPES[name].map((type) => sql.raw(type));
    const named = sql.id("long");
    await sql`create table items (id ${id} primary key, byte ${byte}, small ${small}, ${named} ${long})`.execute(db);
    for (const row of ROWS) {
      const long = row.long === null ? null : String(row.long);
      await sql`insert into items values (${row.id}, ${row.byte}, ${row.small}, ${long})`.execute(db);
    }
  }

  test.each([false, true])("match nothing, if distributed is %s", async (distributed) => {
    const { db, close } = await open();
    await makeItems(db);
    const set = { name: "Items", db, table: "items", operations: ["read"], distributed } as const;
    const stored = odataService({ profile: "standard", schemaCheck: false, entitySets: [sqlEntitySet(Item, set)] });
    const expected = await inMemory();
    expect(await answersOf(stored, CONDITIONS)).toEqual(expected);
    expect(expected.filter((answer) => (answer as readonly unknown[])[1] !== 200)).toEqual([]);
    await close();
  });

  test.runIf(name === "postgres")("are bound as null where a distributed database converts them", async () => {
    const { db, close } = await open();
    await makeItems(db);
    const set = { name: "Items", db, table: "items", operations: ["read"], distributed: true } as const;
    const service = odataService({ profile: "standard", schemaCheck: false, entitySets: [sqlEntitySet(Item, set)] });
    const conditions = ["Id eq 9007199254740993", "Small in (1,40000)", "Id eq 2147483647"];
    const statements = await sentStatements(db, () => answersOf(service, conditions));
    expect(statements.map(({ parameters }) => parameters.slice(0, 2))).toEqual([
      [null, expect.anything()],
      ["1", null],
      ["2147483647", expect.anything()],
    ]);
    await close();
  });
});
