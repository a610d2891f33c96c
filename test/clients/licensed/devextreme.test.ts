import { expect, test } from "vitest";
import { describeClient } from "../describe-client.ts";
import { linesOf } from "../recorded-requests.ts";
import { LICENSED } from "./licensed.ts";

describeClient("the OData store of DevExtreme", "devextreme", LICENSED, (client) => {
  test("lists with filters, an order, an expansion, a page and a total", async () => {
    expect(await client().run("list()")).toMatchObject({
      items: [
        { Id: 51, Name: "Product 51", Category: { Name: "Chairs" } },
        { Id: 41, Name: "Product 41", Category: { Name: "Lamps & more" } },
        { Id: 31, Name: "Product 31", Category: { Name: "Tables" } },
      ],
      total: 4,
    });
    expect(linesOf(client()).at(-1)).toContain("Price%20gt%2020m");
  });

  test("searches in any letter case, counts, and reads by key", async () => {
    expect(await client().run("search()")).toBe(9);
    expect(await client().run("count()")).toBe(40);
    expect(await client().run("byKey(3)")).toMatchObject({ Id: 3, Price: 3.5, Released: "2026-01-04" });
  });

  test("creates, changes and deletes", async () => {
    expect(await client().run("insert()")).toMatchObject({ Id: 61, Name: "New" });
    expect(await client().run("update()")).toMatchObject({ Id: 2, Name: "Changed" });
    expect(await client().run("remove()")).toBe(4);
    expect((await client().shop.names()).slice(0, 4)).toEqual(["Product 01", "Changed", "Product 03", "Product 05"]);
  });

  test("scrolls to the next page", async () => {
    expect(await client().run("grow()")).toEqual([1, 2, 3, 5, 6, 7]);
  });

  test("changes and deletes with the ETag that `beforeSend` adds", async () => {
    expect(await client().run("conflict()")).toEqual({ name: "Eight", late: 412, removed: 412 });
    expect(await client().shop.names()).toContain("Eight");
    expect(client().complaints.splice(0)).toHaveLength(2);
  });

  test("calls a function and an action", async () => {
    expect(await client().run("callFunction()")).toBe(11);
    expect(await client().run("callAction()")).toBe(20);
  });

  test("cannot call an action of an entity", async () => {
    expect(await client().run("callActionOfEntity()")).toBe(400);
    expect(client().complaints.splice(0)).toHaveLength(1);
  });
});
