import { edm, entityType, odataService, type ODataService } from "odatakit";
import { checkDatabase } from "odatakit/check";
import { sqlEntitySet } from "odatakit/kysely";
import { afterEach, describe, expect, test } from "vitest";
import { ENGINES, type AnyDatabase, type DatabaseName, type OpenDatabase } from "../../engine/executors/engines.ts";
import { run } from "./check-fixtures.ts";

const Item = entityType("Item", { id: edm.int32().key(), at: edm.string().nullable() });
const Ratio = entityType("Ratio", { id: edm.int32().key(), share: edm.int64().nullable() });

/** Expressions that no database refuses before a row has the value 0. */
const REFUSED: Partial<Readonly<Record<DatabaseName, readonly [expression: string, reason: string]>>> = {
  sqlite: ["abs(part - 9223372036854775807 - 1)", "integer overflow"],
  postgres: ["1 / part", "division by zero"],
};

/** An expression whose cells are not integers. */
const NO_INTEGER: Readonly<Record<DatabaseName, string>> = {
  sqlite: "'a' || part",
  postgres: "part + 0.5",
  mariadb: "part + 0.5",
};

function ratios(db: AnyDatabase, expression: string): ODataService {
  const columns = { share: { sql: expression } };
  const set = sqlEntitySet(Ratio, { db, table: "ratios", operations: ["read"], columns });
  return odataService({ schemaCheck: false, entitySets: [set] });
}

describe.each(ENGINES)("checkDatabase over $title reads rows, and finds", ({ name, open }) => {
  let opened: OpenDatabase | undefined;
  afterEach(async () => {
    if (opened !== undefined) await run(opened.db, ["drop table if exists items", "drop table if exists ratios"]);
    await opened?.close();
    opened = undefined;
  });

  async function database(statements: readonly string[]): Promise<AnyDatabase> {
    opened = await open();
    await run(opened.db, statements);
    return opened.db;
  }

  test.each(["error", "null"] as const)(
    'cells that it cannot read: an error, or a warning with unreadable: "null" (%s)',
    async (unreadable) => {
      // Only SQLite stores cells of any type in a column.
      if (name !== "sqlite") return;
      const db = await database([
        "create table items (id integer not null primary key, at text)",
        "insert into items values (1, x'00'), (2, 'a'), (3, x'01'), (4, null)",
      ]);
      const set = sqlEntitySet(Item, { db, table: "items", operations: ["read"], unreadable });
      const { findings } = await checkDatabase(odataService({ schemaCheck: false, entitySets: [set] }));
      expect(findings).toEqual([
        {
          code: "C12",
          severity: unreadable === "null" ? "warning" : "error",
          subject: "Items.at",
          set: "Items",
          property: "at",
          table: "items",
          column: "at",
          message: expect.stringMatching(
            /^The column `items\.at` has 2 cells in its first 4 rows that cannot be read: ./u,
          ) as unknown,
          fix:
            unreadable === "null"
              ? "Correct the rows: responses contain null."
              : 'Correct the rows, or let responses contain null: declare the property with `.nullable()`, and the set with `unreadable: "null"`.',
        },
      ]);
    },
  );

  test("an expression whose value is not of the type of its property", async () => {
    const db = await database([
      "create table ratios (id integer not null primary key, part bigint not null)",
      "insert into ratios values (1, 2)",
    ]);
    const { findings } = await checkDatabase(ratios(db, NO_INTEGER[name]));
    expect(findings).toEqual([
      {
        code: "C12",
        severity: "error",
        subject: "Ratios.share",
        set: "Ratios",
        property: "share",
        table: "ratios",
        message: expect.stringMatching(
          /^The expression of `share` has 1 cell in its first 1 rows that cannot be read: ./u,
        ) as unknown,
        fix: 'Correct the rows, or let responses contain null: declare the property with `.nullable()`, and the set with `unreadable: "null"`.',
      },
    ]);
  });

  test("rows that the database refuses to read", async () => {
    const [expression, reason] = REFUSED[name] ?? [];
    // MariaDB returns null.
    if (expression === undefined) return;
    const db = await database([
      "create table ratios (id integer not null primary key, part bigint not null)",
      "insert into ratios values (1, 0)",
    ]);
    const { findings } = await checkDatabase(ratios(db, expression));
    expect(findings).toEqual([
      {
        code: "C12",
        severity: "error",
        subject: "Ratios",
        set: "Ratios",
        table: "ratios",
        message: `The database refuses to read the first rows of \`ratios\`: ${String(reason)}.`,
        fix: "Correct the rows, or the storage of the properties.",
      },
    ]);
  });
});
