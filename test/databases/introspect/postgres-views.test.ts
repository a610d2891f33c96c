import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { DatabaseSchema } from "../../../src/databases/introspect/database-schema.ts";
import { provePlan } from "../../../src/databases/postgres/introspect/postgres-views.ts";
import type { OpenDatabase } from "../../engine/executors/engines.ts";
import { objectOf, openHostile, PGLITE, readSchema } from "./postgres-hostile.ts";

let opened: OpenDatabase | undefined;
let schema: DatabaseSchema;

beforeAll(async () => {
  if (PGLITE === undefined) return;
  opened = await openHostile();
  schema = await readSchema(opened.db);
});

afterAll(async () => opened?.close());

describe.skipIf(PGLITE === undefined)("keys of views", () => {
  test.each<[view: string, key: readonly string[]]>([
    ["v_scan", ["customer_id"]],
    ["v_join", ["id"]],
    ["v_inner", ["order nr", "line"]],
    ["v_group", ["customer_id"]],
    ["v_group_join", ["id"]],
    ["v_group_two", ["tag_id", "order_id"]],
    ["v_distinct", ["name"]],
    ["v_sorted", ["id"]],
    ["v_nested", ["id"]],
    ["v_on_view", ["id"]],
    ["v_semi", ["id"]],
    ["v_anti", ["id"]],
    ["v_window", ["id"]],
    ["v_one_partition", ["at", "id"]],
    ["v_unique", ["b", "a"]],
    ["v_odd", ["select", "ä ö"]],
    ["v_broken", ["id"]],
    ["sales.v_of_other_schema", ["id"]],
  ])("proves the key of %s", (view, key) => {
    expect(objectOf(schema, view).provenKey).toStrictEqual(key);
  });

  test.each([
    "v_without_key_column",
    "v_group_nullable",
    "v_group_optional",
    "v_group_sets",
    "v_group_expression",
    "v_total",
    "v_full",
    "v_cross",
    "v_many",
    "v_union",
    "v_union_one",
    "v_series",
    "v_intersect",
    "v_recursive",
    "v_values",
    "v_cte",
    "v_partitions",
    "v_inherited",
    "v_domain_only",
  ])("proves no key of %s", (view) => {
    expect(objectOf(schema, view).provenKey).toStrictEqual([]);
  });

  test("names the table columns that views return unchanged, and takes their comments", () => {
    const sourcesOf = (view: string): readonly unknown[] =>
      objectOf(schema, view).columns.map(({ name, source, comment }) => [
        name,
        source && `${source.schema}.${source.name}.${source.column}`,
        comment,
      ]);
    expect(sourcesOf("v_scan")).toStrictEqual([
      ["customer_id", "public.customer.id", null],
      ["name", "public.customer.name", "Full name"],
      ["shout", null, null],
    ]);
    expect(sourcesOf("v_join")).toStrictEqual([
      ["id", "public.customer.id", "Number"],
      ["name", "public.customer.name", "Full name"],
      // The join may replace the name by null.
      ["referrer", null, "Full name"],
    ]);
    expect(sourcesOf("v_window").slice(0, 2)).toStrictEqual([
      ["id", "public.customer.id", null],
      ["place", null, null],
    ]);
    expect(sourcesOf("v_union")).toStrictEqual([
      ["id", null, null],
      ["name", null, null],
    ]);
    expect(sourcesOf("v_odd")[0]).toStrictEqual(['a.b"c', 'Ünï côde.Tab le.with "quotes".a.b"c', null]);
  });

  test("omits a view that cannot be planned, also within a transaction, and reads the others", async () => {
    const { db } = opened ?? expect.fail();
    const found = await db.transaction().execute(async (transaction) => readSchema(transaction));
    expect(objectOf(found, "v_unplannable").omission).toStrictEqual({
      code: "unreadable",
      reason: "not readable: division by zero",
    });
    expect(objectOf(found, "v_window").provenKey).toStrictEqual(["id"]);
  });

  test("claims no key that rows violate", async () => {
    const { db } = opened ?? expect.fail();
    const proven = schema.objects.filter(({ provenKey, name }) => provenKey.length > 0 && name !== "v_broken");
    expect(proven.length).toBeGreaterThan(15);
    for (const { schema: of, name, provenKey } of proven) {
      const key = sql.join(provenKey.map((column) => sql.id(column)));
      const nulls = sql.join(
        provenKey.map((column) => sql`bool_or(${sql.id(column)} is null)`),
        sql` or `,
      );
      const { rows } = await sql`select 1 as n from ${sql.id(of, name)} group by ${key}
        having count(*) > 1 or ${nulls}`.execute(db);
      expect([name, rows]).toStrictEqual([name, []]);
    }
  });
});

