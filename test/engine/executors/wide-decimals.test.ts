import fc from "fast-check";
import { edm, entityType, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { afterAll, describe, expect, test } from "vitest";
import {
  divideDecimals,
  moduloDecimals,
  multiplyDecimals,
  subtractDecimals,
} from "../../../src/edm/decimal-arithmetic.ts";
import { divideDuration, multiplyDuration } from "../../../src/edm/temporal-arithmetic.ts";
import { fuzzCount, PROPERTY_SETTINGS } from "../../cases.ts";
import { isDistributed } from "../../databases/distributed/watched-database.ts";
import { createTable, ENGINES, insertRow, type DatabaseEngine, type DatabaseName } from "./engines.ts";
import { isUnsupported } from "./unsupported.ts";

/** Decimals of up to 40 digits have the same values in a database and in memory. */

const Rate = entityType("Rate", { id: edm.int32().key(), value: edm.decimal().nullable(), span: edm.duration() });

const VALUES: readonly string[] = [
  "10.00",
  "0.3333333333333333",
  "1.1000000000000001",
  "-0.1234567890123456789012345",
  "2.0000000000000000000000001",
  "12345678901234567890.123456789",
  "0.0000000000000001",
  "0",
];
const SPANS: readonly string[] = ["P1D", "PT0.333333333333S", "-PT100000H", "PT0.000000000001S"];
const ROWS = VALUES.map((value, index) => ({ id: index + 1, value, span: SPANS[index % SPANS.length] ?? "PT0S" }));

const TYPES: Readonly<Record<DatabaseName, readonly [id: string, value: string]>> = {
  sqlite: ["integer primary key", "text"],
  postgres: ["integer primary key", "numeric"],
  mariadb: ["int primary key", "decimal(60,25)"],
};

async function serviceOver(engine: DatabaseEngine) {
  const opened = await engine.open();
  const [id, value] = TYPES[engine.name];
  await createTable(opened, "rates", { id, value, span: "text not null" });
  for (const row of [...ROWS, { id: 99, value: null, span: "PT0S" }]) {
    await insertRow(opened, "rates", [row.id, row.value, row.span]);
  }
  const { db, close } = opened;
  const table = { db, table: "rates", operations: ["read"], distributed: isDistributed(db) } as const;
  const service = odataService({ entitySets: [sqlEntitySet(Rate, { name: "Rates", ...table })] });
  return { name: engine.name, title: engine.title, service, close };
}

const over = await Promise.all(ENGINES.map(serviceOver));
afterAll(() => Promise.all(over.map(({ close }) => close())));

/** Returns the keys of the rows that a query finds, or the response if the database does not support it. */
async function keysOf({ name, service }: (typeof over)[number], options: string): Promise<readonly number[] | string> {
  const response = await service.fetch(new Request(`http://service.example/Rates?$select=Id&${encodeURI(options)}`));
  const text = `${String(response.status)} ${await response.text()}`;
  if (isUnsupported(name, text)) return text;
  expect(response.status, text).toBe(200);
  const { value } = JSON.parse(text.slice(4)) as { readonly value: ReadonlyArray<{ readonly Id: number }> };
  return value.map(({ Id }) => Id);
}

const { seed } = PROPERTY_SETTINGS;
const SEEDED = seed === undefined ? {} : { seed };

/** MariaDB pads computed Decimals with zeros, so it cannot count the zeros at their ends. */
const countedBy: Readonly<Record<DatabaseName, (value: string) => string>> = {
  sqlite: String,
  postgres: String,
  mariadb: (value) => value.replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, ""),
};

const OPERATORS: Readonly<Record<string, (left: string, right: string) => string | null>> = {
  sub: subtractDecimals,
  mul: multiplyDecimals,
  div: divideDecimals,
  mod: moduloDecimals,
};
const TIMES: Readonly<Record<string, (span: string, factor: string) => string | null>> = {
  mul: multiplyDuration,
  div: divideDuration,
};

/** Decimals of 16 to 40 digits, and numbers as JavaScript writes them. */
const wide: fc.Arbitrary<string> = fc.oneof(
  fc
    .tuple(fc.constantFrom("", "-"), fc.stringMatching(/^[0-9]{16,40}$/), fc.nat(40))
    .map(([sign, digits, scale]) => `${sign}${placePoint(digits.replace(/^0+/, "1"), scale)}`),
  fc
    .tuple(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 300 }))
    .map(([left, right]) => `${String(left / right)}.0`)
    .map((text) => text.replace(/(\..*)\.0$/, "$1")),
  fc.constantFrom("0.3333333333333333", "1.1000000000000001", "0.30000000000000004", "3.000000000000000000"),
);

