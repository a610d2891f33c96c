// Statements: docs/reference/explorer.md#screens
import fc from "fast-check";
import { expect, test } from "vitest";
import { layOut, type PlacedBox } from "../../explorer/src/screens/relations/layout.ts";

const boxesOf = (ids: readonly string[]) => ids.map((id) => ({ id, width: 100, height: 40 }));
const place = (lines: readonly string[], ids = [...new Set(lines.flatMap((line) => line.split(">")))]) => {
  const layout = layOut(
    boxesOf(ids),
    lines.map((line) => {
      const [from = "", to = ""] = line.split(">");
      return { from, to };
    }),
  );
  return {
    ...layout,
    at: (id: string): PlacedBox => layout.boxes.get(id) ?? { id, x: Number.NaN, y: Number.NaN, width: 0, height: 0 },
  };
};

test("places what others refer to left of them", () => {
  const { at } = place(["Lines>Orders", "Orders>Customers", "Lines>Products"]);
  expect([at("Customers").x, at("Orders").x, at("Lines").x]).toEqual([0, 172, 344]);
  expect(at("Products").x).toBeLessThan(at("Lines").x);
});

test("places sets that refer to each other, or to themselves", () => {
  const { boxes, at } = place(["A>B", "B>C", "C>A", "A>A"]);
  expect(boxes.size).toBe(3);
  expect(new Set([at("A").x, at("B").x, at("C").x]).size).toBe(3);
});

test("places sets without relations below the others", () => {
  const { at } = place(["Orders>Customers"], ["Notes", "Orders", "Customers"]);
  expect(at("Notes").y).toBeGreaterThanOrEqual(at("Orders").y + 40);
});

test("has a place for each box, and no two boxes overlap", () => {
  const name = fc.integer({ min: 0, max: 60 }).map(String);
  fc.assert(
    fc.property(
      fc.array(fc.tuple(name, name), { maxLength: 120 }),
      fc.uniqueArray(name, { maxLength: 61 }),
      (pairs, more) => {
        const ids = [...new Set([...pairs.flat(), ...more])];
        const { boxes, width, height } = layOut(
          boxesOf(ids),
          pairs.map(([from, to]) => ({ from, to })),
        );
        const placed = [...boxes.values()];
        expect(placed.length).toBe(ids.length);
        for (const [at, one] of placed.entries()) {
          expect(one.x >= 0 && one.y >= 0 && one.x + one.width <= width && one.y + one.height <= height).toBe(true);
          for (const other of placed.slice(at + 1)) {
            const isApart = Math.abs(one.x - other.x) >= 100 || Math.abs(one.y - other.y) >= 40;
            expect(isApart, `${one.id} and ${other.id}`).toBe(true);
          }
        }
      },
    ),
  );
});

test("places 600 sets in a row without a deep recursion", () => {
  const { boxes } = place(Array.from({ length: 600 }, (_, at) => `S${String(at)}>S${String(at + 1)}`));
  expect(boxes.size).toBe(601);
});
