import { expect, test } from "vitest";
import { describeClient } from "../describe-client.ts";
import { linesOf } from "../recorded-requests.ts";
import { LICENSED } from "./licensed.ts";

describeClient("the data source of Kendo UI, one request for each change", "kendo", LICENSED, (client) => {
  test("lists with filters, also for a date, an order, a page and a total", async () => {
    const names = [51, 41, 21, 19, 18].map((id) => `Product ${String(id)}`);
    expect(await client().run("list()")).toEqual({ total: 13, names });
    expect(linesOf(client()).at(-1)).toContain("Released%20ge%202026-01-10T00%3A00%3A00%2B00%3A00");
  });

  test("scrolls to the next page, and keeps `$search` and `$expand` of its URL", async () => {
    expect(await client().run("grow()")).toEqual([1, 2, 3, 4, 5, 6]);
    expect(await client().run("searchAndExpand()")).toEqual([["Product 05", "Lamps & more"]]);
  });

  test("changes by PATCH with the ETag that `beforeSend` adds", async () => {
    expect(await client().run("conflict()")).toEqual(["saved", "412"]);
    expect(await client().shop.names()).toContain("Eight");
    expect(client().complaints.splice(0)).toHaveLength(1);
  });

  test("creates, replaces and deletes", async () => {
    expect(await client().run("save({ batch: false })")).toEqual({ hasChanges: false, first: "Changed", id: 61 });
    expect((await client().shop.names()).slice(0, 2)).toEqual(["Changed", "Product 03"]);
  });
});

describeClient("the data source of Kendo UI with batches", "kendo", LICENSED, (client) => {
  test("creates, replaces and deletes in one change set", async () => {
    expect(await client().run("save({ batch: true })")).toEqual({ hasChanges: false, first: "Changed", id: 61 });
    expect((await client().shop.names()).slice(0, 2)).toEqual(["Changed", "Product 03"]);
    expect(linesOf(client()).at(-1)).toBe("POST /odata/$batch 200");
  });
});
