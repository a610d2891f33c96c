import { describe, expect, test } from "vitest";
import { describeClient } from "./describe-client.ts";
import { UI5_HEAD } from "./package-files.ts";
import { linesOf } from "./recorded-requests.ts";

const numbered = (ids: readonly number[]): readonly string[] =>
  ids.map((id) => `Product ${String(id).padStart(2, "0")}`);

describe.each([
  ["$auto", "same", false],
  ["$direct", "same", false],
  ["$auto", "another", true],
  ["$direct", "another", true],
])("OpenUI5, group %s, from a page of %s origin", (group, _origin, isCrossOrigin) => {
  describeClient("the OData V4 model with a table", "ui5", { head: UI5_HEAD, isCrossOrigin }, (client) => {
    test("shows a list with a related entity, and grows", async () => {
      expect(await client().run(`open(${JSON.stringify(group)})`)).toEqual({
        rows: [
          ["Product 01", "Tables", "1.50"],
          ["Product 02", "Lamps & more", "2.50"],
          ["Product 03", "Chairs", "3.50"],
          ["Product 04", "Tables", "4.50"],
          ["Product 05", "Lamps & more", "5.50"],
        ],
        length: 60,
      });
      expect(await client().run("grow()")).toEqual({ rows: numbered([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]), length: 60 });
      const read = linesOf(client()).filter((line) => line.includes("Products"));
      if (group === "$auto") expect(read).toEqual([]);
      else expect(read[0]).toContain("$count=true&$orderby=Id&$select=Id,Name,Price&$expand=Category($select=Id,Name)");
    });

    test("filters, sorts and searches", async () => {
      expect(await client().run("filter()")).toEqual({ rows: numbered([1, 10, 11, 12, 13]), length: 15 });
      expect(await client().run("sort()")).toEqual({ rows: numbered([51, 41, 31, 21, 19]), length: 15 });
      expect(await client().run("search()")).toEqual({ rows: numbered([21, 12]), length: 2 });
      expect(await client().run("reset()")).toEqual({ rows: numbered([1, 2, 3, 4, 5]), length: 60 });
    });

    test("creates, changes, and shows a conflict", async () => {
      expect(await client().run("create()")).toEqual({ id: 61, path: "/Products(61)" });
      expect(await client().run('change("Renamed")')).toBe("Renamed");
      expect(await client().shop.names()).toContain("Renamed");
      client().complaints.length = 0;
      expect(await client().run("conflict()")).toMatchObject({ status: 412 });
      expect(client().complaints.join("\n")).toContain("If-Match does not hold");
      client().complaints.length = 0;
      expect(await client().run("refresh()")).toMatchObject({ length: 61 });
    });

    test("deletes", async () => {
      const before = (await client().shop.names()).length;
      await client().run("remove()");
      expect(await client().shop.names()).toHaveLength(before - 1);
    });

    test("calls a function and an action", async () => {
      expect(await client().run("callFunction()")).toMatchObject({ value: 11 });
      expect(await client().run("callAction()")).toBe("1.25");
    });

    test("filters by dates, times and an Int64 with all its digits, and by an enumeration in the option of the binding", async () => {
      const orders = (path: string, operator: string, value: string) =>
        client().run(`orders(${JSON.stringify(group)}, "${path}", "${operator}", "${value}")`);
      expect(await orders("DueOn", "GE", "2026-04-05")).toEqual([5, 6]);
      expect(await orders("OrderedAt", "LT", "2026-03-02T00:00:00Z")).toEqual([1]);
      expect(await orders("OpensAt", "EQ", "08:04:00")).toEqual([4]);
      expect(await orders("Number", "EQ", "9007199254740993")).toEqual([3]);
      expect(await orders("Status", "EQ", "Paid")).toBe("Unsupported type: Shop.Status");
      client().complaints.length = 0;
      expect(await client().run(`ordersBy("Status eq 'Paid'")`)).toEqual([
        [1, "9007199254740991"],
        [4, "9007199254740994"],
      ]);
    });

    test("shows the faults of a body at their fields", async () => {
      const values = JSON.stringify({ Name: "A name of more than forty characters in all", Price: "123456789.50" });
      const name = '"A name of more than forty characters in …" is too long: write at most 40 characters.';
      const price =
        '"123456789.50" has too many digits: write at most 8 digits before the point and 2 digits after the point.';
      const expected = {
        messages: [
          ["", "Error", "The body has 2 faults. 'details' lists them."],
          ["/Products(2)/Name", "Error", name],
          ["/Products(2)/Price", "Error", price],
        ],
        states: [
          ["Error", name],
          ["Error", price],
        ],
      };
      const show = (ids: readonly number[]) =>
        client().run(`faults(${JSON.stringify(group)}, ${JSON.stringify(ids)}, ${values})`);
      expect(await show([2])).toEqual(expected);
      // A change set, whose second request has the faults.
      expect(await show([3, 2])).toEqual(expected);
      client().complaints.length = 0;
    });

    test("saves a group of changes in one batch", async () => {
      const before = linesOf(client()).filter((line) => line.startsWith("POST /odata/$batch")).length;
      const saved = await client().run(`saveTogether(${JSON.stringify(group)}, ["A", "B"])`);
      expect(saved).toMatchObject({ hasChanges: false });
      expect((await client().shop.names()).slice(0, 2)).toEqual(["A", "B"]);
      // With `$auto`, the list is read in a batch, too.
      const batches = linesOf(client()).filter((line) => line.startsWith("POST /odata/$batch"));
      expect(batches).toHaveLength(before + (group === "$auto" ? 2 : 1));
    });
  });
});
