import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ordersDatabase, recordStatements } from "./orders.ts";

const run = recordStatements(await ordersDatabase());
const HEAD =
  'select nullif(quote("id"), \'NULL\') as "c0" from "orders" as "it" where likelihood(iif("it"._rowid_ % 1021, 1, odata_alive()), 1.0) and (';
const TAIL = ') order by "id"';

/** The condition of a filter, and its values. */
async function conditionOf(filter: string): Promise<readonly [string, ...unknown[]]> {
  const [statement] = await run({ select: "id", filter });
  const { sql = "", parameters = [] } = statement ?? {};
  expect(sql.startsWith(HEAD) && sql.endsWith(TAIL), sql).toBe(true);
  return [sql.slice(HEAD.length, -TAIL.length), ...parameters];
}

describe("a list of times", () => {
  const times = (length: number): string =>
    Array.from({ length }, (_none, index) => `12:00:${String(index).padStart(2, "0")}`).join();

  test("of few items is a list of ranges, which an index can serve", async () => {
    const [text, ...values] = await conditionOf(`time in (${times(16)})`);
    expect(text.match(/"time" between \? and \?/g)).toHaveLength(16);
    expect(values).toHaveLength(32);
  });

  test("of more items is looked up", async () => {
    const key = `substr(replace("time", '.', '') || '000000000000', 1, 20)`;
    const places = Array.from({ length: 17 }, () => "?").join(", ");
    expect((await conditionOf(`time in (${times(17)})`))[0]).toBe(`${key} in (${places})`);
    expect((await conditionOf(`not (time in (${times(17)}))`))[0]).toBe(`not (ifnull(${key} in (${places}), 0))`);
  });
});

/** The lower case of a text that no index serves. */
const lower = (text: string): string =>
  `(case when length(${text}) is octet_length(${text}) and typeof(${text}) in ('text', 'null') then lower(${text})` +
  ` when octet_length(${text}) between 400 and 4000000 and typeof(${text}) = 'text' and octet_length('a') = 1` +
  ` then cast(odata_lower_bytes(cast(${text} as blob)) as text) else odata_lower_text(${text}) end)`;

describe("a call that four conditions contain is computed once", () => {
  const LOWER = `from (select ${lower('"name"')} as "v0") as "shared_r1")`;
  const holds = (text: string): string => `contains(tolower(name),'${text}')`;
  const [A, B, C, D] = [holds("a"), holds("b"), holds("c"), holds("d")] as const;
  const FOUND = '(instr("shared_r1"."v0", ?) > 0)';

  test.each<readonly [filter: string, condition: string]>([
    [`${A} or ${B} or ${C} or ${D}`, `(select ${FOUND} or ${FOUND} or ${FOUND} or ${FOUND} ${LOWER}`],
    // Computing it three times costs less.
    [`${A} or ${B} or ${C}`, Array.from({ length: 3 }, () => `(instr(${lower('"name"')}, ?) > 0)`).join(" or ")],
    // An index can serve the other condition.
    [
      `${A} and ${B} and id eq 7 and ${C} and ${D}`,
      `"id" = ? and ((select ${FOUND} and ${FOUND} and ${FOUND} and ${FOUND} ${LOWER})`,
    ],
    [
      `id eq 7 and (${A} or customerId eq 5 or ${B} or ${C} or tolower(name) gt shipTo/city)`,
      `"id" = ? and ("customer_id" = ? or ((select ${FOUND} or ${FOUND} or ${FOUND} or "shared_r1"."v0" > "it"."shipTo_city" ${LOWER}))`,
    ],
    [
      `not (${A} or ${B} or (${C} and ${D} and tolower(trim(name)) eq 'e'))`,
      `not ((select (instr("shared_r1"."v0", ?) > 0) or ${FOUND} or (${FOUND} and ${FOUND} and ifnull(iif(1.0 * octet_length("it"."name") > iif(odata_alive(), 10666666, 0), json_extract('{}', 'odatakit.text ' || (1.0 * octet_length("it"."name"))), (select ${lower('"odata_argument0"')} from (select trim("it"."name", ?) as "odata_argument0"))) = ?, 0)) ${LOWER})`,
    ],
  ])("%s", async (filter, condition) => {
    const [text] = await conditionOf(filter);
    expect(text).toBe(condition);
  });
});

