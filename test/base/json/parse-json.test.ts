import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { JsonSyntaxError } from "../../../src/base/json/json-errors.ts";
import { parseJson } from "../../../src/base/json/parse-json.ts";
import {
  JsonNumber,
  type JsonObject,
  type JsonValue,
  namesOf,
  writeJsonString,
} from "../../../src/base/json/write-json.ts";
import { anyCharacter } from "../../any-character.ts";
import { caseCount } from "../../cases.ts";
import { processorTime } from "../../processor-time.ts";

const parse = (text: string, maxDepth = 64): JsonValue => parseJson(text, { maxDepth });

function fault(text: string, maxDepth = 64): JsonSyntaxError {
  try {
    parse(text, maxDepth);
  } catch (error) {
    if (error instanceof JsonSyntaxError) return error;
    throw error;
  }
  throw new Error(`${text} was accepted`);
}

/** Converts a result to that of JSON.parse, with numbers as doubles. */
function lossy(value: JsonValue): unknown {
  if (value instanceof JsonNumber) return Number(value.text);
  if (Array.isArray(value)) return value.map((item: JsonValue) => lossy(item));
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value as Record<string, JsonValue>).map(
    ([name, item]) => [name, lossy(item)] as const,
  );
  return Object.fromEntries(members);
}

describe("numbers", () => {
  test.each([
    ["0", 0],
    ["-0", -0],
    ["5", 5],
    ["-17", -17],
    ["999999999999999", 999_999_999_999_999],
    ["-999999999999999", -999_999_999_999_999],
  ])("%s is a number", (text, value) => {
    expect(parse(text)).toBe(value);
  });

  test.each([
    "1000000000000000",
    "9007199254740993",
    "1.10",
    "0.0",
    "-0.5",
    "1e3",
    "1E+3",
    "12e-300",
    "1e999999999",
    "5.0",
  ])("%s keeps its text", (text) => {
    expect(parse(text)).toEqual(new JsonNumber(text));
    expect(parse(`[${text}]`)).toEqual([new JsonNumber(text)]);
  });

  test.each([
    "01",
    "-",
    "-a",
    "+1",
    ".5",
    "1.",
    "1.e3",
    "1e",
    "1e+",
    "00",
    "-01",
    "0x10",
    "1_000",
    "NaN",
    "Infinity",
    "--1",
  ])("%s is refused", (text) => {
    expect(() => parse(text)).toThrow(JsonSyntaxError);
    expect(() => parse(`{"a":${text}}`)).toThrow(JsonSyntaxError);
  });
});

describe("strings", () => {
  test.each([
    [`""`, ""],
    [`"plain"`, "plain"],
    [String.raw`"\"\\\/\b\f\n\r\t"`, '"\\/\b\f\n\r\t'],
    [String.raw`"a\u0041\u00e4z"`, "aAäz"],
    [String.raw`"\ud83d\ude00"`, "😀"],
    [String.raw`"\ud800"`, "\ud800"],
    [`"ä😀\u2028\u007f"`, "ä😀\u2028\u007f"],
  ])("%s", (text, value) => {
    expect(parse(text)).toBe(value);
  });

  test.each([
    `"`,
    `"abc`,
    `"a\\"`,
    `"\\x"`,
    `"\\u12"`,
    `"\\u12g4"`,
    `"\\u`,
    `"\n"`,
    `"\t"`,
    `"\u0000"`,
    `"a\\n\n"`,
    `"\\n\\`,
    `"\\n\\x"`,
    `"\\u0041\\u00"`,
    `'a'`,
  ])("%j is refused", (text) => {
    expect(() => parse(text)).toThrow(JsonSyntaxError);
  });
});

