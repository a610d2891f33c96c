import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { EnumType, EntitySet } from "../../src/edm/model.ts";
import type { PrimitiveTypeName } from "../../src/edm/primitive-type.ts";
import { etagWriter } from "../../src/payload/etag.ts";
import { Access, Status, customers, entitySet, entityType, orders, property } from "./model.ts";

type Type = PrimitiveTypeName | EnumType;

function setOf(...types: readonly Type[]): EntitySet {
  const properties = types.map((type, index) => property(`P${String(index)}`, type, { nullable: true }));
  return entitySet("Things", entityType("Thing", properties), { etag: properties });
}

function etagOf(type: Type, value: unknown): string | undefined {
  return etagWriter(setOf(type))?.({ p0: value });
}

const text = (value: string): Buffer => Buffer.from(value, "utf8");

function sized(bytes: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(bytes.length);
  return Buffer.concat([length, bytes]);
}

const frame = (type: string, value: string): Buffer =>
  Buffer.concat([Buffer.of(2), sized(text(type)), sized(text(value))]);

const tag = (...frames: readonly Buffer[]): string =>
  `"${createHash("sha256").update(Buffer.concat(frames)).digest("base64")}"`;

describe("an ETag", () => {
  test("is null for a set without ETag properties", () => {
    expect(etagWriter(customers)).toBeNull();
  });

  test("is made by one writer per set", () => {
    expect(etagWriter(orders)).toBe(etagWriter(orders));
  });

  test.each<[Type, unknown, string, string]>([
    ["Edm.String", "1", "Edm.String", "1"],
    ["Edm.String", "", "Edm.String", ""],
    ["Edm.String", "Zürich 🚲", "Edm.String", "Zürich 🚲"],
    ["Edm.Int32", 1, "Edm.Int32", "1"],
    ["Edm.Int64", -9_007_199_254_740_993n, "Edm.Int64", "-9007199254740993"],
    ["Edm.Double", 1.5, "Edm.Double", "1.5"],
    ["Edm.Decimal", "1.50", "Edm.Decimal", "1.50"],
    ["Edm.Boolean", true, "Edm.Boolean", "True"],
    ["Edm.Boolean", false, "Edm.Boolean", "False"],
    ["Edm.Guid", "F6A1BC04-1234-4ABC-9DEF-0123456789AB", "Edm.Guid", "f6a1bc04-1234-4abc-9def-0123456789ab"],
    ["Edm.Date", "2024-02-29", "Edm.Date", "2024-02-29"],
    ["Edm.TimeOfDay", "10:00:00", "Edm.TimeOfDay", "10:00:00.0000000"],
    ["Edm.TimeOfDay", "10:00:00.500", "Edm.TimeOfDay", "10:00:00.5000000"],
    ["Edm.DateTimeOffset", "2024-02-29T10:00:00Z", "Edm.DateTimeOffset", "2024-02-29T10:00:00.0000000+00:00"],
    ["Edm.DateTimeOffset", "2024-02-29T10:00:00.1+02:00", "Edm.DateTimeOffset", "2024-02-29T10:00:00.1000000+02:00"],
    [
      "Edm.DateTimeOffset",
      "2024-02-29T10:00:00.123456789-05:30",
      "Edm.DateTimeOffset",
      "2024-02-29T10:00:00.123456789-05:30",
    ],
    ["Edm.Duration", "PT0S", "Edm.Duration", "00:00:00"],
    ["Edm.Duration", "PT36H", "Edm.Duration", "1.12:00:00"],
    ["Edm.Duration", "-P1DT2H3M4.50S", "Edm.Duration", "-1.02:03:04.5000000"],
    [Status, "Paid", "Shop.Status", "Paid"],
    [Access, "Read,Write", "Shop.Access", "Read,Write"],
  ])("of %o %o hashes %s %s", (type, value, typeName, expected) => {
    expect(etagOf(type, value)).toBe(tag(frame(typeName, expected)));
  });

  test.each([
    ["null", null],
    ["undefined", undefined],
  ])("of %s hashes one byte 00", (_, value) => {
    expect(etagOf("Edm.String", value)).toBe(tag(Buffer.of(0)));
  });

  test("of binary hashes 01, the number of bytes, and the bytes", () => {
    expect(etagOf("Edm.Binary", Uint8Array.of(1, 2, 255))).toBe(
      tag(Buffer.concat([Buffer.of(1), sized(Buffer.of(1, 2, 255))])),
    );
  });

  test("joins the frames of several values in order of declaration", () => {
    const write = etagWriter(setOf("Edm.String", "Edm.Int32", "Edm.Binary"));
    expect(write?.({ p0: "x", p1: null, p2: new Uint8Array(0) })).toBe(
      tag(frame("Edm.String", "x"), Buffer.of(0), Buffer.concat([Buffer.of(1), sized(Buffer.alloc(0))])),
    );
  });

  test("is correct for several long values in a row", () => {
    const write = etagWriter(setOf("Edm.String", "Edm.Binary"));
    for (const length of [10, 1000, 100_000, 3]) {
      const [letters, bytes] = ["ü".repeat(length), Buffer.alloc(length, 7)];
      expect(write?.({ p0: letters, p1: new Uint8Array(bytes) })).toBe(
        tag(frame("Edm.String", letters), Buffer.concat([Buffer.of(1), sized(bytes)])),
      );
    }
  });
});

