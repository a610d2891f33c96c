import { describe, expect, test } from "vitest";
import { findBrowser } from "../browser.ts";
import { Keys } from "./keys.ts";
import { manySets } from "./many-sets.ts";
import { axeFindings } from "./open-explorer.ts";
import { servedExplorers } from "./served-explorers.ts";

const program = findBrowser();

describe.skipIf(program === undefined)("the relations of many sets", () => {
  const { routes, open } = servedExplorers(program);
  const openSets = (count: number, fragment: string) => open(manySets(count, { routes: routes() }), "/odata", fragment);

  test("a few fit the window", async () => {
    const { page, complaints } = await openSets(5, "#/relations");
    const fits = `(() => {
      const frame = document.querySelector(".diagram-frame");
      return frame.scrollWidth <= frame.clientWidth && frame.scrollHeight <= frame.clientHeight;
    })()`;
    expect([await page.evaluate(fits), await page.locator(".set-box").count(), complaints]).toEqual([true, 5, []]);
  });

  test("many begin with the set that has the most, and another is found by its name", async () => {
    const explorer = await openSets(120, "#/relations");
    const { page, complaints, settle } = explorer;
    const named = async (selector: string): Promise<readonly string[]> =>
      (await page.evaluate(
        `[...document.querySelectorAll("${selector} .set-box-name")].map(({ textContent }) => textContent.trim())`,
      )) as readonly string[];
    const keys = new Keys(explorer);
    expect(await named(".set-box-chosen")).toEqual(["Table0s"]);
    await keys.fill("Set", "Table77");
    expect(await page.locator(".set-box:not(.set-box-faint)").count()).toBe(1);
    await page.keyboard.type("s");
    await settle();
    expect(await page.evaluate("location.hash")).toBe("#/relations?focus=Table77s");
    expect((await named(".set-box")).toSorted()).toEqual(["Table0s", "Table76s", "Table77s", "Table78s"]);
    await page.locator("summary:has-text('Properties of Table77s')").click();
    expect(await page.locator("[aria-label=Properties] tbody tr").count()).toBe(23);
    expect(await axeFindings(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });
});
