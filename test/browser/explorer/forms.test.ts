import { describe, expect, test } from "vitest";
import { findBrowser } from "../browser.ts";
import { hostileService } from "./hostile-service.ts";
import { notesService } from "./notes-service.ts";
import { servedExplorers } from "./served-explorers.ts";

const program = findBrowser();

/** How far the middle of each box is from the middle of the control next to it. */
const DISTANCES = `[...document.querySelectorAll("form input[type=checkbox]")].map((box) => {
  const middle = (element) => { const { top, height } = element.getBoundingClientRect(); return top + height / 2; };
  const control = box.closest(".field, .value-field").querySelector(".input");
  return Math.round(Math.abs(middle(box) - middle(control)));
})`;

describe.skipIf(program === undefined)("the forms of the explorer", () => {
  const { routes, open: openServed } = servedExplorers(program);

  async function openNotes(fragment: string) {
    const made = notesService({ routes: routes() });
    return { ...made, ...(await openServed(made.service, "/notes", fragment)) };
  }

  test("ask whether a required text is meant to be empty", async () => {
    const { page, requests, settle, complaints } = await openNotes("#/operation/Notes(1)/Notes.rate");
    const reason = page.locator(".operation-form .field").nth(-1);
    const calls = () => requests.filter((request) => request.startsWith("POST"));
    await page.locator(".operation-form .field input").first().fill("4");
    await page.keyboard.press("Enter");
    await settle();
    expect(calls()).toEqual([]);
    expect(await reason.innerText()).toContain("Required");
    await reason.locator("input[type=checkbox]").click();
    await settle();
    expect(await reason.innerText()).not.toContain("Required");
    await page.keyboard.press("Enter");
    await settle();
    expect(calls()).toEqual(["POST /Notes(1)/Notes.rate"]);
    expect(await page.locator(".operation-value").innerText()).toBe("4");
    expect(complaints).toEqual([]);
  });

  test.each([1280, 320])("have the box for null beside its control, %s pixels wide", async (width) => {
    const explorer = await openServed(hostileService({ routes: routes() }), "/hostile", "#/operation/echo");
    const { page, settle } = explorer;
    await page.setViewportSize({ width, height: 800 });
    await settle();
    const distances = (await page.evaluate(DISTANCES)) as readonly number[];
    expect(distances.length).toBeGreaterThan(0);
    expect(Math.max(...distances)).toBeLessThan(3);
  });

  test("say each fault of the service once, and at its field", async () => {
    const { page, settle } = await openNotes("#/operation/Notes(1)/Notes.rate");
    const fields = page.locator(".operation-form .field");
    await fields.nth(0).locator("input").first().fill("77");
    await fields.nth(1).locator("input").first().fill("too long");
    await page.keyboard.press("Enter");
    await settle();
    expect(await fields.nth(0).innerText()).toContain("77 is too large");
    expect(await fields.nth(1).innerText()).toContain("too long");
    const lines = (await page.locator("[role=alert]").innerText()).split("\n").filter((line) => line.includes("77 is"));
    expect(lines).toEqual(["stars: 77 is too large: write a number of at most 5."]);
  });

  test("do not lead back to a record that is changed, then deleted, nor twice to one that is changed", async () => {
    const { page, requests, notes, show, settle, complaints } = await openNotes("#/grid/Notes");
    await show("#/record/Notes(1)");
    await page.locator('main a:has-text("Edit")').click();
    await page.locator('main :is(a, button):has-text("Cancel")').click();
    // The record is there before the way back to it.
    await settle();
    await page.locator('main a:has-text("Edit")').click();
    await page.locator(".edit-form input").first().fill("changed");
    await page.keyboard.press("Enter");
    await settle();
    expect(await page.locator("h1").innerText()).toBe("changed");
    await page.evaluate("history.back()");
    await settle();
    expect(await page.locator("h1").innerText()).toBe("Notes");
    await show("#/record/Notes(1)");
    await page.locator('main a:has-text("Edit")').click();
    await page.locator(".edit-form input").first().fill("again");
    await page.keyboard.press("Enter");
    await settle();
    await page.locator('main button:has-text("Delete")').click();
    await settle();
    expect([...notes.keys()]).toEqual([2]);
    requests.splice(0);
    await page.evaluate("history.back()");
    await settle();
    expect(await page.locator("h1").innerText()).toBe("Notes");
    expect(requests.filter((request) => request.includes("Notes(1)"))).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test("show that a deletion lasts, which can be stopped", async () => {
    const { page, notes, held, settle, complaints } = await openNotes("#/record/Notes(1)");
    const stop = page.locator('.toast button:has-text("Stop")');
    for (const isStopped of [true, false]) {
      let release = (): void => undefined;
      held.until = new Promise<void>((resolve) => {
        release = resolve;
      });
      await page.locator('main button:has-text("Delete")').click();
      await stop.waitFor();
      expect(await page.locator(".toast p").allInnerTexts()).toEqual(["Deleting Notes(1) …"]);
      if (isStopped) await stop.click();
      else release();
      await settle();
      expect(await stop.count()).toBe(0);
    }
    expect(await page.locator(".toast p").allInnerTexts()).toEqual(["Deleted Notes(1)."]);
    expect([...notes.keys()]).toEqual([2]);
    expect(complaints).toEqual([]);
  });

  test("show no progress while they ask which of two changes to keep", async () => {
    const { page, notes, settle } = await openNotes("#/edit/Notes(1)");
    await page.locator(".edit-form input").first().fill("mine");
    notes.set(1, { id: 1, title: "theirs", stars: 3, bookId: 1, version: 2 });
    await page.keyboard.press("Enter");
    await page.locator("dialog[open]").waitFor();
    await page.evaluate("new Promise((resolve) => setTimeout(resolve, 700))");
    expect(await page.locator("progress").count()).toBe(0);
    await page.locator("dialog input[type=radio]").first().click();
    await page.locator('dialog button:has-text("Save")').click();
    await settle();
    expect([notes.get(1)?.title, await page.locator("h1").innerText()]).toEqual(["mine", "mine"]);
  });

  test("do not lead back to a record that is deleted", async () => {
    const { page, requests, notes, show, settle, complaints } = await openNotes("#/grid/Notes");
    await show("#/record/Notes(1)");
    await page.locator('main button:has-text("Delete")').click();
    await settle();
    expect([...notes.keys()]).toEqual([2]);
    requests.splice(0);
    await page.evaluate("history.back()");
    await settle();
    expect(await page.locator("h1").innerText()).toBe("Notes");
    expect(requests.filter((request) => request.includes("Notes(1)"))).toEqual([]);
    expect(complaints).toEqual([]);
  });
});
