import { expect, test } from "vitest";
import type { ClientPage } from "./client-page.ts";
import { describeClient, eventually } from "./describe-client.ts";

/** The texts of a column in the rows that the grid shows, from above. */
async function columnOf({ page }: ClientPage, column: string): Promise<readonly string[]> {
  const cells = `Array.from(document.querySelectorAll(".ag-row"))
    .sort((a, b) => Number(a.getAttribute("row-index")) - Number(b.getAttribute("row-index")))
    .map((row) => row.querySelector("[col-id='${column}']")?.innerText ?? "")`;
  return (await page.evaluate(cells)) as readonly string[];
}

/** Waits until the grid shows rows with these keys. */
async function shown(client: ClientPage, ids: readonly number[]): Promise<void> {
  await eventually(() => columnOf(client, "Id")).toEqual(ids.map(String));
}

const cell = ({ page }: ClientPage, row: number, column: string) =>
  page.locator(`.ag-row[row-index='${String(row)}'] [col-id='${column}']`);

/** Edits the first row, and waits until the grid has its new ETag: an edit before would send the old one. */
async function saved(client: ClientPage, edit: () => Promise<void>): Promise<void> {
  const before = await client.run("tag()");
  await edit();
  await eventually(() => client.run("tag()")).not.toBe(before);
}

/** The requests since the last call. */
const sentBy = ({ sent }: ClientPage): readonly string[] => sent.splice(0);

const OPTIONS = { guide: "ag-grid" };

describeClient("the infinite row model of AG Grid: products", "screens/ag-grid", OPTIONS, (client) => {
  test("lists, with a related entity", async () => {
    await client().run("show()");
    await shown(client(), [1, 2, 3, 4, 5]);
    expect(await columnOf(client(), "Price")).toEqual(["1.50", "2.50", "3.50", "4.50", "5.50"]);
    expect((await columnOf(client(), "Category.Name")).slice(0, 2)).toEqual(["Tables", "Lamps & more"]);
    expect(sentBy(client())).toEqual(["GET Products?$skip=0&$top=5&$count=true&$expand=Category"]);
  });

  test("sorts", async () => {
    const header = client().page.locator(".ag-header-cell[col-id=Price]").first();
    await header.click();
    await eventually(() => client().sent.at(-1)).toContain("&$orderby=Price asc");
    await header.click();
    await shown(client(), [60, 59, 58, 57, 56]);
    expect(sentBy(client()).at(-1)).toBe(
      "GET Products?$skip=0&$top=5&$count=true&$expand=Category&$orderby=Price desc",
    );
  });

  test("pages", async () => {
    await client().page.locator("[aria-label='Next Page']").first().click();
    await shown(client(), [55, 54, 53, 52, 51]);
    expect(sentBy(client()).at(-1)).toContain("$skip=5&$top=5");
  });

  test("filters by text, numbers, dates and a related entity", async () => {
    await client().page.locator("[aria-label='Name Filter Input']").first().fill("PRODUCT 1");
    await shown(client(), [19, 18, 17, 16, 15]);
    expect(sentBy(client()).at(-1)).toContain("$filter=(contains(tolower(Name),tolower('PRODUCT 1')))");
    const filters: ReadonlyArray<readonly [model: string, ids: readonly number[], filter: string]> = [
      [
        '{"Price":{"filterType":"number","type":"inRange","filter":2,"filterTo":4}}',
        [3, 2],
        "(Price ge 2 and Price le 4)",
      ],
      [
        '{"Released":{"filterType":"date","type":"equals","dateFrom":"2026-01-28 00:00:00"}}',
        [55, 27],
        "(Released eq 2026-01-28)",
      ],
      ['{"Released":{"filterType":"date","type":"blank"}}', [], "(Released eq null)"],
      [
        '{"Name":{"filterType":"text","operator":"OR","conditions":[{"type":"equals","filter":"Product 07"},{"type":"endsWith","filter":"08"}]}}',
        [8, 7],
        "((Name eq 'Product 07') or (endswith(tolower(Name),tolower('08'))))",
      ],
      [
        '{"Category.Name":{"filterType":"text","type":"startsWith","filter":"lamps"},"Id":{"filterType":"number","type":"lessThan","filter":6}}',
        [5, 2],
        "(startswith(tolower(Category/Name),tolower('lamps'))) and (Id lt 6)",
      ],
    ];
    for (const [model, ids, filter] of filters) {
      await client().run(`filterBy(${model})`);
      await shown(client(), ids);
      // A grid that is about to ask has no rows.
      await eventually(() => client().sent.at(-1)?.split("$filter=")[1]).toBe(filter);
    }
    await client().run("filterBy({})");
    await shown(client(), [60, 59, 58, 57, 56]);
  });

  test("changes a cell with the ETag of its row, and shows a conflict", async () => {
    const edit = async (text: string) => {
      await cell(client(), 0, "Name").dblclick();
      await cell(client(), 0, "Name").locator("input").fill(text);
      await cell(client(), 0, "Name").locator("input").press("Enter");
    };
    sentBy(client());
    await saved(client(), () => edit("Changed"));
    expect(await client().shop.names()).toContain("Changed");
    expect(sentBy(client())).toEqual(['PATCH Products(60) {"Name":"Changed"}']);
    await saved(client(), () => edit("Again"));
    expect(await client().shop.names()).toContain("Again");
    const other = { method: "PATCH", headers: { "Content-Type": "application/json" }, body: '{"Name":"By another"}' };
    await client().shop.service.fetch(new Request("http://shop.example/odata/Products(60)", other));
    await edit("Lost");
    await eventually(() => columnOf(client(), "Name")).toContain("By another");
    expect(await client().run("reported()")).toEqual([expect.stringContaining("If-Match does not hold")]);
    expect(await client().shop.names()).not.toContain("Lost");
    expect(client().complaints.splice(0)).toEqual([expect.stringContaining("412")]);
  });

  test("creates and deletes", async () => {
    await client().page.locator("button:text-is('Create')").click();
    await eventually(() => client().shop.names()).toContain("New");
    await client().run('filterBy({"Name":{"filterType":"text","type":"equals","filter":"New"}})');
    await shown(client(), [61]);
    await client().page.locator("button:text-is('Delete')").first().click();
    await shown(client(), []);
    expect(await client().shop.names()).not.toContain("New");
    await eventually(() => client().sent).toContain("DELETE Products(61)");
  });
});

