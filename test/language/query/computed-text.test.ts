import { describe, expect, test } from "vitest";
import { PRIMITIVE_TYPES } from "../../../src/edm/primitive-type.ts";
import { mostBytes, textParts } from "../../../src/language/query/computed-text.ts";
import type { CallExpression, Expression } from "../../../src/language/query/expression.ts";

const STRING = PRIMITIVE_TYPES["Edm.String"];
const TEXT: Expression = { kind: "literal", value: "a", type: STRING };
const NUMBER: Expression = { kind: "literal", value: 1, type: PRIMITIVE_TYPES["Edm.Int32"] };

function call(name: CallExpression["name"], ...given: readonly Expression[]): CallExpression {
  return { kind: "call", name, arguments: given, type: STRING };
}

describe("a computed text that no binder has counted", () => {
  test("may have as many bytes as the only one of a request", () => {
    expect(mostBytes(call("concat", TEXT, TEXT))).toBe(16_000_000);
  });

  test("is not judged as a function of one value", () => {
    expect(textParts(call("tolower", TEXT))).toBeNull();
  });

  test("is judged by its texts, without numbers and calls of nothing", () => {
    expect(textParts(call("concat", TEXT, NUMBER))).toEqual([{ expression: TEXT }]);
    expect(textParts(call("concat", call("trim"), TEXT))).toEqual([{ expression: TEXT }]);
  });
});
