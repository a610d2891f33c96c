import { describe, expect, test } from "vitest";
import { findBrowser } from "../browser.ts";
import { Job } from "./jobs.ts";
import { axeFindings } from "./open-explorer.ts";
import { servedExplorers } from "./served-explorers.ts";
import { shelfService } from "./shelf-service.ts";

const program = findBrowser();

const FIELD = '.edit-form [role="combobox"]';
const OPTIONS = '[role="listbox"] [role="option"]';

describe.skipIf(program === undefined)("the field of a foreign key", () => {
  const { routes, open } = servedExplorers(program);

  async function openBook(many = 0, fragment = "#/edit/Books('K')") {
    const made = shelfService({ routes: routes() }, many);
    const explorer = await open(made.service, "/shelf", fragment);
    /** Waits longer than the field does before it asks. */
    const rest = async (): Promise<void> => {
      await explorer.page.evaluate("new Promise((resolve) => setTimeout(resolve, 250))");
      await explorer.settle();
    };
    return { ...made, ...explorer, rest };
  }

  test("says who its value is, and finds others by each word of their labels", async () => {
    const { page, books, settle, rest, complaints } = await openBook(50);
    await rest();
    expect(await page.locator(".reference").innerText()).toContain("Rudyard Kipling");
    await page.locator(FIELD).click();
    await rest();
    expect(await page.locator(OPTIONS).count()).toBe(8);
    await page.locator(FIELD).fill("aus JAN");
    await rest();
    expect(await page.locator(OPTIONS).allInnerTexts()).toEqual([expect.stringContaining("Jane Austen")]);
    expect(await axeFindings(page)).toEqual([]);
    await page.locator(OPTIONS).click();
    await rest();
    expect([await page.locator(FIELD).inputValue(), await page.locator(OPTIONS).count()]).toEqual(["2", 0]);
    expect(await page.locator(".reference").innerText()).toContain("Jane Austen");
    await page.locator(FIELD).press("Enter");
    await settle();
    expect(books.get("K")).toMatchObject({ authorId: 2 });
    expect(complaints).toEqual([]);
  });

  test("is chosen with 1 click, a part of the label and Enter, however fast somebody types", async () => {
    const explorer = await openBook(50);
    const { page, books, rest } = explorer;
    const job = await Job.begin(explorer);
    await job.click(FIELD);
    await page.keyboard.type("aust");
    await page.keyboard.press("Enter");
    await rest();
    expect([await page.locator(FIELD).inputValue(), books.get("K")?.["authorId"]]).toEqual(["2", 1]);
    expect(await job.done()).toBe("1 click, 5 keys");
    await job.press("Enter");
    expect(books.get("K")).toMatchObject({ authorId: 2 });
  });

  test("moves through its list with arrows, and closes it with Escape", async () => {
    const { page, rest } = await openBook();
    await page.locator(FIELD).press("ArrowDown");
    await rest();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    const active = `document.getElementById(document.activeElement.getAttribute("aria-activedescendant"))?.innerText`;
    expect(await page.evaluate(active)).toContain("Jane Austen");
    await page.keyboard.press("Escape");
    expect([await page.locator(OPTIONS).count(), await page.locator(FIELD).inputValue()]).toEqual([0, "1"]);
  });

  test("keeps a number that nothing has, and says so", async () => {
    const { page, books, rest } = await openBook(50);
    await page.locator(FIELD).fill("999");
    await rest();
    expect(await page.locator(".reference").innerText()).toContain("Authors");
    await page.keyboard.press("Enter");
    await rest();
    expect(books.get("K")).toMatchObject({ authorId: 999 });
  });

  test("finds the value itself before labels that contain it", async () => {
    const { page, rest } = await openBook(50);
    await page.locator(FIELD).fill("5");
    await rest();
    const texts = await page.locator(OPTIONS).allInnerTexts();
    expect([texts.length > 1, texts[0]]).toEqual([true, expect.stringMatching(/Number 5\s+5$/u)]);
  });

  test("is a field like others where the service refuses to search", async () => {
    const { page, books, rest, show } = await openBook(0, "#/home");
    await page.evaluate(`(() => {
      const send = fetch;
      globalThis.fetch = (url, init) => String(url).includes("/Authors")
        ? Promise.resolve(new Response('{"error":{"code":"Forbidden","message":"no"}}', { status: 403, headers: { "Content-Type": "application/json" } }))
        : send(url, init);
    })()`);
    await show("#/edit/Books('K')");
    await page.locator(FIELD).fill("2");
    await rest();
    expect([await page.locator(OPTIONS).count(), await page.locator("[role=alert]").count()]).toEqual([0, 0]);
    await page.keyboard.press("Enter");
    await rest();
    expect(books.get("K")).toMatchObject({ authorId: 2 });
  });
});
