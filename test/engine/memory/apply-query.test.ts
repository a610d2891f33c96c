import { describe, expect, test, vi } from "vitest";
import { applyQuery } from "../../../src/engine/memory/apply-query.ts";
import { compileProperty } from "../../../src/engine/memory/compile-property.ts";
import type { QueryShape } from "../../../src/language/query/clauses.ts";
import type { SourceQuery } from "../../../src/language/query/source.ts";
import { bind, read, Thing, toSourceQuery, type Options } from "./model.ts";

vi.mock(import("../../../src/engine/memory/compile-property.ts"), { spy: true });

interface Row {
  readonly id: number;
  readonly name?: string | null;
  readonly number?: number | null;
  readonly price?: string;
}

const rows: readonly Row[] = Object.freeze([
  { id: 3, name: "b", number: 2, price: "10" },
  { id: 1, name: null, number: Number.NaN, price: "9.5" },
  { id: 2, name: "a", number: null, price: "9.50" },
  { id: 5, name: "\u{1F600}", number: Number.POSITIVE_INFINITY, price: "-1" },
  { id: 4, name: "\uFF5E", number: -1, price: "100" },
]);

function ids(options: Options): readonly number[] {
  return read(rows, options).entities.map((row) => (row as Row).id);
}

describe("a page", () => {
  test.each<readonly [Options, readonly number[]]>([
    [{}, [3, 1, 2, 5, 4]],
    [{ skip: 2 }, [2, 5, 4]],
    [{ top: 2 }, [3, 1]],
    [{ skip: 1, top: 2 }, [1, 2]],
    [{ skip: 9 }, []],
    [{ top: 0 }, []],
    [{ filter: "Id gt 2" }, [3, 5, 4]],
    [{ filter: "Id gt 2", skip: 1 }, [5, 4]],
    [{ filter: "Id gt 2", skip: 1, top: 1 }, [5]],
    [{ filter: "Id gt 2", top: 0 }, []],
    [{ filter: "contains(Name,'a')" }, [2]],
    [{ filter: "not contains(Name,'a')" }, [3, 5, 4]],
    [{ orderby: "Id" }, [1, 2, 3, 4, 5]],
    [{ orderby: "Id desc" }, [5, 4, 3, 2, 1]],
    [{ orderby: "Id desc", top: 2 }, [5, 4]],
    [{ orderby: "Id desc", top: 1 }, [5]],
    [{ orderby: "Id desc", skip: 4, top: 5 }, [1]],
    [{ orderby: "Id", skip: 5 }, []],
    [{ orderby: "Name" }, [1, 2, 3, 4, 5]],
    [{ orderby: "Name desc" }, [5, 4, 3, 2, 1]],
    [{ orderby: "Number" }, [2, 1, 4, 3, 5]],
    [{ orderby: "Number desc" }, [5, 3, 4, 1, 2]],
    [{ orderby: "Price" }, [5, 1, 2, 3, 4]],
    [{ orderby: "Price desc" }, [4, 3, 1, 2, 5]],
    [{ orderby: "Price,Id desc" }, [5, 2, 1, 3, 4]],
    [{ orderby: "Price desc,Name" }, [4, 3, 1, 2, 5]],
    [{ orderby: "contains(Name,'a') desc,Id" }, [2, 3, 4, 5, 1]],
    [{ orderby: "Id div 2" }, [1, 3, 2, 5, 4]],
    [{ orderby: "Address/City" }, [3, 1, 2, 5, 4]],
    [{ filter: "Id gt 2", orderby: "Price", skip: 1, top: 1 }, [3]],
  ])("%j", (options, expected) => {
    expect(ids(options)).toEqual(expected);
    expect(read(rows, { ...options, count: true }).entities).toEqual(read(rows, options).entities);
    expect(read(new Set(rows), options).entities).toEqual(read(rows, options).entities);
  });

  test.each<readonly [Options, number]>([
    [{}, 5],
    [{ top: 0 }, 5],
    [{ skip: 9 }, 5],
    [{ filter: "Id gt 2", top: 1 }, 3],
    [{ filter: "Id gt 9" }, 0],
    [{ orderby: "Id", top: 1 }, 5],
    [{ orderby: "Id", filter: "Id gt 2", top: 0 }, 3],
  ])("the count of %j is %i", (options, expected) => {
    expect(read(rows, { ...options, count: true }).count).toBe(expected);
    expect(read(new Set(rows), { ...options, count: true }).count).toBe(expected);
    expect(read(rows, options)).not.toHaveProperty("count");
  });

  test("of all rows is the unchanged array itself", () => {
    const own = [...rows];
    expect(read(own, {}).entities).toBe(own);
    read(own, { orderby: "Id desc" });
    read(own, { orderby: "Id desc", top: 1 });
    expect(own).toEqual(rows);
  });

  test("ends reading with its last row", () => {
    let count = 0;
    let closed = false;
    function* generate(): Generator<Row> {
      try {
        for (;;) yield { id: (count += 1) };
      } finally {
        closed = true;
      }
    }
    expect(read(generate(), { filter: "Id mod 2 eq 0", skip: 1, top: 2 }).entities).toEqual([{ id: 4 }, { id: 6 }]);
    expect([count, closed]).toEqual([6, true]);
    expect(read(generate(), { top: 0 }).entities).toEqual([]);
    expect(count).toBe(6);
  });

  test.each([null, 5, undefined])("a row that is %s is a fault of the application", (row) => {
    const message = /handler returned .* among its entities of type Thing/;
    expect(() => read([row], { filter: "Id eq 1" })).toThrow(message);
    expect(() => read([{ id: 1 }, row], { orderby: "Id" })).toThrow(message);
  });

  test("cannot be ordered by a complex value", () => {
    const query = toSourceQuery(bind({ orderby: "Id" }));
    const expression = { ...query.orderBy[0]?.expression, type: Thing } as never;
    expect(() => applyQuery(rows, { ...query, orderBy: [{ expression, descending: false }] })).toThrow(/Thing/);
  });

  test("ordered by null keeps its order", () => {
    const query = toSourceQuery(bind({}));
    const orderBy = [{ expression: { kind: "null", type: null } as const, descending: true }];
    expect(applyQuery(rows, { ...query, orderBy }).entities).toEqual(rows);
  });
});

