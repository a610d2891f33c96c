import { describe, expect, test } from "vitest";
import { findBrowser } from "../../browser/browser.ts";
import { LICENSED_GUIDES, openGuide } from "../guide-program.ts";
import { readGuide } from "../read-guide.ts";

describe.skipIf(findBrowser() === undefined)("the program of a guide, in a browser", () => {
  test.each(LICENSED_GUIDES)("prints the output in the guide: %s", async (name) => {
    const { prints } = await readGuide(name, "js");
    const client = await openGuide(name, "licensed");
    try {
      expect(await client.run("printed()")).toBe(prints);
    } finally {
      await client.close();
    }
  });
});
