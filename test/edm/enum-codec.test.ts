import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { enumFromNumber, enumToNumber, hasEnumFlags, hasAllBits, withBits } from "../../src/edm/enum-codec.ts";
import type { EnumType } from "../../src/edm/model.ts";
import { InvalidValueError } from "../../src/edm/value-codec.ts";
import { valueCodec } from "../../src/edm/value-codecs.ts";

function enumType(name: string, members: Readonly<Record<string, number>>, isFlags = false): EnumType {
  return { kind: "EnumType", name, qualifiedName: `Shop.${name}`, isFlags, members: new Map(Object.entries(members)) };
}

const color = enumType("Color", { Red: 0, Green: 1, Blue: -2, Lime: 1 });
const access = enumType("Access", { None: 0, Read: 1, Write: 2, ReadWrite: 3, Execute: 4 }, true);
const unordered = enumType("Unordered", { Four: 4, One: 1, Two: 2 }, true);
const overlapping = enumType("Overlapping", { A: 3, B: 6, Z: 8 }, true);
const wide = enumType("Wide", { Low: 1, High: 2 ** 40, Top: 2 ** 52 }, true);

describe("an enumeration", () => {
  const codec = valueCodec(color);

  test.each([
    ["Red", "Red"],
    ["Blue", "Blue"],
    ["Lime", "Green"],
    ["1", "Green"],
    ["+1", "Green"],
    ["-2", "Blue"],
    ["-0", "Red"],
    [" Red ", "Red"],
  ])("%j is %s", (text, canonical) => {
    expect(codec.fromText(text)).toBe(canonical);
    expect(codec.fromJson(text, false)).toBe(canonical);
    expect(codec.fromHandler(text)).toBe(canonical);
  });

  test.each([
    "",
    "red",
    "Purple",
    "7",
    "Red,Green",
    "1.0",
    "Shop.Color'Red'",
    "__proto__",
    "constructor",
    "9".repeat(30),
  ])("%j is not a value", (text) => {
    expect(() => codec.fromText(text)).toThrow(InvalidValueError);
  });

  test("a handler may return the number, a client may not send one", () => {
    expect(codec.fromHandler(1)).toBe("Green");
    expect(() => codec.fromHandler(7)).toThrow("7 is not a value of Shop.Color: write one of Red, Green, Blue, Lime.");
    expect(() => codec.fromHandler(null)).toThrow(InvalidValueError);
    expect(() => codec.fromJson(1, false)).toThrow("1 is not a value of Shop.Color");
  });

  test("is written by name", () => {
    expect([codec.toJson("Red", true), codec.toLiteral("Red"), codec.toText("Red")]).toEqual([
      '"Red"',
      "Shop.Color'Red'",
      "Red",
    ]);
  });

  test("is compared by value", () => {
    expect(["Red", "Green", "Blue"].toSorted(codec.compare)).toEqual(["Blue", "Red", "Green"]);
    expect(codec.compare("Red", "Red")).toBe(0);
  });

  test("has is equality", () => {
    expect(hasEnumFlags(color, "Green", "Green")).toBe(true);
    expect(hasEnumFlags(color, "Green", "Red")).toBe(false);
  });

  test("a message lists a limited number of names", () => {
    const many = enumType("Many", Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`M${index}`, index])));
    expect(() => valueCodec(many).fromText("X")).toThrow(/M19, …\.$/);
  });
});

