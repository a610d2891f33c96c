import fc from "fast-check";
import { sql } from "kysely";
import { odataService, type ODataService } from "odatakit";
import { introspectDatabase, type DescribedService, type DescribedSet } from "odatakit/introspect";
import { describe, expect, test } from "vitest";
import { fuzzCount, SEED } from "../../../cases.ts";
import { ENGINES, type AnyDatabase } from "../../../engine/executors/engines.ts";
import { countRows } from "../../../engine/walk/count-rows.ts";
import { walkService } from "../../../engine/walk/walk-service.ts";

type Entity = Readonly<Record<string, unknown>>;

/** A reference of one table to another one, or to itself. */
interface RandomReference {
  readonly to: number;
  readonly isNotNull: boolean;
  readonly isUnique: boolean;
  /** Whether the column is a part of the primary key. */
  readonly isKey: boolean;
}

interface RandomTable {
  readonly name: string;
  readonly hasId: boolean;
  readonly hasMore: boolean;
  readonly references: readonly RandomReference[];
}

const NAMES = ["orders", "Person", "a b", "tbl_item", "news", "Category", "value", "links"];
const TABLES = 4;
const ROWS = 4;

const tables: fc.Arbitrary<readonly RandomTable[]> = fc
  .tuple(
    fc.uniqueArray(fc.constantFrom(...NAMES), { minLength: TABLES, maxLength: TABLES }),
    fc.array(
      fc.record({
        hasId: fc.integer({ min: 0, max: 2 }).map((drawn) => drawn > 0),
        hasMore: fc.boolean(),
        references: fc.array(
          fc.record({
            to: fc.nat(TABLES - 1),
            isNotNull: fc.boolean(),
            isUnique: fc.integer({ min: 0, max: 3 }).map((drawn) => drawn === 0),
            isKey: fc.boolean(),
          }),
          { maxLength: 3 },
        ),
      }),
      { minLength: TABLES, maxLength: TABLES },
    ),
  )
  .map(([names, drawn]) =>
    names.map((name, at) => {
      const { hasId = true, hasMore = false, references = [] } = drawn[at] ?? {};
      // Tables refer to tables before them and to themselves, which have an `id` only.
      const reachable = references.map((each) => ({ ...each, to: Math.min(each.to, at) }));
      const isLink = !hasId && reachable.length > 1 && reachable.every(({ to }) => to < at);
      return { name, hasId: !isLink, hasMore, references: reachable };
    }),
  );

/** Returns the statements that make the tables, with rows that refer to each other in cycles. */
function statementsOf(given: readonly RandomTable[]): readonly string[] {
  const usable = given.map((table) => ({
    ...table,
    references: table.references.filter(({ to }) => given[to]?.hasId === true),
  }));
  return usable.flatMap(({ name, hasId, hasMore, references }) => {
    const key = hasId ? ["id"] : references.map((_each, at) => `r${at}`);
    if (key.length === 0) return [];
    const columns = references.flatMap(({ to, isNotNull, isUnique }, at) => {
      const isRequired = isNotNull || key.includes(`r${at}`);
      const column = `"r${at}" int${isRequired ? " not null" : ""}${isUnique && hasId ? " unique" : ""}`;
      return [column, `foreign key ("r${at}") references "${given[to]?.name ?? ""}" ("id")`];
    });
    const declared = [
      ...(hasId ? [`"id" int not null`] : []),
      ...columns.filter((each) => !each.startsWith("foreign")),
      ...(hasMore ? [`"more" varchar(9)`] : []),
      `primary key (${key.map((each) => `"${each}"`).join(", ")})`,
      ...columns.filter((each) => each.startsWith("foreign")),
    ];
    const rows = Array.from({ length: ROWS }, (_none, row) => {
      const cells = references.map(({ to, isNotNull, isUnique }, at) => {
        if (row === ROWS - 1 && !isNotNull && hasId) return "null";
        if (given[to]?.name !== name) return String(((row + at) % ROWS) + 1);
        // MariaDB checks each row before the next one.
        return String(isUnique ? row + 1 : Math.max(row, 1));
      });
      return `(${[...(hasId ? [row + 1] : []), ...cells, ...(hasMore ? [`'m${row}'`] : [])].join(", ")})`;
    });
    const names = [...(hasId ? ["id"] : []), ...references.map((_each, at) => `r${at}`), ...(hasMore ? ["more"] : [])];
    const into = `insert into "${name}" (${names.map((each) => `"${each}"`).join(", ")})`;
    return [`create table "${name}" (${declared.join(", ")})`, `${into} values ${rows.join(", ")}`];
  });
}

