import { arraySource, edm, entitySet, entityType, hasOptional, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { afterAll, describe, expect, test } from "vitest";
import { nodeDoor as door, ORIGIN, url } from "../../service/http/doors.ts";
import { createTable, ENGINES, insertRow, type DatabaseEngine } from "../executors/engines.ts";

const Customer = entityType("Customer", { id: edm.int32().key(), country: edm.string().nullable() });
const Order = entityType("Order", {
  id: edm.int32().key(),
  total: edm.decimal({ precision: 10, scale: 2 }),
  customerId: edm.int32().nullable(),
});
const Product = entityType("Product", {
  id: edm.int32().key(),
  categoryId: edm.int32(),
  stock: edm.int32(),
  note: edm.string().nullable(),
});
const CUSTOMERS = [
  { id: 1, country: "Italy" },
  { id: 2, country: "Chad" },
  { id: 3, country: "Italy" },
];
const ORDERS = [
  { id: 1, total: "0.10", customerId: 1 },
  { id: 2, total: "0.20", customerId: 2 },
  { id: 3, total: "3.00", customerId: 3 },
  { id: 4, total: "4.25", customerId: null },
];
const PRODUCTS = [
  { id: 1, categoryId: 1, stock: 5, note: "Alpha" },
  { id: 2, categoryId: 2, stock: 7, note: "beta" },
  { id: 3, categoryId: 1, stock: 1, note: "zoo" },
  { id: 4, categoryId: 3, stock: 0, note: null },
  { id: 5, categoryId: 2, stock: 2, note: "Alpha" },
];
const customer = hasOptional(Customer, { target: "Customers", on: { customerId: "id" } });

const inMemory = {
  title: "arraySource",
  close: async () => {},
  service: odataService({
    prefix: "/c",
    profile: "standard",
    entitySets: [
      entitySet(Customer, { queryable: () => arraySource(Customer, CUSTOMERS) }),
      entitySet(Order, { queryable: () => arraySource(Order, ORDERS), navigation: { customer } }),
      entitySet(Product, { queryable: () => arraySource(Product, PRODUCTS) }),
    ],
  }),
};

async function inTables({ title, name, open }: DatabaseEngine): Promise<typeof inMemory> {
  const database = await open();
  const id = "integer not null primary key";
  const int = "integer not null";
  const decimal = name === "sqlite" ? "text not null" : "decimal(10,2) not null";
  await createTable(database, "customers", { id, country: "varchar(20)" });
  await createTable(database, "orders", { id, total: decimal, customerId: "integer" });
  await createTable(database, "products", { id, categoryId: int, stock: int, note: "varchar(20)" });
  for (const row of CUSTOMERS) await insertRow(database, "customers", Object.values(row));
  for (const row of ORDERS) await insertRow(database, "orders", Object.values(row));
  for (const row of PRODUCTS) await insertRow(database, "products", Object.values(row));
  const { db } = database;
  const service = odataService({
    prefix: "/c",
    profile: "standard",
    entitySets: [
      sqlEntitySet(Customer, { db, table: "customers", operations: ["read"] }),
      sqlEntitySet(Order, { db, table: "orders", operations: ["read"], navigation: { customer } }),
      sqlEntitySet(Product, { db, table: "products", operations: ["read"] }),
    ],
  });
  return { title, service, close: () => database.close() };
}

const opened = [inMemory, ...(await Promise.all(ENGINES.map(inTables)))];
afterAll(async () => {
  await Promise.all(opened.map(({ close }) => close()));
});

const count = (name: string, number: number): string => `"${name}@odata.type":"#Decimal","${name}":${String(number)}`;
const whole = (name: string, number: number): string => `"${name}@odata.type":"#Int64","${name}":${String(number)}`;

/** Requests of clients, in their spelling, and the response after the root of the context URL. */
const CASES: ReadonlyArray<
  readonly [client: string, set: string, options: Readonly<Record<string, string>>, context: string, rows: string]
> = [
  [
    "UI5: a total, the number of groups and the first ones",
    "Products",
    {
      $apply:
        "concat(aggregate(Stock with sum as Total),groupby((CategoryId),aggregate(Stock with sum as Total))/concat(aggregate($count as UI5__count),top(4)))",
    },
    "Products",
    `"value":[{${whole("Total", 15)}},{${count("UI5__count", 3)}},` +
      `{"CategoryId":1,${whole("Total", 6)}},{"CategoryId":2,${whole("Total", 9)}},{"CategoryId":3,${whole("Total", 0)}}]`,
  ],
  [
    "UI5: a page of filtered groups, and their number",
    "Products",
    {
      $apply:
        "filter(Stock gt 0)/groupby((CategoryId,Note),aggregate(Stock with sum as Stock,Stock with average as Mean))/filter(Stock gt 1)/orderby(Stock desc)/concat(aggregate($count as UI5__count),skip(1)/top(1))",
    },
    "Products",
    `"value":[{${count("UI5__count", 3)}},{"CategoryId":1,"Note":"Alpha",${whole("Stock", 5)},"Mean":5}]`,
  ],
  [
    "UI5: the same within grand totals",
    "Products",
    {
      $apply:
        "concat(aggregate(Stock with sum as UI5grand__Stock),groupby((CategoryId),aggregate(Stock with sum as Stock))/orderby(Stock desc)/concat(aggregate($count as UI5__count),top(1)))",
    },
    "Products",
    `"value":[{${whole("UI5grand__Stock", 15)}},{${count("UI5__count", 3)}},{"CategoryId":2,${whole("Stock", 9)}}]`,
  ],
  [
    "UI5: the number of leaves beside the first level",
    "Products",
    {
      $apply:
        "concat(groupby((CategoryId,Note))/aggregate($count as UI5__leaves),groupby((CategoryId),aggregate(Stock with sum as Stock))/concat(aggregate($count as UI5__count),top(1)))",
    },
    "Products",
    `"value":[{${count("UI5__leaves", 5)}},{${count("UI5__count", 3)}},{"CategoryId":1,${whole("Stock", 6)}}]`,
  ],
  [
    "UI5: groups of filtered rows are grouped again",
    "Products",
    { $apply: "groupby((CategoryId),filter(Stock gt 1))/groupby((Note),aggregate(Stock with max as Stock))" },
    "Products(Note,Stock)",
    '"value":[{"Note":"Alpha","Stock":5},{"Note":"beta","Stock":7}]',
  ],
  [
    "Syncfusion: the values of a filter list",
    "Products",
    { $apply: "filter(contains(tolower(Note),'a'))/groupby((Note), aggregate($count as groupCount))", $top: "1" },
    "Products(Note,groupCount)",
    `"value":[{"Note":"Alpha",${count("groupCount", 2)}}]`,
  ],
  [
    "the different values at the end of a path, with their number",
    "Orders",
    { $apply: "groupby((Customer/Country))", $orderby: "Customer/Country desc", $count: "true" },
    "Orders(Customer(Country))",
    '"@odata.count":3,"value":[{"Customer":{"Country":"Italy"}},{"Customer":{"Country":"Chad"}},{"Customer":null}]',
  ],
  [
    "totals of a set",
    "Orders",
    { $apply: "aggregate(Total with sum as T,$count as N)" },
    "Orders(T,N)",
    `"value":[{"T@odata.type":"#Decimal","T":7.55,${count("N", 4)}}]`,
  ],
];

describe.each(opened)("$title", ({ service }) => {
  test.each(CASES)("%s", async (_client, set, options, context, rows) => {
    const { status, headers, text } = await door.to(service)(url(`/c/${set}`, options));
    expect({ status, etag: headers["etag"], text }).toEqual({
      status: 200,
      etag: undefined,
      text: `{"@odata.context":"${ORIGIN}/c/$metadata#${context}",${rows}}`,
    });
  });
});
