import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isODataError } from "../../../src/base/errors/odata-error.ts";
import type { ParseContext } from "../../../src/language/syntax/parse-context.ts";
import { parseKeyPredicate, parseResourcePath } from "../../../src/language/syntax/path-parser.ts";
import { parseQueryOptions, parseQueryString, splitTarget } from "../../../src/language/syntax/query-options-parser.ts";
import { parseSearch } from "../../../src/language/syntax/search-parser.ts";
import { parseExpand, parseSelect } from "../../../src/language/syntax/select-expand-parser.ts";
import { anyCharacter } from "../../any-character.ts";
import { caseCount } from "../../cases.ts";
import { processorTime } from "../../processor-time.ts";
import { parseContext } from "../syntax/parsing.ts";

const ALIASES = { "@p": "1", "@q": "'x'", "@loop": "@loop" };

const PARSERS: Readonly<Record<string, (text: string, context: ParseContext) => unknown>> = {
  splitTarget,
  parseQueryString,
  parseQueryOptions: (text) => parseQueryOptions(text),
  "parseQueryOptions without signs": (text) =>
    parseQueryOptions(text, { signIsOptional: true, isParameter: () => false }),
  parseResourcePath,
  key: (text, context) => parseKeyPredicate(text, context, { target: "key" }),
  arguments: (text, context) => parseKeyPredicate(text, context, { target: "Function" }),
  parseSelect,
  parseExpand,
  "parseExpand without signs": (text, context) => parseExpand(text, { ...context, signIsOptional: true }),
  parseSearch,
};

/** Pieces of the grammars. */
const PIECES = (
  "( ) [ ] { } ' '' \" \\ , ; : / // = & ? # @ @p @q @loop $ * . + - % %2 %27 %2F %00 %C3%A4 %ff %ED%A0%80 " +
  "a B Name Ns.Type Ns.* __proto__ ü \u{1f600} \ud800 \0 1 -5 2.5 null true AND OR NOT eq and not in any( " +
  "$filter= $orderby= $top= $skip= $count= $search= $select= $expand= $levels= top= search= $ref $count $value /$ref /$count max"
)
  .split(" ")
  .concat(" ", "\t", "\n");

const text = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 60 }),
  fc.array(fc.constantFrom(...PIECES), { maxLength: 30 }).map((pieces) => pieces.join("")),
);

/** Runs a parser. Any outcome other than a result or a 400 fails the test. */
function attempt(parse: (text: string, context: ParseContext) => unknown, input: string): void {
  const context = parseContext({}, ALIASES);
  try {
    parse(input, context);
  } catch (error) {
    if (!isODataError(error)) throw error;
    expect(error.status).toBeGreaterThanOrEqual(400);
    expect(error.status).toBeLessThan(500);
    expect(error.message.length).toBeLessThan(400);
  }
  expect(context.counters.tokens).toBeLessThanOrEqual(input.length + 20 * PIECES.length);
}

describe.each(Object.entries(PARSERS))("%s", (_name, parse) => {
  test("is parsed, or refused with an ODataError", () => {
    fc.assert(
      fc.property(text, (input) => attempt(parse, input)),
      { numRuns: caseCount(400) },
    );
  });

  test.each([
    "(",
    "'",
    '"',
    "\\",
    "&",
    "%",
    "%4",
    "%41",
    "/",
    "a/",
    "a(",
    "a,",
    "a;",
    ",",
    ";",
    " ",
    "\t",
    "-",
    "+",
    "=",
    "*",
    "@p",
    "@p,",
    ".",
    "a.",
    "1,",
    "''",
    "[",
    "{",
    "NOT ",
    "a ",
    "not ",
    "$expand=",
    "a($expand=",
    "a($filter=",
    "a($search=",
    '"\\',
    "a($filter='",
    "()",
    "a()",
    "ü",
    "\ud83d\ude00",
    "\ud83d",
  ])("a million characters of %j take less than a second", (piece) => {
    const input = piece.repeat(Math.ceil(1_000_000 / piece.length));
    const start = processorTime();
    const context = parseContext({}, ALIASES);
    try {
      parse(input, context);
    } catch (error) {
      if (!isODataError(error)) throw error;
      expect(error.message.length).toBeLessThan(400);
    }
    expect(processorTime() - start).toBeLessThan(10_000);
    expect(context.counters.tokens).toBeLessThanOrEqual(context.limits.maxTokens + 1);
  });
});

test("parsing does not change the prototype of objects", () => {
  parseQueryOptions("__proto__=1&constructor=2&@__proto__=3");
  parseExpand("__proto__($select=__proto__)", parseContext());
  expect(Object.keys(Object.prototype)).toEqual([]);
});

test("a string key round-trips through the path, whatever its characters", () => {
  const key = fc.string({ unit: anyCharacter });
  fc.assert(
    fc.property(key, (value) => {
      const [segment] = parseResourcePath(`/Set('${encodeURIComponent(value.replaceAll("'", "''"))}')`);
      const { parts } = parseKeyPredicate(segment?.parentheses ?? "", parseContext(), { target: "key" });
      expect(parts).toMatchObject([{ name: null, value: { literal: { type: "Edm.String", text: value } } }]);
    }),
    { numRuns: caseCount(500) },
  );
});

test("names and values of the query string round-trip", () => {
  const piece = fc.string({ unit: anyCharacter, maxLength: 20 });
  const pairs = fc.array(
    fc.tuple(
      piece.filter((name) => name !== ""),
      piece,
    ),
    { maxLength: 5 },
  );
  fc.assert(
    fc.property(pairs, (expected) => {
      const query = expected
        .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
        .join("&");
      expect(parseQueryString(query).map(({ name, value }) => [name, value])).toEqual(expected);
    }),
    { numRuns: caseCount(300) },
  );
});
