import { edm, entityType } from "odatakit";
import { sqlSource } from "odatakit/kysely";
import { describe, expect, test } from "vitest";
import { ordersDatabase } from "./orders.ts";

const db = await ordersDatabase();
const Row = entityType("Row", { id: edm.int32().key() });
const make = (sql: string, parameters: readonly unknown[]) => () => sqlSource(Row, { db, from: { sql, parameters } });

describe("a base query has as many values as placeholders, so that no value of a client takes their place", () => {
  test.each<[sql: string, parameters: readonly unknown[], wanted: number]>([
    ["select id from orders where id = ?", [], 1],
    ["select id from orders where id = ?", [1, 2], 1],
    ["select id from orders", [1], 0],
    ["select id from orders where id = '?'", [1], 0],
    ["select id from orders where id in (?1, ?3)", [1, 2], 3],
  ])("%s with %j", (text, parameters, wanted) => {
    expect(make(text, parameters)).toThrow(
      `the query has ${String(wanted)} placeholders, but ${String(parameters.length)} values`,
    );
  });

  test.each<[sql: string, parameters: readonly unknown[]]>([
    ["select id from orders where id = ? and name <> 'it''s ?'", [1]],
    ['select id, 1 as "a ""?" from orders -- why?\nwhere id = ?', [1]],
    ["select id, 1 as `?`, 2 as [?] from orders /* is\n it? */ where id in (?, ?)", [1, 2]],
    ["select id from orders where id in (?1, ?1, ?2, ?)", [1, 2, 3]],
  ])("%s", (text, parameters) => {
    expect(make(text, parameters)).not.toThrow();
  });
});
