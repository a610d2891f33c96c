import { CamelCasePlugin, Kysely } from "kysely";
import { arraySource, complexType, edm, entitySet, entityType, enumType } from "odatakit";
import { sqlEntitySet, sqlTableOf, type MappedColumn } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { afterAll, expect, test } from "vitest";
import type { AnyDatabase } from "../../engine/executors/engines.ts";

const Status = enumType("Status", { Draft: 0, Paid: 1 });
const Address = complexType("Address", { street: edm.string(), city: edm.string().nullable() });
const Order = entityType("Order", {
  id: edm.int64().key(),
  customerId: edm.int32(),
  status: edm.enum(Status),
  total: edm.decimal({ precision: 12, scale: 2 }).nullable(),
  secret: edm.string(),
  doubled: edm.int32().computed(),
  shipTo: edm.complex(Address).nullable(),
  tags: edm.collection(edm.string()),
  hidden: edm.int32().ignored(),
});

const db: AnyDatabase = new Kysely({ dialect: sqliteDialect(":memory:") });
afterAll(() => db.destroy());

const columns = {
  customerId: "customer_id",
  status: { storage: { values: { Draft: "D", Paid: "P" } } },
  total: { storage: "scaled" },
  secret: { convert: { fromDatabase: String, toDatabase: String } },
  doubled: { sql: "customer_id * 2" },
  shipTo: { columns: { street: "ship_street" } },
  hidden: "hidden_number",
} as const;

const EXPECTED: readonly MappedColumn[] = [
  { property: "id", column: "id", sql: undefined, storage: undefined, nullable: false },
  { property: "customerId", column: "customer_id", sql: undefined, storage: undefined, nullable: false },
  {
    property: "status",
    column: "status",
    sql: undefined,
    storage: { values: { Draft: "D", Paid: "P" } },
    nullable: false,
  },
  { property: "total", column: "total", sql: undefined, storage: "scaled", nullable: true },
  { property: "secret", column: "secret", sql: undefined, storage: "convert", nullable: false },
  { property: "doubled", column: null, sql: "customer_id * 2", storage: undefined, nullable: false },
  { property: "shipTo.street", column: "ship_street", sql: undefined, storage: undefined, nullable: true },
  { property: "shipTo.city", column: "shipTo_city", sql: undefined, storage: undefined, nullable: true },
  { property: "tags", column: "tags", sql: undefined, storage: "json", nullable: true },
  { property: "hidden", column: "hidden_number", sql: undefined, storage: undefined, nullable: false },
];

test("the table of a set has its columns with their storage", () => {
  const orders = sqlEntitySet(Order, { db, table: "sales.orders", operations: ["read"], columns });
  const mapped = { schema: "sales", table: "orders", columns: EXPECTED };
  expect(sqlTableOf(orders)).toEqual(mapped);
  expect(sqlTableOf(orders.describe("All orders"))).toEqual(mapped);
});

test.each([
  ["orders", undefined, "orders"],
  [{ name: "orders.2024" }, undefined, "orders.2024"],
  [{ schema: "a.b", name: 'or"ders' }, "a.b", 'or"ders'],
])("the table of %j", (table, schema, name) => {
  const orders = sqlEntitySet(Order, { db, table, operations: ["read"], columns });
  expect(sqlTableOf(orders)).toMatchObject({ schema, table: name });
});

test("a query has columns, but no table", () => {
  const from = { sql: "select * from orders", parameters: [] };
  const orders = sqlEntitySet(Order, { db, from, operations: ["read"], columns });
  expect(sqlTableOf(orders)).toEqual({ schema: undefined, table: null, columns: EXPECTED });
});

test("names are those in statements, after plugins", () => {
  const camel = db.withPlugin(new CamelCasePlugin());
  const orders = sqlEntitySet(Order, { db: camel, table: "allOrders", operations: ["read"] });
  const mapped = sqlTableOf(orders);
  expect(mapped?.table).toBe("all_orders");
  expect(mapped?.columns[1]).toMatchObject({ property: "customerId", column: "customer_id" });
});

test("other sets, and sets with a faulty database, have none", () => {
  expect(sqlTableOf(entitySet(Order, { queryable: () => arraySource(Order, []) }))).toBeNull();
  const faulty = {} as unknown as AnyDatabase;
  expect(sqlTableOf(sqlEntitySet(Order, { db: faulty, table: "orders", operations: ["read"] }))).toBeNull();
});
