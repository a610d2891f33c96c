import { describe, expect, test } from "vitest";
import { bytesOfHostBody } from "../../src/http/host-body.ts";

const TYPE = "application/json";

const written = (body: unknown): string => new TextDecoder().decode(bytesOfHostBody(body, TYPE, null));

describe("a body that the host has parsed", () => {
  test.each<readonly [string, string]>([
    ["-0", "-0"],
    ["[-0,0,-0.0]", "[-0,0,-0]"],
    ['{"A":-0}', '{"A":-0}'],
    ["null", "null"],
    ['{"__proto__":{"A":1},"constructor":2,"toJSON":3}', '{"__proto__":{"A":1},"constructor":2,"toJSON":3}'],
    ['{"A":{"B":[true,"é",1.5]}}', '{"A":{"B":[true,"é",1.5]}}'],
    ['{"A":1e-7}', '{"A":1e-7}'],
  ])("JSON.parse of %s is written as %s", (text, expected) => {
    expect(written(JSON.parse(text))).toBe(expected);
  });

  test.each(["1e400", "-1e400", '{"A":[1e309]}'])("JSON.parse of %s is the fault of the client", (text) => {
    expect(() => written(JSON.parse(text))).toThrow(expect.objectContaining({ status: 400, code: "InvalidBody" }));
  });

  test("NaN is rejected", () => {
    expect(() => written({ A: Number.NaN })).toThrow(expect.objectContaining({ status: 400, code: "InvalidBody" }));
  });

  test("bigints, and objects without a prototype, are written", () => {
    const values = Object.assign(Object.create(null) as object, { A: 2n ** 63n });
    expect(written(values)).toBe('{"A":9223372036854775808}');
  });

  test("a date that a reviver has made is its text", () => {
    expect(written({ A: new Date(0) })).toBe('{"A":"1970-01-01T00:00:00.000Z"}');
  });

  test.each<readonly [string, unknown]>([
    ["Date", new Date(Number.NaN)],
    ["Map", new Map([["A", 1]])],
    ["Set", new Set([1])],
    ["Buffer", Buffer.from("A")],
    ["Uint8Array", new Uint8Array(1)],
    ["RegExp", /a/u],
    ["Number", Object(1)],
  ])("a %s within the body is no JSON", (name, value) => {
    expect(() => written({ A: value })).toThrow(
      `an object of the class ${name}. Mount the service before body parsers.`,
    );
    expect(() => written([value])).toThrow("Mount the service");
  });

  test.each(["9007199254740993", "0.12345678901234567", '{"A":[-1e20]}'])(
    "JSON.parse of %s may have lost digits, which the client can send in a string",
    (text) => {
      expect(() => written(JSON.parse(text))).toThrow(
        expect.objectContaining({
          status: 400,
          code: "InvalidBody",
          message: expect.stringMatching(
            /^The host parsed the body, and its number \S+ may have lost digits\. Send the number as a string, or let the host pass the raw body to the service\.$/,
          ) as unknown,
        }),
      );
    },
  );
});
