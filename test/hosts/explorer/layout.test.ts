import fc from "fast-check";
import { expect, test } from "vitest";
import { BOX, layOut } from "../../../explorer/src/screens/relations/layout.ts";

const place = (lines: readonly string[], ids = [...new Set(lines.flatMap((line) => line.split(">")))]) => {
  const corners = layOut(
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
  expect([at("Customers").x, at("Orders").x, at("Lines").x]).toEqual([0, 256, 512]);
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
        const corners = layOut(
          ids,
          pairs.map(([from, to]) => ({ from, to })),
        );
        expect(corners.size).toBe(ids.length);
        const placed = [...corners];
        for (const [index, [id, one]] of placed.entries()) {
          expect(one.x >= 0 && one.y >= 0).toBe(true);
          for (const [otherId, other] of placed.slice(index + 1)) {
            const isApart = Math.abs(one.x - other.x) >= BOX.width || Math.abs(one.y - other.y) >= BOX.height;
            expect(isApart, `${id} and ${otherId}`).toBe(true);
          }
        }
      },
    ),
  );
});

test("places 600 sets in a row without a deep recursion", () => {
  const { corners } = place(Array.from({ length: 600 }, (_, at) => `S${String(at)}>S${String(at + 1)}`));
  expect(corners.size).toBe(601);
});
