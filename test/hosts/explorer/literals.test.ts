import { describe, expect, test } from "vitest";
import type { PropertyType } from "../../../explorer/src/model/model.ts";
import { keyPredicate, literalText, readTyped, toLiteral } from "../../../explorer/src/query/literals.ts";
import { DEFAULT_SYNTAX_LIMITS, type ParseContext } from "../../../src/language/syntax/parse-context.ts";
import { parseKeyPredicate, parseResourcePath } from "../../../src/language/syntax/path-parser.ts";
import { COLOR, DAYS, entityType, primitive, property } from "./sample-model.ts";

const ENUM: PropertyType = { kind: "enum", enum: COLOR };
const FLAGS: PropertyType = { kind: "enum", enum: DAYS };
const context = (): ParseContext => ({
  limits: DEFAULT_SYNTAX_LIMITS,
  literals: [],
  aliases: new Map(),
  counters: { tokens: 0, nodes: 0 },
});

/** The type and text of a literal, as the service reads them. */
function spelled(literal: string): unknown {
  const [part] = parseKeyPredicate(literal, context(), { target: "key" }).parts;
  if (part?.value.kind === "null") return null;
  return part?.value.kind === "literal" ? [part.value.literal.type, part.value.literal.text] : part;
}

describe("the literal of a JSON value", () => {
  test.for([
    ["Boolean", true, "true", ["Edm.Boolean", "true"]],
    ["Byte", 255, "255", ["Edm.Int32", "255"]],
    ["SByte", -128, "-128", ["Edm.Int32", "-128"]],
    ["Int16", -5, "-5", ["Edm.Int32", "-5"]],
    ["Int32", 5, "5", ["Edm.Int32", "5"]],
    ["Int64", "9223372036854775807", "9223372036854775807", ["Edm.Int64", "9223372036854775807"]],
    ["Decimal", "-1.50", "-1.50", ["Edm.Decimal", "-1.50"]],
    ["Single", 1.5, "1.5", ["Edm.Decimal", "1.5"]],
    ["Double", 1e21, "1e21", ["Edm.Double", "1e21"]],
    ["Double", 5e-324, "5e-324", ["Edm.Double", "5e-324"]],
    ["Double", "INF", "INF", ["Edm.Double", "INF"]],
    ["Double", "-INF", "-INF", ["Edm.Double", "-INF"]],
    ["Double", "NaN", "NaN", ["Edm.Double", "NaN"]],
    ["String", "it's", "'it''s'", ["Edm.String", "it's"]],
    ["String", "", "''", ["Edm.String", ""]],
    [
      "Guid",
      "01234567-89ab-cdef-0123-456789abcdef",
      "01234567-89ab-cdef-0123-456789abcdef",
      ["Edm.Guid", "01234567-89ab-cdef-0123-456789abcdef"],
    ],
    ["Binary", "T0RhdGE", "binary'T0RhdGE'", ["Edm.Binary", "T0RhdGE"]],
    ["Date", "2024-02-29", "2024-02-29", ["Edm.Date", "2024-02-29"]],
    ["TimeOfDay", "13:20:00.5", "13:20:00.5", ["Edm.TimeOfDay", "13:20:00.5"]],
    [
      "DateTimeOffset",
      "2024-02-29T13:20:00+01:00",
      "2024-02-29T13:20:00+01:00",
      ["Edm.DateTimeOffset", "2024-02-29T13:20:00+01:00"],
    ],
    ["Duration", "-P1DT2H", "duration'-P1DT2H'", ["Edm.Duration", "-P1DT2H"]],
    ["Int32", null, "null", null],
  ] as const)("of Edm.%s %j is %s", ([type, value, literal, read]) => {
    expect(toLiteral(value, primitive(type))).toBe(literal);
    expect(spelled(literal)).toEqual(read);
  });

  test("of an enumeration has the name of its type", () => {
    expect(toLiteral("Red", ENUM)).toBe("Shop.Color'Red'");
    expect(toLiteral("Monday,Tuesday", FLAGS)).toBe("Shop.Days'Monday,Tuesday'");
  });

  test.for([
    ["'it''s'", "it's"],
    ["duration'P1D'", "P1D"],
    ["Shop.Color'Red'", "Red"],
    ["5", "5"],
    ["null", "null"],
  ])("%s is typed as %s", ([literal = "", typed]) => {
    expect(literalText(literal)).toBe(typed);
  });
});

