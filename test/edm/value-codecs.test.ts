import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseJson } from "../../src/base/json/parse-json.ts";
import { JsonNumber, type JsonValue } from "../../src/base/json/write-json.ts";
import { decodeBase64, encodeBase64Url } from "../../src/edm/base64.ts";
import { fromScaled } from "../../src/edm/decimal.ts";
import type { ComplexType, StructuralProperty } from "../../src/edm/model.ts";
import {
  type Facets,
  PRIMITIVE_TYPE_NAMES,
  PRIMITIVE_TYPES,
  type PrimitiveTypeName,
} from "../../src/edm/primitive-type.ts";
import {
  InvalidValueError,
  OutsideFacetError,
  type PrimitiveValue,
  type ValueCodec,
} from "../../src/edm/value-codec.ts";
import { codecOf, valueCodec } from "../../src/edm/value-codecs.ts";
import { anyCharacter } from "../any-character.ts";
import { processorTime } from "../processor-time.ts";

type Row = readonly [name: PrimitiveTypeName, input: unknown, canonical: PrimitiveValue];

const codec = (name: PrimitiveTypeName, facets?: Facets): ValueCodec => valueCodec(PRIMITIVE_TYPES[name], facets);
const number = (text: string): JsonNumber => new JsonNumber(text);
const bytes = (...octets: number[]): Uint8Array => new Uint8Array(octets);
const fromJson = (name: PrimitiveTypeName, value: unknown, ieee = false, facets?: Facets): PrimitiveValue =>
  codec(name, facets).fromJson(value as JsonValue, ieee);

