import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  nextDouble,
  readStoredTimestamp,
  toDurationKey,
  toInstantKey,
  writeEpoch,
} from "../../../src/databases/cells/instant.ts";
import type { StoredInstants } from "../../../src/databases/forms/stored-instants.ts";
import { REAL_DECIMAL_FORM, scaledDecimalForm } from "../../../src/databases/sqlite/dialect/forms.ts";
import { SQLITE_STORED_INSTANTS } from "../../../src/databases/sqlite/dialect/readable-cells.ts";
import { successorOf } from "../../../src/databases/sqlite/dialect/string-functions.ts";
import { MIDNIGHT_FORM, TIME_FORM, utcForm } from "../../../src/databases/sqlite/dialect/temporal-forms.ts";
import type { SqlForm } from "../../../src/databases/statement/sql-form.ts";
import { compareDateTimeOffsets } from "../../../src/edm/date-time-offset.ts";
import { compareDecimals, decimalFromNumber, fromScaled } from "../../../src/edm/decimal.ts";
import { compareDurations, parseDuration } from "../../../src/edm/duration.ts";
import type { StructuralProperty } from "../../../src/edm/model.ts";
import { caseCount } from "../../cases.ts";

const decimal = fc
  .tuple(fc.boolean(), fc.bigInt({ min: 0n, max: 10n ** 14n }), fc.nat(8))
  .map(([isNegative, digits, scale]) => fromScaled(isNegative ? -digits : digits, scale));
const fraction = fc.oneof(
  fc.constantFrom("", ".0", ".9999", ".0005", ".000000000001"),
  fc.stringMatching(/^\.\d{1,12}$/),
);
const second = fc
  .date({ min: new Date("0001-01-02T00:00:00Z"), max: new Date("9999-12-30T23:59:59Z"), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 19));
const instant = fc
  .tuple(second, fraction, fc.constantFrom("Z", "+02:00", "-11:30", "+14:00"))
  .map((parts) => parts.join(""));

const PROPERTY = { facets: { precision: 3 } } as unknown as StructuralProperty;

function storedInstants(name: string): StoredInstants {
  const found = SQLITE_STORED_INSTANTS[name];
  if (found === undefined) throw new Error(`There is no storage "${name}".`);
  return found;
}

/** Compares the SQL of `x gt value` and similar conditions with the same conditions on values. */
function expectBounds<Cell>(
  form: SqlForm,
  cell: Cell,
  order: number,
  value: string,
  compare: (left: Cell, right: Cell) => number,
): void {
  const floor = form.floor(value) as Cell;
  const ceiling = form.ceiling(value) as Cell;
  const found = [
    compare(cell, floor) > 0,
    compare(cell, ceiling) >= 0,
    compare(cell, ceiling) < 0,
    compare(cell, floor) <= 0,
  ];
  expect(found, `${form.name}: ${String(cell)} and ${value}`).toEqual([order > 0, order >= 0, order < 0, order <= 0]);
  const isEqual = form.exact === null ? order === 0 : form.exact(value) === cell;
  expect(isEqual, `${form.name}: ${String(cell)} eq ${value}`).toBe(order === 0);
}

const compareAny = (left: unknown, right: unknown): number =>
  Number((left as number) > (right as number)) - Number((left as number) < (right as number));

/** Compares UTF-8 bytes, as SQLite does. */
const compareStrings = (left: string, right: string): number => Buffer.compare(Buffer.from(left), Buffer.from(right));