describe("flags", () => {
  const codec = valueCodec(access);

  test.each([
    ["Read", "Read"],
    ["Read,Write", "ReadWrite"],
    ["Write,Read", "ReadWrite"],
    ["Write, Execute", "Write,Execute"],
    ["Execute,Write", "Write,Execute"],
    ["Execute,Read,Write", "ReadWrite,Execute"],
    ["Read,Read", "Read"],
    ["ReadWrite,Read", "ReadWrite"],
    ["7", "ReadWrite,Execute"],
    ["Read,4", "Read,Execute"],
    ["None", "None"],
    ["0", "None"],
    ["None,Read", "Read"],
  ])("%s is %s", (text, canonical) => {
    expect(codec.fromText(text)).toBe(canonical);
    expect(codec.fromText(canonical)).toBe(canonical);
  });

  test.each(["", ",", "Read,", "Read,,Write", "8", "-1", "Read,-1", "Read;Write", "Read Write", "read"])(
    "%j is not a value",
    (text) => {
      expect(() => codec.fromText(text)).toThrow(InvalidValueError);
    },
  );

  test("messages list the names", () => {
    expect(() => codec.fromText("Fly")).toThrow(
      '"Fly" is not a value of Shop.Access: write one of None, Read, Write, ReadWrite, Execute (several with commas between).',
    );
  });

  test("names come in order of declaration", () => {
    expect(valueCodec(unordered).fromText("1,2,4")).toBe("Four,One,Two");
    expect(valueCodec(unordered).fromText("0")).toBe("0");
    expect(valueCodec(unordered).fromHandler("0")).toBe("0");
  });

  test("members with common bits can represent a value", () => {
    expect(valueCodec(overlapping).fromText("A,B")).toBe("A,B");
    expect(valueCodec(overlapping).fromText("15")).toBe("A,B,Z");
    expect(() => valueCodec(overlapping).fromText("1")).toThrow(InvalidValueError);
  });

  test("values beyond 32 bits", () => {
    const value = valueCodec(wide).fromText("Low,High,Top");
    expect(value).toBe("Low,High,Top");
    expect(enumToNumber(wide, "Low,High,Top")).toBe(2 ** 52 + 2 ** 40 + 1);
    expect(hasEnumFlags(wide, "Low,High", "High")).toBe(true);
    expect(hasEnumFlags(wide, "Low", "High")).toBe(false);
  });

  test("has", () => {
    expect(hasEnumFlags(access, "ReadWrite,Execute", "Read,Execute")).toBe(true);
    expect(hasEnumFlags(access, "Write", "ReadWrite")).toBe(false);
    expect(hasEnumFlags(access, "Write", "None")).toBe(true);
  });

  test("are compared by their sum", () => {
    expect(["Execute", "ReadWrite", "Read,Execute", "None"].toSorted(codec.compare)).toEqual([
      "None",
      "ReadWrite",
      "Execute",
      "Read,Execute",
    ]);
    expect(Math.sign(codec.compare("Write,Execute", "Read,Execute"))).toBe(1);
  });

  test("numbers and texts round-trip", () => {
    fc.assert(
      fc.property(fc.nat({ max: 7 }), (value) => {
        expect(enumToNumber(access, enumFromNumber(access, value))).toBe(value);
        expect(codec.fromHandler(value)).toBe(enumFromNumber(access, value));
      }),
    );
    expect(() => enumFromNumber(access, 8)).toThrow(InvalidValueError);
    expect(() => enumFromNumber(access, 1.5)).toThrow(InvalidValueError);
    expect(() => enumFromNumber(access, Number.NaN)).toThrow(InvalidValueError);
  });

  test("are a text of at most 65,536 characters", () => {
    const names = "Read,".repeat(13_106);
    expect(codec.fromText(`${names}Read,2`)).toBe("ReadWrite");
    expect(`${names}Read,2`).toHaveLength(65_536);
    const problem = `"${names.slice(0, 40)}…" is too long: write at most 65536 characters.`;
    expect(() => codec.fromText(`${names}Read,2 `)).toThrow(new InvalidValueError(problem));
    expect(() => codec.fromText(",".repeat(65_536))).toThrow(/is not a value of Shop\.Access/);
  });
});

test("bits agree with bigint", () => {
  const value = fc.maxSafeNat();
  fc.assert(
    fc.property(value, value, (left, right) => {
      expect(BigInt(withBits(left, right))).toBe(BigInt(left) | BigInt(right));
      expect(hasAllBits(left, right)).toBe((BigInt(left) & BigInt(right)) === BigInt(right));
      expect(hasAllBits(withBits(left, right), right)).toBe(true);
    }),
  );
});
