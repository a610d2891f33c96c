import { expect, test } from "vitest";
import { describeClient, eventually } from "./describe-client.ts";
import { UI5_HEAD } from "./package-files.ts";
import { openShop } from "./shop.ts";

const OPTIONS = { head: UI5_HEAD, open: () => openShop({ isPlain: false, enumsAsStrings: true }) };

describeClient(
  "OpenUI5, a table grouped by an enumeration that is published as text",
  "ui5-totals",
  OPTIONS,
  (client) => {
    test("groups by the enumeration, and shows its names", async () => {
      const aggregation = { group: { Status: {}, Customer: {} }, groupLevels: ["Status"] };
      const call = `open(${JSON.stringify(aggregation)}, ["Status", "Customer"], "/Orders")`;
      expect(await client().run(call)).toEqual([
        [1, "New", null],
        [1, "Paid", null],
        [1, "Shipped", null],
      ]);
      await eventually(() => client().run("texts()")).toEqual([
        ["New", ""],
        ["Paid", ""],
        ["Shipped", ""],
      ]);
      expect(await client().run("expand(1)")).toEqual([
        [1, "New", null],
        [1, "Paid", null],
        [2, "Paid", "Customer 1"],
        [2, "Paid", "Customer 4"],
        [1, "Shipped", null],
      ]);
    });

    test("sorts the groups by name, and filters by the enumeration", async () => {
      expect(await client().run('sort("Status", true)')).toEqual([
        [1, "Shipped", null],
        [1, "Paid", null],
        [1, "New", null],
      ]);
      expect(await client().run('filter("Status", "EQ", "Paid")')).toEqual([[1, "Paid", null]]);
      expect(await client().run('filter("Status", "GT", "New")')).toEqual([
        [1, "Shipped", null],
        [1, "Paid", null],
      ]);
    });
  },
);

describeClient("OpenUI5, a list with an enumeration that is published as text", "ui5", OPTIONS, (client) => {
  test.each(["$auto", "$direct"])("filters by the enumeration in group %s", async (group) => {
    const orders = (operator: string, value: string) =>
      client().run(`orders("${group}", "Status", "${operator}", "${value}")`);
    expect(await orders("EQ", "Paid")).toEqual([1, 4]);
    expect(await orders("NE", "Paid")).toEqual([2, 3, 5, 6]);
    expect(await orders("StartsWith", "Sh")).toEqual([2, 5]);
  });
});
