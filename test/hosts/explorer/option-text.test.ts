import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  offsetInText,
  readQueryText,
  toRequestTarget,
  writeQueryText,
} from "../../../explorer/src/query/option-text.ts";
import { parseQueryOptions, splitTarget } from "../../../src/language/syntax/query-options-parser.ts";
import { anyCharacter } from "../../any-character.ts";

function read(text: string, root?: string): { path: string; options: Record<string, string> } {
  const { path, options } = readQueryText(text, root);
  return { path, options: Object.fromEntries(options) };
}

describe("the text of a query", () => {
  test.for([
    ["Orders", "Orders", {}],
    ["Orders?", "Orders", {}],
    ["Orders?$filter=Total gt 5&$top=5", "Orders", { $filter: "Total gt 5", $top: "5" }],
    [
      "Orders?\n  $filter=Total gt 5\n    and Id lt 3\n  &$top=5\n",
      "Orders",
      { $filter: "Total gt 5     and Id lt 3", $top: "5" },
    ],
    ["Orders?$filter=Name eq 'A & B'&$top=5", "Orders", { $filter: "Name eq 'A & B'", $top: "5" }],
    ["Orders?$filter=Name eq 'it''s & more'&x=5", "Orders", { $filter: "Name eq 'it''s & more'", x: "5" }],
    ["Orders?$search=O'Brien&$top=5", "Orders", { $search: "O'Brien", $top: "5" }],
    ["Orders?$search=O'Brien&x=5", "Orders", { $search: "O'Brien", x: "5" }],
    ["Orders?%24filter=Name%20eq%20%27100%25%27", "Orders", { $filter: "Name eq '100%'" }],
    ["Orders?$filter=contains(Name,'100%')", "Orders", { $filter: "contains(Name,'100%')" }],
    ["Orders?$filter=At gt 2024-01-01T00:00:00+02:00", "Orders", { $filter: "At gt 2024-01-01T00:00:00+02:00" }],
    ["Customers('why?')/Orders?$top=1", "Customers('why%3F')/Orders", { $top: "1" }],
    ["Orders?sap-client=100&flag", "Orders", { "sap-client": "100", flag: "" }],
    ["/Orders?&&$top=1&", "Orders", { $top: "1" }],
    ["Orders?$filter=Name eq '%FF'", "Orders", { $filter: "Name eq '%FF'" }],
  ] as const)("reads %s", ([text, path, options]) => {
    expect(read(text)).toEqual({ path, options });
  });

  test("may begin with the URL of the service", () => {
    expect(read(" https://a.example/odata/Orders?$top=1", "https://a.example/odata/")).toEqual({
      path: "Orders",
      options: { $top: "1" },
    });
  });

  test("has every value of a repeated name in its pieces", () => {
    const { pieces } = readQueryText("Orders?a=1&a=2");
    expect(pieces.map(({ name, value }) => [name, value])).toEqual([
      ["a", "1"],
      ["a", "2"],
    ]);
  });

  test("is written readably", () => {
    const options = new Map([
      ["$filter", "Name eq 'Größe & 100%' and At gt 2024-01-01T00:00:00+02:00"],
      ["$top", "5"],
    ]);
    expect(writeQueryText({ path: "Orders", options })).toBe(
      "Orders?$filter=Name eq 'Größe %26 100%' and At gt 2024-01-01T00:00:00+02:00&$top=5",
    );
    expect(writeQueryText({ path: "Orders", options: new Map() })).toBe("Orders");
  });

  test("becomes the target of a request", () => {
    const options = new Map([["$filter", "Name eq 'Größe & 100%' and At gt 2024-01-01T00:00:00+02:00"]]);
    expect(toRequestTarget({ path: "Kunden('Ä%2F')/Größe", options })).toBe(
      "Kunden('%C3%84%2F')/Gr%C3%B6%C3%9Fe?$filter=Name%20eq%20'Gr%C3%B6%C3%9Fe%20%26%20100%25'%20and%20At%20gt%202024-01-01T00:00:00%2B02:00",
    );
  });

  test("says where the characters of a decoded value stand", () => {
    const text = "Orders?$filter=Name%20eq 'a'";
    const [piece] = readQueryText(text).pieces;
    expect(
      piece === undefined ? null : [0, 4, 5, 8, 99].map((at) => text.slice(offsetInText(text, piece, at))),
    ).toEqual(["Name%20eq 'a'", "%20eq 'a'", "eq 'a'", "'a'", ""]);
  });

  const names = fc.oneof(
    fc.constantFrom("$filter", "$search", "@p", "sap-client"),
    fc.string({ unit: anyCharacter, minLength: 1 }).map((name) => `n${name}`),
  );
  const values = fc.oneof(fc.string({ unit: anyCharacter }), fc.stringMatching(/^[ '%&=#+?aF4\n]*$/u));

  test("keeps every option", () => {
    fc.assert(
      fc.property(fc.dictionary(names, values, { noNullPrototype: true }), (pairs) => {
        const options = new Map(Object.entries(pairs));
        const { path, options: read } = readQueryText(writeQueryText({ path: "Orders", options }));
        expect([path, [...read]]).toEqual(["Orders", [...options]]);
      }),
    );
  });

  test("has the same options in a request", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.stringMatching(/^n\w*$/u), values, { noNullPrototype: true }), (pairs) => {
        const target = toRequestTarget({ path: "Orders", options: new Map(Object.entries(pairs)) });
        expect(new URL(target, "http://a.example/").href).toBe(`http://a.example/${target.replaceAll("'", "%27")}`);
        const { custom } = parseQueryOptions(splitTarget(target).query);
        expect(Array.from(custom, ([name, [value]]) => [name, value])).toEqual(Object.entries(pairs));
      }),
    );
  });

  test("never throws", () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), fc.string(), (text, root) => void readQueryText(text, root)),
    );
  });
});
