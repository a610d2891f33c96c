import { describe, expect, test } from "vitest";
import { readSuite, SUITE_FOLDER } from "./abnf-case.ts";
import { NOT_MET } from "./not-met.ts";
import { refusalOf } from "./run-case.ts";

const suite = readSuite();
if (suite === null) console.log(`The OASIS ABNF cases are skipped: ${SUITE_FOLDER} does not hold them.`);

describe.skipIf(suite === null)("the OASIS ABNF cases", () => {
  const { cases, model } = suite ?? { cases: [], model: {} };

  test.each(cases.map((abnfCase) => [abnfCase.id, abnfCase.rule, abnfCase.input, abnfCase] as const))(
    "%s %s %j",
    (id, _rule, _input, abnfCase) => {
      const refusal = refusalOf(abnfCase, model);
      const isMet = (refusal === null) === abnfCase.valid;
      const outcome = isMet ? "met" : `not met: ${refusal ?? "it is accepted"}`;
      expect(outcome).toEqual(NOT_MET.has(id) ? expect.stringContaining("not met") : "met");
    },
  );

  test("105 of 420 cases differ, each for a known reason", () => {
    expect({ cases: cases.length, notMet: NOT_MET.size }).toEqual({ cases: 420, notMet: 105 });
    expect([...NOT_MET.keys()].filter((id) => !cases.some((abnfCase) => abnfCase.id === id))).toEqual([]);
  });

  test("cases that differ because of their version belong to that version", () => {
    const wrong = cases.filter(({ id, v401only }) => NOT_MET.get(id)?.startsWith("4.01 only") === true && !v401only);
    expect(wrong.map(({ id }) => id)).toEqual([]);
  });
});
