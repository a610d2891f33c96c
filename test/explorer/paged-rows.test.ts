// Statements: docs/reference/explorer.md#screens
import { expect, test } from "vitest";
import { type Page, PagedRows } from "../../explorer/src/screens/grid/paged-rows.ts";

interface Request {
  readonly target: string;
  readonly signal: AbortSignal;
  readonly answer: (page: Page) => Promise<void>;
  readonly fail: (error: Error) => Promise<void>;
}

/** Rows whose requests a test answers itself. */
function open(canSkip = true) {
  const requests: Request[] = [];
  const rows = new PagedRows({
    first: "first",
    skipTo: canSkip ? (row) => `skip ${row}` : null,
    read: (target, signal) =>
      new Promise((resolve, reject) => {
        const settle = async (act: () => void): Promise<void> => {
          act();
          await new Promise((done) => {
            setTimeout(done);
          });
        };
        requests.push({
          target,
          signal,
          answer: (page) =>
            settle(() => {
              resolve(page);
            }),
          fail: (error) =>
            settle(() => {
              reject(error);
            }),
        });
      }),
  });
  return {
    rows,
    targets: () => requests.map(({ target, signal }) => (signal.aborted ? `${target} (ended)` : target)),
    /** The request of a target that came last. */
    request: (target: string): Request => {
      const found = requests.findLast((each) => each.target === target);
      if (found === undefined) throw new Error(`Nobody asked for ${target}.`);
      return found;
    },
  };
}

const page = (start: number, count: number, nextLink: string | null): Page => ({
  rows: Array.from({ length: count }, (_, index) => ({ Id: start + index })),
  nextLink,
});

test("the next page comes by next link, a page elsewhere by $skip", async () => {
  const { rows, request, targets } = open();
  rows.need(0, 0);
  await request("first").answer(page(0, 100, "next 100"));
  rows.setTotal(1000);
  rows.need(60, 140);
  await request("next 100").answer(page(100, 100, "next 200"));
  rows.need(530, 570);
  await request("skip 500").answer(page(500, 100, "next 600"));
  expect(targets()).toEqual(["first", "next 100", "skip 500"]);
  expect([rows.rowAt(140), rows.rowAt(530), rows.rowAt(300), rows.length]).toEqual([
    { Id: 140 },
    { Id: 530 },
    null,
    1000,
  ]);
});

test("pages have the size that the service gives them", async () => {
  const { rows, request, targets } = open();
  rows.need(0, 0);
  await request("first").answer(page(0, 30, "next 30"));
  rows.setTotal(1000);
  rows.need(95, 125);
  expect(targets()).toEqual(["first", "skip 90", "skip 120"]);
});

test("a request for rows that nobody sees any more is ended", async () => {
  const { rows, request, targets } = open();
  rows.need(0, 0);
  await request("first").answer(page(0, 100, "next 100"));
  rows.setTotal(1000);
  rows.need(450, 480);
  rows.need(850, 880);
  await request("skip 400").answer(page(400, 100, null));
  expect(targets()).toEqual(["first", "skip 400 (ended)", "skip 800"]);
  expect([rows.rowAt(450), rows.length]).toEqual([null, 1000]);
});

test("without $skip, the scrollbar grows as pages arrive one after the other", async () => {
  const { rows, request, targets } = open(false);
  rows.need(0, 0);
  await request("first").answer(page(0, 100, "next 100"));
  rows.setTotal(230);
  expect([rows.length, rows.total]).toEqual([120, 230]);
  rows.need(0, 229);
  await request("next 100").answer(page(100, 100, "next 200"));
  await request("next 200").answer(page(200, 30, null));
  expect(targets()).toEqual(["first", "next 100", "next 200"]);
  expect([rows.length, rows.total, rows.rowAt(229)]).toEqual([230, 230, { Id: 229 }]);
});

test("pages far away are dropped, and read again when they are needed", async () => {
  const { rows, request, targets } = open();
  rows.need(0, 0);
  await request("first").answer(page(0, 100, "next 100"));
  rows.setTotal(5000);
  rows.need(4000, 4030);
  await request("skip 4000").answer(page(4000, 100, "next 4100"));
  expect(rows.rowAt(0)).toBe(null);
  expect(rows.sample[0]).toEqual({ Id: 0 });
  rows.need(0, 30);
  expect(targets()).toEqual(["first", "skip 4000", "first"]);
});

test("the end is where no next link follows, whatever was counted", async () => {
  const { rows, request } = open();
  rows.need(0, 0);
  await request("first").answer(page(0, 7, null));
  rows.setTotal(9);
  expect([rows.length, rows.total, rows.hasBegun]).toEqual([7, 7, true]);
});

test("a set without rows has begun, and has no row", async () => {
  const { rows, request } = open();
  rows.need(0, 0);
  expect(rows.hasBegun).toBe(false);
  await request("first").answer(page(0, 0, null));
  expect([rows.hasBegun, rows.total, rows.rowAt(0)]).toEqual([true, 0, null]);
});

test("a failure is kept until the reader tries again", async () => {
  const { rows, request, targets } = open();
  rows.need(0, 0);
  await request("first").fail(new Error("broken"));
  rows.need(0, 20);
  expect([rows.error, targets()]).toEqual([new Error("broken"), ["first"]]);
  rows.again();
  await request("first").answer(page(0, 5, null));
  expect([rows.error, rows.total]).toEqual([null, 5]);
});

test("a stop ends the requests until the reader goes on", async () => {
  const { rows, request, targets } = open();
  rows.need(0, 0);
  rows.stop();
  rows.need(0, 20);
  expect([rows.isStopped, rows.isLoading, targets()]).toEqual([true, false, ["first (ended)"]]);
  rows.again();
  await request("first").answer(page(0, 5, null));
  expect([rows.isStopped, rows.total]).toEqual([false, 5]);
});
