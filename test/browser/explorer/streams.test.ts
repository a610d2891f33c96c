import { applyDelta, authenticated, columnStore, edm, entitySet, entityType, odataService } from "odatakit";
import { describe, expect, test } from "vitest";
import { findBrowser } from "../browser.ts";
import { axeFindings } from "./open-explorer.ts";
import { servedExplorers } from "./served-explorers.ts";

const program = findBrowser();

/** A red point. */
const POINT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg";

describe.skipIf(program === undefined)("streams in the explorer", () => {
  const { routes, open } = servedExplorers(program);

  test("are pictures and files of a record, which the page reads with the key of the user, and no columns of the grid", async () => {
    const Person = entityType("Person", {
      id: edm.int32().key(),
      name: edm.string(),
      photo: edm.stream({ store: columnStore("photoBytes") }),
      photoBytes: edm.binary().nullable().ignored(),
      letter: edm.stream({ store: columnStore("letterBytes") }),
      letterBytes: edm.binary().nullable().ignored(),
    });
    const none = { photo: null, photoBytes: null, letter: null, letterBytes: null };
    let ann = { id: 1, name: "Ann", ...none } as Parameters<typeof applyDelta<typeof Person>>[1];
    const people = entitySet(Person, {
      name: "People",
      getAll: () => [ann] as never,
      getByKey: () => ann as never,
      patch: (_key, delta) => (ann = applyDelta(Person, ann, delta) as typeof ann) as never,
    });
    let isSignedIn = true;
    const service = odataService({
      prefix: "/p",
      entitySets: [people],
      profile: "standard",
      routes: routes({ signIn: { kind: "key" } }),
      authorization: authenticated(),
      authenticate: ({ headers }) => (isSignedIn || headers.get("x-api-key") === "right" ? { id: "ann" } : null),
    });
    for (const [path, type, body] of [
      ["Photo", "image/png", Buffer.from(POINT, "base64")],
      ["Letter", "text/html", "<script>document.title = 'run'</script>"],
    ] as const) {
      const init = {
        method: "PUT",
        headers: { "Content-Type": type },
        body: typeof body === "string" ? body : new Uint8Array(body),
      };
      const put = await service.fetch(new Request(`http://p.example/p/People(1)/${path}`, init));
      expect(put.status).toBe(204);
    }
    const { page, show, settle, complaints } = await open(service, "/p", "#/home");
    isSignedIn = false;
    await show("#/record/People(1)");
    await page.locator("dialog[open] input").fill("right");
    await page.locator("dialog[open] input").press("Enter");
    await settle();
    const width = `document.querySelector('img[alt="Picture of Photo"]')?.naturalWidth`;
    await expect.poll(() => page.evaluate(width)).toBe(1);
    await page.evaluate(`(() => {
      const make = URL.createObjectURL;
      URL.createObjectURL = (blob) => make((globalThis.saved = blob));
    })()`);
    await page.locator('button:has-text("Download Letter (text/html)")').click();
    await expect.poll(() => page.evaluate("globalThis.saved?.text()")).toBe("<script>document.title = 'run'</script>");
    expect(await page.title()).not.toBe("run");
    expect(await page.locator(".toast").count()).toBe(0);
    expect(await axeFindings(page)).toEqual([]);
    await show("#/grid/People");
    expect(await page.locator(".grid-title").allInnerTexts()).toEqual(["Id", "Name"]);
    expect(complaints.filter((text) => !text.includes("401"))).toEqual([]);
  });
});
