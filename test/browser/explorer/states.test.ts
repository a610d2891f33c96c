import { describe, expect, test } from "vitest";
import { findBrowser } from "../browser.ts";
import { notesService, type RIGHT } from "./notes-service.ts";
import { servedExplorers } from "./served-explorers.ts";

const program = findBrowser();

/** Screens that load when they appear. A new screen is one more row. */
const LOADING = [
  ["grid", "#/grid/Notes", "table.grid"],
  ["record", "#/record/Notes(1)", "dl.properties"],
  ["edit", "#/edit/Notes(1)", ".edit-form"],
  ["cost", "#/cost/Notes", ".cost-facts"],
] as const;

describe.skipIf(program === undefined)("the states of a screen", () => {
  const { routes, open: openServed } = servedExplorers(program);

  async function openNotes(fragment = "#/home", kind: keyof typeof RIGHT | null = null) {
    const signIn = kind === null ? {} : { signIn: { kind } };
    const made = notesService({ routes: routes(signIn) }, kind);
    // The credentials of the user expire later.
    made.signIn.kind = null;
    const explorer = await openServed(made.service, "/notes", fragment);
    const button = (name: string) => explorer.page.locator(`main button:has-text("${name}")`);
    return { ...made, ...explorer, button };
  }

  test.each(LOADING)("%s: loading can be stopped after half a second, and tried again", async (_name, at, shown) => {
    const { page, held, button, settle, complaints } = await openNotes();
    let release = (): void => undefined;
    held.until = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.evaluate(`location.hash = ${JSON.stringify(at)}`);
    await page.locator(".busy-line").first().waitFor();
    expect(await page.locator("h1").count()).toBe(1);
    await button("Stop").click();
    expect(await page.locator("main .notice").innerText()).toContain("You stopped this request.");
    release();
    await button("Try again").click();
    await settle();
    await page.locator(shown).waitFor();
    expect(complaints).toEqual([]);
  });

  test.each(LOADING)("%s: a failure has its code and request, and can be tried again", async (_name, at, shown) => {
    const { page, held, button, show, settle, complaints } = await openNotes();
    held.fails = true;
    await show(at);
    const text = await page.locator("main [role=alert]").innerText();
    expect(text).toMatch(/The service failed\s+The notes rest\.\s+503 Resting · request \S+/u);
    expect([await page.locator("h1").count(), complaints.splice(0).filter((each) => !each.includes("503"))]).toEqual([
      1,
      [],
    ]);
    held.fails = false;
    await button("Try again").click();
    await settle();
    await page.locator(shown).waitFor();
    expect(complaints).toEqual([]);
  });

  test.each(LOADING)("%s: without a network it says so, and goes on with it", async (_name, at, shown) => {
    const { page, button, show, settle } = await openNotes();
    await page.context().setOffline(true);
    await show(at);
    expect(await page.locator("main [role=alert]").innerText()).toContain("The service did not answer");
    await page.context().setOffline(false);
    await button("Try again").click();
    await settle();
    await page.locator(shown).waitFor();
  });

  test("a screen of nothing says what to do", async () => {
    const { page, show } = await openNotes();
    for (const [at, text] of [
      ["#/record/Nothing(1)", "The model has no such record"],
      ["#/edit/Books", "The service does not permit to change this"],
      ["#/operation/none", "The service has no such operation"],
    ] as const) {
      await show(at);
      expect(await page.locator("main").innerText()).toContain(text);
      expect(await page.locator("main a").count()).toBeGreaterThan(0);
    }
  });

  test("the cost of a query says which of its parts are unknown, and why", async () => {
    const { page, complaints } = await openNotes("#/cost/Notes");
    const text = await page.locator("main").innerText();
    expect(text).toContain("the option serverTiming of odataService");
    expect(text).toContain("The query ran no statements.");
    expect(complaints).toEqual([]);
  });

  test("a form keeps what was typed while the user signs in again", async () => {
    const { page, notes, signIn, settle, complaints } = await openNotes("#/edit/Notes(1)", "key");
    const field = page.locator(".edit-form input").first();
    const dialog = page.locator("dialog[open]");
    await field.fill("typed");
    signIn.kind = "key";
    await field.press("Enter");
    await dialog.locator("input").fill("wrong");
    await dialog.locator("input").press("Enter");
    await settle();
    expect(await dialog.locator("[role=alert]").innerText()).toMatch(/API key.*These credentials are wrong\.$/u);
    await dialog.locator("input").fill("right");
    await dialog.locator("input").press("Enter");
    await settle();
    expect(await dialog.count()).toBe(0);
    expect(await page.evaluate(`document.querySelector(".edit-form input").value`)).toBe("typed");
    expect(await page.locator(".edit-form [role=alert]").count()).toBe(0);
    await field.press("Enter");
    await settle();
    expect([notes.get(1)?.title, await page.locator("h1").innerText()]).toEqual(["typed", "typed"]);
    expect(complaints.filter((text) => !text.includes("401"))).toEqual([]);
  });

  test("a screen that asked to sign in loads once the user has, and shows nothing after signing out", async () => {
    const { page, signIn, show, settle } = await openNotes("#/home", "key");
    const dialog = page.locator("dialog[open]");
    signIn.kind = "key";
    await show("#/record/Notes(1)");
    await dialog.locator("input").fill("right");
    await dialog.locator("input").press("Enter");
    await settle();
    expect(await page.locator("dl.properties").innerText()).toContain("first");
    await page.locator('button:has-text("Sign out")').click();
    await settle();
    expect(await page.locator("body").innerText()).not.toContain("first");
    expect(await page.locator("h1").innerText()).toBe("Sign in");
  });

  test("another user cannot undo a change of the last user", async () => {
    const { page, signIn, show, settle } = await openNotes("#/home", "key");
    const dialog = page.locator("dialog[open]");
    signIn.kind = "key";
    await show("#/edit/Notes(1)");
    await dialog.locator("input").fill("right");
    await dialog.locator("input").press("Enter");
    await settle();
    await page.locator(".edit-form input").first().fill("changed");
    await page.locator(".edit-form input").first().press("Enter");
    await settle();
    expect(await page.locator(".toast").innerText()).toContain("Undo");
    await page.locator('button:has-text("Sign out")').click();
    await settle();
    expect(await page.locator(".toast").count()).toBe(0);
  });

  test("another user gets nothing of what the last one typed", async () => {
    const { page, signIn, show, settle } = await openNotes("#/home", "basic");
    const dialog = page.locator("dialog[open]");
    const enter = async (name: string): Promise<void> => {
      await dialog.locator("input").nth(0).fill(name);
      await dialog.locator("input").nth(1).fill("päss");
      await dialog.locator("input").nth(1).press("Enter");
      await settle();
    };
    signIn.kind = "basic";
    await show("#/edit/Notes(1)");
    await enter("Zoë");
    await page.locator(".edit-form input").first().fill("typed");
    // The service no longer accepts the user.
    signIn.kind = "key";
    await page.locator(".edit-form input").first().press("Enter");
    await settle();
    expect(await dialog.count()).toBe(1);
    signIn.kind = null;
    await enter("Ann");
    expect(await page.evaluate(`document.querySelector(".edit-form input").value`)).toBe("first");
  });

  test.each(["key", "basic"] as const)("the screen of the last user goes before another %s is judged", async (kind) => {
    const { page, held, signIn, show, settle } = await openNotes("#/home", kind);
    const dialog = page.locator("dialog[open]");
    const enter = async (name: string, secret: string): Promise<void> => {
      const texts = kind === "key" ? [secret] : [name, secret];
      for (const [at, text] of texts.entries()) await dialog.locator("input").nth(at).fill(text);
      await dialog
        .locator("input")
        .nth(kind === "key" ? 0 : 1)
        .press("Enter");
    };
    const right = kind === "key" ? "right" : "päss";
    signIn.kind = kind;
    await show("#/edit/Notes(1)");
    await enter("Zoë", right);
    await settle();
    await page.locator(".edit-form input").first().fill("typed");
    // The service no longer accepts the user.
    signIn.kind = kind === "key" ? "basic" : "key";
    await page.locator(".edit-form input").first().press("Enter");
    await settle();
    let release = (): void => undefined;
    held.signIn = new Promise((resolve) => {
      release = () => resolve(undefined);
    });
    await enter("Ann", "other");
    await page.locator('h1:text-is("Explorer")').waitFor();
    expect(await page.locator(".edit-form").count()).toBe(0);
    expect(await page.locator("body").innerText()).not.toMatch(/Edit Notes|first|Zoë/u);
    expect(await page.locator(".toast").count()).toBe(0);
    release();
    await settle();
    // Nobody else was there.
    signIn.kind = kind;
    await enter("Zoë", right);
    await settle();
    expect(await page.evaluate(`document.querySelector(".edit-form input").value`)).toBe("typed");
  });

  test.each(["key", "bearer"] as const)("another %s is another user, who gets no texts and no views", async (kind) => {
    const { page, signIn, show, settle } = await openNotes("#/home", kind);
    const [dialog, field] = [page.locator("dialog[open]"), page.locator(".edit-form input").first()];
    const enter = async (secret: string): Promise<void> => {
      await dialog.locator("input").fill(secret);
      await dialog.locator("input").press("Enter");
      await settle();
    };
    const ask = async (): Promise<void> => {
      signIn.kind = kind;
      signIn.secret = "none";
      await field.press("Enter");
      await settle();
    };
    signIn.kind = kind;
    await show("#/grid/Notes?$filter=Title ne 'x'");
    await enter("right");
    await show("#/edit/Notes(1)");
    await field.fill("typed");
    await ask();
    // A wrong one is no user.
    await enter("wrong");
    signIn.secret = null;
    await enter("right");
    expect(await page.evaluate(`document.querySelector(".edit-form input").value`)).toBe("typed");
    await ask();
    signIn.secret = "other";
    await enter("other");
    expect(await page.evaluate(`document.querySelector(".edit-form input").value`)).toBe("first");
    expect(await page.locator(".toast").count()).toBe(0);
    await show("#/home");
    expect(await page.locator(".kept a").allInnerTexts()).toEqual([]);
    const stored = String(await page.evaluate("JSON.stringify({ ...localStorage })"));
    for (const secret of ["right", "wrong", "other"]) expect(stored).not.toContain(secret);
  });

  test("where the browser makes no digests, each sign-in is that of another user, whose views are not kept", async () => {
    const { page, signIn, show, settle } = await openNotes("#/home", "key");
    await page.addInitScript({ content: "Object.defineProperty(crypto, 'subtle', { value: undefined })" });
    await page.reload();
    const [dialog, field] = [page.locator("dialog[open]"), page.locator(".edit-form input").first()];
    const enter = async (): Promise<void> => {
      await dialog.locator("input").fill("right");
      await dialog.locator("input").press("Enter");
      await settle();
    };
    signIn.kind = "key";
    await show("#/edit/Notes(1)");
    await enter();
    await field.fill("typed");
    await show("#/grid/Notes");
    expect(await page.evaluate("JSON.stringify({ ...localStorage })")).toBe("{}");
    await show("#/edit/Notes(1)");
    signIn.secret = "none";
    await field.press("Enter");
    await settle();
    signIn.secret = null;
    await enter();
    expect(await page.evaluate(`document.querySelector(".edit-form input").value`)).toBe("first");
  });
});
