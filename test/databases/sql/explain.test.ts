import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import { ordersDatabase, recordStatements, type RunStatement } from "./orders.ts";

const db = await ordersDatabase();
await sql`
  with recursive n(i) as (select 1 union all select i + 1 from n where i < 5000)
  insert into "orders" ("id", "customer_id", "name", "status", "price", "total", "weight", "day", "time", "placed", "changed", "span")
  select i, i % 97, 'name ' || (i % 1000), 'Paid', i || '.5', i * 10, i / 7.0, date('2024-01-01', '+' || (i % 300) || ' days'),
    time(i * 60, 'unixepoch'), strftime('%Y-%m-%dT%H:%M:%fZ', 1700000000 + i * 60, 'unixepoch'),
    strftime('%Y-%m-%dT%H:%M:%SZ', 1700000000 + i * 60, 'unixepoch'), 'PT' || i || 'S' from n`.execute(db);
for (const column of ["customer_id", "name", "total", "weight", "day", "time"]) {
  await sql`create index ${sql.id(`orders_${column}`)} on "orders" (${sql.id(column)})`.execute(db);
}
await sql`create index "orders_placed" on "orders" ("placed", "id")`.execute(db);
await sql`create index "orders_price" on "orders" (odata_decimal_key("price"))`.execute(db);
await sql`create index "orders_changed" on "orders" (odata_instant_key("changed"))`.execute(db);
await sql`create index "orders_lower" on "orders" (odata_lower("name"))`.execute(db);
await sql`create index "orders_span" on "orders" (odata_duration_key("span"))`.execute(db);
await sql`analyze`.execute(db);

const run = recordStatements(db);

/** The query plan of SQLite. */
async function planOf({ sql: text, parameters }: RunStatement): Promise<string> {
  // Values matter only for ranges, whose plan may depend on them.
  const compiled = { sql: `explain query plan ${text}`, parameters };
  const { rows } = await db.executeQuery<{ readonly detail: string }>({
    ...db.selectFrom("orders").compile(),
    ...compiled,
  });
  return rows.map(({ detail }) => detail).join("; ");
}

async function plan(options: Parameters<typeof run>[0], path?: string): Promise<string> {
  const [statement] = await run(options, path);
  if (statement === undefined) throw new Error("Nothing was run.");
  return planOf(statement);
}

describe("an index serves", () => {
  test.each([
    ["id eq 5", /SEARCH it USING INTEGER PRIMARY KEY \(rowid=\?\)/],
    ["id gt 4990", /SEARCH it USING INTEGER PRIMARY KEY \(rowid>\?\)/],
    ["id in (1,2,3)", /SEARCH it USING INTEGER PRIMARY KEY \(rowid=\?\)/],
    ["customerId eq 5", /SEARCH it USING .*orders_customer_id \(customer_id=\?/],
    ["customerId gt 95 and customerId le 96", /SEARCH it USING .*orders_customer_id \(customer_id>\?/],
    ["customerId eq 1.0", /SEARCH it USING .*orders_customer_id \(customer_id=\?/],
    ["name eq 'name 7'", /SEARCH it USING .*orders_name \(name=\?\)/],
    ["name in ('name 7','name 8')", /SEARCH it USING .*orders_name \(name=\?\)/],
    ["name in ('name 7',null)", /MULTI-INDEX OR.*orders_name \(name=\?\)/],
    ["name eq 'name 7' or customerId eq 3", /MULTI-INDEX OR.*orders_name.*orders_customer_id/],
    ["name gt 'name 998'", /SEARCH it USING .*orders_name \(name>\?\)/],
    ["startswith(name,'name 99')", /SEARCH it USING .*orders_name \(name>\? AND name<\?\)/],
    ["name eq null", /SEARCH it USING .*orders_name \(name=\?\)/],
    ["name eq 'name 7' and contains(name,'7')", /SEARCH it USING .*orders_name \(name=\?\)/],
    ["total gt 499.905", /SEARCH it USING .*orders_total \(total>\?\)/],
    ["total in (10,20.5)", /SEARCH it USING .*orders_total \(total=\?\)/],
    ["weight lt 1.5", /SEARCH it USING .*orders_weight \(weight<\?\)/],
    ["day eq 2024-02-29", /SEARCH it USING .*orders_day \(day=\?\)/],
    ["day lt 2024-01-02T12:00:00Z", /SEARCH it USING .*orders_day \(day<\?\)/],
    ["time eq 12:00:00.0", /SEARCH it USING .*orders_time \(time>\? AND time<\?\)/],
    ["placed ge 2023-11-18T00:00:00+02:00", /SEARCH it USING .*orders_placed \(placed>\?\)/],
    ["placed lt mindatetime()", /SEARCH it USING .*orders_placed \(placed<\?\)/],
    ["price gt 4999.5", /SEARCH it USING .*orders_price \(<expr>>\?\)/],
    ["changed gt 2023-11-18T00:00:00Z", /SEARCH it USING .*orders_changed \(<expr>>\?\)/],
    ["span eq duration'PT1M'", /SEARCH it USING .*orders_span \(<expr>=\?\)/],
    ["tolower(name) eq 'name 7'", /SEARCH it USING .*orders_lower \(<expr>=\?\)/],
  ])("%s", async (filter, expected) => {
    // Without an order, since SQLite may read a page by its key to avoid sorting.
    expect(await plan({ filter }, "/$count")).toMatch(expected);
  });

  test.each([
    [{ orderby: "placed", top: 20 }, /SCAN it USING .*orders_placed/],
    [{ orderby: "placed desc", top: 20, skip: 100 }, /SCAN it USING .*orders_placed/],
    [{ top: 20 }, /SCAN it/],
    [{ orderby: "id desc", top: 20 }, /SCAN it/],
    [{ orderby: "name", top: 20 }, /SCAN it USING .*orders_name/],
    [{ orderby: "price", top: 20 }, /SCAN it USING .*orders_price/],
    [{ orderby: "placed", filter: "placed gt 2023-11-17T00:00:00Z", top: 20 }, /SEARCH it USING .*orders_placed/],
  ])("the order of a page: %j", async (options, expected) => {
    const text = await plan(options);
    expect(text).toMatch(expected);
    expect(text).not.toContain("TEMP B-TREE");
  });

  test("a base query as well, without cost", async () => {
    const from = db.selectFrom("orders").selectAll().where("customer_id", "<", 90);
    const [statement] = await recordStatements(db, from)({ filter: "name eq 'name 7'", select: "id" });
    expect(await planOf(statement ?? { sql: "", parameters: [] })).toMatch(
      /SEARCH orders USING .*orders_name \(name=\?\)/,
    );
  });
});
