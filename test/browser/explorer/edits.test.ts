import { describe, expect, test } from "vitest";
import { findBrowser, type Page } from "../browser.ts";
import { notesService } from "./notes-service.ts";
import { servedExplorers } from "./served-explorers.ts";
import { shelfService } from "./shelf-service.ts";

const program = findBrowser();

/** The field of a form with a label. */
const field = (label: string): string => `.edit-form .field:has(> label:text-is("${label}")) .input`;

/** Answers the questions of the browser one after another. @returns the questions */
function answerDialogs(page: Page, answers: readonly boolean[]): string[] {
  const asked: string[] = [];
  page.on("dialog", (dialog) => {
    asked.push(dialog.message());
    void (answers[asked.length - 1] === true ? dialog.accept() : dialog.dismiss());
  });
  return asked;
}

describe.skipIf(program === undefined)("an edit in the explorer, without an ETag,", () => {
  const { routes, open, openTab } = servedExplorers(program);

  async function openShelf(fragment: string) {
    const made = shelfService({ routes: routes() });
    const explorer = await open(made.service, "/shelf", fragment);
    const { page, settle } = explorer;
    const press = async (name: string): Promise<void> => {
      await page.locator(`:is(main, dialog[open], .toast) :is(button, a):text-is("${name}")`).first().click();
      await settle();
    };
    const sent = (method: string) => explorer.requests.filter((request) => request.startsWith(method));
    return { ...made, ...explorer, press, sent };
  }

  test("keeps what another user changed in other properties", async () => {
    const { page, books, settle, complaints } = await openShelf("#/edit/Books('K')");
    await page.locator(field("Title")).fill("Kim, again");
    books.set("K", { ...books.get("K"), note: "theirs" });
    await page.keyboard.press("Enter");
    await settle();
    expect(await page.locator("dialog[open]").count()).toBe(0);
    expect(books.get("K")).toMatchObject({ title: "Kim, again", note: "theirs" });
    expect(complaints).toEqual([]);
  });

  test("asks where both changed the same property, and is undone to what it replaced", async () => {
    const { page, books, press, settle } = await openShelf("#/edit/Books('K')");
    await page.locator(field("Title")).fill("mine");
    books.set("K", { ...books.get("K"), title: "theirs", pages: 1 });
    await page.keyboard.press("Enter");
    await page.locator("dialog[open]").waitFor();
    expect(books.get("K")).toMatchObject({ title: "theirs" });
    await page.locator("dialog input[type=radio]").first().click();
    await press("Save the chosen values");
    expect([books.get("K"), await page.locator("h1").innerText()]).toMatchObject([{ title: "mine", pages: 1 }, "mine"]);
    await press("Undo");
    expect([books.get("K"), await page.locator("h1").innerText()]).toMatchObject([
      { title: "theirs", pages: 1 },
      "theirs",
    ]);
    await settle();
  });

  test("saves nothing if the question is closed, and keeps the form", async () => {
    const { page, books, settle, sent } = await openShelf("#/edit/Books('K')");
    await page.locator(field("Title")).fill("mine");
    books.set("K", { ...books.get("K"), title: "theirs" });
    await page.keyboard.press("Enter");
    await page.locator("dialog[open]").waitFor();
    await page.keyboard.press("Escape");
    await settle();
    expect([sent("PATCH"), await page.locator(field("Title")).inputValue()]).toEqual([[], "mine"]);
  });

  test("is not undone over a change that came after it", async () => {
    const { page, books, press, settle } = await openShelf("#/edit/Books('K')");
    await page.locator(field("Title")).fill("mine");
    await page.keyboard.press("Enter");
    await settle();
    books.set("K", { ...books.get("K"), title: "theirs" });
    await press("Undo");
    expect(await page.locator("dialog[open] table").innerText()).toContain("theirs");
    expect(books.get("K")).toMatchObject({ title: "theirs" });
    await page.keyboard.press("Escape");
    await settle();
    expect(books.get("K")).toMatchObject({ title: "theirs" });
    // The reader may change their mind.
    await press("Undo");
    await page.locator("dialog input[type=radio]").first().click();
    await press("Save the chosen values");
    expect(books.get("K")).toMatchObject({ title: "Kim" });
    expect(await page.locator('.toast button:text-is("Undo")').count()).toBe(1);
  });

  test("of two tabs loses nothing", async () => {
    const { page, books, settle } = await openShelf("#/edit/Books('K')");
    const other = await openTab("#/edit/Books('K')");
    await page.locator(field("Title")).fill("first tab");
    await page.keyboard.press("Enter");
    await settle();
    await other.page.locator(field("Title")).fill("second tab");
    await other.page.keyboard.press("Enter");
    await other.page.locator("dialog[open]").waitFor();
    expect(books.get("K")).toMatchObject({ title: "first tab" });
  });

  test("deletes a record that is not as it was shown only if that is meant", async () => {
    const { page, books, press, settle } = await openShelf("#/record/Books('K')");
    const asked = answerDialogs(page, [false, true]);
    books.set("K", { ...books.get("K"), note: "theirs" });
    await press("Delete");
    expect([asked, [...books.keys()]]).toEqual([[expect.stringContaining("theirs")], ["K", "E"]]);
    await press("Delete");
    expect([asked.length, [...books.keys()]]).toEqual([2, ["E"]]);
    await press("Create it again");
    await settle();
    expect(books.get("K")).toMatchObject({ title: "Kim", note: "theirs", price: "9.50" });
  });

  test("creates no second record if the key is taken meanwhile", async () => {
    const { page, books, press } = await openShelf("#/record/Books('K')");
    await press("Delete");
    books.set("K", { code: "K", title: "another", pages: null, note: null, price: null, authorId: null });
    await press("Create it again");
    expect(await page.locator(".toast-failed").innerText()).toContain("There is a book with this code.");
    expect(books.get("K")).toMatchObject({ title: "another" });
  });

  test("says before and after that a record gets another key", async () => {
    const { page, slips, press } = await openShelf("#/record/Slips(1)");
    await press("Delete");
    await press("Create it again with a new key");
    expect([...slips.keys()]).toEqual([10]);
    const said = await page.locator(".toast p").allInnerTexts();
    expect(said.filter((text) => text.includes("Slips(10)") && text.includes("Slips(1)"))).toHaveLength(1);
  });

  test("replaces a record with what another user changed meanwhile, and with what it may not read", async () => {
    const { page, forms, press, settle, sent } = await openShelf("#/edit/Forms(1)");
    await page.locator(field("Name")).fill("Anna");
    forms.set(1, { ...forms.get(1), place: "Oslo" });
    await page.keyboard.press("Enter");
    await settle();
    const all = { id: 1, name: "Anna", place: "Oslo", salary: 100, scan: "long" };
    expect([forms.get(1), sent("PUT")]).toEqual([all, ["PUT /Forms(1)"]]);
    await press("Undo");
    expect(forms.get(1)).toEqual({ ...all, name: "Ann" });
  });

  test("does not replace a record of which the service left out more than it says", async () => {
    const { page, forms, show } = await openShelf("#/home");
    await page.evaluate(`(() => {
      const send = fetch;
      globalThis.fetch = async (url, init) => {
        const answer = await send(url, init);
        if (!String(url).includes("Forms(1)")) return answer;
        const { Place, ...others } = await answer.json();
        return new Response(JSON.stringify(others), { headers: answer.headers });
      };
    })()`);
    await show("#/edit/Forms(1)");
    await page.locator(field("Name")).fill("Anna");
    await page.locator(field("Name")).press("Enter");
    await page.locator("[role=alert]").waitFor();
    expect(await page.locator("[role=alert]").innerText()).toContain("Place");
    expect(forms.get(1)).toMatchObject({ place: "Bergen" });
  });
});

