import { expect, test } from "vitest";
import type { ClientPage } from "./client-page.ts";
import { describeClient, eventually } from "./describe-client.ts";

/** The texts of the rows of the list, without the column of checkboxes. */
async function rowsOf({ page }: ClientPage): Promise<readonly (readonly string[])[]> {
  const texts = await page.locator("tbody tr").allInnerTexts();
  return texts.map((text) => text.split("\t").map((cell) => cell.trim()));
}

/** Waits until the list has rows with a text in the first column of data. */
async function shown(client: ClientPage, ids: readonly number[]): Promise<readonly (readonly string[])[]> {
  await eventually(async () => (await rowsOf(client)).map((row) => row[1])).toEqual(ids.map(String));
  return rowsOf(client);
}

/**
 * Opens the form of the first row, whose record another user has changed. The form shows the record of the list first, and
 * the stored one resets its fields later: only the change proves that it has arrived.
 */
async function openChanged({ page, shop }: ClientPage, path: string, field: string, text: string): Promise<void> {
  const headers = { "Content-Type": "application/json" };
  const body = JSON.stringify({ [field]: text });
  await shop.service.fetch(new Request(`http://shop.example/odata/${path}`, { method: "PATCH", headers, body }));
  await page.locator("tbody tr").first().click();
  await eventually(() => page.locator(`input[name=${field}]`).inputValue()).toBe(text);
}

/** Saves a form once its fields have these values. */
async function save({ page }: ClientPage, fields: Readonly<Record<string, string>>): Promise<void> {
  for (const [field, text] of Object.entries(fields)) {
    await eventually(() => page.locator(`input[name=${field}]`).inputValue()).toBe(text);
  }
  await page.locator("button[aria-label=Save]:not([disabled])").click();
}

/** The requests since the last call. */
const sentBy = ({ sent }: ClientPage): readonly string[] => sent.splice(0);

/** The requests since the last call of `sentBy` that change something. */
const changesBy = ({ sent }: ClientPage): readonly string[] => sent.filter((line) => !line.startsWith("GET "));

const OPTIONS = { guide: "react-admin" };

describeClient("the administration of react-admin: products", "screens/react-admin", OPTIONS, (client) => {
  test("lists", async () => {
    await client().run("show()");
    expect((await shown(client(), [1, 2, 3, 4, 5]))[0]).toEqual(["", "1", "Product 01", "1.5", "", "2026-01-02"]);
    expect(sentBy(client())).toEqual(["GET $metadata", "GET Products?$orderby=Name asc&$top=5&$count=true"]);
  });

  test("sorts", async () => {
    await client().page.locator("thead span[data-field=Price]").first().click();
    // The ascending list shows the rows of the list before it: only the request proves that the first click arrived.
    await eventually(() => client().sent).toContain("GET Products?$orderby=Price asc&$top=5&$count=true");
    await shown(client(), [1, 2, 3, 4, 5]);
    await client().page.locator("thead span[data-field=Price]").first().click();
    await shown(client(), [60, 59, 58, 57, 56]);
    expect(sentBy(client()).at(-1)).toBe("GET Products?$orderby=Price desc&$top=5&$count=true");
  });

  test("pages", async () => {
    await client().page.locator("button[aria-label='Go to next page']").click();
    await shown(client(), [55, 54, 53, 52, 51]);
    expect(sentBy(client())).toEqual(["GET Products?$orderby=Price desc&$skip=5&$top=5&$count=true"]);
  });

  test("filters and searches", async () => {
    await client().page.locator("input[name=Price_gt]").fill("58");
    await shown(client(), [60, 59, 58]);
    expect(sentBy(client()).at(-1)).toContain("$filter=Price gt 58");
    await client().page.locator("input[name=Price_gt]").fill("");
    await shown(client(), [60, 59, 58, 57, 56]);
    await client().page.locator("input[name=q]").fill("product 07");
    await shown(client(), [7]);
    expect(sentBy(client()).at(-1)).toContain("$search=product 07");
  });

  test("edits: sends only the changed members", async () => {
    const { page } = client();
    await openChanged(client(), "Products(7)", "Name", "Renamed");
    await page.locator("input[name=Name]").fill("Changed");
    sentBy(client());
    await save(client(), { Name: "Changed" });
    await eventually(() => client().shop.names()).toContain("Changed");
    await page.locator("input[name=q]").waitFor();
    const sent = ['PATCH Products(7) {"Name":"Changed"}', "GET Products(7)"];
    await eventually(() => client().sent.slice(0, 2)).toEqual(sent);
    sentBy(client());
  });

  test("creates", async () => {
    const { page } = client();
    await page.locator("a[aria-label=Create]").click();
    await page.locator("input[name=Name]").fill("New");
    await page.locator("input[name=Price]").fill("5");
    sentBy(client());
    await save(client(), { Name: "New", Price: "5" });
    await eventually(() => client().shop.names()).toContain("New");
    await eventually(() => changesBy(client())).toEqual(['POST Products {"Name":"New","Price":5,"IsInStock":false}']);
    sentBy(client());
  });

  test("deletes", async () => {
    const { page } = client();
    await page.locator("input[name=q]").fill("new");
    await shown(client(), [61]);
    await page.locator("tbody tr").first().click();
    await page.locator("button[aria-label=Delete]").click();
    await page.locator("button:has-text('Confirm')").click();
    await eventually(() => client().shop.names()).not.toContain("New");
    await eventually(() => changesBy(client())).toEqual(["DELETE Products(61)"]);
  });
});

describeClient("the administration of react-admin: orders", "screens/react-admin", OPTIONS, (client) => {
  test("filters by an enumeration", async () => {
    await client().run("show()");
    await client().page.locator("a[href='#/Orders']").first().click();
    await shown(client(), [6, 5, 4, 3, 2, 1]);
    await client().page.locator("form [role=combobox]").first().click();
    await client().page.locator("li[data-value=Paid]").click();
    await shown(client(), [4, 1]);
    expect(sentBy(client()).at(-1)).toContain("$filter=Status eq 'Paid'");
  });

  test("edits an enumeration and a date, and keeps an Int64 that JavaScript rounds", async () => {
    const { page } = client();
    await openChanged(client(), "Orders(4)", "DueOn", "2026-04-30");
    await page.locator("input[name=DueOn]").fill("2026-05-06");
    await page.locator("form [role=combobox]").first().click();
    await page.locator("li[data-value=Shipped]").click();
    sentBy(client());
    await save(client(), { DueOn: "2026-05-06", Status: "Shipped" });
    const sent = ['PATCH Orders(4) {"Status":"Shipped","DueOn":"2026-05-06"}', "GET Orders(4)"];
    // A reading that began before the change may stand before it.
    await eventually(() => client().sent.slice(client().sent.indexOf(sent[0] ?? ""))).toEqual(
      expect.arrayContaining(sent),
    );
    expect(changesBy(client())).toEqual(sent.slice(0, 1));
    const stored = await client().shop.service.fetch(new Request("http://shop.example/odata/Orders(4)"));
    expect(await stored.text()).toContain('"Number":9007199254740994,"Status":"Shipped"');
  });
});