describe("bounds of a constant among the cells of a form", () => {
  test("scaled Decimals", () => {
    const cells = fc.tuple(fc.bigInt({ min: -(10n ** 9n), max: 10n ** 9n }), decimal, fc.nat(4));
    const property = fc.property(cells, ([cell, value, scale]) => {
      const order = compareDecimals(fromScaled(cell, scale), value);
      expectBounds(scaledDecimalForm(scale), cell, order, value, compareAny);
    });
    fc.assert(property, { numRuns: caseCount(500) });
    expect(scaledDecimalForm(2).floor("99999999999999999999")).toBe(Infinity);
    expect(scaledDecimalForm(2).ceiling("-99999999999999999999")).toBe(-Infinity);
  });

  test("Decimals as doubles", () => {
    const near = fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e6, max: 1e6 });
    const value = fc.oneof(
      decimal,
      near.map((double) => decimalFromNumber(double) ?? "0"),
      near.map((double) => `${decimalFromNumber(double)?.replace(/^(-?\d+)$/, "$1.0") ?? "0.0"}1`),
    );
    const property = fc.property(near, value, (given, constant) => {
      const cell = given + 0;
      for (const each of [cell, Number(constant)]) {
        expectBounds(
          REAL_DECIMAL_FORM,
          each,
          compareDecimals(decimalFromNumber(each) ?? "0", constant),
          constant,
          compareAny,
        );
      }
    });
    fc.assert(property, { numRuns: caseCount(500) });
    const huge = "9".repeat(400);
    expect([REAL_DECIMAL_FORM.floor(huge), REAL_DECIMAL_FORM.ceiling(huge)]).toEqual([Number.MAX_VALUE, Infinity]);
    expect([REAL_DECIMAL_FORM.floor(`-${huge}`), REAL_DECIMAL_FORM.ceiling(`-${huge}`)]).toEqual([
      -Infinity,
      -Number.MAX_VALUE,
    ]);
  });

  test("UTC timestamps of any width, and days", () => {
    const property = fc.property(second, fc.nat(12), instant, fc.boolean(), (start, digits, other, isNear) => {
      const cell = digits === 0 ? `${start}Z` : `${start}.${"5".repeat(digits)}Z`;
      const value = isNear ? `${start}.${"5".repeat(12)}Z` : other;
      expectBounds(utcForm(digits), cell, compareDateTimeOffsets(cell, value), value, compareAny);
      const day = start.slice(0, 10);
      expectBounds(MIDNIGHT_FORM, day, compareDateTimeOffsets(`${day}T00:00:00Z`, value), value, compareAny);
    });
    fc.assert(property, { numRuns: caseCount(500) });
  });

  test("milliseconds since 1970", () => {
    const { form: EPOCH_FORM } = storedInstants("epoch");
    const property = fc.property(
      fc.integer({ min: -(10 ** 13), max: 10 ** 13 }),
      instant,
      fraction,
      (milliseconds, other, digits) => {
        const text = writeEpoch(milliseconds) ?? "";
        for (const value of [other, text.replace(/\.\d+Z$/, `${digits}Z`)]) {
          expectBounds(EPOCH_FORM, BigInt(milliseconds), compareDateTimeOffsets(text, value), value, compareAny);
        }
      },
    );
    fc.assert(property, { numRuns: caseCount(300) });
    expect(writeEpoch(-1)).toBe("1969-12-31T23:59:59.999Z");
    expect(writeEpoch(1e15)).toBeNull();
  });

  test("Julian days, which represent milliseconds and are read as written", () => {
    const { form, timestamp } = storedInstants("julian");
    const { read, toCell } = timestamp(PROPERTY);
    const property = fc.property(
      fc.integer({ min: -62_167_219_200_000, max: 253_402_300_799_999 }),
      fc.integer({ min: -4, max: 4 }),
      instant,
      fraction,
      (milliseconds, steps, other, digits) => {
        const written = writeEpoch(milliseconds) ?? "";
        const cell = toCell?.(written);
        expect(read(cell)).toBe(written);
        // The doubles around it, and those at the border of the next millisecond.
        for (const start of [Number(cell), (milliseconds + 210_866_760_000_000.5) / 86_400_000]) {
          let near = start;
          for (let step = 0; step < Math.abs(steps); step += 1) near = nextDouble(near, steps < 0 ? -1 : 1);
          const text = String(read(near));
          if (text === "null") continue;
          for (const value of [other, written, text, written.replace(/\.\d+Z$/, `${digits}Z`)]) {
            expectBounds(form, near, compareDateTimeOffsets(text, value), value, compareAny);
          }
        }
      },
    );
    fc.assert(property, { numRuns: caseCount(500) });
    const [before, behind] = [form.ceiling("-9999999-01-01T00:00:00Z"), form.floor("12024-01-01T00:00:00Z")];
    expect(Number(before)).toBeLessThan(1_721_059);
    expect(Number(behind)).toBeGreaterThan(5_373_485);
  });

  test("texts of SQLite's datetime() in any width", () => {
    const { form, timestamp } = storedInstants("sqlite-datetime");
    const { read } = timestamp(PROPERTY);
    const property = fc.property(second, fraction, instant, fraction, (start, digits, other, otherDigits) => {
      const cell = start.replace("T", " ") + digits;
      const text = String(read(cell));
      expect(compareDateTimeOffsets(text, `${start}${digits}Z`)).toBe(0);
      for (const value of [other, text, `${start}${otherDigits}Z`]) {
        expectBounds(form, cell, compareDateTimeOffsets(text, value), value, compareAny);
      }
    });
    fc.assert(property, { numRuns: caseCount(500) });
    expect(
      ["2024-02-29T12:00:00", "2024-02-30 12:00:00", "2024-02-29 12:00", "2024-02-29 12:00:00Z", 1, null].map(read),
    ).toEqual([null, null, null, null, null, null]);
  });

  test.each([
    ["12:00:00", "12:00:00", true],
    ["12:00:00.000", "12:00:00", true],
    ["12:00:00", "12:00:00.000", true],
    ["12:00:00.50", "12:00:00.5", true],
    ["12:00:00.500000000001", "12:00:00.5", false],
    ["12:00:00.05", "12:00:00.5", false],
    ["12:00:01", "12:00:00.999999999999", false],
  ])("the time %s is between the bounds of %s: %s", (cell, value, expected) => {
    expect(cell >= String(TIME_FORM.ceiling(value)) && cell <= String(TIME_FORM.floor(value))).toBe(expected);
  });

  test.each([
    ["-0044-03-15T12:00:00Z", ""],
    ["12024-01-01T00:00:00Z", ":"],
    ["9999-12-31T23:59:59.9999Z", ":"],
  ])("a year without a text: %s", (value, ceiling) => {
    expect([utcForm(3).ceiling(value), MIDNIGHT_FORM.ceiling(value)]).toEqual([ceiling, ceiling]);
  });
});