describe.skipIf(program === undefined)("an edit in the explorer, with an ETag,", () => {
  const { routes, open } = servedExplorers(program);

  test("is undone by the ETag of its answer, and asks where that is not the last", async () => {
    const { service, notes } = notesService({ routes: routes() });
    const { page, requests, settle } = await open(service, "/notes", "#/edit/Notes(1)");
    const undo = page.locator('.toast button:text-is("Undo")').first();
    await page.locator(field("Title")).fill("mine");
    await page.keyboard.press("Enter");
    await settle();
    requests.splice(0);
    await undo.click();
    await settle();
    expect(notes.get(1)?.title).toBe("first");
    expect(requests.filter((request) => request.includes("$select"))).toEqual([]);
    const { stars, bookId } = notes.get(1) ?? { stars: 0, bookId: 0 };
    notes.set(1, { id: 1, title: "theirs", stars, bookId, version: 9 });
    // The undoing can be undone.
    await undo.click();
    await page.locator("dialog[open]").waitFor();
    expect(notes.get(1)?.title).toBe("theirs");
  });

  test("deletes a record that another user changed only if that is meant", async () => {
    const { service, notes } = notesService({ routes: routes() });
    const { page, settle } = await open(service, "/notes", "#/record/Notes(1)");
    notes.set(1, { id: 1, title: "theirs", stars: 3, bookId: 1, version: 9 });
    const asked = answerDialogs(page, [false, true]);
    for (const left of [2, 1]) {
      await page.locator('main button:text-is("Delete")').click();
      await settle();
      expect([asked.length, notes.size]).toEqual([3 - left, left]);
    }
  });
});

