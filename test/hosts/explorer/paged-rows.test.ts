import { expect, test } from "vitest";
import { ServiceError } from "../../../explorer/src/client/service-error.ts";
import type { GridQuery } from "../../../explorer/src/screens/grid/grid-query.ts";
import { PagedRows, type Page, readNext } from "../../../explorer/src/screens/grid/paged-rows.ts";

const page = (start: number, count: number, nextLink: string | null): Page => ({
  rows: Array.from({ length: count }, (_, index) => ({ Id: start + index })),
  nextLink,
});

/** Rows with a first page, of which a test reads the next pages itself. */
function open(first: Page, canSkip = true, total: number | null = null) {
  const rows = new PagedRows(
    { first: "first", skipTo: canSkip ? (row: number) => `skip ${row}` : null } as unknown as GridQuery,
    first,
  );
  rows.counted.value = total;
  return {
    rows,
    /** Returns the request that is missing for some rows; null without one. */
    missing: (from: number, to: number): string | null => {
      rows.wanted.value = [from, to];
      return rows.next.value?.url ?? null;
    },
  };
}

test("the next page comes by next link, a page elsewhere by $skip", () => {
  const { rows, missing } = open(page(0, 100, "next 100"), true, 1000);
  expect(missing(0, 40)).toBe(null);
  expect(missing(60, 140)).toBe("next 100");
  rows.add(100, page(100, 100, "next 200"));
  expect(missing(60, 140)).toBe(null);
  expect(missing(530, 570)).toBe("skip 500");
  rows.add(500, page(500, 100, "next 600"));
  expect([rows.rowAt(140), rows.rowAt(530), rows.rowAt(300), rows.length.value]).toEqual([
    { Id: 140 },
    { Id: 530 },
    null,
    1000,
  ]);
});

test("pages have the size that the service gives them", () => {
  const { rows, missing } = open(page(0, 30, "next 30"), true, 1000);
  expect(missing(95, 125)).toBe("skip 90");
  rows.add(90, page(90, 30, "next 120"));
  expect(missing(95, 125)).toBe("next 120");
});

test("pages may have different sizes, or no rows", () => {
  const { rows, missing } = open(page(0, 100, "next 100"), true, 1000);
  expect(missing(90, 150)).toBe("next 100");
  rows.add(100, page(100, 20, "next 120"));
  expect(missing(90, 150)).toBe("next 120");
  rows.add(120, page(120, 0, "after nothing"));
  expect(missing(90, 150)).toBe("after nothing");
});

test("without $skip, the scrollbar grows as pages arrive one after the other", () => {
  const { rows, missing } = open(page(0, 100, "next 100"), false, 230);
  expect([rows.length.value, rows.total.value]).toEqual([120, 230]);
  expect(missing(0, 229)).toBe("next 100");
  rows.add(100, page(100, 100, "next 200"));
  expect(missing(0, 229)).toBe("next 200");
  rows.add(200, page(200, 30, null));
  expect(missing(0, 229)).toBe(null);
  expect([rows.length.value, rows.total.value, rows.rowAt(229)]).toEqual([230, 230, { Id: 229 }]);
});

test("pages far away are dropped, and read again when they are needed", () => {
  const { rows, missing } = open(page(0, 100, "next 100"), true, 5000);
  expect(missing(4000, 4030)).toBe("skip 4000");
  rows.add(4000, page(4000, 100, "next 4100"));
  expect(rows.rowAt(0)).toBe(null);
  expect(rows.sample[0]).toEqual({ Id: 0 });
  expect(missing(0, 30)).toBe("first");
});

test("the end is where no next link follows, whatever was counted", () => {
  const { rows, missing } = open(page(0, 7, null), true, 9);
  expect([rows.length.value, rows.total.value]).toEqual([7, 7]);
  expect(missing(0, 40)).toBe(null);
});

test("the end may come before rows that were there", () => {
  const { rows, missing } = open(page(0, 100, "next 100"), true, 200);
  rows.add(100, page(100, 100, "next 200"));
  rows.add(200, page(200, 0, null));
  rows.add(100, page(100, 50, null));
  expect([rows.length.value, missing(140, 199)]).toEqual([150, null]);
});

test("a set without rows has none", () => {
  const { rows } = open(page(0, 0, null));
  expect([rows.total.value, rows.rowAt(0)]).toEqual([0, null]);
});

test.each([
  [300, ["dead", "first", "next 100", "next 200", "next 300"], [300, 100, "next 400"]],
  [250, ["dead", "first", "next 100", "next 200"], [250, 50, "next 300"]],
  [430, ["dead", "first", "next 100", "next 200", "next 300", "next 400"], [null, 0, null]],
])("without $skip, row %i comes after a dead link, and no row twice", async (start, urls, found) => {
  const asked: string[] = [];
  const read = async (url: string): Promise<Page> => {
    asked.push(url);
    if (url === "dead") throw new ServiceError(410, null, new Headers());
    const at = url === "first" ? 0 : Number(url.slice(5));
    return page(at, at === 400 ? 20 : 100, at === 400 ? null : `next ${String(at + 100)}`);
  };
  const { rows, nextLink } = await readNext(read, { first: "first", goOn: null } as unknown as GridQuery, {
    start,
    url: "dead",
  });
  expect(asked).toEqual(urls);
  expect([rows[0]?.["Id"] ?? null, rows.length, nextLink]).toEqual(found);
});
