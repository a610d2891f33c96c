import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { toDecimalKey } from "../../../src/databases/cells/instant.ts";
import { registerAggregates } from "../../../src/databases/sqlite/driver/sqlite-aggregates.ts";
import { registerFunctions } from "../../../src/databases/sqlite/driver/sqlite-functions.ts";
import {
  addDecimals,
  ceilingDecimal,
  divideDecimals,
  floorDecimal,
  moduloDecimals,
  multiplyDecimals,
  negateDecimal,
  roundDecimal,
  subtractDecimals,
} from "../../../src/edm/decimal-arithmetic.ts";
import { compareDecimals, fromScaled, MAX_DECIMAL_DIGITS, parseDecimal } from "../../../src/edm/decimal.ts";
import { anyCharacter } from "../../any-character.ts";
import { caseCount } from "../../cases.ts";

const database = new DatabaseSync(":memory:");
registerFunctions(database, true);
registerAggregates(database);

function evaluate(expression: string, ...values: (string | number | bigint | null | Uint8Array)[]): unknown {
  return database.prepare(`select ${expression} as result`).get(...values)?.["result"];
}

/** Canonical Decimals: small colliding ones, wide ones, and equal values with different scales. */
const decimal = fc
  .tuple(
    fc.oneof(fc.bigInt({ min: -120n, max: 120n }), fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n })),
    fc.nat({ max: 15 }),
  )
  .map(([scaled, scale]) => parseDecimal(fromScaled(scaled, scale)) ?? "");

const COMPARE = database.prepare("select odata_decimal_compare(?, ?) as result");

describe("Decimals in SQL behave as in memory", () => {
  test.each([
    ["odata_decimal_add", addDecimals],
    ["odata_decimal_subtract", subtractDecimals],
    ["odata_decimal_multiply", multiplyDecimals],
    ["odata_decimal_divide", divideDecimals],
    ["odata_decimal_modulo", moduloDecimals],
  ])("%s", (name, reference) => {
    const statement = database.prepare(`select ${name}(?, ?) as result`);
    fc.assert(
      fc.property(decimal, decimal, (left, right) => {
        expect(statement.get(left, right)?.["result"]).toBe(reference(left, right));
      }),
      { numRuns: caseCount(300) },
    );
    expect(evaluate(`${name}(?, null)`, "1")).toBeNull();
    expect(evaluate(`${name}(null, ?)`, "1")).toBeNull();
  });

  test.each<[string, (value: string) => string]>([
    ["odata_decimal_negate(?)", negateDecimal],
    ["odata_decimal_floor(?)", floorDecimal],
    ["odata_decimal_ceiling(?)", ceilingDecimal],
    ["odata_decimal_round(?, 0)", (value) => roundDecimal(value, "half-away-from-zero")],
    ["odata_decimal_round(?, 1)", (value) => roundDecimal(value, "half-to-even")],
    ["odata_decimal_key(?)", toDecimalKey],
  ])("%s", (expression, reference) => {
    const statement = database.prepare(`select ${expression} as result`);
    fc.assert(
      fc.property(decimal, (value) => {
        expect(statement.get(value)?.["result"]).toBe(reference(value));
      }),
      { numRuns: caseCount(300) },
    );
    expect(evaluate(expression, null)).toBeNull();
  });

  test("odata_decimal_compare", () => {
    fc.assert(
      fc.property(decimal, decimal, (left, right) => {
        expect(COMPARE.get(left, right)?.["result"]).toBe(Math.sign(compareDecimals(left, right)));
      }),
      { numRuns: caseCount(300) },
    );
    expect(COMPARE.get(null, "1")?.["result"]).toBeNull();
    expect(COMPARE.get("1", null)?.["result"]).toBeNull();
    expect(evaluate("typeof(odata_decimal_compare('1', '2'))")).toBe("integer");
  });

  test.each<[string, unknown]>([
    ["odata_decimal_divide('1', '0')", null],
    ["odata_decimal_divide('1', '0.000')", null],
    ["odata_decimal_modulo('1', '0')", null],
    [`odata_decimal_multiply('${"9".repeat(MAX_DECIMAL_DIGITS)}', '10')`, null],
    ["odata_decimal_divide('1', '3')", "0.333333333333"],
    ["odata_decimal_modulo('-7.5', '2')", "-1.5"],
    ["odata_decimal_add('0.1', '0.2')", "0.3"],
    ["odata_decimal_add(1, '0.20')", "1.20"],
    ["odata_decimal_add(0.1, 0.2)", "0.3"],
    ["odata_decimal_add(9223372036854775807, '1')", "9223372036854775808"],
    ["odata_decimal_add(1e21, '1')", "1000000000000000000001"],
    ["odata_decimal_round('2.5', 0)", "3"],
    ["odata_decimal_round('2.5', 1)", "2"],
    ["odata_decimal_round('-2.5', 0)", "-3"],
    ["odata_decimal_compare('1.10', '1.1')", 0],
    ["odata_decimal_compare(9007199254740993, '9007199254740992.5')", 1],
  ])("%s", (expression, result) => {
    expect(evaluate(expression)).toBe(result);
  });

  test.each([
    ["'1,5'", 'The database contains "1,5" where an Edm.Decimal is expected.'],
    ["''", 'The database contains "" where an Edm.Decimal is expected.'],
    ["1e999", "The database contains Infinity where an Edm.Decimal is expected."],
    ["x'31'", "The database contains bytes where an Edm.Decimal is expected."],
  ])("%s is rejected", (value, message) => {
    expect(() => evaluate(`odata_decimal_key(${value})`)).toThrow(message);
  });
});