describe("JSON input", () => {
  test.each<Row>([
    ["Edm.Boolean", true, true],
    ["Edm.Boolean", false, false],
    ["Edm.Byte", 255, 255],
    ["Edm.SByte", -128, -128],
    ["Edm.Int16", 32_767, 32_767],
    ["Edm.Int32", -2_147_483_648, -2_147_483_648],
    ["Edm.Int32", number("5.0"), 5],
    ["Edm.Int32", number("5e0"), 5],
    ["Edm.Int32", number("1.5e1"), 15],
    ["Edm.Int32", number("0.0e-5"), 0],
    ["Edm.Int32", -0, 0],
    ["Edm.Int64", 5, 5n],
    ["Edm.Int64", -0, 0n],
    ["Edm.Int64", number("9223372036854775807"), 9_223_372_036_854_775_807n],
    ["Edm.Int64", number("-9223372036854775808"), -9_223_372_036_854_775_808n],
    ["Edm.Int64", number("5.00"), 5n],
    ["Edm.Int64", number("1e18"), 10n ** 18n],
    ["Edm.Int64", "9007199254740993", 9_007_199_254_740_993n],
    ["Edm.Int64", "-5", -5n],
    ["Edm.Double", 5, 5],
    ["Edm.Double", -0, -0],
    ["Edm.Double", number("1.5e300"), 1.5e300],
    ["Edm.Double", number("1e-400"), 0],
    ["Edm.Double", number("9007199254740993"), 9_007_199_254_740_992],
    ["Edm.Double", "INF", Number.POSITIVE_INFINITY],
    ["Edm.Double", "-INF", Number.NEGATIVE_INFINITY],
    ["Edm.Double", "NaN", Number.NaN],
    ["Edm.Single", number("3.4028235e38"), 3.402_823_5e38],
    ["Edm.Single", number("0.1"), 0.1],
    ["Edm.Decimal", 5, "5"],
    ["Edm.Decimal", -0, "0"],
    ["Edm.Decimal", number("1.10"), "1.10"],
    ["Edm.Decimal", number("1.5e2"), "150"],
    ["Edm.Decimal", number("12345678901234567890.10"), "12345678901234567890.10"],
    ["Edm.Decimal", "1.10", "1.10"],
    ["Edm.String", "", ""],
    ["Edm.String", "it's\u0000😀", "it's\u0000😀"],
    ["Edm.Guid", "01234567-89AB-CDEF-0123-456789abcdef", "01234567-89ab-cdef-0123-456789abcdef"],
    ["Edm.Binary", "", bytes()],
    ["Edm.Binary", "Zm8", bytes(102, 111)],
    ["Edm.Binary", "Zm8=", bytes(102, 111)],
    ["Edm.Binary", "-_-_", bytes(251, 255, 191)],
    ["Edm.Binary", "+/+/", bytes(251, 255, 191)],
    ["Edm.Binary", "_w==", bytes(255)],
    ["Edm.Date", "2024-02-29", "2024-02-29"],
    ["Edm.TimeOfDay", "13:20", "13:20:00"],
    ["Edm.DateTimeOffset", "2024-02-29T13:20Z", "2024-02-29T13:20:00Z"],
    ["Edm.Duration", "P1DT2H", "P1DT2H"],
  ])("%s of %j", (name, input, canonical) => {
    expect(fromJson(name, input)).toStrictEqual(canonical);
  });

  test.each<readonly [PrimitiveTypeName, unknown, string]>([
    ["Edm.Boolean", "true", '"true" is not an Edm.Boolean: write true or false without quotes.'],
    ["Edm.Boolean", 1, "1 is not an Edm.Boolean: write true or false without quotes."],
    ["Edm.Byte", 256, "256 is not an Edm.Byte: write a whole number from 0 to 255."],
    ["Edm.Byte", -1, "-1 is not an Edm.Byte: write a whole number from 0 to 255."],
    ["Edm.SByte", 128, "128 is not an Edm.SByte: write a whole number from -128 to 127."],
    ["Edm.Int16", 32_768, "32768 is not an Edm.Int16: write a whole number from -32768 to 32767."],
    [
      "Edm.Int32",
      2_147_483_648,
      "2147483648 is not an Edm.Int32: write a whole number from -2147483648 to 2147483647.",
    ],
    ["Edm.Int32", number("5.5"), "5.5 is not an Edm.Int32: write a whole number from -2147483648 to 2147483647."],
    [
      "Edm.Int32",
      number("1e999999999"),
      "1e999999999 is not an Edm.Int32: write a whole number from -2147483648 to 2147483647.",
    ],
    ["Edm.Int32", true, "true is not an Edm.Int32: write a whole number from -2147483648 to 2147483647."],
    [
      "Edm.Int64",
      number("9223372036854775808"),
      "9223372036854775808 is not an Edm.Int64: write a whole number from -9223372036854775808 to 9223372036854775807.",
    ],
    [
      "Edm.Double",
      number("1e400"),
      "1e400 is not an Edm.Double: write a number such as 1.5 or 1.5e3, or INF, -INF or NaN.",
    ],
    [
      "Edm.Single",
      number("3.5e38"),
      "3.5e38 is not an Edm.Single: write a number such as 1.5 or 1.5e3 of at most 3.4028235e38, or INF, -INF or NaN.",
    ],
    [
      "Edm.Decimal",
      "1,5",
      '"1,5" is not an Edm.Decimal: write digits with an optional sign and fraction, such as -12.50.',
    ],
    ["Edm.String", 5, "5 is not an Edm.String: write a string in quotes."],
    [
      "Edm.Guid",
      "123",
      '"123" is not an Edm.Guid: write 32 hexadecimal digits as 01234567-89ab-cdef-0123-456789abcdef.',
    ],
    ["Edm.Binary", "a", '"a" is not an Edm.Binary: write the octets as base64url, such as T0RhdGE.'],
    [
      "Edm.Date",
      "2024-02-30",
      '"2024-02-30" is not an Edm.Date: write a day that exists as YYYY-MM-DD, such as 2024-02-29.',
    ],
    [
      "Edm.TimeOfDay",
      "24:00:00",
      '"24:00:00" is not an Edm.TimeOfDay: write hh:mm:ss from 00:00:00 to 23:59:59.999999999999, such as 07:59:59.5.',
    ],
    [
      "Edm.Date",
      20_240_229,
      "20240229 is not an Edm.Date: write a day that exists as YYYY-MM-DD, such as 2024-02-29, in quotes.",
    ],
    ["Edm.String", "x".repeat(5), '"xxxxx" is too long: write at most 4 characters.'],
  ])("%s refuses %j", (name, input, message) => {
    expect(() => fromJson(name, input, false, { maxLength: 4 })).toThrow(new InvalidValueError(message));
  });

  test("every type refuses an object, an array and null", () => {
    const values = [{}, [], [1], null, { value: 1 }] as const;
    for (const name of PRIMITIVE_TYPE_NAMES) {
      for (const value of values) expect(() => fromJson(name, value)).toThrow(InvalidValueError);
    }
  });

  test.each<Row>([
    ["Edm.Byte", "5", 5],
    ["Edm.Int32", "-5", -5],
    ["Edm.Int32", "+7", 7],
    ["Edm.Int64", "5", 5n],
    ["Edm.Double", "1.5", 1.5],
    ["Edm.Single", "1e3", 1000],
    ["Edm.Decimal", "1.50", "1.50"],
    ["Edm.Int32", 5, 5],
    ["Edm.Double", number("1.5"), 1.5],
  ])("IEEE754Compatible: %s of %j", (name, input, canonical) => {
    expect(fromJson(name, input, true)).toBe(canonical);
  });

  test.each<readonly [PrimitiveTypeName, string]>([
    ["Edm.Int32", "5"],
    ["Edm.Byte", "5"],
    ["Edm.Double", "1.5"],
  ])("without IEEE754Compatible %s refuses the string %j, with an explanation", (name, input) => {
    expect(() => fromJson(name, input)).toThrow(/without quotes, or say IEEE754Compatible=true/);
  });

  test.each<readonly [PrimitiveTypeName, string]>([
    ["Edm.Int32", ""],
    ["Edm.Int32", "5.0"],
    ["Edm.Int32", " 5"],
    ["Edm.Int32", "0x5"],
    ["Edm.Int64", "1n"],
    ["Edm.Int64", "9".repeat(100)],
    ["Edm.Double", ""],
    ["Edm.Double", "Infinity"],
    ["Edm.Double", "inf"],
    ["Edm.Double", "1."],
    ["Edm.Decimal", "INF"],
  ])("under IEEE754Compatible %s refuses %j", (name, input) => {
    expect(() => fromJson(name, input, true)).toThrow(InvalidValueError);
  });

  test.each(["Zg=", "Zg===", "Z", "Zm9=v", "Zm9v=", "====", "Zh==", "Zm9", "Zm 8", "Zm8\n", "Z€8=", "Zm9vZg=", "ĀĀĀĀ"])(
    "%j is not base64",
    (text) => {
      expect(() => fromJson("Edm.Binary", text)).toThrow(InvalidValueError);
    },
  );

  test("messages shorten long input without splitting a surrogate pair", () => {
    expect(() => fromJson("Edm.Guid", "x".repeat(1000))).toThrow(`"${"x".repeat(40)}…" is not an Edm.Guid`);
    expect(() => fromJson("Edm.Guid", `${"x".repeat(39)}😀`)).toThrow(`"${"x".repeat(39)}…" is not`);
    expect(() => fromJson("Edm.Int32", number("1".repeat(1000)))).toThrow(`${"1".repeat(40)}… is not an Edm.Int32`);
  });
});

