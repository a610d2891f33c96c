import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runSteps, type CatalogueRow } from "../../../src/databases/introspect/catalogue-steps.ts";
import type { DatabaseSchema, ObjectColumn } from "../../../src/databases/introspect/database-schema.ts";
import { readMysqlDatabase } from "../../../src/databases/mariadb/introspect/mysql-database.ts";
import type { OpenDatabase } from "../../engine/executors/engines.ts";
import { openSample, SAMPLES, type SampleName } from "../../fixtures/databases/load.ts";
import { MARIADB, objectOf, openHostile, readSchema } from "./mysql-hostile.ts";

const ODD = 'Tab le.with `ticks` "quotes"';
const COUNTS: Readonly<Record<SampleName, readonly [tables: number, foreignKeys: number]>> = {
  chinook: [11, 11],
  northwind: [13, 13],
  sakila: [16, 22],
};

let opened: OpenDatabase | undefined;
let schema: DatabaseSchema;

beforeAll(async () => {
  if (MARIADB === undefined) return;
  opened = await openHostile();
  schema = await readSchema(opened.db);
});

afterAll(async () => opened?.close());

function columnOf(object: string, name: string): ObjectColumn {
  const found = objectOf(schema, object).columns.find((column) => column.name === name);
  return found ?? expect.fail(`There is no ${object}.${name}.`);
}

