import { describe, expect, test } from "vitest";
import { parseBoolean, parseNonNegativeInteger } from "../../../src/language/syntax/query-options-parser.ts";
import { errorOf } from "./parsing.ts";

describe("parseNonNegativeInteger", () => {
  test.each([
    ["0", 0],
    ["5", 5],
    ["007", 7],
    ["9007199254740991", 9007199254740991],
  ])("%s", (text, value) => {
    expect(parseNonNegativeInteger(text, "$top")).toBe(value);
  });

  test.each([
    ["", "$top must be a whole number of 0 or more, it has no value."],
    ["-1", '$top must be a whole number of 0 or more, not "-1".'],
    ["+1", "whole number"],
    ["1.0", "whole number"],
    ["1e309", "whole number"],
    ["abc", "whole number"],
    [" 5", "whole number"],
    ["٣", "whole number"],
    ["9007199254740992", "$top must not be greater than 9007199254740991"],
    ["99999999999999999999", "must not be greater"],
    ["9".repeat(10_000), "…"],
  ])("%s is refused", (text, message) => {
    const error = errorOf(() => parseNonNegativeInteger(text, "$top"));
    expect(error).toMatchObject({ status: 400, code: "InvalidQueryOption", target: "$top" });
    expect(error.message).toContain(message);
    expect(error.message.length).toBeLessThan(200);
  });

  test("the message may name a place other than the target", () => {
    const error = errorOf(() => parseNonNegativeInteger("x", "$expand", "$top within $expand"));
    expect(error).toMatchObject({
      target: "$expand",
      message: '$top within $expand must be a whole number of 0 or more, not "x".',
    });
  });
});

describe("parseBoolean", () => {
  test.each([
    ["true", true],
    ["TRUE", true],
    ["False", false],
  ])("%s", (text, value) => {
    expect(parseBoolean(text, "$count")).toBe(value);
  });

  test.each(["", "1", "0", "yes", "truee", " true", "falsehood"])("%s is refused", (text) => {
    const error = errorOf(() => parseBoolean(text, "$count"));
    expect(error).toMatchObject({ status: 400, code: "InvalidQueryOption", target: "$count" });
    expect(error.message).toContain("$count must be true or false");
  });
});
