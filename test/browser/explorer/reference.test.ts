import { describe, expect, test } from "vitest";
import { findBrowser } from "../browser.ts";
import { Job } from "./jobs.ts";
import { axeFindings } from "./open-explorer.ts";
import { servedExplorers } from "./served-explorers.ts";
import { shelfService } from "./shelf-service.ts";

const program = findBrowser();

const FIELD = ".edit-form input[list]";

describe.skipIf(program === undefined)("the field of a foreign key", () => {
  const { routes, open } = servedExplorers(program);

  async function openBook(many = 0, fragment = "#/edit/Books('K')") {
    const made = shelfService({ routes: routes() }, many);
    const explorer = await open(made.service, "/shelf", fragment);
    const { page, settle } = explorer;
    /** Waits longer than the field does before it asks. */
    const rest = async (): Promise<void> => {
      await page.evaluate("new Promise((resolve) => setTimeout(resolve, 250))");
      await settle();
    };
    /** The entities that the browser offers. */
    const offered = async (): Promise<readonly string[]> => {
      const list = `[...document.querySelector("${FIELD}").list.options].map(({ value, label }) => value + " " + label)`;
      return (await page.evaluate(list)) as readonly string[];
    };
    const note = () => page.locator(`.field:has(${FIELD.replace(".edit-form ", "")})`).innerText();
    return { ...made, ...explorer, rest, offered, note };
  }

  test("says who its value is, and finds others by each word of their labels", async () => {
    const { page, books, rest, offered, note, complaints } = await openBook(50);
    await rest();
    expect(await note()).toContain("Rudyard Kipling");
    await page.locator(FIELD).fill("aus JAN");
    await rest();
    expect(await offered()).toEqual(["2 Jane Austen"]);
    expect(await axeFindings(page)).toEqual([]);
    await page.locator(FIELD).press("Enter");
    await rest();
    expect([await page.locator(FIELD).inputValue(), await note()]).toEqual([
      "2",
      expect.stringContaining("Jane Austen"),
    ]);
    await page.locator(FIELD).press("Enter");
    await rest();
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

  test("offers at most 8 of many entities", async () => {
    const { page, rest, offered } = await openBook(50);
    await page.locator(FIELD).fill("number");
    await rest();
    expect((await offered()).length).toBe(8);
  });

  test("keeps a number that nothing has, and says so", async () => {
    const { page, books, rest, note } = await openBook(50);
    await page.locator(FIELD).fill("999");
    await rest();
    expect(await note()).toContain("Authors");
    await page.keyboard.press("Enter");
    await rest();
    expect(books.get("K")).toMatchObject({ authorId: 999 });
  });

  test("means the value itself where labels contain it, too", async () => {
    const { page, books, rest } = await openBook(50);
    await page.locator(FIELD).fill("5");
    await rest();
    await page.keyboard.press("Enter");
    await rest();
    expect(books.get("K")).toMatchObject({ authorId: 5 });
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
    expect(await page.locator("[role=alert]").count()).toBe(0);
    await page.keyboard.press("Enter");
    await rest();
    expect(books.get("K")).toMatchObject({ authorId: 2 });
  });
});
