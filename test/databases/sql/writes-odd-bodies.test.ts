import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { sampleOf } from "../../cases.ts";
import { ENGINES, type OpenDatabase } from "../../engine/executors/engines.ts";
import { DISTRIBUTED } from "../distributed/distributed-engines.ts";
import { createOrderTables, emptyTables, orderService, sendTo, type Send } from "./writes-model.ts";

const TABLES = ["customers", "profiles", "orders", "order_lines", "tags", "order_tags"];

/** The routes that write to tables, each with a valid body; `(O)` is the key of an order. */
const ROUTES: ReadonlyArray<readonly [method: string, path: string, body: Readonly<Record<string, unknown>>]> = [
  ["POST", "Customers", { Id: 2, Name: "Ben", Profile: { Id: 1, Motto: "m" }, Orders: [{ Number: "C1", Tags: [] }] }],
  [
    "POST",
    "Orders",
    {
      Number: "B1",
      CustomerId: 1,
      Total: 1.25,
      Placed: "2024-02-29T12:00:00Z",
      Code: "c",
      ShipTo: { Street: "s", City: "t" },
      Lines: [{ Position: 1, Text: "a", Quantity: 2 }],
      Tags: [{ Name: "blue" }],
    },
  ],
  ["PUT", "Customers(1)", { Name: "Eve" }],
  ["PUT", "Customers(3)", { Name: "upsert" }],
  [
    "PUT",
    "Orders(O)",
    { Number: "B2", CustomerId: null, Total: null, Placed: "2024-02-29T12:00:00+02:00", ShipTo: { City: "u" } },
  ],
  ["PATCH", "Orders(O)", { Number: "B3", Total: 2, Placed: null, CustomerId: 1, ShipTo: null }],
  ["PATCH", "PricedOrders(O)", { Total: "3.10" }],
  ["POST", "Orders(O)/Lines", { Position: 9, Text: "z", Quantity: 1 }],
  ["POST", "Customers(1)/Orders", { Number: "B4" }],
  ["POST", "Orders(O)/Tags/$ref", { "@odata.id": "Tags('red')" }],
  ["POST", "Customers(1)/Orders/$ref", { "@odata.id": "Orders(O)" }],
  ["PUT", "Orders(O)/Customer/$ref", { "@odata.id": "Customers(1)" }],
  ["PUT", "Orders(O)/Total", { value: 4.5 }],
  ["PUT", "Orders(O)/ShipTo", { value: { Street: "v" } }],
  ["PATCH", "Orders(O)/Number", { value: "B5" }],
];

/** Values that fit some columns, no column, or just a column. */
const ODD_VALUES: readonly string[] = [
  "null",
  "true",
  '""',
  '"x"',
  "[]",
  "{}",
  "[null]",
  "[{}]",
  "-0",
  "0",
  "-1",
  "1e-400",
  "1e400",
  "0.005",
  "9999999999.99",
  "99999999999.99",
  "2147483647",
  "2147483648",
  "9223372036854775807",
  "9223372036854775808",
  '"\\u0000"',
  '"a\\u0000b"',
  '"\\ud800"',
  '"\\uD83D\\uDE00"',
  '"INF"',
  '"NaN"',
  `"${"é".repeat(20)}"`,
  `"${"x".repeat(60)}"`,
  `"${"x".repeat(70_000)}"`,
  '"0000-01-01T00:00:00Z"',
  '"9999-12-31T23:59:59.999Z"',
  '"-0001-01-01T00:00:00Z"',
  '"2024-02-29T12:00:00.1234567Z"',
  '"2024-02-29T12:00:00-14:00"',
  '"\'; drop table orders; --"',
  "\"Tags('blue')\"",
  "\"Tags('\\u0000')\"",
  '"Customers(99)"',
  '"Customers(1)/Orders"',
  '"http://elsewhere.example/Customers(1)"',
  '{"Street":null,"City":null}',
  '{"Number":"N","Customer":{"Id":1,"Name":"again"}}',
  '[{"Position":1,"Text":"a"},{"Position":1,"Text":"b"}]',
  '[{"Position":1,"Text":"a","Quantity":0}]',
  '[{"Name":"red"},{"Name":"red"}]',
  '[{"Name":"green"},{"Name":"green"}]',
  '[{"Number":"A1"}]',
];

const withoutLoss = (_name: string, value: unknown): unknown => (typeof value === "bigint" ? String(value) : value);

/** A body with another value for one member. */
function withMember(body: Readonly<Record<string, unknown>>, name: string, json: string): string {
  const members = Object.entries(body).map(([member, value]) => {
    return `${JSON.stringify(member)}:${member === name ? json : JSON.stringify(value)}`;
  });
  return `{${members.join(",")}}`;
}

describe.each([...ENGINES, ...DISTRIBUTED])("odd bodies of writes to tables of $title", (engine) => {
  const logged = { errors: [] as unknown[] };
  let database: OpenDatabase;
  let send: Send;
  let order = "";

  const reset = async (): Promise<void> => {
    await emptyTables(database.db);
    logged.errors.length = 0;
    await send("POST", "Customers", { Id: 1, Name: "Ann" });
    await send("POST", "Tags", { Name: "red" });
    const created = await send("POST", "Orders", { Number: "A1", Total: 1, Code: "x" });
    expect(created.status).toBe(201);
    order = String(created.json.Id);
    const line = await send("POST", `Orders(${order})/Lines`, { Position: 5, Text: "five" });
    expect(line.status).toBe(201);
  };

  const state = async (): Promise<string> => {
    const tables: string[] = [];
    for (const table of TABLES) {
      const { rows } = await sql`select * from ${sql.id(table)}`.execute(database.db);
      tables.push(...rows.map((row) => table + JSON.stringify(row, withoutLoss)).toSorted());
    }
    return tables.join("\n");
  };

  beforeAll(async () => {
    database = await engine.open();
    await createOrderTables(database.db, engine);
    send = sendTo(orderService(database.db, logged));
  });
  afterAll(() => database.close());
  beforeEach(reset);

  test.each(ROUTES)(
    "%s %s: never a failure, and a refusal changes nothing",
    async (method, path, body) => {
      const withOrder = (text: string): string => text.replaceAll("(O)", `(${order})`);
      const taken = await send(method, withOrder(path), withOrder(JSON.stringify(body)));
      expect([200, 201, 204], taken.text).toContain(taken.status);
      await reset();
      let before = await state();
      for (const name of Object.keys(body)) {
        for (const json of sampleOf(ODD_VALUES, `${method} ${path} ${name}`)) {
          const text = withOrder(withMember(body, name, json));
          const answer = await send(method, withOrder(path), text);
          const what = `${text.slice(0, 300)} ${answer.text.slice(0, 300)}`;
          expect([200, 201, 204, 400, 404, 409, 412], what).toContain(answer.status);
          expect(logged.errors, what).toEqual([]);
          if (answer.status < 400) {
            await reset();
            before = await state();
          } else {
            expect(await state(), what).toBe(before);
            expect(answer.text.length).toBeLessThan(2000);
          }
        }
      }
    },
    240_000,
  );
});