describe("facets of client input", () => {
  test.each<readonly [PrimitiveTypeName, Facets, string, PrimitiveValue]>([
    ["Edm.String", { maxLength: 2 }, "ab", "ab"],
    ["Edm.String", { maxLength: 2 }, "😀😀", "😀😀"],
    ["Edm.Binary", { maxLength: 2 }, "Zm8", bytes(102, 111)],
    ["Edm.Decimal", { precision: 5, scale: 2 }, "123.45", "123.45"],
    ["Edm.Decimal", { precision: 5, scale: 2 }, "-123.4500", "-123.45"],
    ["Edm.Decimal", { precision: 2, scale: 2 }, "0.25", "0.25"],
    ["Edm.Decimal", { scale: 2 }, "123456789.1", "123456789.1"],
    ["Edm.Decimal", { scale: 0 }, "5.00", "5"],
    ["Edm.Decimal", { precision: 3, scale: "variable" }, "0.123", "0.123"],
    ["Edm.Decimal", { precision: 3 }, "1.2300", "1.23"],
    ["Edm.Decimal", { precision: 3 }, "123", "123"],
    ["Edm.TimeOfDay", { precision: 3 }, "10:00:00.123", "10:00:00.123"],
    ["Edm.DateTimeOffset", { precision: 3 }, "2024-01-01T00:00:00.1230000+01:00", "2024-01-01T00:00:00.123+01:00"],
    ["Edm.DateTimeOffset", { precision: 0 }, "2024-01-01T00:00:00.000Z", "2024-01-01T00:00:00Z"],
    ["Edm.TimeOfDay", { precision: 0 }, "10:00:00.0", "10:00:00"],
    ["Edm.Duration", { precision: 1 }, "PT1.50S", "PT1.5S"],
    ["Edm.Duration", { precision: 0 }, "PT1.0S", "PT1S"],
    ["Edm.Date", { precision: 0 }, "2024-01-01", "2024-01-01"],
  ])("%s with %j accepts %s", (name, facets, input, canonical) => {
    expect(codec(name, facets).fromJson(input, true)).toStrictEqual(canonical);
    expect(codec(name, facets).fromText(input)).toStrictEqual(canonical);
  });

  test.each<readonly [PrimitiveTypeName, Facets, string, string]>([
    ["Edm.String", { maxLength: 2 }, "abc", "is too long: write at most 2 characters"],
    ["Edm.String", { maxLength: 2 }, "😀😀😀", "is too long: write at most 2 characters"],
    ["Edm.Binary", { maxLength: 2 }, "Zm9v", "is too long: write at most 2 octets"],
    [
      "Edm.Decimal",
      { precision: 5, scale: 2 },
      "1234.5",
      "write at most 3 digits before the point and 2 digits after the point",
    ],
    [
      "Edm.Decimal",
      { precision: 5, scale: 2 },
      "1.234",
      "write at most 3 digits before the point and 2 digits after the point",
    ],
    ["Edm.Decimal", { scale: 2 }, "1.234", "write at most 2 digits after the point"],
    ["Edm.Decimal", { precision: 3 }, "1234", "write at most 3 digits"],
    ["Edm.Decimal", { precision: 3, scale: "variable" }, "1.234", "write at most 3 digits"],
    ["Edm.TimeOfDay", { precision: 3 }, "10:00:00.1234", "write at most 3 digits after the point"],
    ["Edm.DateTimeOffset", { precision: 0 }, "2024-01-01T00:00:00.5Z", "write at most 0 digits after the point"],
    ["Edm.Duration", { precision: 1 }, "PT1.55S", "write at most 1 digits after the point"],
  ])("%s with %j refuses %s", (name, facets, input, message) => {
    expect(() => codec(name, facets).fromJson(input, true)).toThrow(message);
    expect(() => codec(name, facets).fromText(input)).toThrow(InvalidValueError);
  });

  test("do not apply to values of handlers", () => {
    expect(codec("Edm.String", { maxLength: 1 }).fromHandler("abc")).toBe("abc");
    expect(codec("Edm.Decimal", { precision: 1, scale: 0 }).fromHandler("12.345")).toBe("12.345");
    expect(codec("Edm.DateTimeOffset", { precision: 0 }).fromHandler("2024-01-01T00:00:00.5Z")).toBe(
      "2024-01-01T00:00:00.5Z",
    );
  });
});

