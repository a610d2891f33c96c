import { expect, test } from "vitest";
import { describeClient } from "./describe-client.ts";
import { linesOf } from "./recorded-requests.ts";
import { openShop } from "./shop.ts";

// The client reads only letters, digits, `-` and `_` of a token in a next link.
const open = () => openShop({ isPlain: false, paging: "keyset" });

describeClient("angular-odata", "angular-odata", { open }, (client) => {
  test("lists with a filter, an order, a selection, an expansion, a page and a total", async () => {
    expect(await client().run("list()")).toEqual({
      count: 4,
      entities: [
        ["Product 41", "Lamps & more"],
        ["Product 31", "Tables"],
      ],
    });
    expect(linesOf(client())).toEqual([
      "GET /odata/Products?$select=Id,Name&$filter=contains(Name,%20%271%27)%20and%20Price%20gt%2020&$expand=Category($select=Name)&$orderby=Id%20desc&$top=2&$skip=1&$count=true 200",
    ]);
  });

  test("grows, follows next links, searches and counts", async () => {
    const names = [1, 2, 3, 4, 5, 6].map((id) => `Product 0${String(id)}`);
    expect(await client().run("grow()")).toEqual(names);
    client().requests.length = 0;
    expect(await client().run("all()")).toEqual(Array.from({ length: 55 }, (_, index) => index + 6));
    expect(linesOf(client())).toHaveLength(3);
    expect(await client().run("search()")).toEqual(names.slice(0, 2));
    expect(await client().run("count()")).toBe(60);
  });

  test("creates, changes and replaces with an ETag, shows a conflict, and deletes", async () => {
    const conflict = { status: 412, code: "PreconditionFailed" };
    expect(await client().run("create()")).toMatchObject({ Id: 61, Name: "New" });
    expect(await client().run("change()")).toMatchObject({ name: "Changed", conflict });
    expect(await client().run("replace()")).toEqual({ name: "Replaced", category: null });
    expect(await client().run("remove()")).toEqual({ stale: conflict, read: { status: 404, code: "NotFound" } });
    expect((await client().shop.names()).slice(0, 4)).toEqual(["Product 01", "Changed", "Product 03", "Product 05"]);
    // The browser reports the two conflicts and the entity that is gone.
    expect(client().complaints.splice(0)).toHaveLength(3);
  });

  test("calls a function and an action", async () => {
    expect(await client().run("callFunction()")).toBe(11);
    expect(await client().run("callAction()")).toBe(1.75);
  });

  test("reads and saves in one batch", async () => {
    expect(await client().run('saveTogether("In a batch", "Added")')).toEqual(["Product 01", "In a batch", "Added"]);
    expect(linesOf(client()).at(-1)).toBe("POST /odata/$batch 200");
    expect(await client().shop.names()).toEqual(expect.arrayContaining(["In a batch", "Added"]));
  });

  test("saves nothing of a change set that fails, and reports it for the first of its changes", async () => {
    expect(await client().run('saveTogether("Not saved", "x".repeat(41))')).toEqual([
      "Product 01",
      { status: 400, code: "InvalidBody" },
      "no response",
    ]);
    const names = await client().shop.names();
    expect(names).toContain("In a batch");
    expect(names).not.toContain("Not saved");
  });
});
