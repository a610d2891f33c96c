import { expect, test } from "vitest";
import type { ClientPage } from "../client-page.ts";
import { describeClient, eventually } from "../describe-client.ts";
import { LICENSED } from "./licensed.ts";

/** The filters of the requests since the last call. */
function filtersOf({ sent }: ClientPage): string {
  const filters = sent.map((request) => /\$filter=(?<filter>.*?)(?:&\$|$)/u.exec(request)?.groups?.["filter"] ?? "");
  return filters.join("\n");
}

const stored = async ({ shop }: ClientPage, id: number): Promise<string> =>
  (await shop.service.fetch(new Request(`http://shop.example/odata/Orders(${String(id)})`))).text();

describeClient("the data grid of DevExtreme", "devextreme-grid", { ...LICENSED, guide: "devextreme" }, (client) => {
  test.each([
    ['search("customer 4")', "contains(tolower(Customer),'customer 4')"],
    ['filter("Status", "=", "Paid")', "Status eq 'Paid'"],
    ['filter("DueOn", "=", new Date("2026-04-04"))', "(DueOn ge 2026-04-04) and (DueOn lt 2026-04-05)"],
    ['filter("OrderedAt", ">=", new Date("2026-03-04T00:00:00Z"))', "OrderedAt ge 2026-03-04T00:00:00.000Z"],
  ])("filters: %s", async (call, filter) => {
    if (client().sent.length === 0) await client().run("show()");
    await client().run('search("")');
    await client().run(call);
    expect(filtersOf(client())).toContain(filter);
    expect(client().requests.filter(({ status }) => status >= 400)).toEqual([]);
  });

  test("edits an enumeration and a date, and keeps an Int64 that JavaScript rounds", async () => {
    await client().run('filter("Id", "=", 4)');
    await client().run('edit(0, "Status", "Shipped")');
    await client().run('edit(0, "DueOn", new Date("2026-05-06"))');
    expect(client().sent.filter((request) => request.startsWith("PATCH"))).toEqual([
      'PATCH Orders(4) {"Status":"Shipped"}',
      'PATCH Orders(4) {"DueOn":"2026-05-06"}',
    ]);
    expect(await stored(client(), 4)).toContain('"Number":9007199254740994,"Status":"Shipped"');
  });
});

describeClient("the grid of Syncfusion", "syncfusion-grid", { ...LICENSED, guide: "syncfusion" }, (client) => {
  test.each([
    ['search("customer 4")', "contains(tolower(Customer),'customer 4')"],
    [
      'search("").then(() => client.filter("OrderedAt", "greaterthan", new Date("2026-03-04T00:00:00Z")))',
      "OrderedAt gt 2026-03-04T00:00:00.000Z",
    ],
    // A column of the type `dateonly` shows and filters the local date.
    ['filter("DueOn", "equal", new Date(2026, 3, 4))', "DueOn eq '2026-04-04'"],
  ])("filters: %s", async (call, filter) => {
    if (client().sent.length === 0) await client().run("show()");
    await client().run(call);
    expect(filtersOf(client())).toContain(filter);
    expect(client().requests.filter(({ status }) => status >= 400)).toEqual([]);
  });

  test("filters by an enumeration in the filter bar", async () => {
    await client().run('filter("Id", "greaterthan", 0)');
    await client().page.locator("#Status_filterBarcell").fill("Paid");
    await client().page.locator("#Status_filterBarcell").press("Enter");
    await eventually(() => filtersOf(client())).toContain("Status eq 'Paid'");
  });

  test("edits an enumeration and a date, and keeps an Int64 that JavaScript rounds", async () => {
    // The grid looks for its licence at another host.
    const own = client().complaints.filter((text) => !text.includes("ERR_NAME_NOT_RESOLVED"));
    client().complaints.splice(0, Infinity, ...own);
    await client().run('filter("Id", "equal", 4)');
    await client().run('edit(0, "Status", "Shipped")');
    await client().run('edit(0, "DueOn", new Date("2026-05-06"))');
    expect(await stored(client(), 4)).toContain('"Number":9007199254740994,"Status":"Shipped"');
    expect(await stored(client(), 4)).toContain('"DueOn":"2026-05-06"');
  });
});

describeClient("the grid of Kendo UI", "kendo-grid", { ...LICENSED, guide: "kendo" }, (client) => {
  test.each([
    ['search("Customer 4")', "contains(Customer,'Customer 4')"],
    ['filter("Status", "eq", "Paid")', "Status eq 'Paid'"],
    ['filter("OrderedAt", "gte", new Date("2026-03-04T00:00:00Z"))', "OrderedAt ge 2026-03-04T00:00:00+00:00"],
  ])("filters: %s", async (call, filter) => {
    if (client().sent.length === 0) await client().run("show()");
    await client().run(call);
    expect(filtersOf(client()).replaceAll(" 00:00", "+00:00")).toContain(filter);
    expect(client().requests.filter(({ status }) => status >= 400)).toEqual([]);
  });

  test("replaces an entity, and keeps an Int64 that JavaScript rounds", async () => {
    await client().run('filter("Id", "eq", 3)');
    await client().run('edit(0, "Status", "Paid")');
    expect(client().sent.findLast((request) => request.startsWith("PUT"))).toContain('"Number":"9007199254740993"');
    expect(await stored(client(), 3)).toContain('"Number":9007199254740993,"Status":"Paid"');
  });
});
