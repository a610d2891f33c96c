import { applyDelta, columnStore, edm, entitySet, entityType, odataService } from "odatakit";
import { describe, expect, test } from "vitest";
import { findBrowser } from "../browser.ts";
import { servedExplorers } from "./served-explorers.ts";

const program = findBrowser();

/** A red point. */
const POINT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg";

describe.skipIf(program === undefined)("streams in the explorer", () => {
  const { routes, open } = servedExplorers(program);

  test("are no columns of the grid", async () => {
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
    const service = odataService({ prefix: "/p", entitySets: [people], profile: "standard", routes: routes() });
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
    const { page, complaints } = await open(service, "/p", "#/grid/People");
    expect(await page.locator(".grid-title").allInnerTexts()).toEqual(["Id", "Name"]);
    expect(complaints).toEqual([]);
  });
});