describe.skipIf(program === undefined)("what a user typed in the explorer", () => {
  const { routes, open } = servedExplorers(program);

  async function openShelf(fragment: string) {
    const made = shelfService({ routes: routes() });
    return { ...made, ...(await open(made.service, "/shelf", fragment)) };
  }

  test.each([
    ["an edit", "#/edit/Books('K')", ".edit-form input"],
    ["a new record", "#/edit/Books", ".edit-form input"],
    ["an operation", "#/operation/note", ".operation-form input"],
  ])("in %s is there when the user returns to the form", async (_, fragment, selector) => {
    const { page, show, settle } = await openShelf(fragment);
    await page.locator(selector).first().fill("typed");
    await show("#/grid/Authors");
    await page.locator('.toast a:text-is("Continue")').click();
    await settle();
    expect(await page.locator(selector).first().inputValue()).toBe("typed");
    expect(await page.locator('.toast a:text-is("Continue")').count()).toBe(0);
    await page.locator('main button:text-is("Discard it")').click();
    await show("#/grid/Authors");
    expect(await page.locator(".toast").count()).toBe(0);
  });

  test("is saved over what another user changed in the meantime", async () => {
    const { page, books, show, settle } = await openShelf("#/edit/Books('K')");
    await page.locator(field("Title")).fill("typed");
    await show("#/grid/Authors");
    books.set("K", { ...books.get("K"), title: "theirs", note: "theirs" });
    await show("#/edit/Books('K')");
    await page.locator(field("Title")).press("Enter");
    await page.locator("dialog[open]").waitFor();
    await page.locator("dialog input[type=radio]").first().click();
    await page.locator('dialog button:text-is("Save the chosen values")').click();
    await settle();
    expect(books.get("K")).toMatchObject({ title: "typed", note: "theirs" });
    await show("#/grid/Authors");
    expect(await page.locator('.toast a:text-is("Continue")').count()).toBe(0);
  });

  test("is forgotten by Cancel", async () => {
    const { page, show, settle } = await openShelf("#/edit/Books('K')");
    await page.locator(field("Title")).fill("typed");
    await page.locator('main button:text-is("Cancel")').click();
    await settle();
    expect(await page.locator('.toast a:text-is("Continue")').count()).toBe(0);
    await show("#/edit/Books('K')");
    expect(await page.locator(field("Title")).inputValue()).toBe("Kim");
  });

  test("is discarded from the message, also where the record is gone, and with a record that the user deletes", async () => {
    const { page, books, show, settle } = await openShelf("#/edit/Books('K')");
    const left = page.locator(".toast.notice-warning");
    await page.locator(field("Title")).fill("typed");
    await show("#/home");
    books.delete("K");
    await left.locator('button:text-is("Discard")').click();
    expect(await left.count()).toBe(0);
    await show("#/edit/Books('E')");
    await page.locator(field("Title")).fill("typed");
    await show("#/record/Books('E')");
    expect(await left.count()).toBe(1);
    await page.locator('main button:text-is("Delete")').click();
    await settle();
    expect([[...books.keys()], await left.count()]).toEqual([[], 0]);
  });

  test("makes the browser ask before a reload, which loses nothing if the user stays", async () => {
    const { page } = await openShelf("#/edit/Books('K')");
    const asked: string[] = [];
    page.on("dialog", (dialog) => {
      asked.push(dialog.type());
      void dialog.dismiss();
    });
    await page.locator(field("Title")).click();
    await page.keyboard.type("!");
    await page.evaluate("void setTimeout(() => location.reload())");
    await page.evaluate("new Promise((resolve) => setTimeout(resolve, 300))");
    expect([asked, await page.locator(field("Title")).inputValue()]).toEqual([["beforeunload"], "Kim!"]);
  });

  test("is not for the next user", async () => {
    const { service, signIn } = notesService({ routes: routes({ signIn: { kind: "basic" } }), challenge: "Basic" });
    const { page, show, settle } = await open(service, "/notes", "#/edit/Notes(1)");
    signIn.kind = null;
    await page.locator(field("Title")).fill("typed");
    await show("#/home");
    await page.locator('header button:text-is("Sign in")').click();
    await page.locator("dialog[open] input").nth(0).fill("Ann");
    await page.locator("dialog[open] input").nth(1).fill("secret");
    await page.locator("dialog[open] input").nth(1).press("Enter");
    await settle();
    expect(await page.locator(".toast").count()).toBe(0);
    await show("#/edit/Notes(1)");
    expect(await page.locator(field("Title")).inputValue()).toBe("first");
  });

  test("beyond 80 characters stays in its field", async () => {
    const { page } = await openShelf("#/edit/Books('E')");
    await page.locator(field("Note")).fill("n".repeat(79));
    await page.keyboard.type("abc");
    expect(await page.locator(field("Note")).inputValue()).toBe(`${"n".repeat(79)}abc`);
  });
});

describe.skipIf(program === undefined)("a form of the explorer", () => {
  const { routes, open } = servedExplorers(program);
  const FOCUSED = `document.activeElement.closest(".field")?.querySelector("label").textContent`;

  test("moves to the first field with a fault that it finds itself", async () => {
    const { service } = shelfService({ routes: routes() });
    const { page, settle } = await open(service, "/shelf", "#/edit/Books('K')");
    await page.locator(field("Pages")).fill("many");
    await page.locator(field("Price")).fill("dear");
    await page.locator(field("Title")).press("Enter");
    await settle();
    expect(await page.evaluate(FOCUSED)).toBe("Pages");
  });

  test("moves to the first field with a fault that the service finds", async () => {
    const { service } = shelfService({ routes: routes() });
    const { page, settle } = await open(service, "/shelf", "#/edit/Books('K')");
    await page.locator(field("Pages")).fill("6000");
    await page.locator(field("Price")).fill("1");
    await page.locator(field("Price")).press("Enter");
    await settle();
    expect(await page.evaluate(FOCUSED)).toBe("Pages");
    expect(await page.locator('.field:has(> label:text-is("Pages"))').innerText()).toContain("5000");
  });
});
