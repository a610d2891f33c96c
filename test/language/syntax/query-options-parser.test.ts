import { describe, expect, test } from "vitest";
import { parseQueryOptions, parseQueryString, splitTarget } from "../../../src/language/syntax/query-options-parser.ts";
import { errorOf } from "./parsing.ts";

describe("splitTarget", () => {
  test.each([
    ["/odata/Orders", "/odata/Orders", ""],
    ["/odata/Orders?", "/odata/Orders", ""],
    ["/odata/Orders?$top=1", "/odata/Orders", "$top=1"],
    ["/Orders?a=b?c", "/Orders", "a=b?c"],
    ["/Orders?a=b#c?d", "/Orders", "a=b"],
    ["/$metadata#Orders?x", "/$metadata", ""],
    ["http://host:80/odata/Orders?a=http://x/y", "/odata/Orders", "a=http://x/y"],
    ["HTTPS://host?a", "/", "a"],
    ["http://host", "/", ""],
    ["/x/../y%2Fz", "/x/../y%2Fz", ""],
    ["Orders(1)", "Orders(1)", ""],
    ["", "", ""],
  ])("%s", (target, path, query) => {
    expect(splitTarget(target)).toEqual({ path, query });
  });
});

describe("parseQueryString", () => {
  test.each([
    ["", []],
    ["&&", []],
    ["a", [["a", "", "a"]]],
    ["a=", [["a", "", "a="]]],
    ["=b", [["", "b", "=b"]]],
    ["a=b=c", [["a", "b=c", "a=b=c"]]],
    ["a+b=c+d", [["a b", "c d", "a+b=c+d"]]],
    ["a=1%2B1", [["a", "1+1", "a=1%2B1"]]],
    ["%24top=1", [["$top", "1", "%24top=1"]]],
    [
      "a=%26%3D&b=%C3%A4ä",
      [
        ["a", "&=", "a=%26%3D"],
        ["b", "ää", "b=%C3%A4ä"],
      ],
    ],
    ["a=%2525", [["a", "%25", "a=%2525"]]],
    ["a=%00", [["a", "\0", "a=%00"]]],
    ["__proto__=1", [["__proto__", "1", "__proto__=1"]]],
  ])("%s", (query, expected) => {
    expect(parseQueryString(query).map(({ name, value, raw }) => [name, value, raw])).toEqual(expected);
  });

  test.each([
    [
      "$filter=a%",
      "$filter",
      'The value of the query option "$filter" has an invalid percent-encoding "%" at position 1',
    ],
    ["$filter=ab%4", "$filter", '"%4" at position 2'],
    ["$filter=%41%zz", "$filter", '"%zz" at position 3'],
    ["x=%C3%A4%C0%AF", "x", '"%C3%A4%C0%AF" at position 0'],
    ["x=%ED%A0%80", "x", "at position 0"],
    ["x=ok%20%FF", "x", "at position 2"],
    ["%=1", "%", 'The name of the query option "%"'],
  ])("%s is refused", (query, target, message) => {
    const error = errorOf(() => parseQueryString(query));
    expect(error).toMatchObject({ status: 400, code: "InvalidQueryOption", target });
    expect(error.message).toContain(message);
  });
});

describe("parseQueryOptions", () => {
  test("sorts options by kind", () => {
    const options = parseQueryOptions("$filter=a%20eq%20@p&@p=1&x=1&y&x=2&__proto__=3&constructor=4");
    expect([...options.system]).toEqual([["$filter", "a eq @p"]]);
    expect([...options.aliases]).toEqual([["@p", "1"]]);
    expect([...options.custom]).toEqual([
      ["x", ["1", "2"]],
      ["y", [""]],
      ["__proto__", ["3"]],
      ["constructor", ["4"]],
    ]);
    expect(options.pairs).toHaveLength(7);
  });

  test("knows every system query option of 4.0", () => {
    const names =
      "filter orderby top skip count search select expand format skiptoken deltatoken apply compute index id";
    const query = names
      .split(" ")
      .map((name) => `$${name}=x`)
      .join("&");
    expect([...parseQueryOptions(query).system.keys()].join(" ")).toBe(`$${names.replaceAll(" ", " $")}`);
  });

  test.each([
    ["$TOP=1", "$TOP", "Write $top."],
    ["$filtre=1", "$filtre", "Write $filter."],
    ["$orderBy=1", "$orderBy", "Write $orderby."],
    ["$inlinecount=allpages", "$inlinecount", "Write $count=true."],
    ["$levels=2", "$levels", "It belongs to an item of $expand"],
    ["$schemaversion=*", "$schemaversion", 'Unknown query option "$schemaversion".'],
    ["$=1", "$", "Custom options must not begin with $."],
    ["$__proto__=1", "$__proto__", "Custom options must not"],
    [`$${"x".repeat(200)}=1`, `$${"x".repeat(200)}`, "…"],
  ])("%s is unknown", (query, target, message) => {
    const error = errorOf(() => parseQueryOptions(query));
    expect(error).toMatchObject({ status: 400, code: "UnsupportedQueryOption", target });
    expect(error.message).toContain(message);
  });

  test.each([
    ["$filter=+true", "$filter"],
    ["$select=Name%20", "$select"],
    ["$orderby=%09Name", "$orderby"],
    ["$expand=Name%09", "$expand"],
    ["$top=1&$top=1", "$top"],
    ["$top=1&%24top=2", "$top"],
    ["@p=1&@p=2", "@p"],
    ["@=1", "@"],
    ["@1=1", "@1"],
    ["@a.b=1", "@a.b"],
  ])("%s is invalid", (query, target) => {
    expect(errorOf(() => parseQueryOptions(query))).toMatchObject({ status: 400, code: "InvalidQueryOption", target });
  });
});