describe("keys", () => {
  test("of instants sort like the instants", () => {
    const any = fc.oneof(
      instant,
      fc.constantFrom(
        "-9999999-01-01T00:00:00Z",
        "9999999-12-31T23:59:59Z",
        "1970-01-01T00:00:00.000Z",
        "1970-01-01T01:00:00+01:00",
      ),
    );
    const property = fc.property(any, any, (left, right) => {
      expect(Math.sign(compareStrings(toInstantKey(left), toInstantKey(right)))).toBe(
        Math.sign(compareDateTimeOffsets(left, right)),
      );
    });
    fc.assert(property, { numRuns: caseCount(500) });
  });

  test("of durations sort like the durations", () => {
    const texts = [
      "PT0S",
      "-PT0S",
      "PT36H",
      "P1DT12H",
      "-PT0.5S",
      "PT0.5S",
      "PT0.50S",
      "-PT1.5S",
      "-PT1S",
      "-PT2S",
      "P104249991374DT7H36M31S",
      "-P104249991374DT7H36M31.999S",
    ];
    const values = texts.map((text) => parseDuration(text) ?? "");
    for (const left of values) {
      for (const right of values) {
        const order = Math.sign(compareStrings(toDurationKey(left), toDurationKey(right)));
        expect(order, `${left} and ${right}`).toBe(Math.sign(compareDurations(left, right)));
      }
    }
  });

  test.each([
    ["2024-02-29 12:30:00", "2024-02-29T12:30:00Z"],
    ["2024-02-29 12:30", "2024-02-29T12:30:00Z"],
    ["2024-02-29 12:30:00.125", "2024-02-29T12:30:00.125Z"],
    ["2024-02-29T12:30:00+01:00", "2024-02-29T12:30:00+01:00"],
    ["2024-02-30 12:30:00", null],
    ["2024-02-29T12:30:00", null],
    ["now", null],
  ])("the stored timestamp %j is %j", (text, expected) => {
    expect(readStoredTimestamp(text)).toBe(expected);
  });
});

describe("the texts that start with a prefix", () => {
  const text = fc.oneof(
    fc.constantFrom(
      "",
      "a",
      "ab",
      "b",
      "\uD7FF",
      "\uE000",
      "\u{10FFFF}",
      "a\u{10FFFF}",
      "\u{10FFFF}\u{10FFFF}",
      "\uFFFF",
      "\u{10000}",
    ),
    fc.string({ unit: "grapheme", maxLength: 3 }),
  );

  test("are those from the prefix up to its successor", () => {
    const property = fc.property(text, text, fc.boolean(), (prefix, other, isLonger) => {
      const whole = isLonger ? prefix + other : other;
      const end = successorOf(prefix);
      const isBeforeEnd = typeof end === "string" ? compareStrings(whole, end) < 0 : true;
      expect(compareStrings(whole, prefix) >= 0 && isBeforeEnd).toBe(whole.startsWith(prefix));
    });
    fc.assert(property, { numRuns: caseCount(1000) });
  });
});
