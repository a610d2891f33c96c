import { sql } from "kysely";
import { arraySource, edm, entitySet, entityType, odataService, type ODataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { describe, expect, test } from "vitest";
import { ENGINES, isCluster, type AnyDatabase } from "../../engine/executors/engines.ts";
import { sentStatements } from "../sql/sent-statements.ts";

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

const NUMBERS =
  "40000 32767 -32768 -32769 2147483647 2147483648 -2147483648 -2147483649 9007199254740993 9223372036854775808 1e30".split(
    " ",
  );
const CONDITIONS = NUMBERS.flatMap((number) =>
  ["Id", "Byte", "Small", "Long"].flatMap((name) => [
    ...["eq", "ne", "gt", "ge", "lt", "le"].map((operator) => `${name} ${operator} ${number}`),
    ...["eq", "ne", "gt", "ge", "lt", "le"].map((operator) => `not (${name} ${operator} ${number})`),
    `(${name} gt ${number}) eq (${name} lt ${number})`,
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

  test.runIf(name === "postgres")(
    "are bound as numbers of the column, or as null, where a distributed database converts them",
    async () => {
      const { db, close } = await open();
      await makeItems(db);
      const set = { name: "Items", db, table: "items", operations: ["read"], distributed: true } as const;
      const service = odataService({ profile: "standard", schemaCheck: false, entitySets: [sqlEntitySet(Item, set)] });
      const statements = await sentStatements(db, () => answersOf(service, Object.keys(BOUND)));
      const bound = statements.map(({ sql: text, parameters }) => [
        /where (.*) order by/.exec(text)?.[1],
        parameters.slice(0, -1),
      ]);
      expect(bound).toEqual(Object.values(BOUND));
      await close();
    },
  );

  test.runIf(name === "postgres")("are never compared with a column as 64-bit integers", async () => {
    const { db, close } = await open();
    await makeItems(db);
    const set = { name: "Items", db, table: "items", operations: ["read"], distributed: true } as const;
    const service = odataService({ profile: "standard", schemaCheck: false, entitySets: [sqlEntitySet(Item, set)] });
    const bits = { id: 32, byte: 16, small: 16, long: 64 } as const;
    const statements = await sentStatements(db, () => answersOf(service, CONDITIONS));
    const wide = statements.flatMap(({ sql: text, parameters }) => {
      const compared = text.matchAll(/"(\w+)" (?:=|<>|<=?|>=?|in) (\([^)]*\)|\$\d+(?:::int8)?)/g);
      return Array.from(compared, ([comparison, column, places = ""]) => {
        const given = Array.from(places.matchAll(/\$(\d+)/g), ([, place]) => parameters[Number(place) - 1]);
        const fits = given.every((value) => value === null || isInteger(value, bits[column as keyof typeof bits]));
        return fits ? [] : [`${comparison} with ${JSON.stringify(given)}`];
      }).flat();
    });
    expect(wide).toEqual([]);
    await close();
  });

  test.runIf(name === "postgres")(
    "are announced at startup where a column of a distributed database is narrower than its property",
    async () => {
      const { db, close } = await open();
      const named = sql.id("long");
      await sql`create table items (id int4 primary key, byte int2, small int2, ${named} int4)`.execute(db);
      for (const distributed of [false, true]) {
        const warnings: unknown[] = [];
        const silent = (): void => undefined;
        const warn = (_text: string, fields: object): void => void warnings.push(fields);
        const logger = { error: silent, warn, info: silent };
        const set = { name: "Items", db, table: "items", operations: ["read"], distributed } as const;
        const service = odataService({ logger, entitySets: [sqlEntitySet(Item, set)] });
        await service.ready();
        // All sets over a cluster are distributed.
        expect(warnings).toMatchObject(
          distributed || isCluster()
            ? [{ code: "C03", severity: "warning", set: "Items", property: "long", column: "long" }]
            : [],
        );
      }
      await close();
    },
  );
});

/** The condition and the values of some filters. */
const BOUND = {
  "Id eq 9007199254740993": [`"id" = $1::int4`, [null]],
  "Small in (1,40000)": [`"small" in ($1::int2, $2::int2)`, ["1", null]],
  "Id eq 2147483647": [`"id" = $1::int4`, ["2147483647"]],
  "Id gt 2147483647": [`"id" >= $1::int8`, [null]],
  "Id gt 2147483646": [`"id" >= $1::int8`, ["2147483647"]],
  "Id gt -2147483649": [`"id" >= $1::int8`, ["-2147483648"]],
  "Id ge 2147483648": [`"id" >= $1::int8`, [null]],
  "Id le 9007199254740993": [`"id" <= $1::int8`, ["2147483647"]],
  "Id lt 9007199254740993": [`"id" <= $1::int8`, ["2147483647"]],
  "Id lt -2147483648": [`"id" <= $1::int8`, [null]],
  "Long gt 9007199254740993": [`"long" > $1::int8`, ["9007199254740993"]],
} as const;

function isInteger(text: unknown, bits: number): boolean {
  return typeof text === "string" && /^-?\d+$/.test(text) && BigInt.asIntN(bits, BigInt(text)) === BigInt(text);
}