describe("SQL of filters", () => {
  // An index on the column must serve the left side, also in the exact form below `not`.
  test.each<readonly [filter: string, condition: string, ...values: readonly unknown[]]>([
    ["id eq 5", '"id" = ?', 5n],
    ["name eq 'x'", '"name" = ?', "x"],
    ["name ne 'x'", '("name" <> ? or "name" is null)', "x"],
    ["not (name eq 'x')", 'not (("name" = ? and "name" is not null))', "x"],
    ["not (name gt 'x')", 'not (("name" > ? and "name" is not null))', "x"],
    ["not (customerId gt 5)", 'not ("customer_id" > ?)', 5n],
    ["name eq null", '"name" is null'],
    ["null ne name", '"name" is not null'],
    ["customerId eq null", "1 = 0"],
    ["name gt null", "1 = 0"],
    ["name eq shipTo/city", '"name" is "shipTo_city"'],
    ["customerId eq customerId", '"customer_id" = "customer_id"'],
    ["not (customerId gt weight)", 'not (ifnull("customer_id" > "weight", 0))'],
    ["startswith(name,'a%')", '("name" >= ? and "name" < ?)', "a%", "a&"],
    ["contains(name,'_')", '(instr("name", ?) > 0)', "_"],
    ["contains(name,'_') and customerId gt 5", '"customer_id" > ? and (instr("name", ?) > 0)', 5n, "_"],
    [
      "endswith(name,'x')",
      `(ifnull(substr(cast("name" as blob), iif(? = '', 2147483646, - length(cast(? as blob)))), cast("name" as blob)) = cast(? as blob))`,
      "x",
      "x",
      "x",
    ],
    [
      "length(name) eq 1",
      `iif(instr("name", char(0)) and typeof("name") = 'text', odata_length("name"), length("name")) = ?`,
      1n,
    ],
    ["name in ('a','b')", '"name" in (?, ?)', "a", "b"],
    ["name in ('a',null)", '("name" is null or "name" in (?))', "a"],
    ["not (name in ('a'))", 'not (ifnull("name" in (?), 0))', "a"],
    ["total gt 1.005", '"total" > ?', 100n],
    ["total ge 1.005", '"total" >= ?', 101n],
    ["total lt -1.005", '"total" < ?', -100n],
    ["total le -1.005", '"total" <= ?', -101n],
    ["total eq 1.005", '"total" = ?', 0.5],
    ["total eq 1.1", '"total" = ?', 110n],
    ["total lt 1000000000000000000000000000000", '"total" < ?', Infinity],
    ["price gt 1.10", 'odata_decimal_key("price") > ?', "1000111"],
    ["customerId gt 1.5", '"customer_id" > ?', 1n],
    ["weight gt 1.5", '"weight" > ?', 1.5],
    ["weight lt INF", '"weight" < ?', Infinity],
    ["paid", '"paid" = 1'],
    ["not paid", 'not ("paid" = 1)'],
    ["paid eq true", '"paid" = ?', 1n],
    ["token eq 01234567-89AB-cdef-0123-456789abcdef", '"token" = ?', "01234567-89ab-cdef-0123-456789abcdef"],
    ["status eq 'Paid'", '"status" = ?', "Paid"],
    ["status gt 'Draft'", `(case "status" when 'Draft' then 0 when 'Paid' then 1 when 'Shipped' then 2 end) > ?`, 0n],
    ["access has 'Read'", '("access" & ?) = ?', 1n, 1n],
    ["access eq 'Read,Write'", '"access" = ?', 3n],
    ["day ge 2024-02-29", '"day" >= ?', "2024-02-29"],
    ["day lt 2024-02-29T12:00:00Z", '"day" < ?', "2024-03-01"],
    ["day lt 12024-01-01", '"day" < ?', ":"],
    ["time eq 12:00", '"time" between ? and ?', "12:00", "12:00:00.000000000000"],
    ["time gt 12:00:00.50", '"time" > ?', "12:00:00.500000000000"],
    ["placed ge 2024-02-29T12:00:00.0005+01:00", '"placed" >= ?', "2024-02-29T11:00:00.001Z"],
    [
      "placed eq 2024-02-29T12:00:00Z",
      '"placed" in (?, ?, ?, ?)',
      "2024-02-29T12:00:00.000Z",
      "2024-02-29T12:00:00Z",
      "2024-02-29 12:00:00",
      "2024-02-29T12:00:00+00:00",
    ],
    ["changed gt 2024-02-29T12:00:00Z", 'odata_instant_key("changed") > ?', "1000001709208000"],
    ["year(placed) eq 2024", 'cast(substr("placed", 1, 4) as integer) = ?', 2024n],
    ["date(placed) eq 2024-02-29", 'substr("placed", 1, 10) = ?', "2024-02-29"],
    ["span gt duration'PT1H'", 'odata_duration_key("span") > ?', "10000000000003600"],
    ["shipTo eq null", '("ship_street" is null and "shipTo_city" is null)'],
    ["shipTo ne null", '("ship_street" is not null or "shipTo_city" is not null)'],
    ["tags/$count gt 1", 'ifnull(json_array_length("tags"), 0) > ?', 1n],
    ["tolower(name) eq 'x'", `${lower('"name"')} = ?`, "x"],
    ["true", "?", 1n],
  ])("%s", async (...[filter, condition, ...values]) => {
    expect(await conditionOf(String(filter))).toEqual([condition, ...values]);
  });

  test("binds the instant of the execution once per execution", async () => {
    const [, first, second] = await conditionOf("placed lt now() or placed gt now()");
    expect(first).toMatch(/^\d{4}-.*Z$/);
    expect([first, second]).toEqual([first, first]);
  });

  test("a long chain makes no deep tree, and a deep tree no long text", async () => {
    const chain = Array.from({ length: 300 }, (_none, index) => `id eq ${index}`).join(" or ");
    expect((await conditionOf(chain)).length).toBe(301);
    const deep = `${"(".repeat(40)}id${" add 1)".repeat(40)} eq 1`;
    expect((await conditionOf(deep))[0].length).toBeLessThan(8000);
  });
});

