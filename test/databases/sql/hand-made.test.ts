import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import { readPage } from "../../../src/databases/read/read-page.ts";
import { declaredEntityType } from "../../../src/definition/model/declared-entity-type.ts";
import { PRIMITIVE_TYPES } from "../../../src/edm/primitive-type.ts";
import type { QueryShape } from "../../../src/language/query/clauses.ts";
import type { Expression, PropertyExpression } from "../../../src/language/query/expression.ts";
import { Order, ordersDatabase, readerOf } from "./orders.ts";

/** Expressions that executors support although no client can write them. */

const db = await ordersDatabase();
for (const [id, customer] of [
  [1, 1],
  [2, 1],
  [3, 7],
]) {
  await sql`insert into "orders" ("id", "customer_id", "status", "total", "placed", "paid")
    values (${id}, ${customer}, 'Paid', 1, '2024-01-01T00:00:00.000Z', ${id === 1 ? 1 : null})`.execute(db);
}
const reader = readerOf(db);
const entityType = declaredEntityType(Order);
const BOOLEAN = PRIMITIVE_TYPES["Edm.Boolean"];
const INT64 = PRIMITIVE_TYPES["Edm.Int64"];

function property(name: string): PropertyExpression {
  const found = entityType.properties.find(({ field }) => field === name);
  if (found === undefined) throw new Error(name);
  return { kind: "property", source: { kind: "it", type: entityType }, property: found, type: found.type };
}

async function idsWhere(expression: Expression, signal?: AbortSignal): Promise<unknown> {
  const shape = {
    key: "",
    entitySet: {
      kind: "EntitySet",
      name: "Orders",
      entityType,
      navigationProperties: new Map(),
      navigationPropertyBindings: new Map(),
      navigationJoins: new Map(),
      etag: [],
    },
    entityType,
    filter: { expression },
    orderBy: [],
    selectExpand: { selected: [], isSelection: true, contextSelect: [], expanded: [] },
    parameters: [],
    roundingMode: "spec-compliant",
  } satisfies QueryShape;
  const page = await readPage(reader, {
    shape,
    values: [],
    filter: shape.filter,
    selected: entityType.key.map((key) => ({ property: key })),
    orderBy: [{ expression: property("id"), descending: false }],
    skip: 0,
    top: undefined,
    count: false,
    signal,
  });
  return page.entities.map((row) => Number((row as readonly unknown[])[0]));
}

describe("in, with lists that no client can write", () => {
  const inItems = (operand: Expression, ...items: readonly Expression[]): Expression => ({
    kind: "in",
    operand,
    items,
    type: BOOLEAN,
  });

  test.each<readonly [string, Expression, readonly number[]]>([
    ["nothing", inItems(property("id")), []],
    ["null alone", inItems(property("paid"), { kind: "null", type: BOOLEAN }), [2, 3]],
  ])("%s", async (_name, expression, expected) => {
    expect(await idsWhere(expression)).toEqual(expected);
  });

  test("rejects more values than a statement may have", async () => {
    const values = Array.from({ length: 40_000 }, (_none, index): Expression => ({
      kind: "literal",
      value: BigInt(index),
      type: INT64,
    }));
    await expect(async () => idsWhere(inItems(property("id"), ...values))).rejects.toThrow(
      /more than the 32766 values/,
    );
  });
});

describe("literals", () => {
  test("are bound like parameters", async () => {
    const literal: Expression = { kind: "literal", value: 2n, type: INT64 };
    const comparison = (operator: "eq" | "gt"): Expression => ({
      kind: "comparison",
      operator,
      left: literal,
      right: property("id"),
      operandType: INT64,
      type: BOOLEAN,
    });
    expect(await idsWhere(comparison("eq"))).toEqual([2]);
    expect(await idsWhere(comparison("gt"))).toEqual([1]);
    expect(await idsWhere({ kind: "literal", value: true, type: BOOLEAN })).toEqual([1, 2, 3]);
  });
});
