import { describe, expect, test } from "vitest";
import { findBrowser } from "../browser.ts";
import { Job } from "./jobs.ts";
import { notesService } from "./notes-service.ts";
import { axeFindings } from "./open-explorer.ts";
import { servedExplorers } from "./served-explorers.ts";
import { shelfService } from "./shelf-service.ts";

const program = findBrowser();

const EDITOR = ".popover form";
/** The cell of a row and a column, counted from 1. */
const cell = (row: number, column: number): string =>
  `.grid tbody tr[aria-rowindex="${row + 1}"] td:nth-child(${column})`;

describe.skipIf(program === undefined)("a cell of the grid", () => {
  const { routes, open } = servedExplorers(program);

  async function openBooks(fragment = "#/grid/Books") {
    const made = shelfService({ routes: routes() });
    return { ...made, ...(await open(made.service, "/shelf", fragment)) };
  }

  test("is edited with a double click, the text and Enter, and undone with 1 click", async () => {
    const explorer = await openBooks();
    const { page, books, requests, complaints } = explorer;
    const job = await Job.begin(explorer);
    await job.doubleClick(cell(1, 2));
    expect(await axeFindings(page)).toEqual([]);
    await job.type("Kim 2");
    await job.press("Enter");
    expect([books.get("K")?.["title"], await page.locator(cell(1, 2)).innerText()]).toEqual(["Kim 2", "Kim 2"]);
    expect(await job.done()).toBe("1 double click, 6 keys");
    job.restart();
    requests.splice(0);
    await job.click('.toast button:text-is("Undo")');
    expect([books.get("K")?.["title"], await page.locator(cell(1, 2)).innerText()]).toEqual(["Kim", "Kim"]);
    expect(await job.done()).toBe("1 click");
    // The other rows are not read again.
    expect(requests.filter((request) => request.startsWith("GET /Books?"))).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test("is edited by keys: F2, the text and Enter, which leads back to the cell", async () => {
    const { page, books, settle } = await openBooks();
    await page.locator(".grid").press("ArrowRight");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("F2");
    await page.keyboard.type("Emma 2");
    await page.keyboard.press("Enter");
    await settle();
    expect(books.get("E")).toMatchObject({ title: "Emma 2" });
    const active = `document.getElementById(document.activeElement.getAttribute("aria-activedescendant"))?.innerText`;
    expect(await page.evaluate(active)).toBe("Emma 2");
  });

  test("keeps its value on Escape, and what was typed on a click elsewhere", async () => {
    const { page, books, settle } = await openBooks();
    const edit = async (text: string): Promise<void> => {
      await page.locator(cell(1, 2)).dblclick();
      await page.keyboard.type(text);
    };
    await edit("given up");
    await page.keyboard.press("Escape");
    await settle();
    expect([await page.locator(EDITOR).count(), await page.locator(".toast").count()]).toEqual([0, 0]);
    await edit("kept");
    await page.locator("h1").click();
    await settle();
    await page.locator('.toast a:text-is("Continue")').click();
    await settle();
    await page.locator(".edit-form button[type=submit]").click();
    await settle();
    expect(books.get("K")).toMatchObject({ title: "kept", pages: 300 });
  });

  test("shows the faults that it and the service find, and keeps the text", async () => {
    const { page, books, settle } = await openBooks();
    const input = page.locator(`${EDITOR} .input`);
    await page.locator(cell(1, 3)).dblclick();
    for (const [text, fault] of [
      ["many", "many"],
      ["6000", "5000"],
    ] as const) {
      await input.fill(text);
      await page.keyboard.press("Enter");
      await settle();
      expect([await page.locator(`${EDITOR} .field`).innerText(), await input.inputValue()]).toEqual([
        expect.stringContaining(fault),
        text,
      ]);
    }
    await input.fill("5");
    await page.keyboard.press("Enter");
    await settle();
    expect(books.get("K")).toMatchObject({ pages: 5 });
  });

  test("asks where another user changed the value meanwhile", async () => {
    const { page, books, settle } = await openBooks();
    await page.locator(cell(1, 2)).dblclick();
    books.set("K", { ...books.get("K"), title: "theirs", note: "theirs" });
    await page.keyboard.type("mine");
    await page.keyboard.press("Enter");
    await page.locator("dialog[open]").waitFor();
    expect(books.get("K")).toMatchObject({ title: "theirs" });
    await page.locator("dialog input[type=radio]").first().click();
    await page.locator('dialog button:text-is("Save the chosen values")').click();
    await settle();
    expect([books.get("K"), await page.locator(cell(1, 2)).innerText()]).toMatchObject([
      { title: "mine", note: "theirs" },
      "mine",
    ]);
    expect(await page.locator('.toast a:text-is("Continue")').count()).toBe(0);
  });

  test("leads the focus back to the grid after the question, whatever the answer is", async () => {
    const { page, books, settle } = await openBooks();
    for (const button of ["Close", "Save the chosen values"]) {
      await page.locator(cell(1, 2)).dblclick();
      books.set("K", { ...books.get("K"), title: `not ${button}` });
      await page.keyboard.type(`mine, ${button}`);
      await page.keyboard.press("Enter");
      await page.locator("dialog[open]").waitFor();
      await page.locator("dialog input[type=radio]").first().click();
      await page.locator(`dialog button:is([aria-label="${button}"], :text-is("${button}"))`).click();
      await settle();
      expect(await page.evaluate("document.activeElement.role")).toBe("grid");
    }
    expect(books.get("K")).toMatchObject({ title: "mine, Save the chosen values" });
  });

  test("does not write what the form has, over what another user changed since then", async () => {
    const { page, books, show, settle } = await openBooks("#/edit/Books('K')");
    const edited = page.locator('.edit-form .field:has(> label:text-is("Title")) .input');
    await edited.fill("mine");
    await show("#/home");
    books.set("K", { ...books.get("K"), title: "theirs", pages: 1 });
    await show("#/grid/Books");
    await page.locator(cell(1, 4)).dblclick();
    await page.keyboard.type("a note");
    await page.locator("h1").click();
    await settle();
    await page.locator('.toast a:text-is("Continue")').click();
    await settle();
    expect(await edited.inputValue()).toBe("mine");
    await edited.press("Enter");
    await page.locator("dialog[open]").waitFor();
    expect(await page.locator("dialog input[type=radio]").count()).toBe(2);
    await page.locator("dialog input[type=radio]").nth(1).click();
    await page.locator('dialog button:text-is("Save the chosen values")').click();
    await settle();
    expect(books.get("K")).toMatchObject({ title: "theirs", note: "a note", pages: 1 });
  });

  test("is compared with the value that was there when its text was typed, in the form or here", async () => {
    const { page, books, show, settle } = await openBooks("#/edit/Books('K')");
    await page.locator('.edit-form .field:has(> label:text-is("Title")) .input').fill("mine");
    await show("#/home");
    books.set("K", { ...books.get("K"), title: "theirs" });
    await show("#/grid/Books");
    await page.locator(cell(1, 2)).dblclick();
    await page.keyboard.press("Enter");
    await page.locator("dialog[open]").waitFor();
    await settle();
    expect(books.get("K")).toMatchObject({ title: "theirs" });
  });

  test("saves and discards its own text alone", async () => {
    const { page, books, settle } = await openBooks();
    const type = async (column: number, text: string): Promise<void> => {
      await page.locator(cell(1, column)).dblclick();
      await page.keyboard.type(text);
    };
    await type(4, "a note");
    await page.locator("h1").click();
    await settle();
    await type(2, "Kim 2");
    expect(await page.locator(`${EDITOR} [role=status]`).count()).toBe(0);
    await page.locator("h1").click();
    await settle();
    await page.locator(cell(1, 2)).dblclick();
    await page.locator(`${EDITOR} button:text-is("Discard it")`).click();
    await page.keyboard.press("Escape");
    await type(3, "5");
    await page.keyboard.press("Enter");
    await settle();
    expect(books.get("K")).toMatchObject({ title: "Kim", pages: 5, note: null });
    await page.locator('.toast a:text-is("Continue")').click();
    await settle();
    const values = "[...document.querySelectorAll('.edit-form .input')].map(({ value }) => value)";
    expect(await page.evaluate(values)).toEqual(expect.arrayContaining(["Kim", "5", "a note"]));
  });

  test("of a foreign key chooses by the label, which the row then shows", async () => {
    const { page, books, settle } = await openBooks("#/grid/Books?$select=Code,AuthorId");
    await page.locator(`${cell(1, 2)} .grid-label`).dblclick();
    await page.keyboard.type("jane");
    await page.keyboard.press("Enter");
    await page.evaluate("new Promise((resolve) => setTimeout(resolve, 300))");
    await settle();
    await page.keyboard.press("Enter");
    await settle();
    expect([books.get("K")?.["authorId"], await page.locator(cell(1, 2)).innerText()]).toEqual([
      2,
      expect.stringContaining("Jane Austen"),
    ]);
  });

  test("is not edited where the user, or the set, may not change it", async () => {
    const { page, show } = await openBooks();
    for (const [fragment, column] of [
      ["#/grid/Books", 1],
      ["#/grid/Authors", 2],
      ["#/grid/Books?$apply=groupby((Title))", 1],
    ] as const) {
      await show(fragment);
      await page.locator(cell(1, column)).press("F2");
      await page.locator(".grid").press("F2");
      expect(await page.locator(EDITOR).count()).toBe(0);
    }
  });

  test("of a set that is replaced keeps all other values, also those that nobody sees", async () => {
    const { page, forms, settle } = await openBooks("#/grid/Forms?$select=Id,Name");
    await page.locator(cell(1, 2)).dblclick();
    await page.keyboard.type("Anna");
    await page.keyboard.press("Enter");
    await settle();
    expect(forms.get(1)).toEqual({ id: 1, name: "Anna", place: "Bergen", salary: 100, scan: "long" });
  });

  test("names the ETag of its row, and keeps the text while the user signs in again", async () => {
    const { service, notes, signIn } = notesService({ routes: routes({ signIn: { kind: "key" } }) }, "key");
    signIn.kind = null;
    const { page, settle } = await open(service, "/notes", "#/grid/Notes");
    await page.locator(cell(1, 2)).dblclick();
    notes.set(1, { id: 1, title: "theirs", stars: 3, bookId: 1, version: 5 });
    await page.keyboard.type("mine");
    await page.keyboard.press("Enter");
    await page.locator("dialog[open]").waitFor();
    await page.locator("dialog input[type=radio]").first().click();
    signIn.kind = "key";
    await page.locator('dialog button:text-is("Save the chosen values")').click();
    await page.locator('dialog[open] input[type="password"]').fill("right");
    await page.keyboard.press("Enter");
    await settle();
    await page.locator('.toast a:text-is("Continue")').click();
    await settle();
    expect(await page.locator(".edit-form .input").first().inputValue()).toBe("mine");
    expect(notes.get(1)).toMatchObject({ title: "theirs" });
  });
});