describe("sort keys", () => {
  /** Rows that count how often their properties are read. */
  function countingRows(length: number): { readonly rows: readonly object[]; readonly reads: Map<string, number> } {
    const reads = new Map<string, number>();
    const note = <T>(name: string, value: T): T => {
      reads.set(name, (reads.get(name) ?? 0) + 1);
      return value;
    };
    const made = Array.from({ length }, (_none, index) => ({
      get number(): number {
        return note("number", (index * 7919) % length);
      },
      get name(): string {
        return note("name", "same");
      },
    }));
    return { rows: made, reads };
  }

  test.each([{ top: 1 }, { top: 100 }, {}])("are computed once per row, later ones for ties only: %j", (paging) => {
    const { rows: counted, reads } = countingRows(100);
    read(counted, { orderby: "Number,Name", ...paging });
    expect(reads.get("number")).toBe(100);
    expect(reads.get("name") ?? 0).toBe(0);
    read(counted, { orderby: "Name,Number", ...paging });
    expect(reads.get("name")).toBe(100);
    expect(reads.get("number")).toBe(200);
  });
});

describe("a shape", () => {
  test("is compiled once", () => {
    const cache = new Map<string, QueryShape>();
    const request = (id: number): SourceQuery => {
      return toSourceQuery(bind({ filter: `Id gt ${id}`, orderby: "Name,Id desc" }, "spec-compliant", cache));
    };
    applyQuery(rows, request(1));
    const compile = vi.mocked(compileProperty).mockClear();
    expect(applyQuery(rows, request(3)).entities).toHaveLength(2);
    expect(applyQuery(rows, request(4)).entities).toHaveLength(1);
    expect(compile).not.toHaveBeenCalled();
    applyQuery(rows, { ...request(1), shape: { ...request(1).shape, roundingMode: "BankersRounding" } });
    expect(compile).toHaveBeenCalledTimes(3);
  });
});

describe("a frozen array in the order of its key", () => {
  const byKey: SourceQuery["orderBy"] = [
    { expression: bind({ orderby: "Id" }).shape.orderBy[0]?.expression as never, descending: false },
  ];

  function countingReads(ids: readonly number[]): { readonly rows: readonly object[]; readonly reads: () => number } {
    let count = 0;
    const made = ids.map((id) => ({
      get id(): number {
        count += 1;
        return id;
      },
    }));
    return { rows: Object.freeze(made), reads: () => count };
  }

  test("is checked as a whole only once", () => {
    const { rows: frozen, reads } = countingReads([1, 2, 3, 4]);
    const query: SourceQuery = { ...toSourceQuery(bind({ top: 2 })), orderBy: byKey };
    expect(applyQuery(frozen, query).entities).toEqual([frozen[0], frozen[1]]);
    expect(reads()).toBe(4);
    expect(applyQuery(frozen, query).entities).toEqual([frozen[0], frozen[1]]);
    expect(reads()).toBe(4);
    const filtered: SourceQuery = { ...toSourceQuery(bind({ filter: "Id ge 1", top: 1 })), orderBy: byKey };
    expect(applyQuery(frozen, filtered).entities).toEqual([frozen[0]]);
    expect(reads()).toBe(5);
  });

  test("in another order is sorted", () => {
    const { rows: frozen } = countingReads([2, 1]);
    const query: SourceQuery = { ...toSourceQuery(bind({})), orderBy: byKey };
    expect(applyQuery(frozen, query).entities).toEqual([frozen[1], frozen[0]]);
    expect(applyQuery(frozen, query).entities).toEqual([frozen[1], frozen[0]]);
    const ordered = countingReads([1, 2]).rows;
    expect(read(ordered, { orderby: "Id desc" }).entities).toEqual([ordered[1], ordered[0]]);
    expect(read(ordered, { orderby: "Id add 0" }).entities).toEqual(ordered);
  });

  test("an array that may change is checked every time", () => {
    const changing = [{ id: 1 }, { id: 3 }];
    const query: SourceQuery = { ...toSourceQuery(bind({})), orderBy: byKey };
    expect(applyQuery(changing, query).entities).toEqual([{ id: 1 }, { id: 3 }]);
    changing.push({ id: 2 });
    expect(applyQuery(changing, query).entities).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }]);
  });
});
