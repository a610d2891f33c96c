import { expect, test } from "vitest";
import { targetsOf } from "./links.ts";
import { readSource } from "./source-files.ts";

const page = readSource("docs/conformance.md");
const rows = page.text
  .split("\n")
  .filter((line) => line.startsWith("| ") && !/^\| (?:clause|feature|---) /u.test(line))
  .map((line) => line.split(" | "));

/** Clauses that refer to other clauses of the page. */
const REFERRING = /^as (?:the tables? above|clause)/u;

test("each clause that is claimed names the tests that hold it, in files of tests", () => {
  expect(rows.length).toBeGreaterThan(75);
  const untested = rows.filter(
    ([, claim = "", tests = ""]) =>
      !tests.includes(".test.ts)") && !claim.startsWith("not claimed") && !REFERRING.test(claim),
  );
  expect(untested.map(([clause]) => clause)).toEqual([]);
  // That the files exist is a test of all pages.
  const outside = targetsOf(page).filter(({ target }) => target.startsWith("../"));
  expect(outside.filter(({ target }) => !/^\.\.\/test\/.+\.test\.ts$/u.test(target))).toEqual([]);
});

test("no clause of a level is missing", () => {
  const numbers = rows.flatMap(([clause = ""]) => /^\| ([\d.]+) /u.exec(clause)?.[1] ?? []);
  const from = (first: number, last: number) =>
    Array.from({ length: last - first + 1 }, (_, index) => String(first + index));
  const minimal = [...from(1, 4), "5.1", "5.2", ...from(6, 28)];
  const intermediate = [...from(1, 6), "7.1", "7.2", "7.3", "7.4", "7.5", ...from(8, 17)];
  const nested = from(1, 8).map((number) => `9.${number}`);
  expect(numbers).toEqual([...minimal, ...intermediate, ...from(1, 8), ...nested, ...from(10, 16)]);
});
