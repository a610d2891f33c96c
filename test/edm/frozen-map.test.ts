import { describe, expect, test } from "vitest";
import { deepFreeze, frozenMap } from "../../src/edm/frozen-map.ts";

describe("frozenMap", () => {
  test("reads as a native map", () => {
    const map = frozenMap([
      ["a", 1],
      ["b", 2],
    ]);
    expect(map).toBeInstanceOf(Map);
    expect([map.get("a"), map.get("c"), map.has("b"), map.size, [...map.keys()]]).toEqual([
      1,
      undefined,
      true,
      2,
      ["a", "b"],
    ]);
  });

  test("cannot be changed", () => {
    const map = frozenMap([["a", 1]]) as Map<string, number>;
    expect(() => map.set("b", 2)).toThrow(TypeError);
    expect(() => map.delete("a")).toThrow(TypeError);
    expect(() => map.clear()).toThrow(TypeError);
    expect(() => Object.assign(map, { set: () => map })).toThrow(TypeError);
    expect([...map]).toEqual([["a", 1]]);
  });
});

describe("deepFreeze", () => {
  test("freezes objects, arrays and the values of maps at any depth", () => {
    const inner = { list: [{ x: 1 }] };
    const value = { inner, map: frozenMap([["k", { y: [2] }]]) };
    expect(deepFreeze(value)).toBe(value);
    for (const part of [
      value,
      inner,
      inner.list,
      inner.list[0],
      value.map,
      value.map.get("k"),
      value.map.get("k")?.y,
    ]) {
      expect(Object.isFrozen(part)).toBe(true);
    }
  });

  test("descends into frozen objects, and follows circular references once", () => {
    const inner: { self?: unknown } = {};
    inner.self = inner;
    deepFreeze(Object.freeze({ inner, empty: Object.create(null) as object }));
    expect(Object.isFrozen(inner)).toBe(true);
  });

  test("does not freeze instances of classes or functions", () => {
    const value = { date: new Date(0), octets: new Uint8Array(2), call: () => 1, nothing: null };
    deepFreeze(value);
    expect([Object.isFrozen(value), Object.isFrozen(value.date), Object.isFrozen(value.call)]).toEqual([
      true,
      false,
      false,
    ]);
    expect(deepFreeze(5)).toBe(5);
    expect(deepFreeze(null)).toBeNull();
  });
});
