import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { BoundedCache } from "../../../src/base/memo.ts";
import {
  planPaging,
  MAX_SKIP_TOKEN_OFFSET,
  readSkipToken,
  writeSkipToken,
} from "../../../src/engine/plan/plan-paging.ts";

describe("skip tokens", () => {
  test.each([
    [0, "AAAAAA=="],
    [1, "AQAAAA=="],
    [100, "ZAAAAA=="],
    [MAX_SKIP_TOKEN_OFFSET, "////fw=="],
  ])("offset %j is %s", (offset, token) => {
    expect(writeSkipToken(offset)).toBe(token);
    expect(readSkipToken(token)).toBe(offset);
  });

  test("every offset round-trips as a 4-byte little-endian integer", () => {
    fc.assert(
      fc.property(fc.nat(MAX_SKIP_TOKEN_OFFSET), (offset) => {
        const token = writeSkipToken(offset);
        expect(readSkipToken(token)).toBe(offset);
        expect(readSkipToken(token.replaceAll("+", " "))).toBe(offset);
        expect(Buffer.from(token, "base64").readInt32LE()).toBe(offset);
      }),
    );
  });

  test.each([
    "",
    "x",
    "AQAAAA=",
    "AQAAAA",
    "AQAAAB==",
    "/////w==",
    "AAAAgA==",
    "AQAAAAAA",
    "AQAAAA==AQAAAA==",
    "AQ AA==",
    "AQAA-A==",
  ])("%j is invalid", (token) => {
    expect(() => readSkipToken(token)).toThrow(
      expect.objectContaining({ status: 400, code: "InvalidSkipToken", target: "$skiptoken" }),
    );
  });
});

describe("planPaging", () => {
  const none = { top: undefined, maxPageSize: undefined };
  test.each([
    ["the cap alone", none, 100, { size: 100, readSize: 101, linked: true, appliedPageSize: undefined }],
    [
      "a smaller preference",
      { ...none, maxPageSize: 7 },
      100,
      { size: 7, readSize: 8, linked: true, appliedPageSize: 7 },
    ],
    [
      "a larger preference",
      { ...none, maxPageSize: 700 },
      100,
      { size: 100, readSize: 101, linked: true, appliedPageSize: 100 },
    ],
    ["no cap", none, null, { size: undefined, readSize: undefined, linked: false, appliedPageSize: undefined }],
    [
      "no cap, a preference",
      { ...none, maxPageSize: 7 },
      null,
      { size: 7, readSize: 8, linked: true, appliedPageSize: 7 },
    ],
    [
      "$top",
      { top: 5, maxPageSize: undefined },
      100,
      { size: 5, readSize: 5, linked: false, appliedPageSize: undefined },
    ],
    [
      "$top at the cap",
      { top: 100, maxPageSize: 3 },
      100,
      { size: 100, readSize: 100, linked: false, appliedPageSize: undefined },
    ],
    [
      "$top of 0",
      { top: 0, maxPageSize: undefined },
      100,
      { size: 0, readSize: 0, linked: false, appliedPageSize: undefined },
    ],
    [
      "$top without a cap",
      { top: 1e6, maxPageSize: undefined },
      null,
      { size: 1e6, readSize: 1e6, linked: false, appliedPageSize: undefined },
    ],
  ])("%s", (_name, request, maxTop, plan) => {
    expect(planPaging(request, maxTop)).toEqual(plan);
  });

  test("refuses a $top above the limit", () => {
    expect(() => planPaging({ top: 101, maxPageSize: undefined }, 100)).toThrow(
      expect.objectContaining({ status: 400, code: "InvalidQueryOption", target: "$top" }),
    );
  });
});

test("BoundedCache drops the least recently used entries", () => {
  const cache = new BoundedCache<string, number>(2);
  cache.set("a", 1);
  cache.set("b", 2);
  expect(cache.get("a")).toBe(1);
  cache.set("c", 3);
  expect([cache.get("a"), cache.get("b"), cache.get("c"), cache.size]).toEqual([1, undefined, 3, 2]);
  cache.set("a", 4);
  expect([cache.get("a"), cache.size]).toEqual([4, 2]);
});

test("BoundedCache limits the total weight, and does not keep a heavier entry", () => {
  const cache = new BoundedCache<string, number>(10, { most: 6, weightOf: (key) => key.length });
  cache.set("aaa", 1);
  cache.set("bb", 2);
  cache.set("c", 3);
  cache.set("aaa", 4);
  expect([cache.get("aaa"), cache.get("bb"), cache.get("c"), cache.size]).toEqual([4, 2, 3, 3]);
  cache.set("dd", 5);
  expect([cache.get("aaa"), cache.get("bb"), cache.get("c"), cache.get("dd")]).toEqual([undefined, 2, 3, 5]);
  cache.set("eeeeeee", 6);
  expect([cache.get("eeeeeee"), cache.size]).toEqual([undefined, 3]);
});