describe("statements", () => {
  test("read exactly the selected columns, and the key for the id of the entity", async () => {
    expect(await run({ select: "customerId,placed", top: 3 })).toEqual([
      {
        sql: 'select nullif(quote("id"), \'NULL\') as "c0", "customer_id" as "c1", "placed" as "c2" from "orders" as "it" where likelihood(iif("it"._rowid_ % 1021, 1, odata_alive()), 1.0) order by "id" limit ? + 0',
        parameters: [3n],
      },
    ]);
  });

  test("read one more member of a complex value if only that shows whether it is null", async () => {
    const [statement] = await run({ select: "shipTo/city" });
    expect(statement?.sql).toBe(
      'select nullif(quote("id"), \'NULL\') as "c0", "shipTo_city" as "c1", "ship_street" as "c2" from "orders" as "it" where likelihood(iif("it"._rowid_ % 1021, 1, odata_alive()), 1.0) order by "id"',
    );
  });

  test("order by the key in the direction of the last term", async () => {
    const [statement] = await run({ select: "id", orderby: "customerId,placed desc", skip: 5, top: 2 });
    expect(statement?.sql).toBe(
      'select nullif(quote("id"), \'NULL\') as "c0" from "orders" as "it" where likelihood(iif("it"._rowid_ % 1021, 1, odata_alive()), 1.0) order by "customer_id", "placed" desc, "id" desc limit ? + 0 offset ?',
    );
    expect(statement?.parameters).toEqual([2n, 5n]);
    const [unlimited] = await run({ select: "id", skip: 5 });
    expect(unlimited?.sql).toMatch(/ order by "id" limit -1 offset \?$/);
    const [sorted] = await run({ select: "id", orderby: "placed", skip: 5 });
    expect(sorted?.sql).toMatch(
      /^with odata_sorted as materialized \(.* order by "placed", "id"\) select \* from odata_sorted limit -1 offset \?$/,
    );
  });

  test("read a page with one statement, and the total with another if the page does not imply it", async () => {
    expect(await run({ top: 1 })).toHaveLength(1);
    expect((await run({ top: 1, count: "true" })).map(({ sql }) => sql.slice(0, 23))).toEqual([
      'select nullif(quote("id',
    ]);
    expect(await run({ top: 0, count: "true", filter: "customerId gt 5" })).toEqual([
      {
        sql: 'select count(*) from "orders" as "it" where likelihood(iif("it"._rowid_ % 1021, 1, odata_alive()), 1.0) and ("customer_id" > ?)',
        parameters: [5n],
      },
    ]);
    expect((await run({ top: 1, skip: 3, count: "true" })).map(({ sql }) => sql.slice(0, 12))).toEqual([
      "select nulli",
      "select count",
    ]);
    expect(await run({ top: 0 })).toEqual([]);
    expect(await run({}, "/$count")).toEqual([{ sql: 'select count(*) from "orders" as "it"', parameters: [] }]);
  });
});

