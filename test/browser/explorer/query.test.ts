import { describe, expect, test } from "vitest";
import { findBrowser } from "../browser.ts";
import { Keys } from "./keys.ts";
import { notesService } from "./notes-service.ts";
import { axeFindings } from "./open-explorer.ts";
import { servedExplorers } from "./served-explorers.ts";

const program = findBrowser();

describe.skipIf(program === undefined)("a query as text and as a form", () => {
  const { routes, open: openServed } = servedExplorers(program);

  async function openQuery(fragment: string) {
    const { service } = notesService({ routes: routes() });
    const explorer = await openServed(service, "/notes", fragment);
    const { page } = explorer;
    const text = () =>
      page.evaluate(
        `[...document.querySelector(".code-editor").shadowRoot.querySelectorAll(".cm-line")].map((line) => line.textContent).join("\\n")`,
      );
    const suggested = () => page.locator(".cm-tooltip-autocomplete .cm-completionLabel").allInnerTexts();
    const hash = () => page.evaluate("decodeURIComponent(location.hash)");
    /** The choices that the form shows. */
    const shown = () =>
      page.evaluate(`[...document.querySelectorAll(".query-form select")].map((each) => each.selectedOptions[0].text)`);
    return { ...explorer, keys: new Keys(explorer), text, suggested, hash, shown };
  }

  test("a list completes the word at the cursor, Ctrl+Enter runs the text, and Tab leaves it", async () => {
    const { page, keys, text, suggested, hash, settle, complaints } = await openQuery("#/query");
    await keys.fill("Text of the query", "Boo");
    await expect.poll(suggested).toEqual(["Books"]);
    await keys.press("Enter");
    expect(await text()).toBe("Books");
    await page.keyboard.type("?$fil");
    await expect.poll(suggested).toEqual(["$filter"]);
    await page.locator(".cm-tooltip-autocomplete li").first().click();
    await page.keyboard.type("Id eq 1");
    await keys.press("Escape");
    expect((await keys.press("Tab")).name).toBe("Run");
    // A text that has not run is in the URL, too.
    await expect.poll(hash).toBe("#/query?draft=Books?$filter=Id eq 1");
    const tabs = await page.evaluate(`[...document.querySelectorAll(".tabs a")].map((tab) => tab.hash)`);
    expect(tabs).toEqual(["#/grid", "#/query", "#/chart", "#/cost"]);
    await page.reload();
    await settle();
    expect(await page.locator(".code-editor [role=textbox]").count()).toBe(1);
    expect(await text()).toBe("Books?$filter=Id eq 1");
    await keys.tabTo("Text of the query");
    await keys.press("Control+Enter");
    expect(await hash()).toBe("#/query/Books?$filter=Id eq 1");
    expect(await page.locator(".query-result p").innerText()).toMatch(/^1 row · /u);
    expect(complaints).toEqual([]);
  });

  test("faults of the text and of the service are marked at their position", async () => {
    const { page, keys, hash, complaints } = await openQuery("#/query");
    for (const [wrong, word] of [
      ["Books?$filter=Id eqq 1", "eqq"],
      ["Books?$filter=Idd eq 1", "Idd"],
    ] as const) {
      await keys.fill("Text of the query", wrong);
      await keys.press("Control+Enter");
      expect(await page.locator("mark, .cm-lintRange-error").allInnerTexts()).toEqual([word]);
    }
    expect(await hash()).toBe("#/query/Books?$filter=Idd eq 1");
    expect(complaints).toEqual([expect.stringContaining("400")]);
  });

  test("the form edits the text, and the text the form", async () => {
    const { page, keys, text, shown, settle, complaints } = await openQuery("#/query/Books?$filter=Id gt 0");
    expect(await shown()).toEqual(["Books", "Id", "is more than"]);
    await keys.use("Condition");
    await keys.press("Shift+Tab", "Shift+Tab");
    await page.keyboard.type("x");
    await settle();
    expect([await text(), await page.locator(".field-error").count()]).toEqual(["Books?$filter=Id gt 0", 1]);
    await keys.press("Control+a");
    await page.keyboard.type("7");
    await settle();
    expect(await text()).toBe("Books?$filter=Id gt 0 and Id eq 7");
    expect(await shown()).toEqual(["Books", "All of these", "Id", "is more than", "Id", "is"]);
    await keys.tabTo("Remove condition 1", "Shift+Tab");
    await keys.press("Enter");
    expect(await text()).toBe("Books?$filter=Id eq 7");
    await keys.tabTo("Text of the query", "Shift+Tab");
    await keys.press("Control+a");
    await page.keyboard.type("Books?$filter=Id ne 2");
    await settle();
    expect(await shown()).toEqual(["Books", "Id", "is not"]);
    expect(complaints).toEqual([]);
  });

  test("the direction of an order comes first, and what the form changed can be undone in the text", async () => {
    const { page, keys, text, suggested } = await openQuery("#/query/Books");
    await keys.fill("Text of the query", "Books?$orderby=Id ");
    await expect.poll(async () => (await suggested()).slice(0, 2)).toEqual(["asc", "desc"]);
    await keys.press("Escape", "Home");
    await page.locator('.query-form input[inputmode="numeric"]').fill("5");
    await expect.poll(text).toBe("Books?$orderby=Id&$top=5");
    await keys.tabTo("Text of the query", "Shift+Tab");
    await keys.press("Control+z");
    await expect.poll(text).toBe("Books?$orderby=Id ");
    expect(await page.locator('.query-form input[inputmode="numeric"]').inputValue()).toBe("");
  });

  test("earlier queries of this visit are a list", async () => {
    const { page, keys, text, hash } = await openQuery("#/query/Books");
    for (const query of ["Books?$top=1", "Notes", "Books?$top=1"]) {
      await keys.fill("Text of the query", query);
      await keys.press("Escape", "Control+Enter");
    }
    expect(await hash()).toBe("#/query/Books?$top=1");
    const earlier = page.locator("select:has(option:text-is('Notes')):not(.query-form select)");
    expect(await earlier.locator("option").allInnerTexts()).toEqual(["Earlier queries", "Books?$top=1", "Notes"]);
    await earlier.selectOption("Notes");
    expect(await text()).toBe("Notes");
    expect(await hash()).toContain("Books?$top=1");
  });

  test("the editor has the colours of the page, light and dark, and no fault for screen readers", async () => {
    const { page, settle, complaints } = await openQuery("#/query/Books");
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await settle();
      const colors = await page.evaluate(`(() => {
        const { color } = getComputedStyle(document.querySelector(".code-editor").shadowRoot.querySelector(".cm-line"));
        return color === getComputedStyle(document.body).color;
      })()`);
      expect([colorScheme, colors]).toEqual([colorScheme, true]);
      expect(await axeFindings(page)).toEqual([]);
    }
    expect(complaints).toEqual([]);
  });

  test("a value is shown as it is, and a query that ran begins at its first row", async () => {
    const { page, keys, hash, complaints } = await openQuery("#/query/Books/$count?row=9");
    expect(await page.locator(".query-result pre").innerText()).toBe("1");
    await keys.fill("Text of the query", "Books");
    await keys.press("Control+Enter");
    expect(await hash()).toBe("#/query/Books");
    expect(complaints).toEqual([]);
  });

  test("each condition on items says what it means", async () => {
    const { show, shown } = await openQuery("#/query/Books?$filter=Notes/any(x:x/Stars gt 1)");
    const means = async (filter: string) => {
      await show(`#/query/Books?$filter=${filter}`);
      return ((await shown()) as readonly string[])[2];
    };
    expect([
      await means("Notes/any(x:x/Stars gt 1)"),
      await means("not (Notes/any(x:x/Stars gt 1))"),
      await means("Notes/all(x:x/Stars gt 1)"),
      await means("not (Notes/all(x:x/Stars gt 1))"),
    ]).toEqual(["at least one", "none", "each", "not each"]);
  });
});
