import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { findBrowser } from "../browser/browser.ts";
import { GUIDES_OF_BROWSERS, openGuide } from "./guide-program.ts";
import { readGuide } from "./read-guide.ts";

describe.skipIf(findBrowser() === undefined)("the program of a guide, in a browser", () => {
  test.each(Object.keys(GUIDES_OF_BROWSERS))("prints the output in the guide: %s", async (name) => {
    const { prints } = await readGuide(name, "js");
    const client = await openGuide(name);
    try {
      expect(await client.run("printed()")).toBe(prints);
    } finally {
      await client.close();
    }
  });
});

test("the guide of Breeze has the module that the tests alias", async () => {
  const { modules } = await readGuide("breeze", "js");
  expect(modules[0]).toBe(await readFile(new URL("pages/odatajs-global.js", import.meta.url), "utf8"));
});
