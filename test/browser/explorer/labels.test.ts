import { describe, expect, test } from "vitest";
import { findBrowser } from "../browser.ts";
import { Job } from "./jobs.ts";
import { axeFindings } from "./open-explorer.ts";
import { servedExplorers } from "./served-explorers.ts";
import { shelfService } from "./shelf-service.ts";

const program = findBrowser();

describe.skipIf(program === undefined)("labels in the explorer", () => {
  const { routes, open } = servedExplorers(program);

  async function openShelf(fragment: string) {
    const { service } = shelfService({ routes: routes() });
    const explorer = await open(service, "/shelf", fragment);
    const heading = () => explorer.page.locator("h1").innerText();
    return { ...explorer, heading };
  }

  test("follow a relation two steps with 2 clicks", async () => {
    const explorer = await openShelf("#/grid/Books?$select=Title,AuthorId");
    const { page, heading, complaints } = explorer;
    const job = await Job.begin(explorer);
    expect(await page.locator(".grid tbody").innerText()).toContain("Rudyard Kipling");
    await job.click('.grid tbody td:nth-child(2) a:text-is("1")');
    expect(await heading()).toBe("Rudyard Kipling");
    await job.click('dd a:text-is("Books")');
    expect([await heading(), await page.title()]).toEqual([
      "Books of Rudyard Kipling",
      expect.stringContaining("Books of Rudyard Kipling"),
    ]);
    expect(await page.locator(".grid tbody").innerText()).toContain("Rudyard Kipling");
    expect(await page.locator(".crumbs li").allInnerTexts()).toEqual(["Home", "Authors", "Rudyard Kipling", "Books"]);
    expect(await job.done()).toBe("2 clicks");
    expect(await axeFindings(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test("stand in the path to one related record", async () => {
    const { page, heading } = await openShelf("#/record/Books('K')/Author");
    expect([await heading(), await page.locator(".crumbs li").allInnerTexts()]).toEqual([
      "Rudyard Kipling",
      ["Home", "Books", "Kim", "Author"],
    ]);
  });

  test("are keys where the service refuses them", async () => {
    const { page, heading, show } = await openShelf("#/home");
    await page.evaluate(`(() => {
      const send = fetch;
      globalThis.fetch = (url, init) => String(url).includes("$select=FirstName,LastName")
        ? Promise.resolve(new Response('{"error":{"code":"Forbidden","message":"no"}}', { status: 403, headers: { "Content-Type": "application/json" } }))
        : send(url, init);
    })()`);
    await show("#/grid/Authors(1)/Books");
    expect([await heading(), await page.locator(".crumbs li").allInnerTexts()]).toEqual([
      "Books",
      ["Home", "Authors", "(1)", "Books"],
    ]);
  });
});
