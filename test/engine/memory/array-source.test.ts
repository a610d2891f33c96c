import { describe, expect, test } from "vitest";
import { edm } from "../../../src/definition/types/edm-builders.ts";
import { entityType } from "../../../src/definition/types/entity-type.ts";
import { arraySource } from "../../../src/engine/memory/array-source.ts";
import type { Page } from "../../../src/language/query/source.ts";
import { bind, toSourceQuery, type Options } from "./model.ts";

const Declared = entityType("Thing", { id: edm.int32().key(), name: edm.string().nullable() });

function page(source: ReturnType<typeof arraySource>, options: Options): Page {
  const answer = source.read(toSourceQuery(bind(options)));
  if ("then" in answer) throw new Error("Rows in memory need no promise.");
  return answer;
}

describe("arraySource", () => {
  test("executes a query over its rows without a promise", () => {
    const source = arraySource(Declared, [{ id: 2, name: "b" }, { id: 1 }]);
    expect(source.kind).toBe("EntitySource");
    expect(source.entityType).toBe(Declared);
    expect(page(source, { orderby: "Id", top: 1, count: true })).toEqual({ entities: [{ id: 1 }], count: 2 });
  });

  test("reads an array in place", () => {
    const rows = [{ id: 1 }];
    const source = arraySource(Declared, rows);
    expect(page(source, {}).entities).toBe(rows);
    rows.push({ id: 2 });
    expect(page(source, { filter: "Id gt 1" }).entities).toEqual([{ id: 2 }]);
  });

  test("reads an iterable again for every query", () => {
    const rows = new Map([[1, { id: 1 }]]);
    const source = arraySource(Declared, { [Symbol.iterator]: () => rows.values() });
    expect(page(source, {}).entities).toEqual([{ id: 1 }]);
    rows.set(2, { id: 2 });
    expect(page(source, {}).entities).toEqual([{ id: 1 }, { id: 2 }]);
  });

  test("keeps the values of an iterator", () => {
    const source = arraySource(Declared, new Map([[1, { id: 1 }]]).values());
    expect(page(source, { filter: "Id eq 1" }).entities).toEqual([{ id: 1 }]);
    expect(page(source, { filter: "Id eq 1" }).entities).toEqual([{ id: 1 }]);
  });

  test.each([null, undefined, 5, {}])("refuses %o", (rows) => {
    expect(() => arraySource(Declared, rows as never)).toThrow(/arraySource\(Thing, …\) needs an array/);
  });
});