describe("an ETag of long values", () => {
  const MEGABYTE = 1 << 20;
  const long = "ü".repeat(MEGABYTE);
  const bytes = Buffer.alloc(MEGABYTE, 7);

  test.each<[string, string]>([
    ["umlauts", long],
    ["pairs where the text is cut", `x${"🚲".repeat(MEGABYTE)}`],
    ["a pair after a lone surrogate where the text is cut", `${"x".repeat((1 << 16) - 1)}\ud83d🚲${long}`],
    ["lone surrogates", "\ud83d".repeat(MEGABYTE)],
  ])("is the hash of the whole: %s", (_, value) => {
    const made = etagWriter(setOf("Edm.Int32", "Edm.String", "Edm.Binary", "Edm.String"))?.({
      p0: 1,
      p1: value,
      p2: new Uint8Array(bytes),
      p3: "short",
    });
    const expected = tag(
      frame("Edm.Int32", "1"),
      frame("Edm.String", value),
      Buffer.concat([Buffer.of(1), sized(bytes)]),
      frame("Edm.String", "short"),
    );
    expect(made).toBe(expected);
  });
});

describe("values have", () => {
  const pairs: ReadonlyArray<readonly [string, string | undefined, string | undefined]> = [
    ["null and the empty string", etagOf("Edm.String", null), etagOf("Edm.String", "")],
    ["the string 1 and the integer 1", etagOf("Edm.String", "1"), etagOf("Edm.Int32", 1)],
    ["Int32 1 and Int64 1", etagOf("Edm.Int32", 1), etagOf("Edm.Int64", 1n)],
    ["decimals of other scale", etagOf("Edm.Decimal", "1.5"), etagOf("Edm.Decimal", "1.50")],
    [
      "one instant with other offsets",
      etagOf("Edm.DateTimeOffset", "2024-01-01T12:00:00Z"),
      etagOf("Edm.DateTimeOffset", "2024-01-01T13:00:00+01:00"),
    ],
    [
      "adjacent values cut elsewhere",
      etagWriter(setOf("Edm.String", "Edm.String"))?.({ p0: "ab", p1: "c" }),
      etagWriter(setOf("Edm.String", "Edm.String"))?.({ p0: "a", p1: "bc" }),
    ],
  ];
  test.each(pairs)("different ETags: %s", (_, left, right) => {
    expect(left).not.toBe(right);
  });

  const equals: ReadonlyArray<readonly [string, string | undefined, string | undefined]> = [
    ["hours and days", etagOf("Edm.Duration", "PT36H"), etagOf("Edm.Duration", "P1DT12H")],
    [
      "trailing zeros of seconds",
      etagOf("Edm.DateTimeOffset", "2024-01-01T12:00:00Z"),
      etagOf("Edm.DateTimeOffset", new Date("2024-01-01T12:00:00Z")),
    ],
  ];
  test.each(equals)("one ETag however they are written: %s", (_, left, right) => {
    expect(left).toBe(right);
  });
});

describe("a value that the model does not allow", () => {
  test.each<[string, Type, unknown, RegExp]>([
    ["a wrong type", "Edm.Int32", "1", /^Shop\.Thing\/P0: .*Edm\.Int32/],
    ["no object", "Edm.Int32", undefined, /^Shop\.Thing: the handler returned undefined/],
  ])("is an error: %s", (kind, type, value, message) => {
    const write = etagWriter(setOf(type));
    expect(() => write?.(kind === "no object" ? value : { p0: value })).toThrow(message);
  });
});
