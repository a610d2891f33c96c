import fc from "fast-check";
import { expect, test } from "vitest";
import { readableJson } from "../../../src/tools/cli/query/query-command.ts";
import { caseCount } from "../../cases.ts";

test("indents JSON as JSON.stringify does", () => {
  const property = fc.property(fc.jsonValue(), fc.constantFrom(undefined, 1), (value, space) => {
    expect(readableJson(JSON.stringify(value, null, space))).toBe(JSON.stringify(value, null, 2));
  });
  fc.assert(property, { numRuns: caseCount(500) });
});

test.each(["9223372036854775807", "12345678901234567890.120", "1.0", "-0", "1E400"])("keeps %s", (number) => {
  expect(readableJson(number)).toBe(number);
});