describeClient("the infinite row model of AG Grid: orders", "screens/ag-grid", OPTIONS, (client) => {
  test("shows every digit of an Int64", async () => {
    await client().run("showOrders()");
    await shown(client(), [1, 2, 3, 4, 5]);
    expect((await columnOf(client(), "Number")).slice(0, 3)).toEqual([
      "9007199254740991",
      "9007199254740992",
      "9007199254740993",
    ]);
  });

  test("filters by an enumeration, and by the day of a timestamp", async () => {
    await client().page.locator("[aria-label='Status Filter Input']").first().fill("Paid");
    await shown(client(), [1, 4]);
    expect(sentBy(client()).at(-1)).toContain("$filter=(Status eq 'Paid')");
    const day = '"filterType":"date","type":"equals","dateFrom":"2026-03-04 00:00:00"';
    await client().run(`filterBy({"OrderedAt":{${day}}})`);
    await shown(client(), [4]);
    expect(sentBy(client()).at(-1)).toContain("$filter=(date(OrderedAt) eq 2026-03-04)");
  });

  test("changes an enumeration and a date", async () => {
    await saved(client(), async () => {
      await cell(client(), 0, "Status").dblclick();
      await cell(client(), 0, "Status").locator(".ag-picker-field-wrapper").click();
      await client().page.locator(".ag-list-item:has-text('Shipped')").first().click();
    });
    expect(client().sent).toContain('PATCH Orders(4) {"Status":"Shipped"}');
    await saved(client(), async () => {
      await cell(client(), 0, "DueOn").dblclick();
      await cell(client(), 0, "DueOn").locator("input").fill("2026-05-06");
      await cell(client(), 0, "DueOn").locator("input").press("Enter");
    });
    await eventually(() => client().sent).toContain('PATCH Orders(4) {"DueOn":"2026-05-06"}');
    await eventually(() => columnOf(client(), "DueOn")).toEqual(["2026-05-06"]);
    const stored = await client().shop.service.fetch(new Request("http://shop.example/odata/Orders(4)"));
    expect(await stored.text()).toContain('"Number":9007199254740994,"Status":"Shipped"');
  });
});