function placePoint(digits: string, scale: number): string {
  const padded = digits.padStart(scale + 1, "0");
  return scale === 0 ? `${padded}.0` : `${padded.slice(0, -scale)}.${padded.slice(-scale)}`;
}

const literalOf = (value: string | null): string =>
  value === null || value.includes(".") || value === "null" ? String(value) : `${value}.0`;

describe.each(over)("over $title", (engine) => {
  test("finds a quotient with a divisor of 16 fraction digits", async () => {
    expect(await keysOf(engine, "$filter=Value div 0.3333333333333333 gt 29 and Id lt 4")).toEqual([1]);
  });

  test("sorts quotients of values with 16 and more fraction digits", async () => {
    expect(await keysOf(engine, "$orderby=Value div 3,Id&$filter=Value ne null")).toEqual([4, 7, 8, 2, 3, 5, 1, 6]);
  });

  test("counts the trailing zeros of a literal", async () => {
    const filter = "Value div 3.00000000000000 eq 3.33333333333333 and Value div 3.0 eq 3.333333333333";
    expect(await keysOf(engine, `$filter=${filter}`)).toEqual([1]);
  });

  test("computes with wide literals as in memory", async () => {
    let computed = 0;
    const runs = fuzzCount(500, "fuzz:sql");
    const property = fc.asyncProperty(
      wide,
      wide,
      fc.constantFrom(...Object.keys(OPERATORS)),
      fc.constantFrom(...ROWS),
      async (literal, other, operator, row) => {
        const first = OPERATORS[operator]?.(row.value, literal) ?? null;
        const second = first === null ? null : divideDecimals(countedBy[engine.name](first), other);
        const term = `Value ${operator} ${literal}`;
        const filter = `Id eq ${String(row.id)} and ${term} eq ${literalOf(first)} and (${term}) div ${other} eq ${literalOf(second)}`;
        const found = await keysOf(engine, `$filter=${filter}`);
        if (typeof found === "string") return;
        computed += 1;
        expect(found, filter).toEqual([row.id]);
      },
    );
    await fc.assert(property, { ...SEEDED, numRuns: runs });
    expect(computed / runs).toBeGreaterThan(engine.name === "mariadb" ? 0.2 : 0.99);
  });

  test("computes with durations and wide literals as in memory", async () => {
    const property = fc.asyncProperty(
      wide,
      fc.constantFrom(...Object.keys(TIMES)),
      fc.constantFrom(...ROWS),
      async (literal, operator, row) => {
        const result = TIMES[operator]?.(row.span, literal) ?? null;
        const expected = result === null ? "null" : `duration'${result}'`;
        const filter = `Id eq ${String(row.id)} and Span ${operator} ${literal} eq ${expected}`;
        const found = await keysOf(engine, `$filter=${filter}`);
        if (typeof found !== "string") expect(found, filter).toEqual([row.id]);
      },
    );
    await fc.assert(property, { ...SEEDED, numRuns: fuzzCount(300, "fuzz:sql") });
  });

  test("computes with durations and stored Decimals of many digits as in memory", async () => {
    const property = fc.asyncProperty(
      wide,
      fc.constantFrom(...Object.keys(TIMES)),
      fc.constantFrom(...ROWS),
      async (literal, operator, row) => {
        const terms: ReadonlyArray<readonly [term: string, factor: string | null]> = [
          ["Value", row.value],
          [`(Value sub ${literal})`, subtractDecimals(row.value, literal)],
        ];
        for (const [term, factor] of terms) {
          const result = factor === null ? null : (TIMES[operator]?.(row.span, factor) ?? null);
          const expected = result === null ? "null" : `duration'${result}'`;
          const filter = `Id eq ${String(row.id)} and Span ${operator} ${term} eq ${expected}`;
          const found = await keysOf(engine, `$filter=${filter}`);
          if (typeof found !== "string") expect(found, filter).toEqual([row.id]);
        }
      },
    );
    await fc.assert(property, { ...SEEDED, numRuns: fuzzCount(300, "fuzz:sql") });
  });
});
