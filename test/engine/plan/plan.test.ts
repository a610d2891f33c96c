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
  const none = { top: undefined, preferred: undefined };
  const page = { linked: true, isDivided: false, appliedPageSize: undefined };
  const whole = (size: number | undefined) => ({ ...page, size, readSize: size, linked: false });
  test.each([
    ["the cap alone", none, 100, null, { ...page, size: 100, readSize: 101 }],
    [
      "a smaller preference",
      { ...none, preferred: 7 },
      100,
      null,
      { ...page, size: 7, readSize: 8, appliedPageSize: 7 },
    ],
    [
      "a larger preference",
      { ...none, preferred: 700 },
      100,
      null,
      { ...page, size: 100, readSize: 101, appliedPageSize: 100 },
    ],
    ["no cap", none, null, null, whole(undefined)],
    [
      "no cap, a preference",
      { ...none, preferred: 7 },
      null,
      null,
      { ...page, size: 7, readSize: 8, appliedPageSize: 7 },
    ],
    ["$top", { top: 5, preferred: undefined }, 100, null, whole(5)],
    ["$top at the cap", { top: 100, preferred: 3 }, 100, null, whole(100)],
    ["$top of 0", { top: 0, preferred: undefined }, 100, null, whole(0)],
    ["$top without a cap", { top: 1e6, preferred: undefined }, null, null, whole(1e6)],
    ["the limit of the service", none, null, 50, { ...page, size: 50, readSize: 51, isDivided: true }],
    ["a higher cap", none, 100, 50, { ...page, size: 50, readSize: 51, isDivided: true }],
    ["a cap at the limit of the service", none, 50, 50, { ...page, size: 50, readSize: 51 }],
    [
      "a preference below the limit of the service",
      { ...none, preferred: 7 },
      null,
      50,
      { ...page, size: 7, readSize: 8, appliedPageSize: 7 },
    ],
    [
      "a preference above the limit of the service",
      { ...none, preferred: 700 },
      null,
      50,
      { ...page, size: 50, readSize: 51, isDivided: true, appliedPageSize: 50 },
    ],
    ["$top at the limit of the service", { top: 50, preferred: 3 }, null, 50, whole(50)],
    [
      "$top above the limit of the service",
      { top: 51, preferred: undefined },
      100,
      50,
      { ...page, size: 50, readSize: 51, isDivided: true },
    ],
    [
      "$top above the limit of the service, with a preference",
      { top: 1e6, preferred: 3 },
      null,
      50,
      { ...page, size: 3, readSize: 4, isDivided: true, appliedPageSize: 3 },
    ],
  ])("%s", (_name, request, maxTop, maxPageSize, plan) => {
    expect(planPaging(request, { maxTop, maxPageSize })).toEqual(plan);
  });

  test("refuses a $top above the limit", () => {
    expect(() => planPaging({ top: 101, preferred: undefined }, { maxTop: 100, maxPageSize: 50 })).toThrow(
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