describe("structures", () => {
  test.each([
    "[]",
    "{}",
    " [ 1 , [ ] , { } , [[ ]] ] ",
    '\t{ "a" : { "b" : [ true , false , null ] } ,\r\n "c" : "d" } ',
    '[{"a":1,"b":2},{"a":3,"b":4},{"b":5,"a":6},{"a":7}]',
    '{"a":{"a":{"a":1}},"b":[[1],[2]]}',
    '{"":1," ":2}',
  ])("%s is parsed like JSON.parse", (text) => {
    expect(parse(text)).toEqual(JSON.parse(text));
  });

  test("objects have no prototype and no special names", () => {
    const value = parse('{"__proto__":{"x":1},"constructor":2,"toString":3,"hasOwnProperty":4}') as Record<
      string,
      unknown
    >;
    expect(Object.getPrototypeOf(value)).toBeNull();
    expect(Object.keys(value)).toEqual(["__proto__", "constructor", "toString", "hasOwnProperty"]);
    expect(Object.getPrototypeOf({})).toBe(Object.prototype);
    expect(({} as Record<string, unknown>)["x"]).toBeUndefined();
  });

  test("names with escapes are not confused with plain names", () => {
    const text = String.raw`[{"a\"b":1,"c":2},{"a\"b":3,"c":4},{"\u0063":5},{"c":6}]`;
    expect(parse(text)).toEqual(JSON.parse(text));
    expect(() => parse(String.raw`[{"a\"b":1},{"a"b":1}]`)).toThrow(JsonSyntaxError);
    expect(parse('[{"ab":1},{"abc":2},{"a":3}]')).toEqual([{ ab: 1 }, { abc: 2 }, { a: 3 }]);
  });

  test("only a leading byte order mark is skipped", () => {
    expect(parse("\ufeff1")).toBe(1);
    expect(() => parse("\ufeff\ufeff1")).toThrow(JsonSyntaxError);
    expect(() => parse("1\ufeff")).toThrow(JsonSyntaxError);
  });

  test.each([
    "",
    " ",
    "\ufeff",
    "[",
    "{",
    "[1",
    "[1,",
    "[1,]",
    "[,1]",
    "[1 2]",
    '{"a"',
    '{"a":',
    '{"a":1',
    '{"a":1,',
    '{"a":1,}',
  ])("%j is refused", (text) => {
    expect(() => parse(text)).toThrow(JsonSyntaxError);
  });

  test.each([
    "{a:1}",
    "{'a':1}",
    "{1:1}",
    '{"a" 1}',
    '{"a":}',
    '{"a":1]',
    "[1}",
    "]",
    "}",
    ":",
    ",",
    "tru",
    "nul",
    "falsy",
    "True",
  ])("%j is refused", (text) => {
    expect(() => parse(text)).toThrow(JsonSyntaxError);
  });

  test.each(["1 2", "{} x", "[]]", "nulll", '"a""b"', "1,", "/* c */1", "1//"])("nothing may follow: %s", (text) => {
    expect(() => parse(text)).toThrow(JsonSyntaxError);
  });

  test("no-break spaces and other Unicode blanks are refused", () => {
    expect(() => parse("\u00a01")).toThrow(JsonSyntaxError);
    expect(() => parse("\u20281")).toThrow(JsonSyntaxError);
    expect(() => parse("\v1")).toThrow(JsonSyntaxError);
  });
});

describe("duplicate members", () => {
  test.each([
    ['{"a":1,"a":2}', 7, "a"],
    ['{"a":null,"a":null}', 10, "a"],
    [String.raw`{"a":1,"\u0061":2}`, 7, "a"],
    ['{"x":{"a":1,"b":[{"c":1,"c":2}]}}', 24, "x/b/0/c"],
    ['[1,{"a":[{},{"b":1,"b":2}]}]', 19, "1/a/1/b"],
    ['{"__proto__":1,"__proto__":2}', 15, "__proto__"],
  ])("%s", (text, position, path) => {
    const error = fault(text);
    expect(error).toMatchObject({ name: "JsonSyntaxError", position, path });
    expect(error.message).toContain("is given twice");
  });

  test("a long name is shortened", () => {
    const name = "x".repeat(1_000_000);
    const { message, path } = fault(`{"${name}":1,"${name}":2}`);
    expect(message.length).toBeLessThan(300);
    expect(path?.length).toBeLessThan(200);
  });

  test("the same name in another object is allowed", () => {
    expect(parse('[{"a":{"a":1}},{"a":2}]')).toEqual([{ a: { a: 1 } }, { a: 2 }]);
  });
});

