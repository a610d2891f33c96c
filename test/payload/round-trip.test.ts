import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonValue } from "../../src/base/json/write-json.ts";
import { isPromiseLike } from "../../src/base/maybe.ts";
import { parseBody } from "../../src/http/read-json-body.ts";
import type { SelectExpandClause } from "../../src/language/query/clauses.ts";
import { compileBodyReaders } from "../../src/payload/body-readers.ts";
import { compilePropertyBodyReader } from "../../src/payload/read-property-body.ts";
import { compileEntityWriter } from "../../src/payload/write-entity.ts";
import { compilePropertyValue } from "../../src/payload/write-value.ts";
import { anyCharacter } from "../any-character.ts";
import { caseCount } from "../cases.ts";
import { entitySets, setOf, typeOf } from "./body-model.ts";
import { written } from "./written.ts";

/** Readers read the same value that writers have written, for every type and both forms of numbers. */

/** Objects as readers return them. */
const PLAIN = { noNullPrototype: true } as const;
const pad = (value: number, length: number): string => String(value).padStart(length, "0");
const digits = (max: number) => fc.stringMatching(new RegExp(`^[0-9]{1,${max}}$`, "u"));
const day = fc
  .date({ min: new Date("0001-01-01"), max: new Date("9999-12-31"), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10));
const time = (fraction: number) =>
  fc
    .tuple(fc.nat(23), fc.nat(59), fc.nat(59), fc.option(digits(fraction), { nil: "" }))
    .map(([h, m, s, f]) => `${pad(h, 2)}:${pad(m, 2)}:${pad(s, 2)}${f === "" ? "" : `.${f}`}`);
const offset = fc
  .tuple(fc.constantFrom("+", "-"), fc.nat(13), fc.nat(59))
  .map(([sign, h, m]) => (h + m === 0 ? "Z" : `${sign}${pad(h, 2)}:${pad(m, 2)}`));
const decimal = fc
  .tuple(fc.boolean(), fc.bigInt({ min: 0n, max: 10n ** 40n }), fc.option(digits(20), { nil: "" }))
  .map(([negative, whole, fraction]) => {
    const text = fraction === "" ? whole.toString() : `${whole.toString()}.${fraction}`;
    return negative && /[1-9]/u.test(text) ? `-${text}` : text;
  });
const text = fc.string({ unit: anyCharacter });
const address = fc.record(
  {
    street: fc.string({ unit: anyCharacter, maxLength: 5 }),
    city: fc.option(text),
    zip: text,
    geo: fc.option(fc.record({ latitude: fc.double(), name: fc.option(text) }, PLAIN)),
    notes: fc.array(text),
  },
  PLAIN,
);

/** Canonical values of each property of the type `Every`. */
const VALUES: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  boolean: fc.boolean(),
  byte: fc.nat(255),
  sByte: fc.integer({ min: -128, max: 127 }),
  int16: fc.integer({ min: -32_768, max: 32_767 }),
  int32: fc.integer(),
  int64: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  single: fc.float(),
  double: fc.double(),
  decimal,
  money: fc
    .integer({ min: -9_999_999, max: 9_999_999 })
    .map((cents) => (cents / 100).toFixed(2).replace("-0.00", "0.00")),
  string: text,
  short: fc.string({ unit: "grapheme-ascii", maxLength: 3 }),
  guid: fc.uuid(),
  binary: fc.uint8Array({ maxLength: 4 }),
  date: day,
  timeOfDay: time(3),
  dateTimeOffset: fc.tuple(day, time(12), offset).map(([d, t, o]) => `${d}T${t}${o}`),
  duration: fc
    .tuple(fc.constantFrom("", "-"), fc.integer({ min: 1, max: 9999 }), fc.nat(23))
    .map(([sign, days, hours]) => `${sign}P${days}D${hours === 0 ? "" : `T${hours}H`}`),
  level: fc.constantFrom("Low", "High"),
  access: fc.constantFrom("None", "Read", "Write", "Both"),
  address,
  strings: fc.array(text),
  decimals: fc.array(fc.option(decimal)),
  addresses: fc.array(address, { maxLength: 3 }),
};

const COLLECTIONS = new Set(["strings", "decimals", "addresses"]);
const FORMATS = fc.record({ metadata: fc.constantFrom("none", "minimal", "full"), ieee754Compatible: fc.boolean() });

const parse = (json: string): JsonValue => {
  const body = parseBody(new TextEncoder().encode(json), 64);
  if (isPromiseLike(body)) throw new Error("A short body is parsed at once.");
  return body;
};
const everything = setOf("Everything");
const type = typeOf("Everything");
const readers = compileBodyReaders(everything, { unknownMembers: "reject", allowDeepInsert: false, entitySets });

describe("a written value round-trips", () => {
  test.each(Object.keys(VALUES))("%s", (field) => {
    const property = type.properties.find((each) => each.field === field)!;
    const read = compilePropertyBodyReader(property, { unknownMembers: "reject" });
    fc.assert(
      fc.property(VALUES[field]!, FORMATS, (value, format) => {
        const written = compilePropertyValue(type.qualifiedName, property, format)(value);
        expect(read(parse(`{"value":${written}}`), format.ieee754Compatible)).toStrictEqual(value);
      }),
      { numRuns: caseCount(60) },
    );
  });
});

describe("a written entity round-trips", () => {
  const arbitrary = fc.record(
    {
      id: fc.integer(),
      ...Object.fromEntries(
        Object.entries(VALUES).map(([field, value]) => [field, COLLECTIONS.has(field) ? value : fc.option(value)]),
      ),
    },
    PLAIN,
  );
  const clause: SelectExpandClause = {
    selected: type.properties.map((property) => ({ property })),
    isSelection: false,
    contextSelect: [],
    expanded: [],
  };

  test("by POST, PUT and PATCH, with every level of control information", () => {
    fc.assert(
      fc.property(arbitrary, FORMATS, (entity, format) => {
        const target = { entitySet: everything, entityType: type };
        const text = written(
          compileEntityWriter(target, clause, format).writeEntity(entity, "http://a", "http://a/$metadata#x"),
        );
        const { id, ...rest } = entity;
        const { ieee754Compatible } = format;
        expect(readers.readNew(parse(text), ieee754Compatible)).toStrictEqual(entity);
        expect(readers.readReplacement(parse(text), ieee754Compatible, id)).toStrictEqual({
          entity,
          key: [id],
          missing: null,
          ignored: [],
        });
        expect(readers.readDelta(parse(text), ieee754Compatible)).toStrictEqual({
          delta: rest,
          key: [id],
          ignored: [],
        });
      }),
      { numRuns: caseCount(100) },
    );
  });
});