describe("literals are never part of a statement", () => {
  const number = (value: number | bigint): string => String(value);
  const text = fc
    .string({ unit: "grapheme", maxLength: 8 })
    .filter((value) => !value.includes("\u0000"))
    .map((value) => `'${value.replaceAll("'", "''")}'`);
  const date = fc
    .date({ min: new Date("0001-01-01T00:00:00Z"), max: new Date("9999-12-31T00:00:00Z"), noInvalidDate: true })
    .map((value) => value.toISOString());
  const literals: Readonly<Record<string, readonly [string, fc.Arbitrary<string>]>> = {
    "Edm.Int32": ["customerId", fc.nat().map(number)],
    "Edm.Int64": ["id", fc.bigInt({ min: 2n ** 31n, max: 2n ** 63n - 1n }).map(number)],
    "Edm.Decimal": ["price", fc.tuple(fc.nat(), fc.nat()).map(([whole, part]) => `${whole}.${part}`)],
    "Edm.Decimal, scaled": ["total", fc.tuple(fc.nat(), fc.nat()).map(([whole, part]) => `${whole}.${part}`)],
    "Edm.Double": [
      "weight",
      fc
        .double({ noNaN: true, noDefaultInfinity: true, min: 1e-7, max: 1e20 })
        .map((value) => value.toExponential().replace("e+", "e")),
    ],
    "Edm.String": ["name", text],
    "Edm.Guid": ["token", fc.uuid()],
    "Edm.Date": ["day", date.map((value) => value.slice(0, 10))],
    "Edm.TimeOfDay": ["time", date.map((value) => value.slice(11, 23))],
    "Edm.DateTimeOffset": ["placed", date],
    "Edm.Duration": ["span", fc.nat().map((value) => `duration'PT${value}S'`)],
    "Edm.Boolean": ["paid", fc.constantFrom("true", "false")],
    enumeration: ["status", fc.constantFrom("'Draft'", "'Paid'", "'Shipped'")],
  };

  test.each(Object.entries(literals))("%s: two values, one text", async (_name, [property, literal]) => {
    const templates = [
      (value: string) => ({
        filter: `${property} eq ${value} or not (${property} le ${value}) or ${property} in (${value},null)`,
      }),
      (value: string) => ({ orderby: `${property} eq ${value}` }),
    ];
    const pairs = fc.tuple(fc.constantFrom(...templates), literal, literal);
    const property_ = fc.asyncProperty(pairs, async ([template, one, other]) => {
      const first = await run(template(one));
      const second = await run(template(other));
      expect(second.map(({ sql }) => sql)).toEqual(first.map(({ sql }) => sql));
    });
    await fc.assert(property_, { numRuns: 20 });
  });

  test.each([
    "' or 1 eq 1 --",
    "'; drop table orders; --",
    '" or ""=""',
    "\\' or 1=1",
    "%' union select * from orders --",
    "?",
    "$1",
    ":name",
    "\u2019 or \u02BC1\u02BC=\u02BC1",
  ])("%j stays a value", async (payload) => {
    const literal = `'${payload.replaceAll("'", "''")}'`;
    for (const filter of [`name eq ${literal}`, `contains(name,${literal})`, `name in (${literal})`]) {
      const [statement] = await run({ filter });
      expect(statement?.sql).not.toContain(payload === "?" ? "'?'" : payload);
      expect(statement?.parameters).toEqual([payload]);
    }
  });
});