describe("depth", () => {
  test.each([
    ["1", 0],
    ["[]", 1],
    ['{"a":[1]}', 2],
    ["[[],[[]],{}]", 3],
  ])("%s nests %i levels", (text, depth) => {
    expect(() => parse(text, depth)).not.toThrow();
    if (depth > 0) expect(fault(text, depth - 1).message).toContain(`nests deeper than ${depth - 1} levels`);
  });

  test.each(["[", '{"a":', '[{"a":', "[1,"])("a million of %s is refused at once", (part) => {
    const text = part.repeat(1_000_000);
    const start = processorTime();
    expect(fault(text).position).toBeLessThan(64 * 6);
    expect(processorTime() - start).toBeLessThan(10_000);
  });

  test("without a limit, deep nesting does not overflow the stack", () => {
    const depth = 200_000;
    let value = parse("[".repeat(depth) + "]".repeat(depth), Number.POSITIVE_INFINITY);
    let levels = 0;
    while (Array.isArray(value) && value.length === 1) {
      value = value[0] as JsonValue;
      levels += 1;
    }
    expect(levels).toBe(depth - 1);
  });
});

describe("messages", () => {
  test.each([
    ['{\n  "a": tru\n}', 'Unexpected "tru": expected a value at line 2, column 8 (position 9).'],
    ["[1,2", 'The JSON text ends too early: expected "," or "]" at line 1, column 5 (position 4).'],
    ['{"a":1 "b":2}', 'Unexpected "\\"": expected "," or "}" at line 1, column 8 (position 7).'],
    ["", "The JSON text ends too early: expected a value at line 1, column 1 (position 0)."],
    ["007", 'Unexpected "007": expected a number without zeros in front at line 1, column 1 (position 0).'],
    ["[1] x", 'Unexpected "x": expected nothing more after the value at line 1, column 5 (position 4).'],
  ])("%j", (text, message) => {
    expect(fault(text).message).toBe(message);
  });

  test("are short for any input", () => {
    expect(fault("a".repeat(100_000)).message.length).toBeLessThan(120);
    expect(fault(`"${"\\u000g".repeat(10)}`).message.length).toBeLessThan(200);
  });
});

describe("memory", () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const inUse = (): number => {
    collect();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };

  test("a string of escapes is not joined from millions of pieces", () => {
    const text = `"${String.raw`\n\u00e4`.repeat(1_000_000)}"`;
    const before = inUse();
    const value = parse(text);
    expect(inUse() - before).toBeLessThan(20_000_000);
    expect(value).toHaveLength(2_000_000);
  });

  test("a stored value does not keep its text in memory", () => {
    const before = inUse();
    const kept = Array.from({ length: 20 }, (_, index) => {
      const bytes = new TextEncoder().encode(
        `["a name of some length ${index}", ${"7".repeat(20)}.5${" ".repeat(5_000_000)}]`,
      );
      return parse(new TextDecoder().decode(bytes));
    });
    expect(inUse() - before).toBeLessThan(50_000_000);
    expect(kept[3]).toEqual(["a name of some length 3", new JsonNumber("77777777777777777777.5")]);
  });
});