describe("what a person types", () => {
  test.for([
    ["String", " it's ", "' it''s '"],
    ["Int32", " +5 ", "5"],
    ["Int64", "-9223372036854775808", "-9223372036854775808"],
    ["Decimal", "+1.50", "1.50"],
    ["Double", "-inf", "-INF"],
    ["Double", "nan", "NaN"],
    ["Boolean", "TRUE", "true"],
    ["Guid", "{01234567-89AB-cdef-0123-456789abcdef}", "01234567-89AB-cdef-0123-456789abcdef"],
    ["Date", "2024-02-29", "2024-02-29"],
    ["Date", "2000-02-29", "2000-02-29"],
    ["TimeOfDay", "13:20", "13:20"],
    ["DateTimeOffset", "2024-02-29 13:20z", "2024-02-29T13:20Z"],
    ["DateTimeOffset", "2024-02-29T13:20:05.5+01:00", "2024-02-29T13:20:05.5+01:00"],
    ["Duration", "p1dt2h", "duration'P1DT2H'"],
    ["Binary", "ab+/", "binary'ab-_'"],
  ] as const)("for Edm.%s: %j becomes %s", ([type, typed, literal]) => {
    expect(readTyped(typed, primitive(type))).toEqual({ literal, message: null });
    spelled(literal);
  });

  test.for([
    ["Int32", "", "A value is missing. Type a whole number, such as 5."],
    ["Int32", "1.5", "“1.5” is not valid. Type a whole number, such as 5."],
    ["Int32", "2147483648", "“2147483648” is not valid. The greatest value is 2147483647."],
    ["Byte", "-1", "“-1” is not valid. The least value is 0."],
    ["Decimal", "1,5", "“1,5” is not valid. Type a number with a decimal point, such as 1.5."],
    ["Decimal", "INF", "“INF” is not valid. Type a number with a decimal point, such as 1.5."],
    ["Double", "1.", "“1.” is not valid. Type a number with a decimal point, such as 1.5, or INF, -INF or NaN."],
    ["Boolean", "yes", "“yes” is not valid. Type true or false."],
    [
      "Guid",
      "5",
      "“5” is not valid. Type 32 hexadecimal digits in five groups, such as 01234567-89ab-cdef-0123-456789abcdef.",
    ],
    ["Date", "29.02.2024", "“29.02.2024” is not valid. Type year, month and day, such as 2024-02-29."],
    ["Date", "2023-02-29", "“2023-02-29” is not valid. The month has no such day."],
    ["Date", "1900-02-29", "“1900-02-29” is not valid. The month has no such day."],
    ["Date", "2024-13-01", "“2024-13-01” is not valid. The month has no such day."],
    ["TimeOfDay", "25:00", "“25:00” is not valid. Type hours and minutes, such as 13:20 or 13:20:05.5."],
    [
      "DateTimeOffset",
      "2024-02-29T13:20",
      "“2024-02-29T13:20” is not valid. Type a date and a time with Z or an offset, such as 2024-02-29T13:20:00Z or 2024-02-29T13:20:00+01:00.",
    ],
    ["Duration", "PT", "“PT” is not valid. Type days, hours, minutes and seconds, such as P1DT2H30M or PT45S."],
    ["Binary", "a", "“a” is not valid. Type base64url, such as T0RhdGE."],
    ["Stream", "a", "Values of Edm.Stream cannot be compared."],
  ] as const)("for Edm.%s: %j gets a message", ([type, typed, message]) => {
    expect(readTyped(typed, primitive(type))).toEqual({ literal: null, message });
  });

  test("for an enumeration: names and numbers of members", () => {
    expect(readTyped("Blue", ENUM)).toEqual({ literal: "Shop.Color'Blue'", message: null });
    expect(readTyped("1", ENUM)).toEqual({ literal: "Shop.Color'Blue'", message: null });
    expect(readTyped("Monday, Tuesday", FLAGS)).toEqual({ literal: "Shop.Days'Monday,Tuesday'", message: null });
    expect(readTyped("Red,Blue", ENUM)).toEqual({
      literal: null,
      message: "“Red,Blue” is not valid. Type one of Red, Blue.",
    });
    expect(readTyped("", FLAGS)).toEqual({
      literal: null,
      message: "A value is missing. Type one of Monday, Tuesday, or several with commas between them.",
    });
  });

  test("for a complex value: not at all", () => {
    const type: PropertyType = { kind: "complex", type: entityType("Address", []) };
    expect(readTyped("x", type).message).toBe("Address has no literal. Choose one of its properties.");
  });
});

describe("a key predicate", () => {
  const KEYS: readonly (readonly [string, unknown])[] = [
    ["String", "it's 100% a/b?c#d&e=f;g+h ü"],
    ["Guid", "01234567-89ab-cdef-0123-456789abcdef"],
    ["Int64", "9007199254740993"],
    ["Decimal", "-1.5"],
    ["DateTimeOffset", "2024-02-29T13:20:00+01:00"],
    ["Duration", "P1D"],
    ["Binary", "-_8"],
    ["Boolean", false],
  ];

  test.for(KEYS)("of Edm.%s: %j is read by the service as this value", ([type, value]) => {
    const predicate = keyPredicate(entityType("T", [property("Id", type)]), { Id: value }) ?? "";
    const [segment] = parseResourcePath(`/T${predicate}`);
    expect(segment?.name).toBe("T");
    expect(new URL(`http://a.example/T${predicate}`).pathname).toBe(`/T${predicate}`);
    expect(spelled(segment?.parentheses ?? "")).toEqual(spelled(toLiteral(value, primitive(type))));
  });

  test("of several properties names them", () => {
    const type = entityType("T", [property("No", "Int32"), property("Code", "String"), property("Color", ENUM)], 3);
    const predicate = keyPredicate(type, { No: 5, Code: "a/b", Color: "Red" }) ?? "";
    expect(predicate).toBe("(No=5,Code='a%2Fb',Color=Shop.Color'Red')");
    const [segment] = parseResourcePath(`/T${predicate}`);
    const { parts } = parseKeyPredicate(segment?.parentheses ?? "", context(), { target: "key" });
    expect(parts.map(({ name }) => name)).toEqual(["No", "Code", "Color"]);
  });

  test("is null without a key", () => {
    expect(keyPredicate(entityType("T", [property("Id", "Int32")]), {})).toBeNull();
    expect(keyPredicate(entityType("T", [], 0), { Id: 1 })).toBeNull();
  });
});