describe("values of handlers", () => {
  const date = new Date("2024-02-29T13:20:00.123Z");
  const temporal = (tag: string, text: string, rest: object = {}): object => ({
    [Symbol.toStringTag]: tag,
    toString: () => text,
    valueOf: () => {
      throw new TypeError("Temporal values have no valueOf");
    },
    ...rest,
  });

  test.each<Row>([
    ["Edm.Boolean", true, true],
    ["Edm.Int32", 5, 5],
    ["Edm.Int32", -0, 0],
    ["Edm.Int32", 5n, 5],
    ["Edm.Int64", 5n, 5n],
    ["Edm.Int64", 5, 5n],
    ["Edm.Double", Number.NaN, Number.NaN],
    ["Edm.Double", -0, -0],
    ["Edm.Single", Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY],
    ["Edm.Decimal", "1.10", "1.10"],
    ["Edm.Decimal", 1.1, "1.1"],
    ["Edm.Decimal", 1e21, "1000000000000000000000"],
    ["Edm.Decimal", 5n, "5"],
    ["Edm.String", "x", "x"],
    ["Edm.Guid", "01234567-89AB-CDEF-0123-456789ABCDEF", "01234567-89ab-cdef-0123-456789abcdef"],
    ["Edm.Binary", bytes(1, 2), bytes(1, 2)],
    ["Edm.Binary", bytes(1, 2).buffer, bytes(1, 2)],
    ["Edm.Binary", new DataView(bytes(1, 2, 3).buffer, 1, 2), bytes(2, 3)],
    ["Edm.Date", "2024-02-29", "2024-02-29"],
    ["Edm.Date", date, "2024-02-29"],
    ["Edm.Date", new Date("-000044-03-15T23:59:59.999Z"), "-0044-03-15"],
    ["Edm.Date", temporal("Temporal.PlainDate", "2024-02-29[u-ca=hebrew]"), "2024-02-29"],
    ["Edm.TimeOfDay", temporal("Temporal.PlainTime", "13:20:00.123456789"), "13:20:00.123456789"],
    ["Edm.DateTimeOffset", date, "2024-02-29T13:20:00.123Z"],
    ["Edm.DateTimeOffset", new Date("+012024-02-29T13:20:00.123Z"), "12024-02-29T13:20:00.123Z"],
    ["Edm.DateTimeOffset", new Date(8.64e15), "275760-09-13T00:00:00.000Z"],
    ["Edm.DateTimeOffset", new Date(-8.64e15), "-271821-04-20T00:00:00.000Z"],
    ["Edm.DateTimeOffset", temporal("Temporal.Instant", "2024-02-29T13:20:00Z"), "2024-02-29T13:20:00Z"],
    ["Edm.DateTimeOffset", temporal("Temporal.Instant", "-000001-02-28T13:20:00Z"), "-0001-02-28T13:20:00Z"],
    [
      "Edm.DateTimeOffset",
      temporal("Temporal.ZonedDateTime", "2024-02-29T13:20:00.5+01:00[Europe/Berlin]", { offsetNanoseconds: 3_600e9 }),
      "2024-02-29T13:20:00.5+01:00",
    ],
    [
      "Edm.DateTimeOffset",
      temporal("Temporal.ZonedDateTime", "1880-01-01T00:00:00-00:01[Europe/London]", {
        offsetNanoseconds: -75e9,
        toInstant: () => temporal("Temporal.Instant", "1880-01-01T00:01:15Z"),
      }),
      "1880-01-01T00:01:15Z",
    ],
    ["Edm.Duration", "PT36H", "PT36H"],
    ["Edm.Duration", temporal("Temporal.Duration", "-P1DT2H0.5S"), "-P1DT2H0.5S"],
  ])("%s of %s", (name, value, canonical) => {
    expect(codec(name).fromHandler(value)).toStrictEqual(canonical);
  });

  test.each<readonly [PrimitiveTypeName, unknown, string]>([
    ["Edm.Boolean", 1, "1 is not an Edm.Boolean"],
    ["Edm.Int32", "5", '"5" is not an Edm.Int32'],
    ["Edm.Int32", 1.5, "1.5 is not an Edm.Int32"],
    ["Edm.Int32", 2n ** 40n, "1099511627776 is not an Edm.Int32"],
    ["Edm.Int64", 2 ** 53, "9007199254740992 is not an Edm.Int64"],
    ["Edm.Int64", 2n ** 63n, "9223372036854775808 is not an Edm.Int64"],
    ["Edm.Int64", "5", '"5" is not an Edm.Int64'],
    ["Edm.Double", "1.5", '"1.5" is not an Edm.Double: return a number.'],
    ["Edm.Double", 1n, "1 is not an Edm.Double: return a number."],
    ["Edm.Single", 1e39, "1e+39 is not an Edm.Single"],
    ["Edm.Decimal", Number.NaN, "NaN is not an Edm.Decimal"],
    ["Edm.Decimal", {}, "An object is not an Edm.Decimal"],
    ["Edm.String", undefined, "undefined is not an Edm.String: return a string."],
    ["Edm.String", Symbol("x"), "A symbol is not an Edm.String"],
    ["Edm.String", () => "x", "A function is not an Edm.String"],
    ["Edm.String", [], "An array is not an Edm.String"],
    ["Edm.String", null, "null is not an Edm.String"],
    ["Edm.Guid", 5, "5 is not an Edm.Guid"],
    ["Edm.Binary", "Zm8=", '"Zm8=" is not an Edm.Binary: return a Uint8Array.'],
    ["Edm.Date", new Date(Number.NaN), "An invalid Date is not an Edm.Date"],
    ["Edm.Date", 0, "0 is not an Edm.Date"],
    ["Edm.TimeOfDay", date, "A Date is not an Edm.TimeOfDay"],
    ["Edm.DateTimeOffset", new Date(Number.NaN), "An invalid Date is not an Edm.DateTimeOffset"],
    ["Edm.DateTimeOffset", "2024-01-01T00:00:00", '"2024-01-01T00:00:00" is not an Edm.DateTimeOffset'],
    [
      "Edm.DateTimeOffset",
      temporal("Temporal.PlainDateTime", "2024-02-29T13:20:00"),
      "An object is not an Edm.DateTimeOffset",
    ],
    ["Edm.DateTimeOffset", { [Symbol.toStringTag]: 5 }, "An object is not an Edm.DateTimeOffset"],
    ["Edm.Duration", temporal("Temporal.Duration", "P1Y"), "An object is not an Edm.Duration"],
    ["Edm.Duration", date, "A Date is not an Edm.Duration"],
  ])("%s refuses %s", (name, value, message) => {
    expect(() => codec(name).fromHandler(value)).toThrow(InvalidValueError);
    expect(() => codec(name).fromHandler(value)).toThrow(message);
  });

  test("a Date is never read in the local time zone", () => {
    const local = Object.getOwnPropertyNames(Date.prototype).filter((name) =>
      /^get(?!UTC|Time$)|^to(?!ISO|JSON)/.test(name),
    );
    const utcOnly = new Date(date);
    for (const name of local) {
      const refuse = (): never => {
        throw new Error(`${name} was called`);
      };
      Object.defineProperty(utcOnly, name, { value: refuse });
    }
    expect(local).toContain("getTimezoneOffset");
    expect(codec("Edm.Date").fromHandler(utcOnly)).toBe("2024-02-29");
    expect(codec("Edm.DateTimeOffset").fromHandler(utcOnly)).toBe("2024-02-29T13:20:00.123Z");
  });
});

