import { describe, expect, test } from "vitest";
import { readBaseUrl, checkMaxVersion } from "../../src/http/base-url.ts";
import { matchesEntityTag } from "../../src/http/conditional.ts";
import { readHeaderParameter, splitHeaderList, readPreferences } from "../../src/http/headers.ts";
import { nextLink } from "../../src/http/next-link.ts";
import type { ODataRequest } from "../../src/http/odata-request.ts";

describe("splitHeaderList", () => {
  test.each([
    ["", []],
    ["a", ["a"]],
    [" a , b ,, c ", ["a", "b", "c"]],
    ['"a,b", c', ['"a,b"', "c"]],
    [String.raw`"a\",b",c`, [String.raw`"a\",b"`, "c"]],
    ['"open, a', ['"open, a']],
  ])("%j", (text, items) => {
    expect(splitHeaderList(text)).toEqual(items);
  });

  test("reads a million commas once", () => {
    expect(splitHeaderList(",".repeat(1_000_000))).toEqual([]);
  });
});

test("readHeaderParameter reads quoted and bare values", () => {
  expect(readHeaderParameter(' Name = "a\\"b" ')).toEqual({ name: "name", value: 'a"b' });
  expect(readHeaderParameter("q=0.5")).toEqual({ name: "q", value: "0.5" });
  expect(readHeaderParameter("Flag")).toEqual({ name: "flag", value: "" });
  expect(readHeaderParameter('a="')).toEqual({ name: "a", value: '"' });
});

describe("checkMaxVersion", () => {
  test.each([undefined, "4.0", " 4.0 ", "4 . 0", "4.01", "4.1", "5.0", "10.0", "4.0;NetFx", "4.0; x", "06.2831852000"])(
    "%j proceeds",
    (header) => {
      expect(() => checkMaxVersion(header)).not.toThrow();
    },
  );
  test.each(["3.0", "2.0;x", "", "4", "four", "4.0.0", "4.x", "-4.0", "4.0,4.0", "99999999999.0", "1e9.0"])(
    "%j is refused",
    (header) => {
      expect(() => checkMaxVersion(header)).toThrow(
        expect.objectContaining({ status: 400, code: "UnsupportedODataVersion", target: "OData-MaxVersion" }),
      );
    },
  );
});

describe("readPreferences", () => {
  test.each<[string | undefined, number | undefined]>([
    [undefined, undefined],
    ["maxpagesize=5", 5],
    ["odata.maxpagesize=7", 7],
    ["MaxPageSize = 5", 5],
    ['maxpagesize="5"', 5],
    ["return=minimal, maxpagesize=5;x=1", 5],
    ["maxpagesize=5,maxpagesize=6", 5],
    ["maxpagesize=0", undefined],
    ["maxpagesize=-1", undefined],
    ["maxpagesize", undefined],
    ["maxpagesize=abc", undefined],
    ["maxpagesize=1e3", undefined],
    ["maxpagesize=99999999999999999999", undefined],
    ["maxpagesize=9999999999999999", undefined],
    ["", undefined],
  ])("%j has the page size %j", (header, size) => {
    expect(readPreferences(header).maxPageSize).toBe(size);
  });

  test("keeps the name that the client used, and the first return preference", () => {
    expect(readPreferences("odata.maxpagesize=3")).toEqual({
      maxPageSize: 3,
      maxPageSizeName: "odata.maxpagesize",
      return: undefined,
    });
    expect(readPreferences("return=minimal,return=representation").return).toBe("minimal");
    expect(readPreferences("return=other,return=representation").return).toBe("representation");
  });
});

describe("matchesEntityTag", () => {
  test.each([
    ["*", true],
    [" * ", true],
    ['"a"', true],
    ['W/"a"', true],
    ['w/"a"', true],
    ['"b", "a"', true],
    ['"b","c"', false],
    ["a", false],
    ["", false],
    ['"A"', false],
  ])("%j", (header, matches) => {
    expect(matchesEntityTag(header, '"a"')).toBe(matches);
  });
  test("compares weak tags without the prefix, and keeps commas in tags", () => {
    expect(matchesEntityTag('"a"', 'W/"a"')).toBe(true);
    expect(matchesEntityTag('"a,b"', '"a,b"')).toBe(true);
  });
});

function request(headers: Record<string, string>, host = "example.com", scheme = "http"): ODataRequest {
  return {
    method: "GET",
    target: "/",
    scheme,
    host,
    header: (name) => headers[name],
    headers: new Headers(headers),
    signal: new AbortController().signal,
    hasBody: false,
    readBody: () => new Uint8Array(0),
  };
}

describe("readBaseUrl", () => {
  test.each<[Record<string, string>, boolean, string]>([
    [{}, false, "http://example.com"],
    [{ "x-forwarded-proto": "https", "x-forwarded-host": "api.test" }, false, "http://example.com"],
    [{ "x-forwarded-proto": "https", "x-forwarded-host": "api.test" }, true, "https://api.test"],
    [{ "x-forwarded-proto": "https, http", "x-forwarded-host": "a.test, b.test" }, true, "https://a.test"],
    [{ "x-forwarded-proto": "javascript" }, true, "http://example.com"],
    [{ forwarded: 'for=1.2.3.4;proto=HTTPS;host="api.test:8443", for=x' }, true, "https://api.test:8443"],
    [{ forwarded: "for=1.2.3.4" }, true, "http://example.com"],
    [{}, true, "http://example.com"],
  ])("%j with trustProxy %j", (headers, trustProxy, url) => {
    expect(readBaseUrl(request(headers), trustProxy)).toBe(url);
  });

  test.each(["", "a/b", "a b", "a?b", "a#b", 'a"b', "user@host", "a\\b", "x".repeat(300), "[::1"])(
    "the host %j is refused",
    (host) => {
      expect(() => readBaseUrl(request({}, host), false)).toThrow(
        expect.objectContaining({ status: 400, code: "InvalidUrl", target: "Host" }),
      );
    },
  );

  test("names the header of a malformed forwarded host", () => {
    expect(() => readBaseUrl(request({ "x-forwarded-host": "a/b" }), true)).toThrow(
      expect.objectContaining({ target: "X-Forwarded-Host" }),
    );
    expect(() => readBaseUrl(request({ forwarded: 'host="a/b"' }), true)).toThrow(
      expect.objectContaining({ target: "Forwarded" }),
    );
  });

  test("accepts an IPv6 address as a host", () => {
    expect(readBaseUrl(request({}, "[::1]:3000"), false)).toBe("http://[::1]:3000");
  });
});

test("nextLink keeps all other options as sent", () => {
  const pairs = [
    { raw: "%24filter=a%20eq%201", name: "$filter" },
    { raw: "$skip=5", name: "$skip" },
    { raw: "sap-client=1", name: "sap-client" },
  ];
  expect(nextLink("http://x/Set", pairs, ["$skip"], "$skiptoken=AQAAAA%3D%3D")).toBe(
    "http://x/Set?%24filter=a%20eq%201&sap-client=1&$skiptoken=AQAAAA%3D%3D",
  );
  expect(nextLink("http://x/Set", [], [], "$skip=1")).toBe("http://x/Set?$skip=1");
});