describe("toDecimalKey", () => {
  test.each([
    ["0", "0"],
    ["0.00", "0"],
    ["1", "100011"],
    ["1.10", "1000111"],
    ["100", "100031"],
    ["0.5", "100005"],
    ["0.05", "1000005"],
    ["-1", "-99988~"],
    ["-1.10", "-999888~"],
    ["-0.5", "-99994~"],
  ])("%s is %s", (value, key) => {
    expect(toDecimalKey(value)).toBe(key);
  });

  test("sorts bytes like the values", () => {
    fc.assert(
      fc.property(decimal, decimal, (left, right) => {
        const first = toDecimalKey(left);
        const second = toDecimalKey(right);
        const order = first < second ? -1 : Number(first > second);
        expect(order).toBe(Math.sign(compareDecimals(left, right)));
      }),
      { numRuns: caseCount(2000) },
    );
  });

  test("sorts the greatest and the smallest Decimals", () => {
    const values = [
      `-${"9".repeat(MAX_DECIMAL_DIGITS)}`,
      `-1${"0".repeat(MAX_DECIMAL_DIGITS - 1)}`,
      "-1",
      `-0.${"9".repeat(MAX_DECIMAL_DIGITS - 1)}`,
      `-0.${"0".repeat(MAX_DECIMAL_DIGITS - 2)}1`,
      "0",
      `0.${"0".repeat(MAX_DECIMAL_DIGITS - 2)}1`,
      `0.${"9".repeat(MAX_DECIMAL_DIGITS - 1)}`,
      "1",
      `1${"0".repeat(MAX_DECIMAL_DIGITS - 1)}`,
      "9".repeat(MAX_DECIMAL_DIGITS),
    ];
    const keys = values.map(toDecimalKey);
    expect(keys.toSorted()).toEqual(keys);
    expect(new Set(keys).size).toBe(keys.length);
  });

  test("an index on it serves ranges and the order", () => {
    const shop = new DatabaseSync(":memory:");
    registerFunctions(shop, false);
    shop.exec("create table product (id integer primary key, price text) strict");
    shop.exec("create index product_price on product (odata_decimal_key(price))");
    const prices = ["10", "9.99", "-1", null, "9.990", "100.5", "0"];
    const insert = shop.prepare("insert into product (price) values (?)");
    for (const price of prices) insert.run(price);
    const select =
      "select price from product where odata_decimal_key(price) >= odata_decimal_key(?) order by odata_decimal_key(price), id";
    const plan = shop.prepare(`explain query plan ${select}`).all("9.99");
    expect(plan.map(({ detail }) => detail)).toEqual(["SEARCH product USING INDEX product_price (<expr>>?)"]);
    expect(
      shop
        .prepare(select)
        .all("9.99")
        .map(({ price }) => price),
    ).toEqual(["9.99", "9.990", "10", "100.5"]);
  });
});

