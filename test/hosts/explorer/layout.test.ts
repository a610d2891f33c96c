import fc from "fast-check";
import { expect, test } from "vitest";
import { BOX, type Corner, layOut } from "../../../explorer/src/screens/relations/layout.ts";

const place = (lines: readonly string[], ids = [...new Set(lines.flatMap((line) => line.split(">")))]) => {
  const { corners } = layOut(
    ids,
    lines.map((line) => {
      const [from = "", to = ""] = line.split(">");
      return { from, to };
    }),
  );
  return { corners, at: (id: string) => corners.get(id) ?? { x: Number.NaN, y: Number.NaN } };
};

test("places what others refer to left of them", () => {
  const { at } = place(["Lines>Orders", "Orders>Customers", "Lines>Products"]);
  expect(at("Customers").x).toBeLessThan(at("Orders").x);
  expect(at("Orders").x).toBeLessThan(at("Lines").x);
  expect(at("Products").x).toBeLessThan(at("Lines").x);
});

test("places sets that refer to each other, or to themselves", () => {
  const { corners, at } = place(["A>B", "B>C", "C>A", "A>A"]);
  expect(corners.size).toBe(3);
  expect(new Set([at("A").x, at("B").x, at("C").x]).size).toBe(3);
});

test("places sets without relations below the others", () => {
  const { at } = place(["Orders>Customers"], ["Notes", "Orders", "Customers"]);
  expect(at("Notes").y).toBeGreaterThanOrEqual(at("Orders").y + BOX.height);
});

test("has a place for each box, and no two boxes overlap", () => {
  const name = fc.integer({ min: 0, max: 60 }).map(String);
  fc.assert(
    fc.property(
      fc.array(fc.tuple(name, name), { maxLength: 120 }),
      fc.uniqueArray(name, { maxLength: 61 }),
      (pairs, more) => {
        const ids = [...new Set([...pairs.flat(), ...more])];
        const { corners, width, height } = layOut(
          ids,
          pairs.map(([from, to]) => ({ from, to })),
        );
        expect(corners.size).toBe(ids.length);
        const placed = [...corners];
        for (const [index, [id, one]] of placed.entries()) {
          expect(one.x >= 0 && one.y >= 0).toBe(true);
          expect(one.x + BOX.width <= width && one.y + BOX.height <= height).toBe(true);
          for (const [otherId, other] of placed.slice(index + 1)) {
            const isApart = Math.abs(one.x - other.x) >= BOX.width || Math.abs(one.y - other.y) >= BOX.height;
            expect(isApart, `${id} and ${otherId}`).toBe(true);
          }
        }
      },
    ),
  );
});

test("no line crosses a box, and each ends at its two boxes", () => {
  const name = fc.integer({ min: 0, max: 30 }).map(String);
  fc.assert(
    fc.property(fc.array(fc.tuple(name, name), { minLength: 1, maxLength: 50 }), (pairs) => {
      const lines = pairs.map(([from, to]) => ({ from, to }));
      const { corners, routes } = layOut([...new Set(pairs.flat())], lines);
      for (const [at, { from, to }] of lines.entries()) {
        const route = routes[at] ?? [];
        expect([from, to].map((id) => isAt(route[id === from ? 0 : route.length - 1], corners.get(id)))).toEqual([
          true,
          true,
        ]);
        for (const [id, corner] of corners) {
          const isCrossed = route.slice(1).some((end, index) => crosses(route[index] ?? end, end, corner));
          expect(isCrossed, `${from} to ${to} crosses ${id}`).toBe(false);
        }
      }
    }),
  );
});

/** Whether a point is at the left or the right side of a box. */
function isAt(point: Corner | undefined, corner: Corner | undefined): boolean {
  if (point === undefined || corner === undefined) return false;
  const isSide = [corner.x, corner.x + BOX.width].some((side) => Math.abs(side - point.x) < 0.01);
  return isSide && point.y > corner.y && point.y < corner.y + BOX.height;
}

/** Whether a straight line has a point within a box. */
function crosses(start: Corner, end: Corner, corner: Corner): boolean {
  return Array.from({ length: 101 }, (_, step) => step / 100).some((part) => {
    const [x, y] = [start.x + (end.x - start.x) * part, start.y + (end.y - start.y) * part];
    const [right, bottom] = [corner.x + BOX.width, corner.y + BOX.height];
    return x > corner.x + 0.1 && x < right - 0.1 && y > corner.y + 0.1 && y < bottom - 0.1;
  });
}

test("places 600 sets in a row without a deep recursion", () => {
  const { corners } = place(Array.from({ length: 600 }, (_, at) => `S${String(at)}>S${String(at + 1)}`));
  expect(corners.size).toBe(601);
});
