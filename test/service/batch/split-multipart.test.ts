import fc from "fast-check";
import { expect, test } from "vitest";
import { MultipartError, splitMultipart } from "../../../src/service/batch/read-multipart.ts";
import { caseCount } from "../../cases.ts";

/** The parts as text, and the fault. */
function split(bytes: Uint8Array, boundary = "b"): readonly [parts: readonly string[], fault: string] {
  const parts: string[] = [];
  try {
    for (const part of splitMultipart(bytes, boundary)) parts.push(Buffer.from(part).toString("latin1"));
  } catch (error) {
    if (!(error instanceof MultipartError)) throw error;
    return [parts, error.fault];
  }
  return [parts, ""];
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

test("bodies are split at whole lines", () => {
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 40 }), (texts) => {
      const text = texts.join("");
      expect(split(Buffer.from(text, "latin1"))).toEqual(expectedParts(text));
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
  expect(split(Buffer.from(text, "latin1"))).toEqual([parts, fault]);
});

/** Lines of dashes that are not delimiters, because they are longer or shorter, and lines that contain one. */
const DASHES = ["-", "--", "--------------------", "x-----", "x ---", " -----", "-----x", "x-----------"];

test.each(["-", "--", "---", "-----------", "b-", "b--", "---b", "-b-"])(
  "a boundary with dashes at its end or beginning: %s",
  (boundary) => {
    const delimiter = `--${boundary}`;
    const others = [...DASHES, `${delimiter}-`, `${delimiter}---`, `${delimiter}--x`].filter(
      (line) => line !== delimiter && line !== `${delimiter}--`,
    );
    const preamble = others.filter((line) => /^-+$/.test(boundary) || !line.endsWith(delimiter));
    const lines = [
      ...preamble,
      delimiter,
      "one",
      ...others,
      delimiter,
      delimiter,
      "",
      "two",
      `${delimiter}--`,
      "three",
    ];
    expect(split(Buffer.from(lines.join("\r\n"), "latin1"), boundary)).toEqual([
      [["one", ...others].join("\r\n"), "", "\r\ntwo"],
      "",
    ]);
  },
);

test("the blanks of a delimiter are skipped, however many they are", () => {
  const blanks = " \t".repeat(500_000);
  expect(split(Buffer.from(`--b${blanks}\r\none\r\n--b--${blanks}`, "latin1"))).toEqual([["one"], ""]);
  expect(split(Buffer.from(`--b${blanks}x\r\n`, "latin1"))).toEqual([[], "no-delimiter"]);
});