describe("text output", () => {
  test.each<readonly [PrimitiveTypeName, PrimitiveValue, json: string, literal: string, text: string]>([
    ["Edm.Boolean", true, "true", "true", "true"],
    ["Edm.Boolean", false, "false", "false", "false"],
    ["Edm.Int32", -5, "-5", "-5", "-5"],
    ["Edm.Double", 1.5, "1.5", "1.5", "1.5"],
    ["Edm.Double", 1e21, "1e+21", "1e+21", "1e+21"],
    ["Edm.Double", -0, "-0", "-0", "-0"],
    ["Edm.Double", Number.NaN, '"NaN"', "NaN", "NaN"],
    ["Edm.Single", Number.POSITIVE_INFINITY, '"INF"', "INF", "INF"],
    ["Edm.Double", Number.NEGATIVE_INFINITY, '"-INF"', "-INF", "-INF"],
    ["Edm.String", 'it\'s "x"\n', String.raw`"it's \"x\"\n"`, "'it''s \"x\"\n'", 'it\'s "x"\n'],
    ["Edm.String", "\ud800", String.raw`"\ud800"`, "'\ud800'", "\ud800"],
    [
      "Edm.Guid",
      "01234567-89ab-cdef-0123-456789abcdef",
      '"01234567-89ab-cdef-0123-456789abcdef"',
      "01234567-89ab-cdef-0123-456789abcdef",
      "01234567-89ab-cdef-0123-456789abcdef",
    ],
    ["Edm.Binary", bytes(251, 255), '"-_8"', "binary'-_8'", "-_8"],
    ["Edm.Date", "2024-02-29", '"2024-02-29"', "2024-02-29", "2024-02-29"],
    ["Edm.TimeOfDay", "13:20:00.5", '"13:20:00.5"', "13:20:00.5", "13:20:00.5"],
    [
      "Edm.DateTimeOffset",
      "2024-02-29T13:20:00+02:00",
      '"2024-02-29T13:20:00+02:00"',
      "2024-02-29T13:20:00+02:00",
      "2024-02-29T13:20:00+02:00",
    ],
    ["Edm.Duration", "-PT0.5S", '"-PT0.5S"', "duration'-PT0.5S'", "-PT0.5S"],
  ])("%s %s", (name, value, json, literal, text) => {
    const { toJson, toLiteral, toText } = codec(name);
    expect([toJson(value, false), toJson(value, true), toLiteral(value), toText(value)]).toEqual([
      json,
      json,
      literal,
      text,
    ]);
  });

  test.each<readonly [PrimitiveTypeName, PrimitiveValue, string]>([
    ["Edm.Int64", 9_007_199_254_740_993n, "9007199254740993"],
    ["Edm.Decimal", "-1.10", "-1.10"],
  ])("%s has all digits, in quotes with IEEE754Compatible", (name, value, text) => {
    const { toJson, toLiteral, toText } = codec(name);
    expect([toJson(value, false), toJson(value, true), toLiteral(value), toText(value)]).toEqual([
      text,
      `"${text}"`,
      text,
      text,
    ]);
  });

  test("a value that is not canonical is a programming error", () => {
    const wrong: Readonly<Record<PrimitiveTypeName, PrimitiveValue>> = {
      "Edm.Boolean": 1,
      "Edm.Byte": "1",
      "Edm.SByte": "1",
      "Edm.Int16": "1",
      "Edm.Int32": 1n,
      "Edm.Int64": 1,
      "Edm.Single": "1",
      "Edm.Double": "1",
      "Edm.Decimal": 1,
      "Edm.String": 1,
      "Edm.Guid": 1,
      "Edm.Binary": "Zg",
      "Edm.Date": 1,
      "Edm.TimeOfDay": 1,
      "Edm.DateTimeOffset": 1,
      "Edm.Duration": 1,
    };
    for (const name of PRIMITIVE_TYPE_NAMES) {
      expect(() => codec(name).toJson(wrong[name], false)).toThrow(TypeError);
    }
  });
});

