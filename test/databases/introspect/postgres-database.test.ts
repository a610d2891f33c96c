import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { DatabaseSchema, ObjectColumn } from "../../../src/databases/introspect/database-schema.ts";
import { PG_COLUMNS } from "../../../src/databases/postgres/introspect/postgres-database.ts";
import type { OpenDatabase } from "../../engine/executors/engines.ts";
import { objectOf, openHostile, PGLITE, readSchema, runScript } from "./postgres-hostile.ts";

let opened: OpenDatabase | undefined;
let schema: DatabaseSchema;

beforeAll(async () => {
  if (PGLITE === undefined) return;
  opened = await openHostile();
  schema = await readSchema(opened.db);
});

afterAll(async () => opened?.close());

function columnOf(object: string, name: string): ObjectColumn {
  const found = objectOf(schema, object).columns.find((column) => column.name === name);
  if (found === undefined) throw new Error(`There is no ${object}.${name}.`);
  return found;
}

/** Returns the names of indexed columns, `unique` first where an index is. */
function indexesOf(object: string): readonly string[] {
  return objectOf(schema, object).indexes.map(({ isUnique, columns }) =>
    [...(isUnique ? ["unique"] : []), ...columns.map((column) => column?.name ?? "?")].join(" "),
  );
}

describe.skipIf(PGLITE === undefined)("the catalogue of PostgreSQL", () => {
  test("lists the objects of all schemas but those of the system, by kind", () => {
    const listed = schema.objects.map(({ schema: of, name, kind }) => `${of} ${name}: ${kind}`);
    expect(listed.slice(0, 4)).toStrictEqual([
      "public Customer: table",
      "public address_book: table",
      "public base_with_children: table",
      "public customer: table",
    ]);
    expect(listed).toContain("public mv_customer: materialized view");
    expect(listed).toContain("public v_scan: view");
    expect(listed).toContain('Ünï côde Tab le.with "quotes": table');
    expect([...new Set(schema.objects.map((object) => object.schema))]).toStrictEqual(["public", "sales", "Ünï côde"]);
    expect([schema.kind, schema.defaultSchema]).toStrictEqual(["postgres", "public"]);
    expect(schema.product).toMatch(/^PostgreSQL \d+\.\d+$/);
  });

  test("reads only the wanted schemas", async () => {
    const { objects } = await readSchema(opened?.db ?? expect.fail(), ["sales"]);
    expect(objects.map(({ name }) => name)).toStrictEqual(["customer", "v_of_other_schema"]);
  });

  test.each([
    ["every_type", "c_int4", { type: "int4", length: null, precision: null, scale: null }],
    ["every_type", "c_varchar", { type: "varchar", length: 30, definition: "character varying(30)" }],
    ["every_type", "c_varchar_free", { type: "varchar", length: null }],
    ["every_type", "c_char", { type: "bpchar", length: 5 }],
    ["every_type", "c_bit", { type: "bit", length: 4 }],
    ["every_type", "c_numeric", { type: "numeric", precision: null, scale: null }],
    ["every_type", "c_numeric_10_2", { type: "numeric", precision: 10, scale: 2 }],
    ["every_type", "c_numeric_3_5", { type: "numeric", precision: 3, scale: 5 }],
    ["every_type", "c_numeric_5_neg", { type: "numeric", precision: 5, scale: -2 }],
    ["every_type", "c_time", { type: "time", precision: null }],
    ["every_type", "c_time_0", { type: "time", precision: 0 }],
    ["every_type", "c_timestamp_3", { type: "timestamp", precision: 3 }],
    ["every_type", "c_interval", { type: "interval", precision: null }],
    ["every_type", "c_price", { type: "numeric", precision: 10, scale: 2, nullable: true }],
    ["every_type", "c_prices", { type: "numeric[]", precision: 10, scale: 2 }],
    [
      "every_type",
      "c_rating",
      { type: "enum", labels: ["G", "PG", "R"], enumType: { schema: "public", name: "rating" } },
    ],
    ["every_type", "c_film_rating", { type: "enum", labels: ["PG-13", "very happy"] }],
    ["every_type", "c_rating_array", { type: "enum[]", labels: ["G", "PG", "R"] }],
    ["every_type", "c_text_array", { type: "text[]", labels: null, enumType: null }],
    ["every_type", "c_matrix", { type: "int4[][]" }],
    ["every_type", "c_address", { type: "composite" }],
    ["every_type", "c_int4range", { type: "range" }],
    ["every_type", "c_float_range", { type: "range" }],
    ["every_type", "c_multirange", { type: "range" }],
    ["customer", "mail", { type: "varchar", length: 80, nullable: false, definition: "work_email" }],
    ["customer", "id", { isIdentity: true, nullable: false, defaultValue: null }],
    ["customer", "name", { comment: "Full name", nullable: false, isIdentity: false }],
    ["address_book", "id", { isIdentity: true }],
    ["generated", "net", { defaultValue: "1.5", isGenerated: false }],
    ["generated", "gross", { defaultValue: null, isGenerated: true }],
    ["generated", "made", { defaultValue: "now()" }],
    ["generated", "label", { defaultValue: "'a''b'::text", collation: "C" }],
    ["with_check", "id", { nullable: false }],
  ])("reads %s.%s", (object, name, expected: Partial<ObjectColumn>) => {
    expect(columnOf(object, name)).toMatchObject(expected);
  });

  test("keeps the order of columns without dropped and system columns", () => {
    expect(objectOf(schema, "dropped").columns.map(({ name }) => name)).toStrictEqual(["id", "v"]);
    expect(objectOf(schema, "without_columns").columns).toStrictEqual([]);
  });

  test("lists indexes that contain every row, and the primary key in its order", () => {
    expect(indexesOf("unique_only")).toStrictEqual(["unique ?", "unique b a", "unique d", "unique e"]);
    expect(indexesOf("sales.customer")).toStrictEqual(["unique id", "unique code"]);
    expect(indexesOf("mv_customer")).toStrictEqual(["unique id"]);
    expect(objectOf(schema, 'Ünï côde.Tab le.with "quotes"').primaryKey).toStrictEqual(["select", "ä ö"]);
    expect(objectOf(schema, "measured").primaryKey).toStrictEqual(["at", "id"]);
  });

  test("reads foreign keys with their comments, to other schemas and over several columns", () => {
    expect(objectOf(schema, "customer").foreignKeys).toMatchObject([
      { name: "billing", columns: ["billing_id"], target: { name: "address_book" }, comment: "Where bills go" },
      { name: "customer_referrer_id_fkey", columns: ["referrer_id"], target: { name: "customer" }, comment: null },
      { name: "home", columns: ["home_id"], target: { name: "address_book" } },
    ]);
    expect(objectOf(schema, "Ünï côde.child").foreignKeys).toStrictEqual([
      {
        name: "odd name",
        columns: ["ref 2", "ref 1"],
        target: { schema: "Ünï côde", name: 'Tab le.with "quotes"' },
        targetColumns: ["select", "ä ö"],
        comment: null,
      },
    ]);
    expect(objectOf(schema, "sales.customer").foreignKeys).toMatchObject([{ target: { schema: "public" } }]);
  });

  test("does not take a constraint for granted that old rows may violate", async () => {
    const { db } = opened ?? expect.fail();
    // Only PostgreSQL 18 has such constraints.
    await runScript(db, "create table old_rows (id integer, v integer);\ncreate unique index on old_rows (id);\n");
    await runScript(db, "alter table old_rows add constraint later not null id not valid;\n");
    await runScript(db, "create view v_old_rows as select id, v from old_rows;\n");
    const found = await readSchema(db, ["public"]);
    expect(objectOf(found, "old_rows").columns[0]?.nullable).toBe(true);
    expect(objectOf(found, "v_old_rows").provenKey).toStrictEqual([]);
  });

  test("lists a foreign key to a partitioned table once, and none that is not validated", () => {
    expect(objectOf(schema, "reading").foreignKeys).toMatchObject([{ columns: ["at", "mid"] }]);
    expect(objectOf(schema, "unvalidated").foreignKeys).toStrictEqual([]);
  });

  test("finds no key of a table that others inherit, because selects return their rows too", () => {
    expect(objectOf(schema, "base_with_children")).toMatchObject({ primaryKey: [], indexes: [] });
  });

  test("tells why objects are not of the application", () => {
    const omitted = schema.objects.flatMap(({ name, omission }) => (omission ? [[name, omission.reason]] : []));
    expect(omitted).toStrictEqual([
      ["flyway_schema_history", "a table of Flyway for migrations"],
      ["measured_2025", "a partition of measured"],
      ["measured_2026", "a partition of measured"],
      ["mv_empty", "not populated: run `refresh materialized view`"],
      ["v_unplannable", "not readable: division by zero"],
    ]);
  });

  test("reads the columns with a plan that is too cheap to be compiled, which would take a second", async () => {
    const { db } = opened ?? expect.fail();
    const { rows } = await sql.raw<{ "QUERY PLAN": unknown }>(`explain (format json) ${PG_COLUMNS}`).execute(db);
    const [plan] = (rows[0]?.["QUERY PLAN"] ?? []) as ReadonlyArray<{
      readonly Plan: { readonly "Total Cost": number };
    }>;
    // The default of `jit_above_cost`.
    expect(plan?.Plan["Total Cost"]).toBeLessThan(100_000);
  });

  test("reads comments and estimates", async () => {
    const { db } = opened ?? expect.fail();
    await runScript(db, "analyze forbidden;\nanalyze tag;\n");
    const found = await readSchema(db, ["public"]);
    expect(objectOf(found, "customer").comment).toBe('People & companies that buy "things"');
    expect(objectOf(found, "forbidden").estimatedRows).toBe(0);
    expect(objectOf(found, "tag").estimatedRows).toBe(3);
    expect(objectOf(found, "secret").estimatedRows).toBeNull();
    expect(objectOf(found, "v_scan")).toMatchObject({ comment: "Customers without a referrer", estimatedRows: null });
  });

  test("marks columns and objects that the user may not select", async () => {
    const { db } = opened ?? expect.fail();
    await runScript(db, "drop role if exists odatakit_reader;\ncreate role odatakit_reader;\n");
    try {
      await runScript(
        db,
        "grant usage on schema public to odatakit_reader;\ngrant select on customer, sales.customer to odatakit_reader;\n",
      );
      await runScript(db, "grant select (id, shown) on secret to odatakit_reader;\nset role odatakit_reader;\n");
      const found = await readSchema(db);
      const { columns } = objectOf(found, "secret");
      expect(columns.map(({ isSelectable }) => isSelectable)).toStrictEqual([true, true, false]);
      expect(objectOf(found, "customer").omission).toBeNull();
      expect(objectOf(found, "forbidden").omission).toStrictEqual({
        code: "unreadable",
        reason: "not readable by the user odatakit_reader",
      });
      expect(objectOf(found, "sales.customer").omission?.reason).toBe(
        "in the schema sales, which the user odatakit_reader may not use",
      );
    } finally {
      await sql.raw("reset role").execute(db);
      await runScript(db, "drop owned by odatakit_reader;\ndrop role odatakit_reader;\n");
    }
  });
});
