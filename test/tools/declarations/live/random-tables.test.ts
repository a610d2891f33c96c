import fc from "fast-check";
import { sql } from "kysely";
import { odataService } from "odatakit";
import { introspectDatabase, type DescribedProperty, type DescribedSet } from "odatakit/introspect";
import { expect, test } from "vitest";
import { fuzzCount, SEED } from "../../../cases.ts";
import { SQLITE } from "../../../databases/introspect/sqlite-hostile.ts";
import type { AnyDatabase } from "../../../engine/executors/engines.ts";
import { countRows } from "../../../engine/walk/count-rows.ts";
import { walkService } from "../../../engine/walk/walk-service.ts";
import { randomTable, statementsOf, type RandomTable } from "./random-tables.ts";
import { rewriteEverything } from "./rewrite-everything.ts";

type Row = Readonly<Record<string, unknown>>;

interface CellText {
  /** The storage class. */
  readonly kind: unknown;
  readonly text: unknown;
  /** The bytes as hexadecimal digits. */
  readonly digits: unknown;
}

const asNumber = (text: unknown): number => Number(String(text).replace(/^(-?)INF$/i, "$1Infinity"));

/** Returns whether a value means the cell of its column, or is null because the property cannot have the cell. */
function isMeant(
  { type, nullable, storage }: DescribedProperty,
  { kind, text, digits }: CellText,
  value: unknown,
): boolean {
  if (kind === "null") return value === null;
  // A key of bytes.
  if (storage === "hex") return kind === "blob" && value === digits;
  if (value === null) return nullable && type !== "Edm.String";
  switch (type) {
    case "Edm.String":
      return value === text;
    case "Edm.Int64":
      return kind === "integer" && value === text;
    case "Edm.Boolean":
      return kind === "integer" && value === (text === "1");
    case "Edm.Double":
      return (kind === "integer" || kind === "real") && asNumber(value) === asNumber(text);
    case "Edm.Decimal":
      return kind !== "blob" && Math.abs(asNumber(value) - asNumber(text)) <= Math.abs(asNumber(text)) * 1e-14;
    case "Edm.Binary":
      return kind === "blob";
    case "Edm.Date":
      return kind === "text" ? text === value : kind !== "blob";
    default:
      return kind !== "blob";
  }
}

/** Compares all entities of a table with its rows in the order of the rowid. */
async function compareRows(db: AnyDatabase, set: DescribedSet, entities: readonly Row[]): Promise<readonly string[]> {
  const plain = set.properties.filter(
    ({ sql: expression, isCollection, type, storage }) =>
      expression === null && !isCollection && !(type === "Edm.String" && storage === "text"),
  );
  const cells = plain.map(({ column }, at) => {
    const name = sql.id(column);
    return sql`typeof(${name}) as ${sql.raw(`k${at}`)}, cast(${name} as text) as ${sql.raw(`t${at}`)},
      lower(hex(${name})) as ${sql.raw(`h${at}`)}`;
  });
  if (cells.length === 0) return [];
  const { rows } = await sql<Row>`select ${sql.join(cells)} from ${sql.id(set.table.name)}`.execute(db);
  const isMeantAt = (at: number, row: Row, entity: Row): boolean => {
    const property = plain[at];
    const cell = { kind: row[`k${at}`], text: row[`t${at}`], digits: row[`h${at}`] };
    return property !== undefined && isMeant(property, cell, entity[property.name]);
  };
  const faults: string[] = [];
  const keys = plain.flatMap(({ isKey }, at) => (isKey ? [at] : []));
  if (keys.length !== set.properties.filter(({ isKey }) => isKey).length) return [];
  for (const entity of entities) {
    const matching = rows.filter((row) => keys.every((at) => isMeantAt(at, row, entity)));
    const outcomes = matching.map((row) =>
      plain
        .filter((_property, at) => !isMeantAt(at, row, entity))
        .map(({ name }) => `${name} of ${JSON.stringify(row)}`),
    );
    if (outcomes.some(({ length }) => length === 0)) continue;
    faults.push(`${JSON.stringify(entity)}: ${JSON.stringify(outcomes)}`);
  }
  if (set.excludes.length === 0 && set.excludesNulls.length === 0 && entities.length !== rows.length) {
    faults.push(`${entities.length} entities of ${rows.length} rows`);
  }
  return faults;
}

/** Tables that failed once: integers beyond doubles together with reals, and infinity in a column of decimals. */
const FOUND: readonly RandomTable[] = [
  {
    ...tableOf(["id", "INT"], ["size", ""]),
    rows: [
      ["1", "9223372036854775807"],
      ["2", "0.5"],
    ],
  },
  {
    ...tableOf(["id", "NUMERIC"], ["size", "NUMERIC"]),
    rows: [
      ["-9e999", "1"],
      ["2", "9e999"],
    ],
  },
];

function tableOf(...columns: ReadonlyArray<readonly [name: string, declared: string]>): Omit<RandomTable, "rows"> {
  const named = columns.map(([name, declared]) => ({ name, declared }));
  return { name: "orders", key: "composite", isStrict: false, isView: true, columns: named };
}

test("tables of SQLite with any types and cells: no request fails, and each value means its cell", async () => {
  await fc.assert(
    fc.asyncProperty(randomTable, async (table) => {
      const { db, close } = await SQLITE.open();
      try {
        for (const statement of statementsOf(table)) {
          // Strict tables and keys refuse some rows.
          await sql
            .raw(statement)
            .execute(db)
            .catch((error: unknown) => {
              if (!statement.startsWith("insert")) throw error;
            });
        }
        const { entitySets, described } = await introspectDatabase(db, {
          operations: ({ kind }) => (kind === "table" ? ["patch", "read"] : ["read"]),
        });
        const logger = { error: () => undefined, warn: () => undefined, info: () => undefined };
        const service = odataService({ prefix: "/odata", profile: "standard", entitySets, logger });
        await service.ready();
        const { refused, faults } = await walkService(
          service,
          "http://service.example/odata/",
          await countRows({ db }, described),
        );
        expect({ refused, faults }).toEqual({ refused: [], faults: [] });
        for (const set of described.sets) {
          const response = await service.fetch(
            new Request(`http://x/odata/${set.setName}`, {
              headers: { Accept: "application/json;IEEE754Compatible=true" },
            }),
          );
          const { value } = (await response.json()) as { value: readonly Row[] };
          expect(await compareRows(db, set, value)).toEqual([]);
        }
        // Numbers of a column without a type may become integers, and digits of a Guid lower case.
        const cells = table.columns.map(({ name }, at) => {
          const cell = sql.id(name);
          return sql`case when typeof(${cell}) in ('integer', 'real') and abs(${cell} * 1.0) < 1e15
            then printf('%!.17g', ${cell} + 0) else lower(quote(${cell})) end as ${sql.id(`c${at}`)}`;
        });
        const rows = sql`select ${sql.join(cells)} from ${sql.id(table.name)} order by rowid`;
        const before = await rows.execute(db);
        expect(await rewriteEverything(service, described)).toEqual([]);
        expect((await rows.execute(db)).rows).toEqual(before.rows);
      } finally {
        await close();
      }
    }),
    { numRuns: fuzzCount(300), seed: SEED, examples: FOUND.map((table) => [table]) },
  );
});