describe("text input", () => {
  test.each<Row>([
    ["Edm.Boolean", "TRUE", true],
    ["Edm.Boolean", "false", false],
    ["Edm.Int32", "+2000000000", 2_000_000_000],
    ["Edm.Int32", "-0", 0],
    ["Edm.Int32", "007", 7],
    ["Edm.Int64", "+1234567890123456789", 1_234_567_890_123_456_789n],
    ["Edm.Double", "-0.314e1", -3.14],
    ["Edm.Double", "INF", Number.POSITIVE_INFINITY],
    ["Edm.Decimal", "+42", "42"],
    ["Edm.String", "it's", "it's"],
    ["Edm.Guid", "01234567-89ab-cdef-0123-456789ABCDEF", "01234567-89ab-cdef-0123-456789abcdef"],
    ["Edm.Duration", "P6DT23H59M59.9999S", "P6DT23H59M59.9999S"],
  ])("%s of %s", (name, text, canonical) => {
    expect(codec(name).fromText(text as string)).toBe(canonical);
  });

  test.each<readonly [PrimitiveTypeName, string]>([
    ["Edm.Boolean", "1"],
    ["Edm.Boolean", ""],
    ["Edm.Boolean", "falsehood"],
    ["Edm.Int32", "5.0"],
    ["Edm.Int32", "5e0"],
    ["Edm.Int32", ""],
    ["Edm.Int32", "2147483648"],
    ["Edm.SByte", "+128"],
    ["Edm.Int64", "9223372036854775808"],
    ["Edm.Double", "1e999"],
    ["Edm.Double", "-0.314e1e2"],
    ["Edm.Double", "nan"],
    ["Edm.Decimal", ".1"],
    ["Edm.Guid", "01234567-89ab-cdef-456789abcdef"],
    ["Edm.Guid", "{01234567-89ab-cdef-0123-456789abcdef}"],
  ])("%s refuses %j", (name, text) => {
    expect(() => codec(name).fromText(text)).toThrow(InvalidValueError);
  });

  test("the characters of a long text are counted, whatever their place", () => {
    const unit = fc.constantFrom("a", "ä", "漢", "😀", "\ud83d", "\ude00");
    const parts = fc.array(fc.tuple(unit, fc.nat({ max: 20_000 })), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(parts, (texts) => {
        const text = texts.map(([part, times]) => part.repeat(times)).join("");
        const { length } = Array.from(text);
        expect(codec("Edm.String", { maxLength: length }).fromJson(text, false)).toBe(text);
        if (length === 0) return;
        expect(() => codec("Edm.String", { maxLength: length - 1 }).fromJson(text, false)).toThrow("is too long");
      }),
      { numRuns: 100 },
    );
  });

  test("every type except String refuses a text of a million characters without parsing it", () => {
    const start = processorTime();
    for (const name of PRIMITIVE_TYPE_NAMES) {
      if (name === "Edm.String") continue;
      for (const part of ["9", "-", "a-", "0.", "1:", "P", " "]) {
        const text = `${part.repeat(1_000_000 / part.length)}€`;
        expect(() => codec(name).fromText(text)).toThrow(InvalidValueError);
        expect(() => codec(name).fromJson(text, true)).toThrow(InvalidValueError);
      }
    }
    expect(processorTime() - start).toBeLessThan(10_000);
  });
});

