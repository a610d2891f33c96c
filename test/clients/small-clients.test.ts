import { expect, test } from "vitest";
import { describeClient } from "./describe-client.ts";
import { linesOf } from "./recorded-requests.ts";

describeClient("o.js", "o-js", {}, (client) => {
  test("lists, creates, changes and deletes", async () => {
    expect(await client().run("list()")).toMatchObject([{ Id: 59 }, { Id: 58 }, { Id: 56 }]);
    expect(await client().run("create()")).toMatchObject({ Id: 61, Name: "New" });
    expect(await client().run("update()")).toMatchObject({ Id: 2, Name: "Changed" });
    expect(await client().run("remove()")).toBe(204);
  });

  test("reads the next page, searches and expands", async () => {
    expect(await client().run("grow()")).toEqual([1, 2, 3, 5]);
    expect(await client().run("search()")).toMatchObject([{ Name: "Product 05" }]);
    expect(await client().run("expand()")).toMatchObject({ Id: 3, Category: { Name: "Chairs" } });
  });

  test("changes and deletes with an ETag", async () => {
    expect(await client().run("conflict()")).toEqual({ name: "Eight", late: 412, removed: 412 });
    expect(await client().shop.names()).toContain("Eight");
    expect(client().complaints.splice(0)).toHaveLength(2);
  });

  test("calls a function and actions", async () => {
    expect(await client().run("callFunction()")).toBe(11);
    expect(await client().run("callActions()")).toEqual([204, 20]);
  });

  test("reads and saves in batches", async () => {
    expect(await client().run("batch()")).toMatchObject([
      { contentId: 1, status: 200, body: { Name: "Product 01" } },
      { contentId: 2, status: 200, body: 3 },
    ]);
    expect(await client().run("save()")).toMatchObject([
      { contentId: 1, status: 200, body: { Name: "Seven" } },
      { contentId: 2, status: 201, body: { Name: "Added" } },
    ]);
    expect(await client().shop.names()).toEqual(expect.arrayContaining(["Seven", "Added"]));
  });
});

describeClient("odata-query", "odata-query", {}, (client) => {
  test("filters with `and`, `or`, `in` and `contains`", async () => {
    expect(await client().run("filters()")).toMatchObject({
      status: 200,
      "@odata.count": 2,
      value: [{ Id: 31 }, { Id: 15 }],
    });
  });

  test("expands with nested options, below `any` and `not`", async () => {
    expect(await client().run("expands()")).toMatchObject({
      status: 200,
      value: [
        {
          Id: 1,
          Products: [
            { Id: 60, Category: { Id: 1 } },
            { Id: 54, Category: { Id: 1 } },
          ],
        },
      ],
    });
  });

  test("searches", async () => {
    expect(await client().run("search()")).toMatchObject({ status: 200, value: [{ Name: "Product 02" }] });
  });

  test("makes the URLs of a function, an action and an entity", async () => {
    expect(await client().run("callFunction()")).toMatchObject({ status: 200, value: 11 });
    expect(await client().run("callAction()")).toEqual({ status: 204 });
    expect(await client().run("save()")).toEqual([201, 200, 412, 204]);
    expect(client().complaints.splice(0)).toHaveLength(1);
  });
});

describeClient("@odata/client", "odata-client", {}, (client) => {
  test("lists, counts, creates, changes and deletes", async () => {
    expect(await client().run("list()")).toMatchObject([{ Id: 1 }, { Id: 2 }]);
    expect(await client().run("count()")).toBe(60);
    expect(await client().run("create()")).toMatchObject({ Id: 61 });
    await client().run("update()");
    await client().run("remove()");
    expect((await client().shop.names()).slice(0, 4)).toEqual(["Product 01", "Changed", "Product 03", "Product 05"]);
  });

  test("reads the next page, searches and expands", async () => {
    expect(await client().run("grow()")).toEqual([1, 2, 3, 5]);
    expect(await client().run("searchAndExpand()")).toEqual([["Product 05", "Lamps & more"]]);
  });

  test("changes with an ETag among its common headers", async () => {
    expect(await client().run("conflict()")).toEqual(["saved", expect.stringContaining("If-Match does not hold")]);
    expect(await client().shop.names()).toContain("Eight");
    expect(client().complaints.splice(0)).toHaveLength(1);
  });

  test("calls a function and actions", async () => {
    expect(await client().run("callOperations()")).toEqual([1.75, 11, 20]);
  });

  test("sends a batch", async () => {
    expect(await client().run("batch()")).toMatchObject([{ status: 201 }, { status: 200 }]);
    expect(linesOf(client()).at(-1)).toBe("POST /odata/$batch 200");
  });
});

describeClient("the data provider of react-admin", "react-admin", {}, (client) => {
  test("finds the resources, lists with a filter, and reads one, several and related entities", async () => {
    expect(await client().run("resources()")).toEqual(["Categories", "Products", "Orders"]);
    expect(await client().run("list()")).toMatchObject({ data: [{ id: 19 }, { id: 17 }], total: 10 });
    expect(await client().run("one()")).toMatchObject({ data: { id: 3, Name: "Product 03" } });
    expect(await client().run("many()")).toMatchObject({ data: [{ id: 3 }, { id: 5 }] });
    expect(await client().run("manyReference()")).toMatchObject({ data: [{ id: 1 }, { id: 4 }], total: 20 });
  });

  test("searches page by page, and expands a related entity", async () => {
    expect(await client().run("search()")).toEqual([1, 2, 3, 4]);
    expect(await client().run("expand()")).toMatchObject({ data: [{ id: 3, Category: { Name: "Chairs" } }] });
  });

  test("creates, changes and deletes", async () => {
    expect(await client().run("create()")).toMatchObject({ data: { id: 61 } });
    expect(await client().run("update()")).toMatchObject({ data: { Id: 2, Name: "Changed" } });
    expect(await client().run("remove()")).toMatchObject({ data: { id: 4 } });
  });
});