describe.skipIf(MARIADB === undefined)("the catalogue of MariaDB", () => {
  test("lists tables and views without sequences", () => {
    expect(schema.objects.map(({ name, kind }) => (kind === "view" ? `${name}: view` : name))).toStrictEqual([
      "Customer",
      ODD,
      "address",
      "child",
      "customer",
      "every_type",
      "generated",
      "knex_migrations",
      "no_key",
      "parts",
      "v_address: view",
      "v_broken: view",
      "versioned",
    ]);
    expect(schema.kind).toBe("mysql");
    expect(schema.product).toMatch(/^MariaDB \d+\.\d+\.\d+$/);
    expect(schema.defaultSchema).toBe(schema.objects[0]?.schema);
  });

  test("tells tables apart whose names differ in letter case", () => {
    const names = ["Customer", "customer"].map((name) => objectOf(schema, name).columns.map((column) => column.name));
    expect(names).toStrictEqual([["id"], ["id", "billing_id", "home_id", "referrer_id", "mail", "code"]]);
  });

  test("reads the wanted databases only", async () => {
    const { objects } = await readSchema(opened?.db ?? expect.fail(), ["mysql"]);
    expect([...new Set(objects.map((object) => object.schema))]).toStrictEqual(["mysql"]);
  });

  test.each([
    ["every_type", "c_bool", { type: "tinyint", definition: "tinyint(1)" }],
    ["every_type", "c_bigint_u", { definition: "bigint(20) unsigned" }],
    ["every_type", "c_mediumint_u", { definition: "mediumint(8) unsigned zerofill" }],
    ["every_type", "c_decimal", { type: "decimal", precision: 10, scale: 2 }],
    ["every_type", "c_bit", { type: "bit", precision: 10 }],
    ["every_type", "c_varchar", { type: "varchar", length: 30, characterSet: "utf8mb4" }],
    ["every_type", "c_text", { type: "text", length: null }],
    ["every_type", "c_latin1", { length: 20, characterSet: "latin1" }],
    ["every_type", "c_bin", { collation: "utf8mb4_bin" }],
    ["every_type", "c_json", { type: "json", length: null }],
    ["every_type", "c_longtext", { type: "longtext" }],
    ["every_type", "c_datetime3", { type: "datetime", precision: 3 }],
    ["every_type", "c_time", { type: "time", precision: 0 }],
    ["every_type", "c_film", { type: "enum", labels: ["PG-13", "very happy"], enumType: null }],
    ["child", "id", { isIdentity: true, nullable: false, defaultValue: null }],
    ["address", "line", { comment: "Street and number", isIdentity: false, nullable: true }],
    ["address", "ID", { comment: null }],
    ["generated", "net", { defaultValue: "1.50", isGenerated: false }],
    ["generated", "gross", { defaultValue: null, isGenerated: true }],
    ["generated", "twice", { isGenerated: true }],
    ["generated", "secret", { isInvisible: true, isSelectable: true }],
    ["generated", "made", { defaultValue: "current_timestamp(3)", isInvisible: false }],
    ["generated", "label", { defaultValue: "'a''b'" }],
    ["generated", "none", { defaultValue: null }],
  ])("reads %s.%s", (object, name, expected: Partial<ObjectColumn>) => {
    expect(columnOf(object, name)).toMatchObject(expected);
  });

  test("lists indexes, and prefixes of columns as expressions", () => {
    const indexes = objectOf(schema, "customer").indexes.map(({ isUnique, columns }) =>
      [...(isUnique ? ["unique"] : []), ...columns.map((column) => column?.name ?? "?")].join(" "),
    );
    expect(indexes).toStrictEqual([
      "unique id",
      "billing_id",
      "home_id billing_id",
      "unique mail",
      "unique ?",
      "referrer_id",
    ]);
    expect(objectOf(schema, ODD).primaryKey).toStrictEqual(["select", "ä ö"]);
    expect(objectOf(schema, "no_key").primaryKey).toStrictEqual([]);
  });

  test("reads foreign keys with the names of their columns, over several columns and to the table itself", () => {
    const { foreignKeys } = objectOf(schema, "customer");
    expect(foreignKeys).toMatchObject([
      { name: "billing", columns: ["billing_id"], target: { name: "address" }, targetColumns: ["ID"] },
      { name: "home", columns: ["home_id"] },
      { name: "referrer", target: { name: "customer" } },
    ]);
    expect(objectOf(schema, "child").foreignKeys).toMatchObject([
      { name: "odd name", columns: ["ref 1", "ref 2"], target: { name: ODD }, targetColumns: ["select", "ä ö"] },
    ]);
  });

  test("reports why objects are omitted, and reads the others despite a broken view", () => {
    const omitted = schema.objects.flatMap(({ name, omission }) => (omission ? [[name, omission.code]] : []));
    expect(omitted).toStrictEqual([
      ["knex_migrations", "migrations"],
      ["v_broken", "unreadable"],
    ]);
    expect(objectOf(schema, "v_broken").omission?.reason).toMatch(/^not readable: View .*invalid/);
    expect(objectOf(schema, "v_address").columns.map(({ name }) => name)).toStrictEqual(["ID", "line"]);
  });

  test("reads comments and estimates of tables, and none of views", () => {
    expect(objectOf(schema, ODD)).toMatchObject({ comment: 'Odd names & "quotes"', estimatedRows: 0 });
    expect(objectOf(schema, "address").comment).toBeNull();
    expect(objectOf(schema, "v_address")).toMatchObject({ comment: null, estimatedRows: null });
  });

  test.each(SAMPLES)("reads %s whole", async (sample) => {
    const { db, close } = await openSample(MARIADB ?? expect.fail(), sample);
    try {
      const { objects } = await readSchema(db);
      const tables = objects.filter(({ primaryKey }) => primaryKey.length > 0);
      expect([tables.length, tables.flatMap(({ foreignKeys }) => foreignKeys).length]).toStrictEqual(COUNTS[sample]);
    } finally {
      await close();
    }
  });
});

/** Runs the reader over a server without tables. */
function readFrom(version: string, database: string | null, schemas?: readonly string[]): unknown {
  const steps: CatalogueRow[][] = [[[version, database]]];
  return runSteps(readMysqlDatabase({ schemas }), () => steps.shift() ?? []);
}

test("rejects a server of MySQL with the reason", () => {
  expect(() => readFrom("8.0.36", "shop")).toThrow(/MySQL 8\.0\.36.*utf8mb4_nopad_bin/);
});

test("rejects a connection without a database, unless schemas are given", () => {
  expect(() => readFrom("10.11.6-MariaDB", null)).toThrow("names no database");
  expect(readFrom("5.5.5-10.11.6-MariaDB-log", null, ["shop"])).toStrictEqual({
    kind: "mysql",
    product: "MariaDB 10.11.6",
    defaultSchema: "shop",
    objects: [],
  });
});