describe("plans", () => {
  const scan = {
    "Node Type": "Seq Scan",
    "Parent Relationship": "Outer",
    "Relation Name": "t",
    Schema: "public",
    Alias: "t",
    Output: ["t.id"],
  };
  const above = (type: string, more: object = {}): unknown =>
    JSON.stringify([{ Plan: { "Node Type": type, Output: ["t.id"], Plans: [{ ...scan, ...more }] } }]);
  const facts = { alias: "v", columnNames: ["id"], keysOf: () => [["id"]], isNeverNull: () => true };
  const group = {
    "Node Type": "Aggregate",
    Strategy: "Hashed",
    "Partial Mode": "Simple",
    "Group Key": ["t.id"],
    Plans: [scan],
  };

  /** The output is the key of the outer child, or of the inner one if that is `t`. */
  const joinNode = (type: string, isUnique: boolean, inner: "t" | "u") => {
    const [left, right] = inner === "t" ? ["u", "t"] : ["t", "u"];
    const scanOf = (Alias: string | undefined, relationship: string): object => ({
      ...scan,
      Alias,
      "Parent Relationship": relationship,
      Output: [`${Alias ?? ""}.id`],
    });
    return {
      "Node Type": "Hash Join",
      "Parent Relationship": "Outer",
      "Join Type": type,
      "Inner Unique": isUnique,
      Output: ["t.id"],
      Plans: [scanOf(left, "Outer"), scanOf(right, "Inner")],
    };
  };
  const join = (type: string, isUnique: boolean, inner: "t" | "u" = "u"): unknown => [
    { Plan: joinNode(type, isUnique, inner) },
  ];
  const rightSemi = joinNode("Right Semi", false, "t");

  test.each<[title: string, plan: unknown, key: readonly number[] | undefined]>([
    ["a scan", [{ Plan: scan }], [0]],
    ["a scan below a gather", above("Gather"), [0]],
    ["an aggregate below a gather, which each worker makes", above("Gather", group), undefined],
    ["a finalized aggregate", above("Sort", { ...group, "Partial Mode": "Finalize" }), [0]],
    ["a partial aggregate", above("Sort", { ...group, "Partial Mode": "Partial" }), undefined],
    ["grouping sets", above("Sort", { ...group, "Grouping Sets": [] }), undefined],
    ["a node that is not known", above("Custom Scan"), undefined],
    ["a scan of another subquery", above("Subquery Scan", { "Parent Relationship": "Subquery" }), undefined],
    ["a scan without a table", [{ Plan: { "Node Type": "Seq Scan", Output: ["t.id"] } }], undefined],
    ["an inner join that repeats rows", join("Inner", false), undefined],
    ["an inner join that finds one row", join("Inner", true), [0]],
    ["a left join that finds one row", join("Left", true), [0]],
    ["a semi join", join("Semi", false), [0]],
    ["a right join, which adds nulls", join("Right", true), undefined],
    ["a full join, which adds nulls", join("Full", true), undefined],
    ["a right anti join, which returns its inner rows", join("Right Anti", false, "t"), [0]],
    [
      "a right semi join in each worker",
      [{ Plan: { "Node Type": "Gather", Output: ["t.id"], Plans: [rightSemi] } }],
      undefined,
    ],
    ["a join without children", [{ Plan: { "Node Type": "Hash Join", Plans: [scan] } }], undefined],
    ["no plan", null, undefined],
    ["nothing", [{}], undefined],
  ])("prove the key of %s or none", (_title, plan, key) => {
    expect(provePlan(plan, facts).key).toStrictEqual(key);
  });
});