describe("compare", () => {
  test.each<readonly [PrimitiveTypeName, readonly PrimitiveValue[]]>([
    ["Edm.Boolean", [false, true]],
    ["Edm.Int32", [-5, 0, 3, 20]],
    ["Edm.Int64", [-(2n ** 63n), -1n, 0n, 9_007_199_254_740_992n, 9_007_199_254_740_993n]],
    ["Edm.Double", [Number.NEGATIVE_INFINITY, -1.5, 0, 1e-300, Number.POSITIVE_INFINITY]],
    ["Edm.Decimal", ["-10", "-9.5", "0.00", "0.01", "9", "10.0"]],
    [
      "Edm.String",
      ["", "A", "AB", "B", "a", "ä", "\ud7ff", "\ue000", "\uffff", "\ud83d\ude00", "\ud83d\ude01", "\ud83e\ude00"],
    ],
    ["Edm.Guid", ["00000000-0000-0000-0000-000000000001", "10000000-0000-0000-0000-000000000000"]],
    ["Edm.Binary", [bytes(), bytes(0), bytes(0, 1), bytes(1), bytes(255)]],
    ["Edm.Date", ["-0001-01-01", "2024-01-01", "10000-01-01"]],
    ["Edm.TimeOfDay", ["10:00:00", "10:00:00.5", "11:00:00"]],
    ["Edm.DateTimeOffset", ["2024-01-01T00:00:00+02:00", "2024-01-01T00:00:00Z", "2024-01-01T00:00:00.5Z"]],
    ["Edm.Duration", ["-P1D", "PT0S", "PT90M", "PT2H"]],
  ])("%s", (name, ascending) => {
    const { compare } = codec(name);
    for (const [leftAt, left] of ascending.entries()) {
      for (const [rightAt, right] of ascending.entries()) {
        expect(Math.sign(compare(left, right)), `${String(left)} ${String(right)}`).toBe(Math.sign(leftAt - rightAt));
      }
    }
  });

  test("strings are ordered by their UTF-8 octets", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "b", "ß", "\ud7ff", "\ue000", "\uffff", "😀", "😁") });
    const utf8 = new TextEncoder();
    fc.assert(
      fc.property(text, text, (left, right) => {
        const order = codec("Edm.Binary").compare(utf8.encode(left), utf8.encode(right));
        expect(Math.sign(codec("Edm.String").compare(left, right))).toBe(Math.sign(order));
      }),
    );
  });

  test("NaN does not equal any value; 0 equals -0; binary values are compared by content", () => {
    const { compare } = codec("Edm.Double");
    expect([compare(Number.NaN, 1), compare(1, Number.NaN), compare(Number.NaN, Number.NaN)]).toEqual([
      Number.NaN,
      Number.NaN,
      Number.NaN,
    ]);
    expect(compare(-0, 0)).toBe(0);
    expect(codec("Edm.Binary").compare(bytes(1, 2), bytes(1, 2))).toBe(0);
  });
});

