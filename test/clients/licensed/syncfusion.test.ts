import { expect, test } from "vitest";
import { describeClient } from "../describe-client.ts";
import { linesOf } from "../recorded-requests.ts";
import { LICENSED } from "./licensed.ts";

describeClient("the data manager of Syncfusion", "syncfusion", LICENSED, (client) => {
  test("lists with a filter, an order, a page and a total", async () => {
    const names = [18, 17, 16, 15, 14].map((id) => `Product ${String(id)}`);
    expect(await client().run("list()")).toEqual({ count: 15, names });
  });

  test("searches, and expands a related entity", async () => {
    expect(await client().run("search()")).toBe(15);
    expect(await client().run("expand()")).toMatchObject([{ Id: 3, Name: "Product 03", Category: { Name: "Chairs" } }]);
  });

  test("creates, changes and deletes", async () => {
    expect(await client().run("create()")).toMatchObject({ Id: 61, Name: "New" });
    expect(await client().run("update()")).toMatchObject({ Id: 2, Name: "Changed" });
    await client().run("remove()");
    const names = await client().shop.names();
    expect(names.slice(0, 4)).toEqual(["Product 01", "Changed", "Product 03", "Product 05"]);
    expect(names.at(-1)).toBe("New");
  });

  test("scrolls to the next page, and calls a function and an action", async () => {
    expect(await client().run("grow()")).toEqual([1, 2, 3, 5, 6, 7]);
    expect(await client().run("callOperations()")).toEqual([11, 20]);
  });

  test("sends the ETag of each row in a batch, but does not report that the service refused it", async () => {
    expect(await client().run("conflict()")).toEqual(["saved", "saved"]);
    const names = await client().shop.names();
    expect(names).toContain("Eight");
    expect(names).not.toContain("Late");
  });

  test("saves a batch to the root after a read, and to the entity set without one", async () => {
    client().requests.length = 0;
    await client().run("saveAll()");
    expect(await client().shop.names()).toEqual(expect.arrayContaining(["Added", "Changed in a batch"]));
    expect(await client().shop.names()).not.toContain("Product 06");
    await client().run("saveFirst()");
    expect(await client().shop.names()).toContain("First");
    expect(linesOf(client())).toEqual([
      "GET /odata/Products/?$top=1 200",
      "POST /odata/$batch 200",
      "POST /odata/Products/$batch 200",
    ]);
  });
});
