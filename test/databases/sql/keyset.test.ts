import { sql } from "kysely";
import { odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { describe, expect, test, vi } from "vitest";
import { isPatientReader } from "../../../src/databases/connection/patient-reader.ts";
import { synchronousReaderOf } from "../../../src/databases/connection/synchronous-reader.ts";
import { Order, ORDER_COLUMNS, ordersDatabase } from "./orders.ts";

const ROWS = 5000;

const db = await ordersDatabase();
await sql`
  with recursive n(i) as (select 1 union all select i + 1 from n where i < ${ROWS})
  insert into "orders" ("id", "customer_id", "name", "status", "price", "total", "weight", "day", "placed")
  select i, i % 97, case when i % 3 > 0 then 'name ' || (i % 1000) end, 'Paid', i || '.5', i * 10, i / 7.0,
    date('2024-01-01', '+' || (i % 300) || ' days'), strftime('%Y-%m-%dT%H:%M:%fZ', 1700000000 + (i % 500) * 60, 'unixepoch') from n`.execute(
  db,
);
for (const column of ["customer_id", "name", "total", "placed"]) {
  await sql`create index ${sql.id(`orders_${column}`)} on "orders" (${sql.id(column)})`.execute(db);
}
await sql`create index "orders_customer_placed" on "orders" ("customer_id", "placed" desc)`.execute(db);
await sql`analyze`.execute(db);

const service = odataService({
  propertyNaming: "camelCase",
  namespace: "Test",
  secret: "0123456789abcdef",
  defaults: { paging: "keyset", maxTop: 50 },
  entitySets: [sqlEntitySet(Order, { db, table: "orders", operations: ["read"], columns: ORDER_COLUMNS })],
});

const reader = synchronousReaderOf(db);
if (reader === null || !isPatientReader(reader)) throw new Error("The database does not read at once.");
const readRows = vi.spyOn(reader, "read");
const readFirst = vi.spyOn(reader, "readFirst");

interface Page {
  readonly value: ReadonlyArray<{ readonly id: number }>;
  readonly "@odata.nextLink"?: string;
}

async function read(link: string): Promise<Page> {
  const response = await service.fetch(new Request(link));
  const text = await response.text();
  expect(response.status, text).toBe(200);
  return JSON.parse(text) as Page;
}

/** How the statement of a page begins that SQLite writes as JSON. */
const JSON_HEAD = "select cast(group_concat(";

/** The statement of the last page, as rows or as JSON. */
function lastStatement(): readonly [text: string, parameters: readonly unknown[]] {
  const [last] = [readRows, readFirst]
    .flatMap(({ mock }) =>
      mock.calls.map(([text, parameters], index) => ({ text, parameters, at: mock.invocationCallOrder[index] ?? 0 })),
    )
    .filter(({ text }) => text.startsWith(JSON_HEAD) || text.includes(" limit "))
    .toSorted((left, right) => right.at - left.at);
  if (last === undefined) throw new Error("Nothing was read.");
  return [last.text, last.parameters];
}

/** The query plan of SQLite, without the steps that read the rows of a page as JSON. */
async function planOf([text, parameters]: readonly [string, readonly unknown[]]): Promise<string> {
  const compiled = db.selectFrom("orders").compile();
  const explained = { ...compiled, sql: `explain query plan ${text}`, parameters };
  const { rows } = await db.executeQuery<{ readonly detail: string }>(explained);
  return rows
    .map(({ detail }) => detail)
    .filter((detail) => !/^(?:CO-ROUTINE|SCAN) page$/.test(detail))
    .join("; ");
}

describe("a page after a row starts in an index, however far down it is", () => {
  test.each([
    ["", /^SEARCH \S+ USING INTEGER PRIMARY KEY \(rowid>\?\)$/],
    ["id desc", /^SEARCH \S+ USING INTEGER PRIMARY KEY \(rowid<\?\)$/],
    ["placed", /^SEARCH \S+ USING (?:COVERING )?INDEX orders_placed \(placed>\?\)$/],
    ["placed desc", /^SEARCH \S+ USING (?:COVERING )?INDEX orders_placed \(placed<\?\)$/],
    ["customerId", /^SEARCH \S+ USING (?:COVERING )?INDEX orders_customer_id \(customer_id>\?\)$/],
    ["total desc", /^SEARCH \S+ USING (?:COVERING )?INDEX orders_total \(total<\?\)$/],
    ["name", /^SEARCH \S+ USING (?:COVERING )?INDEX orders_name \(name>\?\)$/],
    [
      "customerId desc,placed,id desc",
      /^SEARCH \S+ USING (?:COVERING )?INDEX orders_customer_placed \(customer_id<\?\)$/,
    ],
  ])("$orderby=%s", async (orderBy, plan) => {
    const seen: number[] = [];
    let link: string | undefined =
      `http://service.example/Orders?$select=id${orderBy === "" ? "" : `&$orderby=${encodeURIComponent(orderBy)}`}`;
    const statements = new Set<string>();
    while (link !== undefined) {
      const page: Page = await read(link);
      seen.push(...page.value.map(({ id }) => id));
      link = page["@odata.nextLink"];
      statements.add(lastStatement()[0]);
    }
    const whole = await sql<{ id: number }>`select id from orders`.execute(db);
    expect(new Set(seen).size).toBe(whole.rows.length);
    expect(seen).toHaveLength(whole.rows.length);
    // The first page, a page within null, and one for all other pages.
    expect(statements.size).toBeLessThanOrEqual(3);
    expect(await planOf(lastStatement())).toMatch(plan);
    expect(lastStatement()[0]).not.toMatch(/offset/i);
  });

  test("binds the values of the row, and uses the same statement for every row", async () => {
    const first = await read("http://service.example/Orders?$orderby=name desc");
    const second = await read(first["@odata.nextLink"] ?? "");
    const [text, parameters] = lastStatement();
    await read(second["@odata.nextLink"] ?? "");
    const [sameText, otherParameters] = lastStatement();
    expect(sameText).toBe(text);
    expect(otherParameters).not.toEqual(parameters);
    expect(text).not.toMatch(/name \d/);
  });

  test("counts all rows in a separate statement", async () => {
    const first = await read("http://service.example/Orders?$orderby=placed&$count=true&$filter=customerId gt 50");
    const second = await read(first["@odata.nextLink"] ?? "");
    const { rows } = await sql<{ total: number }>`select count(*) as total from orders where customer_id > 50`.execute(
      db,
    );
    const count = rows[0]?.total;
    expect(count).toBeGreaterThan(2000);
    expect([first, second]).toMatchObject([{ "@odata.count": count }, { "@odata.count": count }]);
  });
});
