import { describe, expect, test } from "vitest";
import { findBrowser } from "../browser.ts";
import { Keys } from "./keys.ts";
import { notesService, type NotesService } from "./notes-service.ts";
import type { Explorer } from "./open-explorer.ts";
import { servedExplorers } from "./served-explorers.ts";

const program = findBrowser();

describe.skipIf(program === undefined)("the explorer with the keyboard alone", () => {
  const { routes, open: openServed } = servedExplorers(program);

  async function open(made: NotesService, fragment: string) {
    const explorer = await openServed(made.service, "/notes", fragment);
    return { explorer, ...explorer, keys: new Keys(explorer) };
  }
  const openNotes = (fragment: string) => {
    const made = notesService({ routes: routes() });
    return open(made, fragment).then((opened) => ({ ...made, ...opened }));
  };
  const heading = ({ page }: Explorer): Promise<string> => page.locator("h1").innerText();
  const toasts = ({ page }: Explorer): Promise<readonly string[]> => page.locator(".toast p").allInnerTexts();

  test("finds a set by the key of the search", async () => {
    const { explorer, keys, page, complaints } = await openNotes("#/home");
    expect(await keys.press("/")).toMatchObject({ tag: "INPUT", isVisible: true });
    await page.keyboard.type("not");
    expect(await keys.press("ArrowDown", "ArrowUp", "Escape")).toMatchObject({ tag: "INPUT" });
    expect(await keys.press("ArrowDown", "ArrowUp", "Enter")).toMatchObject({ tag: "H1" });
    expect(await page.evaluate("location.hash")).toBe("#/find?text=not");
    expect(await keys.use("Notes (set)")).toMatchObject({ tag: "H1" });
    expect(await page.evaluate("location.hash")).toBe("#/grid/Notes");
    expect(await keys.use("Skip to the content")).toMatchObject({ tag: "MAIN" });
    expect(await keys.use("Home")).toMatchObject({ tag: "H1", name: "notes" });
    expect(await heading(explorer)).toBe("notes");
    // A whole name leads to its set at once.
    await keys.press("/");
    await page.keyboard.type("notes");
    expect(await keys.press("Enter")).toMatchObject({ tag: "H1" });
    expect(await page.evaluate("location.hash")).toBe("#/grid/Notes");
    expect(complaints).toEqual([]);
  });

  test("sorts and filters a grid, opens its records, and copies its query", async () => {
    const { explorer, keys, page, complaints } = await openNotes("#/grid/Notes");
    const hash = (): Promise<unknown> => page.evaluate("decodeURIComponent(location.hash)");
    await keys.tabTo("Notes");
    const grid = await keys.focus();
    expect(grid.tag).toBe("TABLE");
    await keys.press("ArrowRight", "ArrowUp", "Enter");
    expect(await hash()).toBe("#/grid/Notes?$orderby=Title");
    await keys.press("f");
    expect(await page.locator(".popover").count()).toBe(1);
    await keys.press("Escape");
    expect([await page.locator(".popover").count(), (await keys.focus()).tag]).toEqual([0, "TABLE"]);
    await keys.press("ArrowDown", "Home", "ArrowDown", "Enter");
    expect(await hash()).toBe("#/record/Notes(2)");
    await page.evaluate("history.back()");
    await explorer.settle();
    await keys.use("Copy as");
    expect(await keys.focus()).toMatchObject({ name: "curl (bash)" });
    await keys.press("ArrowDown", "ArrowUp", "Enter");
    const texts = [...(await toasts(explorer)), ...(await page.locator("dialog[open]").allInnerTexts())];
    expect(texts.join(" ")).toContain("curl (bash)");
    await keys.press("Escape");
    for (const tab of ["Query", "Chart", "Cost", "Grid"]) {
      await keys.use(tab);
      expect(await hash()).toMatch(new RegExp(`^#/${tab.toLowerCase()}/Notes\\?.*\\$orderby=Title`, "u"));
    }
    expect(complaints).toEqual([]);
  });

  test("changes a record and undoes it", async () => {
    const { explorer, keys, notes, complaints } = await openNotes("#/record/Notes(1)");
    expect(await keys.use("Edit")).toMatchObject({ tag: "H1", name: "Edit Notes(1)" });
    await keys.fill("Title", "a");
    expect(await keys.press("Enter")).toMatchObject({ name: expect.stringContaining("Title") as unknown });
    await keys.fill("Title", "changed");
    expect(await keys.press("Enter")).toMatchObject({ tag: "H1", name: "changed" });
    expect([notes.get(1)?.title, await toasts(explorer)]).toEqual(["changed", ["The record is saved."]]);
    expect(await keys.use("Undo")).toMatchObject({ tag: "H1", name: "first" });
    expect(notes.get(1)?.title).toBe("first");
    expect(complaints).toEqual([expect.stringContaining("400")]);
  });

  test("merges what two people changed", async () => {
    const { keys, notes, page, complaints } = await openNotes("#/edit/Notes(1)");
    await keys.fill("Title", "mine");
    notes.set(1, { id: 1, title: "theirs", stars: 1, bookId: 1, version: 2 });
    await keys.press("Enter");
    const dialog = page.locator("dialog h2");
    expect(await dialog.innerText()).toBe("Somebody else changed this record");
    await keys.press("Escape");
    expect([await dialog.count(), await keys.focus()]).toEqual([0, expect.objectContaining({ tag: "INPUT" })]);
    await keys.press("Enter");
    await keys.tabTo("mine");
    await keys.press("Space");
    expect(await keys.use("Save the chosen values")).toMatchObject({ tag: "H1", name: "mine" });
    expect(notes.get(1)).toEqual({ id: 1, title: "mine", stars: 1, bookId: 1, version: 3 });
    expect(complaints).toEqual([expect.stringContaining("412"), expect.stringContaining("412")]);
  });

  test("deletes a record, and creates it again; creates another", async () => {
    const { explorer, keys, notes, show, complaints } = await openNotes("#/record/Notes(2)");
    expect(await keys.use("Delete")).toMatchObject({ tag: "H1" });
    expect([[...notes.keys()], await toasts(explorer)]).toEqual([[1], ["Deleted Notes(2)."]]);
    expect(await keys.use("Create it again")).toMatchObject({ tag: "H1", name: "second" });
    expect([...notes.values()].at(-1)).toMatchObject({ id: 3, title: "second", stars: null });

    await show("#/edit/Notes");
    await keys.fill("Title", "third");
    expect(await keys.use("Create")).toMatchObject({ tag: "H1", name: "third" });
    expect([...notes.keys()]).toEqual([1, 3, 4]);
    expect(complaints).toEqual([]);
  });

  test("calls an operation, and shows its faults at their fields", async () => {
    const { keys, page, complaints } = await openNotes("#/record/Notes(1)");
    expect(await keys.use("rate")).toMatchObject({ tag: "H1", name: "rate" });
    await keys.fill("stars", "9");
    await keys.fill("reason", "too long");
    await keys.press("Enter");
    const faults = await page.locator(".field:has([aria-invalid=true])").allInnerTexts();
    expect(faults.map((text) => text.split("\n")[0])).toEqual(["stars (required)", "reason (required)"]);
    await keys.tabTo("stars", "Shift+Tab");
    await page.keyboard.press("Control+a");
    await page.keyboard.type("4");
    await keys.fill("reason", "good");
    await keys.press("Enter");
    expect(await page.locator(".operation-value").innerText()).toBe("4");
    expect(complaints).toEqual([expect.stringContaining("400")]);
  });

  test("moves through the relations, and runs a query again", async () => {
    const { keys, page, complaints } = await openNotes("#/home");
    expect(await keys.use("Relations")).toMatchObject({ tag: "H1", name: "Relations" });
    await keys.fill("Set", "Notes");
    expect(await page.evaluate("location.hash")).toMatch(/focus=\w+/u);
    await keys.use("Only its neighbours", "Space");
    await keys.use("Larger");
    expect(await page.evaluate("location.hash")).toContain("zoom=1.25");
    await keys.use("Fit");
    expect(await page.evaluate("location.hash")).not.toContain("zoom");
    await page.evaluate("location.hash = '#/cost/Notes'");
    await keys.press("Tab");
    await keys.use("Run again");
    expect(complaints).toEqual([]);
  });

  test.each([
    ["key", 'ApiKey header="X-Api-Key"', [["API key", "wrong"]], [["API key", "right"]]],
    [
      "basic",
      'Basic realm="notes", charset="UTF-8"',
      [
        ["Name", "Zoë"],
        ["Password", "wrong"],
      ],
      [["Password", "päss"]],
    ],
    ["bearer", 'Bearer realm="notes"', [["Token", "wrong"]], [["Token", "right"]]],
  ] as const)("signs in with a wrong and with the right %s, and out", async (kind, challenge, wrong, right) => {
    const signing = routes({ signIn: { kind } });
    const { explorer, keys, page } = await open(
      notesService({ routes: signing, challenge }, kind),
      "#/record/Notes(1)",
    );
    expect([await heading(explorer), (await keys.focus()).tag]).toEqual(["Sign in", "INPUT"]);
    await page.keyboard.type(wrong[0][1]);
    for (const [field, text] of wrong.slice(1)) await keys.fill(field, text);
    await keys.press("Enter");
    // It says that they are wrong, and why the service refuses them.
    expect(await page.locator("[role=alert]").innerText()).toMatch(
      /^The service does not accept .+ These credentials are wrong\.$/u,
    );
    for (const [field, text] of right) {
      if (!(await keys.focus()).name.startsWith(field)) await keys.tabTo(field);
      await page.keyboard.press("Control+a");
      await page.keyboard.type(text);
    }
    await keys.press("Enter");
    expect(await heading(explorer)).toBe("first");
    await keys.use("Sign out");
    expect(await heading(explorer)).toBe("Sign in");
  });
});