describe("case mapping in SQL follows Unicode", () => {
  test.each<[string, unknown]>([
    ["odata_lower('ÄÖÜ ẞ İ')", "äöü ß i̇"],
    ["odata_upper('äöü ß ﬁ')", "ÄÖÜ SS FI"],
    ["odata_lower('ΑΣ')", "ας"],
    ["odata_upper('𐐨')", "𐐀"],
    ["odata_lower('')", ""],
    ["odata_lower('A' || char(0) || 'B')", "a\0b"],
    ["odata_lower(null)", null],
    ["odata_upper(null)", null],
    ["odata_lower(12)", "12"],
    ["odata_upper(9223372036854775807)", "9223372036854775807"],
  ])("%s", (expression, result) => {
    expect(evaluate(expression)).toBe(result);
  });

  test("converts any text to lower and upper case as in JavaScript", () => {
    const statement = database.prepare("select odata_lower(?1) as lower, odata_upper(?1) as upper");
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        expect({ ...statement.get(text) }).toEqual({ lower: text.toLowerCase(), upper: text.toUpperCase() });
      }),
      { numRuns: caseCount(300) },
    );
  });

  test("rejects bytes", () => {
    expect(() => evaluate("odata_lower(x'41')")).toThrow(
      "The database contains bytes where an Edm.String is expected.",
    );
  });
});

describe("aggregates of SQLite", () => {
  const over = (aggregate: string, cells: string): unknown =>
    database.prepare(`with rows (key, cell) as (values ${cells}) select ${aggregate} as result from rows`).get()?.[
      "result"
    ];

  test.each([
    ["odata_decimal_sum(cell)", "(1, '0.1'), (2, null), (3, '0.20')", "0.30"],
    ["odata_decimal_sum(cell)", "(1, null)", null],
    ["odata_duration_sum(cell)", "(1, 'PT1H'), (2, null), (3, 'PT30M')", "PT1H30M"],
    ["odata_duration_sum(cell)", "(1, 'PT9007199254740991S'), (2, 'PT1H'), (3, 'PT1H')", null],
    ["odata_least(key, cell)", "(2, 'b'), (1, 'a'), (3, 'c'), (null, 'd')", "a"],
    ["odata_greatest(key, cell)", "(2, 'b'), (3, 'c'), (1, 'a'), (3, 'd')", "c"],
  ])("%s over %s", (aggregate, cells, expected) => {
    expect(over(aggregate, cells)).toBe(expected);
  });

  test("a sum beyond the digits of a Decimal is null", () => {
    const most = `'${"9".repeat(MAX_DECIMAL_DIGITS)}'`;
    expect(over("odata_decimal_sum(cell)", `(1, ${most}), (2, ${most}), (3, '1')`)).toBeNull();
  });
});

describe("cells that a cast cannot read are faults of the row", () => {
  test.each([
    ["Edm.Int32", "x"],
    ["Edm.Int64", 1.5],
    ["Edm.Double", "x"],
    ["Edm.Decimal", new Uint8Array([1])],
    ["Edm.Binary", "x"],
    ["Edm.Date", "x"],
    ["Edm.Duration", 5],
  ])("%s from %s", (source, cell) => {
    expect(() => evaluate("odata_cast(?, 'Edm.String', 'written', ?)", source, cell)).toThrow();
  });
});
