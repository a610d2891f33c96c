import fc from "fast-check";
import { TEXTS } from "./thing-texts.ts";
import type { ThingRow } from "./things.ts";

const INTEGERS: readonly number[] = [0, 1, -1, 2, 3, -7, 10, 77, 1000, 32_767, -32_768];
const WIDE: readonly number[] = [...INTEGERS, 2_147_483_647, -2_147_483_648];
const BIG: readonly bigint[] = [
  0n,
  1n,
  -1n,
  5n,
  2n ** 53n,
  2n ** 53n + 1n,
  2n ** 53n - 1n,
  -(2n ** 53n) - 1n,
  2n ** 63n - 1n,
  -(2n ** 63n),
];
const DOUBLES: readonly number[] = [
  0, 1, -1, 0.5, 1.5, 2.5, -2.5, 3.5, 0.1, 0.49999999999999994, 7.25, -7.5, 1000, 1e15,
];
const DECIMALS: readonly string[] = [
  "0",
  "1",
  "1.0",
  "1.10",
  "1.1",
  "-1.10",
  "-0.5",
  "2.5",
  "-2.5",
  "3.5",
  "0.001",
  "-0.001",
  "12345678901234567890.123456789",
  "100",
  "99.99",
  "0.3333333333333333",
  "1.1000000000000001",
  "-0.1234567890123456789012345",
];
const SCALED: readonly string[] = [
  "0.00",
  "1.00",
  "1.10",
  "-1.10",
  "1.01",
  "1.00",
  "99.99",
  "-0.05",
  "2.50",
  "-2.50",
  "1234567890.12",
];
const RATES: readonly string[] = [
  "0",
  "1",
  "0.1",
  "-0.1",
  "0.25",
  "1.5",
  "2.5",
  "-2.5",
  "3.3333",
  "1000000",
  "0.3333333333333333",
];
const GUIDS: readonly string[] = [
  "00000000-0000-0000-0000-000000000000",
  "01234567-89ab-cdef-0123-456789abcdef",
  "ffffffff-ffff-ffff-ffff-ffffffffffff",
  "abcdef01-0000-0000-0000-000000000001",
];
const DAYS: readonly string[] = [
  "2024-02-29",
  "2023-02-28",
  "1999-12-31",
  "2000-01-01",
  "1970-01-01",
  "0001-01-01",
  "9999-12-31",
  "2024-03-01",
];
const TIMES: readonly string[] = [
  "00:00:00",
  "23:59:59",
  "23:59:59.999",
  "12:00:00",
  "12:00:00.5",
  "12:00:00.05",
  "07:08:09.123456789012",
];
const MOMENTS: readonly string[] = [
  "2024-02-29T23:59:59.999Z",
  "2024-02-29T12:00:00.000Z",
  "2024-02-29T00:00:00.000Z",
  "1969-12-31T23:59:59.001Z",
  "1970-01-01T00:00:00.000Z",
  "0001-01-01T00:00:00.000Z",
  "9999-12-31T23:59:59.999Z",
  "2000-01-01T00:00:00.500Z",
];
const LOCALS: readonly string[] = [
  "2024-02-29T23:59:59.999+14:00",
  "2024-02-29T12:00:00Z",
  "2024-02-29T14:00:00+02:00",
  "2024-02-29T06:30:00.0-05:30",
  "2024-02-29T12:00:00.000000000001Z",
  "1969-12-31T23:59:59.5-00:30",
  "-0044-03-15T12:00:00Z",
  "12024-01-01T00:00:00Z",
];
const SPANS: readonly string[] = [
  "PT0S",
  "PT36H",
  "P1DT12H",
  "-PT0.5S",
  "PT0.5S",
  "PT0.50S",
  "P400D",
  "-P1D",
  "PT1M",
  "PT60S",
  "PT0.000000000001S",
];

const orNull = <T>(values: readonly T[]): fc.Arbitrary<T | null> =>
  fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...values) }, { weight: 1, arbitrary: fc.constant(null) });
const text = fc
  .oneof(
    { weight: 6, arbitrary: fc.constantFrom(...TEXTS) },
    { weight: 1, arbitrary: fc.string({ unit: "grapheme", maxLength: 5 }) },
  )
  .filter((value) => !value.includes("\u0000"));
const textOrNull = fc.oneof({ weight: 4, arbitrary: text }, { weight: 1, arbitrary: fc.constant(null) });

const geo = fc.record({ latitude: fc.constantFrom(0, 1.5, -90), name: textOrNull });
const home = fc.record({ city: textOrNull, number: fc.constantFrom(...INTEGERS), geo: fc.option(geo) });
const note = fc.record({
  text: textOrNull,
  count: orNull(BIG),
  price: orNull(DECIMALS),
  at: orNull(LOCALS),
  done: orNull([true, false]),
  words: fc.array(text, { maxLength: 2 }),
});

const part = fc.record({
  code: textOrNull,
  size: orNull(INTEGERS),
  price: orNull(DECIMALS),
  level: fc.constantFrom("Low", "High", "Middle"),
});

const row = fc.record({
  name: textOrNull,
  code: text,
  small: orNull(INTEGERS),
  count: fc.constantFrom(...WIDE),
  big: orNull(BIG),
  ratio: orNull(DOUBLES),
  limit: fc.constantFrom(...DOUBLES, Infinity, -Infinity, 5e-324, 1.7976931348623157e308),
  price: orNull(DECIMALS),
  cost: orNull(SCALED),
  rate: orNull(RATES),
  flag: orNull([true, false]),
  active: fc.boolean(),
  uuid: orNull(GUIDS),
  token: fc.constantFrom(...GUIDS),
  bytes: orNull([Uint8Array.of(), Uint8Array.of(0), Uint8Array.of(1, 2, 3), Uint8Array.of(255)]),
  day: orNull(DAYS),
  time: orNull(TIMES),
  at: orNull(MOMENTS),
  second: fc.constantFrom("2024-02-29T23:59:59Z", "1970-01-01T00:00:00Z", "2000-01-01T00:00:00Z"),
  local: orNull(LOCALS),
  epoch: orNull(MOMENTS),
  span: orNull(SPANS),
  level: orNull(["Low", "High", "Middle", "Least"] as const),
  rank: fc.constantFrom("First", "Second"),
  color: orNull(["None", "Red", "Green", "Red,Green", "White", "Blue"] as const),
  home: fc.option(home),
  note: fc.option(note),
  tags: fc.array(textOrNull, { maxLength: 3 }),
  amounts: fc.array(orNull(DECIMALS), { maxLength: 3 }),
  parts: fc.array(fc.option(part), { maxLength: 3 }),
});

/** Values of the forms of an existing database: generated apart, so that the other values of a seed stay the same. */
const legacy = fc.record({
  stage: orNull(["Low", "High", "Middle", "Least"] as const),
  mood: fc.constantFrom("Low", "High", "Middle", "Least"),
  grade: orNull(["First", "Second"] as const),
  paid: orNull([true, false]),
  open: fc.boolean(),
  secret: textOrNull,
});

/** Rows made from edge values, the same for a seed. */
export function thingRows(count: number, seed: number): readonly ThingRow[] {
  const others = fc.sample(legacy, { numRuns: count, seed });
  return fc.sample(row, { numRuns: count, seed }).flatMap((values, index) => {
    const stored = others[index];
    return stored === undefined ? [] : [{ id: index + 1, ...values, ...stored }];
  });
}