describe("laws", () => {
  test("the text of JSON.stringify is parsed like JSON.parse", () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), fc.constantFrom(0, 1, 2), (json, blanks) => {
        const text = JSON.stringify(JSON.parse(json), undefined, blanks);
        expect(lossy(parse(text))).toStrictEqual(JSON.parse(text));
      }),
      { numRuns: caseCount(300) },
    );
  });

  test("a damaged text is refused exactly when JSON.parse refuses it", () => {
    const damage = fc.tuple(
      fc.json({ maxDepth: 3 }),
      fc.nat(),
      fc.constantFrom("", '"', "\\", ",", "}", "]", "0", ".", "e", "\n", "-"),
    );
    fc.assert(
      fc.property(damage, ([json, place, character]) => {
        const at = place % (json.length + 1);
        const text = json.slice(0, at) + character + json.slice(at + 1);
        const ours = outcome(() => lossy(parse(text, Number.POSITIVE_INFINITY)));
        // Only this parser refuses duplicate members.
        fc.pre(ours !== "duplicate");
        expect(ours).toStrictEqual(outcome(() => JSON.parse(text) as unknown));
      }),
      { numRuns: caseCount(500) },
    );
  });

  test("any text gives a value or a JsonSyntaxError", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...Array.from('[]{}",:\\untf0-.e1 \ud800')) }), (text) => {
        try {
          parse(text);
        } catch (error) {
          expect(error).toBeInstanceOf(JsonSyntaxError);
        }
      }),
    );
  });
});

function outcome(read: () => unknown): unknown {
  try {
    return { value: read() };
  } catch (error) {
    return error instanceof JsonSyntaxError && error.path !== undefined ? "duplicate" : "refused";
  }
}

describe("writeJsonString", () => {
  test.each([
    "",
    "plain",
    "ä€漢",
    '"',
    "\\",
    "\n",
    "\u0000",
    "\u001f",
    "\u007f",
    "😀",
    "\ud800",
    "a\udc00b",
    "\u2028",
    "[]!#",
  ])("%j is written like JSON.stringify", (text) => {
    expect(writeJsonString(text)).toBe(JSON.stringify(text));
  });

  test("its output round-trips", () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        expect(parse(writeJsonString(text))).toBe(text);
        expect(() => encodeURI(writeJsonString(text))).not.toThrow();
      }),
    );
  });
});

describe("the ends of strings", () => {
  test("of any length have the value of JSON.parse", () => {
    for (let length = 0; length < 120; length += 1) {
      for (const end of ["", "ä", String.raw`\n`, String.raw`\"x`, String.raw`\u00e4${"漢".repeat(60)}`]) {
        const text = `["${"x".repeat(length)}${end}","y"]`;
        expect(parse(text)).toEqual(JSON.parse(text));
      }
      const text = `["${"x".repeat(length)}\u0001","y"]`;
      expect(fault(text).position).toBe(length + 2);
      expect(fault(`["${"x".repeat(length)}`).position).toBe(length + 2);
    }
  });
});

describe("names", () => {
  test("keeps the names of an object with many members in their order", () => {
    const some = fc.array(
      fc.oneof(fc.nat(3000).map(String), fc.constantFrom("__proto__", "01", "a", "-1", "4294967295")),
    );
    fc.assert(
      fc.property(some, fc.integer({ min: 990, max: 1010 }), fc.boolean(), (others, count, isBefore) => {
        const many = Array.from({ length: count }, (_, index) => `n${String(index)}`);
        const names = [...new Set(isBefore ? [...others, ...many] : [...many, ...others])];
        const object = parse(`{${names.map((name) => `${JSON.stringify(name)}:1`).join(",")}}`) as JsonObject;
        expect(namesOf(object)).toEqual(Object.keys(object));
        expect(Reflect.ownKeys(object).filter((key) => typeof key === "string")).toEqual(Object.keys(object));
      }),
      { numRuns: caseCount(200) },
    );
  });

  test("refuses a long name", () => {
    const parse = (name: string): JsonValue => parseJson(` {"a":1,\n"${name}":2}`, { maxDepth: 1, maxNameLength: 10 });
    expect(parse("0123456789")).toEqual({ a: 1, "0123456789": 2 });
    for (const name of ["0123456789a", String.raw`\u0061`.repeat(11), "0123456789a".repeat(20)]) {
      expect(() => parse(name)).toThrow(
        new JsonSyntaxError("A member name is longer than 10 characters at line 2, column 1 (position 9).", {
          position: 9,
          path: undefined,
          isAtEnd: false,
        }),
      );
    }
  });
});