/** Runs statements as the database writes names. */
async function run(db: AnyDatabase, engine: string, statements: readonly string[]): Promise<void> {
  for (const statement of statements) {
    await sql.raw(engine === "mariadb" ? statement.replaceAll('"', "`") : statement).execute(db);
  }
}

/** Compares each expansion with the values of its columns. @returns the differences */
async function compareExpansions(service: ODataService, { sets }: DescribedService): Promise<readonly string[]> {
  const read = async (path: string): Promise<readonly Entity[]> => {
    const response = await service.fetch(new Request(`http://x/odata/${path}`));
    return ((await response.json()) as { value: readonly Entity[] }).value;
  };
  const faults: string[] = [];
  for (const set of sets) {
    for (const { name, targetSet, on } of set.navigations.filter(({ through }) => through === null)) {
      const target = sets.find(({ setName }) => setName === targetSet);
      const all = await read(targetSet);
      for (const entity of await read(`${set.setName}?$expand=${name}`)) {
        const pairs = on.map(([own, other]) => [wire(set, own), wire(target, other)] as const);
        const expected = all.filter((each) =>
          pairs.every(([own, other]) => entity[own] !== null && entity[own] === each[other]),
        );
        const related = entity[name];
        const found = Array.isArray(related) ? (related as readonly Entity[]) : [related as Entity | null];
        const [left, right] = [expected, found].map((list) => textOf(list.filter((each) => each !== null)));
        if (left !== right) faults.push(`${set.setName}/${name} of ${JSON.stringify(entity)}`);
      }
    }
  }
  return faults;
}

/** Related entities have no order. */
function textOf(entities: readonly Entity[]): string {
  return entities
    .map((each) => JSON.stringify(each))
    .toSorted()
    .join();
}

function wire(set: DescribedSet | undefined, field: string): string {
  return set?.properties.find((each) => each.field === field)?.name ?? "";
}

describe.each(ENGINES)("tables of $title with any references", (engine) => {
  test("have navigations that lead where the columns say", { timeout: 1_800_000 }, async () => {
    const { db, close } = await engine.open();
    const isShared = engine.title === "PostgreSQL";
    try {
      const { rows } = isShared
        ? await sql<{ name: string }>`select current_schema() as name`.execute(db)
        : { rows: [] };
      const follows = fc.asyncProperty(tables, async (drawn) => {
        for (const { name } of drawn.toReversed()) await run(db, engine.name, [`drop table if exists "${name}"`]);
        try {
          await run(db, engine.name, statementsOf(drawn));
          const options = isShared ? { schemas: rows.map(({ name }) => name) } : {};
          const { entitySets, described } = await introspectDatabase(db, options);
          const logger = { error: () => undefined, warn: () => undefined, info: () => undefined };
          const service = odataService({ prefix: "/odata", profile: "standard", entitySets, logger });
          await service.ready();
          const counts = await countRows({ db }, described);
          const { refused, faults } = await walkService(service, "http://service.example/odata/", counts);
          expect({ refused, faults }).toEqual({ refused: [], faults: [] });
          expect(await compareExpansions(service, described)).toEqual([]);
        } finally {
          for (const { name } of drawn.toReversed()) await run(db, engine.name, [`drop table if exists "${name}"`]);
        }
      });
      await fc.assert(follows, { numRuns: fuzzCount(100), seed: SEED });
    } finally {
      await close();
    }
  });
});
