import { describe, expect, test } from "vitest";
import { findBrowser } from "../browser.ts";
import { hostileExplorer } from "./served-explorers.ts";
import { HOSTILE_VISITS } from "./visits.ts";

const program = findBrowser();

/** Elements whose own text their box cuts, except elements that show it by an ellipsis or scroll. */
const CUT = `[...document.querySelectorAll("main *, header *")].filter((element) => {
  const style = getComputedStyle(element);
  const hasText = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== "");
  const hides = style.overflowX === "hidden" || style.overflowY === "hidden" || style.overflowX === "clip";
  const isShown = element.checkVisibility() && element.clientWidth > 1 && element.closest("svg, .hidden") === null;
  return hasText && hides && isShown && style.textOverflow !== "ellipsis" && style.webkitLineClamp === "none" &&
    (element.scrollWidth > element.clientWidth + 1 || element.scrollHeight > element.clientHeight + 2);
}).map(({ outerHTML }) => outerHTML.slice(0, 120))`;

/** Names of columns that their cells cut. */
const CUT_NAMES = `[...document.querySelectorAll(".grid-title")]
  .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
  .map(({ textContent }) => textContent)`;

/** The distance in pixels between the middle of each box for null and the control of its field. */
const NULL_BOXES = `[...document.querySelectorAll(".value-field:has([type=checkbox])")].map((field) => {
  const control = field.querySelector(".input").getBoundingClientRect();
  const box = field.querySelector("[type=checkbox]").getBoundingClientRect();
  const middle = (box.top + box.bottom) / 2;
  return Math.max(0, control.top - middle, middle - control.bottom);
})`;

describe.skipIf(program === undefined)("readers with settings of their own", () => {
  const opened = hostileExplorer(program);

  test.each([1280, 320])("see all text at twice the size, %s pixels wide", async (width) => {
    const { page, show } = opened();
    await page.setViewportSize({ width, height: 800 });
    await page.evaluate(`document.documentElement.style.fontSize = "200%"`);
    for (const { fragment } of HOSTILE_VISITS) {
      await show(fragment);
      const overflow = await page.evaluate(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth",
      );
      expect({ fragment, overflow, cut: await page.evaluate(CUT) }).toEqual({ fragment, overflow: 0, cut: [] });
    }
    await page.evaluate(`document.documentElement.style.fontSize = ""`);
  });

  test("see the whole name of a column that sorts and filters", async () => {
    const { page, show } = opened();
    await page.setViewportSize({ width: 1280, height: 800 });
    await show("#/grid/Wides?$orderby=Int64,Decimal desc&$filter=Int64 ne 5 and Decimal ne 5&$select=Id,Int64,Decimal");
    expect(await page.locator(".grid-filtered").count()).toBe(2);
    expect(await page.evaluate(CUT_NAMES)).toEqual([]);
  });

  test("see the choice of null beside its field, however long label and hint are", async () => {
    const { page, show } = opened();
    for (const width of [1280, 320]) {
      await page.setViewportSize({ width, height: 800 });
      await show("#/home");
      await show("#/edit/Texts");
      const beside = (await page.evaluate(NULL_BOXES)) as readonly number[];
      expect([beside.length > 0, Math.max(...beside)]).toEqual([true, 0]);
    }
  });

  test("see borders and the focus in forced colours", async () => {
    const { page, show, settle } = opened();
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.emulateMedia({ forcedColors: "active" });
    await show("#/edit/Texts");
    await page.keyboard.press("Tab");
    await settle();
    const unseen =
      await page.evaluate(`[...document.querySelectorAll("main .button, main .input, .tag")].filter((element) => {
      const { borderTopWidth, borderTopStyle, borderTopColor, backgroundColor } = getComputedStyle(element);
      return element.checkVisibility() && (parseFloat(borderTopWidth) === 0 || borderTopStyle === "none" || borderTopColor === backgroundColor);
    }).map(({ outerHTML }) => outerHTML.slice(0, 120))`);
    expect(unseen).toEqual([]);
    expect(await page.evaluate("getComputedStyle(document.activeElement).outlineStyle")).not.toBe("none");
    await page.emulateMedia({ forcedColors: null });
  });

  test("see nothing move with reduced motion", async () => {
    const { page, show } = opened();
    await page.emulateMedia({ reducedMotion: "reduce" });
    await show("#/home");
    const moving = await page.evaluate(`[...document.querySelectorAll("*")].filter((element) => {
      const { transitionDuration, animationDuration, animationName } = getComputedStyle(element);
      return Math.max(...transitionDuration.split(",").map(parseFloat)) > 0.001 || (animationName !== "none" && parseFloat(animationDuration) > 0.001);
    }).map(({ outerHTML }) => outerHTML.slice(0, 120))`);
    expect(moving).toEqual([]);
    await page.emulateMedia({ reducedMotion: null });
  });
});
