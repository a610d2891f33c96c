import { describe, expect, test } from "vitest";
import { encodeSegment } from "../../../explorer/src/query/literals.ts";
import { hrefOf, viewOf } from "../../../explorer/src/state/view.ts";
import { findBrowser } from "../browser.ts";
import { PAYLOADS, SIGNS } from "./hostile-service.ts";
import { hostileExplorer } from "./served-explorers.ts";
import { HOSTILE_VISITS } from "./visits.ts";

const program = findBrowser();
const ALL = Object.values(PAYLOADS);
const ODD = encodeSegment(`'${SIGNS.replaceAll("'", "''")}'`);

describe.skipIf(program === undefined)("texts of the model and the data that are code elsewhere", () => {
  const opened = hostileExplorer(program);

  test("never run, whatever screen shows them", async () => {
    const { page, complaints, show } = opened();
    for (const { fragment } of HOSTILE_VISITS) {
      await show(fragment);
      const elements = await page.evaluate(
        `[...document.querySelectorAll("[onerror], [onload], [onfocus], iframe, [srcdoc], #explorer img[src=x], a[href^='javascript:'], #explorer script")].map(({ outerHTML }) => outerHTML)`,
      );
      expect({ fragment, elements, complaints }).toEqual({ fragment, elements: [], complaints: [] });
    }
  });

  test.each([
    ["the descriptions of the service and its sets", hrefOf(viewOf("home")), ALL],
    ["the properties of a record", hrefOf(viewOf("record", `Texts(${ODD})`)), ALL],
    ["the description of an operation", hrefOf(viewOf("operation", "echo")), ALL],
    ["a fragment", hrefOf(viewOf("record", `Nothing/${PAYLOADS.picture}`)), [PAYLOADS.picture]],
    ["the search", "search", [PAYLOADS.picture]],
  ])("are shown as text: %s", async (_name, fragment, texts) => {
    const { page, show, settle } = opened();
    if (fragment === "search") {
      await page.locator(".search input").fill("picture");
      await page.keyboard.press("ArrowDown");
      await settle();
    } else {
      await show(fragment);
    }
    const shown = String(await page.evaluate("document.body.textContent"));
    expect(texts.filter((text) => !shown.includes(text))).toEqual([]);
    expect(opened().complaints).toEqual([]);
  });

  test("are copied and returned as text by operations", async () => {
    const { page, complaints, settle, show } = opened();
    await show("#/operation/echo");
    await page.locator('button:has-text("Give")').click();
    await page.locator(".operation-form .field").nth(-1).locator("input, textarea").fill(ALL.join(" "));
    await page.locator("button[type=submit]").click();
    await settle();
    await page.locator(".operation-value").waitFor();
    expect(await page.locator(".operation-value").innerText()).toContain(PAYLOADS.picture);
    expect(complaints).toEqual([]);
  });
});
