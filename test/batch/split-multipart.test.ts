import fc from "fast-check";
import { expect, test } from "vitest";
import { MultipartError, splitMultipart } from "../../src/batch/split-multipart.ts";
import { caseCount } from "../cases.ts";

/** The parts as text, the fault, and the number of pauses. */
function split(bytes: Uint8Array, isOver: boolean): readonly [parts: readonly string[], fault: string, pauses: number] {
  const parts: string[] = [];
  let pauses = 0;
  try {
    for (const part of splitMultipart(bytes, "b", { isOver })) {
      if (part === null) pauses += 1;
      else parts.push(Buffer.from(part).toString("latin1"));
    }
  } catch (error) {
    if (!(error instanceof MultipartError)) throw error;
    return [parts, error.fault, pauses];
  }
  return [parts, "", pauses];
}

/** The lines of a body by a search of the whole text. */
function expectedParts(text: string): readonly [parts: readonly string[], fault: string] {
  const parts: string[] = [];
  let start = -1;
  const first = /--b(?:--)?[ \t]*(?:\r?\n|\r?$(?![^]))/.exec(text)?.index ?? 0;
  if (first > 0 && text[first - 1] !== "\n") return [parts, "misplaced"];
  for (const { index, 0: line, groups } of text.matchAll(/(?<=^|\n)--b(?<closing>--)?[ \t]*(?:\r?\n|\r?$(?![^]))/g)) {
    if (start >= 0) parts.push(text.slice(start, Math.max(start, index)).replace(/\r?\n$/, ""));
    if (groups?.["closing"] !== undefined) return [parts, ""];
    start = index + line.length;
  }
  return [parts, start < 0 ? "no-delimiter" : "not-closed"];
}

const pieces = fc.constantFrom("--b", "--b--", "--", "-", "b", "\r\n", "\n", "\r", " ", "x", "\r\n--b\r\n", "--bb");

test("bodies are split at whole lines, with pauses and without", () => {
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 40 }), (texts) => {
      const text = texts.join("");
      const bytes = Buffer.from(text, "latin1");
      const [parts, fault] = expectedParts(text);
      expect(split(bytes, false)).toEqual([parts, fault, 0]);
      expect(split(bytes, true).slice(0, 2)).toEqual([parts, fault]);
    }),
    { numRuns: caseCount(500) },
  );
});

const MARK = "\u00ef\u00bb\u00bf";

test.each<readonly [string, readonly string[], string]>([
  [`${MARK}--b\r\none\r\n--b--`, ["one"], ""],
  [`${MARK}--b--`, [], ""],
  [`${MARK}preamble\r\n--b\r\none\r\n--b--`, ["one"], ""],
  [`${MARK}\r\n--b\r\none\r\n--b--`, ["one"], ""],
  [MARK, [], "no-delimiter"],
  [`${MARK}${MARK}--b\r\none\r\n--b--`, [], "misplaced"],
  [`preamble\r\n${MARK}--b\r\none\r\n--b--`, [], "misplaced"],
  ["\u00fe\u00ff--b\r\none\r\n--b--", [], "misplaced"],
  [" --b\r\none\r\n--b\r\ntwo\r\n--b--", [], "misplaced"],
  ["x--b--", [], "misplaced"],
  [`--b\r\n${MARK}one\r\n${MARK}--b\r\n--b--`, [`${MARK}one\r\n${MARK}--b`], ""],
])("the first delimiter of %j", (text, parts, fault) => {
  expect(split(Buffer.from(text, "latin1"), false)).toEqual([parts, fault, 0]);
});

test.each([262_141, 262_142, 262_143, 262_144, 262_145])(
  "a delimiter is found at offset %i, around a pause",
  (offset) => {
    const preamble = `${"x".repeat(offset - 1)}\n`;
    const bytes = Buffer.from(`${preamble}--b\r\none\r\n--b--\r\n`, "latin1");
    expect(split(bytes, true).slice(0, 2)).toEqual([["one"], ""]);
    const before = Buffer.from(`--b\r\n${preamble}--b--`, "latin1");
    expect(split(before, true).slice(0, 2)).toEqual([["x".repeat(offset - 1)], ""]);
  },
);

test.each([["x"], ["\r\n"], ["\r\n--a"], ["-"], ["\n--bb"]])("a search among %j pauses", (text) => {
  const bytes = Buffer.from(text.repeat(Math.ceil(3_000_000 / text.length)), "latin1");
  const [, fault, pauses] = split(bytes, true);
  expect(fault).toBe("no-delimiter");
  expect(pauses).toBeGreaterThan(10);
});

test("the blanks of a delimiter pause, however many they are", () => {
  const blanks = " \t".repeat(500_000);
  const bytes = Buffer.from(`--b${blanks}\r\none\r\n--b--${blanks}`, "latin1");
  const [parts, fault, pauses] = split(bytes, true);
  expect([parts, fault]).toEqual([["one"], ""]);
  expect(pauses).toBeGreaterThanOrEqual(8);
  expect(split(Buffer.from(`--b${blanks}x\r\n`, "latin1"), true).slice(0, 2)).toEqual([[], "no-delimiter"]);
});