describe("round trips", () => {
  const decimals = fc
    .tuple(fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n }), fc.nat({ max: 12 }))
    .map(([value, scale]) => fromScaled(value, scale));
  const dates = fc
    .date({ min: new Date("0001-01-01"), max: new Date("9999-12-31"), noInvalidDate: true })
    .map((date) => date.toISOString());
  const arbitraries: Readonly<Record<PrimitiveTypeName, fc.Arbitrary<PrimitiveValue>>> = {
    "Edm.Boolean": fc.boolean(),
    "Edm.Byte": fc.integer({ min: 0, max: 255 }),
    "Edm.SByte": fc.integer({ min: -128, max: 127 }),
    "Edm.Int16": fc.integer({ min: -32_768, max: 32_767 }),
    "Edm.Int32": fc.integer(),
    "Edm.Int64": fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    "Edm.Single": fc.float(),
    "Edm.Double": fc.double(),
    "Edm.Decimal": decimals,
    "Edm.String": fc.string({ unit: anyCharacter }),
    "Edm.Guid": fc.uuid(),
    "Edm.Binary": fc.uint8Array({ maxLength: 200 }),
    "Edm.Date": dates.map((text) => text.slice(0, 10)),
    "Edm.TimeOfDay": dates.map((text) => text.slice(11, -1)),
    "Edm.DateTimeOffset": dates,
    "Edm.Duration": fc.tuple(fc.nat(), fc.nat({ max: 999 })).map(([seconds, rest]) => `PT${seconds}.${rest}S`),
  };

  test.each(PRIMITIVE_TYPE_NAMES)("%s: JSON, literal and handler give the value back", (name) => {
    const { toJson, fromJson, toLiteral, toText, fromText, fromHandler, compare } = codec(name);
    fc.assert(
      fc.property(arbitraries[name], fc.boolean(), (value, ieee754Compatible) => {
        const json = toJson(value, ieee754Compatible);
        expect(JSON.parse(json)).toBeDefined();
        expect(fromJson(parseJson(json, { maxDepth: 0 }), ieee754Compatible)).toStrictEqual(value);
        expect(fromText(toText(value))).toStrictEqual(value);
        expect(fromText(innerText(toLiteral(value)))).toStrictEqual(value);
        expect(fromHandler(value)).toStrictEqual(value);
        if (!Number.isNaN(value)) expect(compare(value, value)).toBe(0);
      }),
      { numRuns: 60 },
    );
  });

  const facets = fc.record(
    { maxLength: fc.integer({ min: 1, max: 40 }), precision: fc.nat({ max: 12 }), scale: fc.nat({ max: 4 }) },
    { requiredKeys: [] },
  );

  test.each(PRIMITIVE_TYPE_NAMES)("%s: fit gives what a client could send, and refuses what it could not", (name) => {
    fc.assert(
      fc.property(arbitraries[name], facets, (value, { precision = 0, scale = 0, ...others }) => {
        const given = name === "Edm.Decimal" ? { precision: Math.max(1, precision + scale), scale } : { precision };
        const { fit, fromHandler, fromJson, toJson } = valueCodec(PRIMITIVE_TYPES[name], { ...others, ...given });
        const canonical = fromHandler(value);
        const sent = attempt(() => fromJson(parseJson(toJson(canonical, true), { maxDepth: 0 }), true));
        expect(attempt(() => fit(canonical))).toStrictEqual(sent);
      }),
      { numRuns: 100 },
    );
  });

  test.each(PRIMITIVE_TYPE_NAMES)("%s: compare is a total order", (name) => {
    const { compare } = codec(name);
    const value = arbitraries[name].filter((one) => !Number.isNaN(one));
    fc.assert(
      fc.property(value, value, value, (a, b, c) => {
        expect(Math.sign(compare(a, b))).toBe(0 - Math.sign(compare(b, a)));
        const [low, middle, high] = [a, b, c].toSorted(compare) as [PrimitiveValue, PrimitiveValue, PrimitiveValue];
        expect(compare(low, middle)).toBeLessThanOrEqual(0);
        expect(compare(middle, high)).toBeLessThanOrEqual(0);
        expect(compare(low, high)).toBeLessThanOrEqual(0);
      }),
      { numRuns: 60 },
    );
  });
});

/** Returns the result of a function, or the message and the fault of its error. */
function attempt(run: () => PrimitiveValue): unknown {
  try {
    return run();
  } catch (error) {
    if (error instanceof OutsideFacetError) return [error.message, error.fault];
    throw error;
  }
}

/** The text of a literal as parsed: without prefix and quotes, doubled quotes replaced. */
function innerText(literal: string): string {
  const quote = literal.indexOf("'");
  return quote < 0 ? literal : literal.slice(quote + 1, -1).replaceAll("''", "'");
}

describe("base64", () => {
  test("agrees with Buffer for any length", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (octets) => {
        const text = encodeBase64Url(octets);
        expect(text).toBe(Buffer.from(octets).toString("base64url"));
        expect(decodeBase64(text)).toEqual(octets);
        expect(decodeBase64(Buffer.from(octets).toString("base64"))).toEqual(octets);
      }),
    );
  });
});

describe("one codec per type and per property", () => {
  const property: StructuralProperty = {
    kind: "StructuralProperty",
    name: "Name",
    field: "name",
    type: PRIMITIVE_TYPES["Edm.String"],
    isCollection: false,
    nullable: false,
    isKey: false,
    computed: false,
    immutable: false,
    facets: { maxLength: 3 },
    index: 0,
  };

  test("codecs are cached and frozen", () => {
    for (const name of PRIMITIVE_TYPE_NAMES) {
      expect(codec(name)).toBe(codec(name));
      expect(codec(name).type).toBe(PRIMITIVE_TYPES[name]);
      expect(Object.isFrozen(codec(name))).toBe(true);
    }
    expect(codecOf(property)).toBe(codecOf(property));
    expect(() => codecOf(property).fromText("four")).toThrow(InvalidValueError);
  });

  test("a complex property has no codec", () => {
    const type: ComplexType = {
      kind: "ComplexType",
      name: "Address",
      qualifiedName: "N.Address",
      properties: [],
      ignoredProperties: [],
      members: new Map(),
      membersIgnoringCase: new Map(),
    };
    expect(() => codecOf({ ...property, type })).toThrow(new TypeError("Name is complex: its members have codecs."));
  });
});
