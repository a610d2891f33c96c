import { expect, test } from "vitest";
import { describeClient } from "./describe-client.ts";
import { linesOf } from "./recorded-requests.ts";
import { openShop } from "./shop.ts";

const head = '<script src="/packages/ts-odatajs/dist/odatajs-latest.js"></script>';

describeClient("Breeze", "breeze", { head, open: () => openShop({ isPlain: true }) }, (client) => {
  test("reads the types", async () => {
    expect(await client().run("types()")).toEqual([
      ["Category", 2],
      ["Product", 6],
    ]);
  });

  test("lists with a filter, an order, a page, a total and an expansion, and with `any`", async () => {
    expect(await client().run("list()")).toEqual({
      inlineCount: 15,
      names: ["Product 41", "Product 31"],
      category: "Lamps & more",
    });
    expect(await client().run("any()")).toEqual(["Chairs"]);
  });

  test("saves a change, a deletion and a new entity in one change set, and has no changes then", async () => {
    expect(await client().run("save()")).toEqual({ saved: ["Changed", "Product 02", "New"], hasChanges: false });
    const names = await client().shop.names();
    expect(names.slice(0, 2)).toEqual(["Changed", "Product 03"]);
    expect(names.at(-1)).toBe("New");
    expect(linesOf(client()).at(-1)).toBe("POST /odata/$batch 200");
  });

  test("searches page by page", async () => {
    expect(await client().run("search()")).toEqual(["Product 03", "Product 04", "Product 05", "Product 06"]);
    expect(linesOf(client()).at(-1)).toBe("GET /odata/Products?$skip=2&$top=2&$orderby=Id&%24search=product%200 200");
  });

  test("sends no If-Match, so it overwrites the change of another client", async () => {
    expect(await client().run("overwrite()")).toEqual(["Without a check"]);
    expect(await client().shop.names()).toContain("Without a check");
  });
});
