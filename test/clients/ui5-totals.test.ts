import { expect, test } from "vitest";
import { describeClient, eventually } from "./describe-client.ts";
import { UI5_HEAD } from "./package-files.ts";

const AGGREGATION = {
  aggregate: { Price: { grandTotal: true, subtotals: true, with: "sum" } },
  group: { CategoryId: {}, Name: {} },
  groupLevels: ["CategoryId"],
};

/** The options of the last request with `$apply`, in a batch. */
function lastApply(sent: readonly string[]): string | undefined {
  const applied = sent.flatMap((text) => text.match(/GET \S+\$apply=\S+/gu) ?? []);
  return decodeURIComponent(applied.at(-1) ?? "");
}

describeClient("OpenUI5, a table with totals", "ui5-totals", { head: UI5_HEAD }, (client) => {
  test("shows a grand total and subtotals", async () => {
    const columns = ["CategoryId", "Name", "Price"];
    expect(await client().run(`open(${JSON.stringify(AGGREGATION)}, ${JSON.stringify(columns)})`)).toEqual([
      [0, null, null, "1860.00"],
      [1, 1, null, "640.00"],
      [1, 2, null, "600.00"],
      [1, 3, null, "620.00"],
    ]);
    expect(lastApply(client().sent)).toContain(
      "$apply=concat(groupby((CategoryId,Name))/aggregate($count as UI5__leaves),aggregate(Price with sum as Price),groupby((CategoryId),aggregate(Price with sum as Price))/concat(aggregate($count as UI5__count),top(",
    );
    await eventually(() => client().run("texts()")).toEqual([
      ["", "", "1,860.00"],
      ["1", "", "640.00"],
      ["2", "", "600.00"],
      ["3", "", "620.00"],
    ]);
  });

  test("expands a group to its products", async () => {
    const products = Array.from({ length: 20 }, (_, index) => 3 * (index + 1));
    expect(await client().run("expand(1)")).toEqual([
      [0, null, null, "1860.00"],
      [1, 1, null, "640.00"],
      ...products.map((id) => [2, 1, `Product ${String(id).padStart(2, "0")}`, `${String(id)}.50`]),
      [1, 2, null, "600.00"],
      [1, 3, null, "620.00"],
    ]);
    expect(lastApply(client().sent)).toContain(
      "$apply=filter(CategoryId eq 1)/groupby((Name),aggregate(Price with sum as Price))",
    );
  });

  test("sorts the groups by their total", async () => {
    expect(await client().run('sort("Price", true)')).toEqual([
      [0, null, null, "1860.00"],
      [1, 1, null, "640.00"],
      [1, 3, null, "620.00"],
      [1, 2, null, "600.00"],
    ]);
    expect(lastApply(client().sent)).toContain("/orderby(Price desc)/concat(");
  });

  test("filters the products that are summed", async () => {
    expect(await client().run('filter("IsInStock", "EQ", true)')).toEqual([
      [0, null, null, "1220.00"],
      [1, 3, null, "620.00"],
      [1, 2, null, "600.00"],
    ]);
    expect(lastApply(client().sent)).toContain("$apply=filter(IsInStock eq true)/concat(");
  });
});
