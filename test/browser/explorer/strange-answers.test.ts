import { describe, expect, test } from "vitest";
import { findBrowser, type Page } from "../browser.ts";
import { notesService } from "./notes-service.ts";
import { servedExplorers } from "./served-explorers.ts";

const program = findBrowser();

/** Answers that no service gives. */
const ANSWERS = {
  "a page": { contentType: "text/html", body: "<html><title>Sign in</title></html>" },
  nothing: { contentType: "application/json", body: "" },
  "JSON of another program": { contentType: "application/json", body: '{"login":true}' },
} as const;

describe.skipIf(program === undefined)("a successful answer in place of the service", () => {
  const { routes, open: openServed } = servedExplorers(program);

  async function open(answer: keyof typeof ANSWERS, fragment = "#/home") {
    const made = notesService({ routes: routes() });
    const explorer = await openServed(made.service, "/notes", fragment);
    const intrude = (pattern: string) => explorer.page.route(pattern, (route) => route.fulfill(ANSWERS[answer]));
    return { ...made, ...explorer, intrude };
  }
  const alert = (page: Page): Promise<string> => page.locator("main [role=alert]").first().innerText();

  test.each(Object.keys(ANSWERS) as (keyof typeof ANSWERS)[])("%s is an error on every screen", async (answer) => {
    const { page, show, intrude, complaints } = await open(answer);
    await intrude("**/notes/Notes**");
    for (const view of ["#/grid/Notes", "#/record/Notes(1)", "#/edit/Notes(1)", "#/chart/Notes", "#/cost/Notes"]) {
      await show(view);
      expect([view, await alert(page)]).toEqual([view, expect.stringContaining("in place of the service") as string]);
      expect(await page.locator("main").innerText()).not.toMatch(/no rows|no record/iu);
    }
    expect(complaints).toEqual([]);
  });

  test.each(Object.keys(ANSWERS) as (keyof typeof ANSWERS)[])("%s is no successful write", async (answer) => {
    const { page, settle, intrude, notes } = await open(answer, "#/edit/Notes(1)");
    await intrude("**/notes/Notes**");
    await page.locator(".edit-form input").first().fill("typed");
    await page.locator(".edit-form input").first().press("Enter");
    await settle();
    expect(await alert(page)).toContain("in place of the service");
    expect([await page.locator(".toast-done").count(), notes.get(1)?.title]).toEqual([0, "first"]);
  });

  test("metadata of a page are an error of the whole screen", async () => {
    const { page, intrude } = await open("a page");
    await intrude("**/notes/$metadata");
    await page.reload();
    expect(await alert(page)).toContain("in place of the service");
  });
});
