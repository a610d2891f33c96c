import { expect, test } from "vitest";
import { readSource } from "../../house/source-files.ts";

test("the reference describes every code of findings, in order", () => {
  const codes = Array.from(
    readSource("src/base/errors/schema-finding.ts").text.matchAll(/\| "(C\d\d)"/g),
    ([, code]) => code,
  );
  const rows = Array.from(readSource("docs/reference/check.md").text.matchAll(/^\| (C\d\d) \|/gm), ([, code]) => code);
  expect(codes.length).toBeGreaterThan(10);
  expect(rows).toEqual(codes);
});
