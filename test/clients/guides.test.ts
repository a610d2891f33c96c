import { mkdir, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { findBrowser } from "../browser/browser.ts";
import { openClientPage, type ClientPageOptions } from "./client-page.ts";
import { readGuide } from "./guide-program.ts";
import { openShop } from "./shop.ts";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

const BREEZE: ClientPageOptions = {
  head: '<script src="/packages/ts-odatajs/dist/odatajs-latest.js"></script>',
  open: () => openShop({ isPlain: true }),
};

describe.skipIf(findBrowser() === undefined)("the program of a guide, in a browser", () => {
  test.each<readonly [string, ClientPageOptions]>([
    ["angular-odata", {}],
    ["breeze", BREEZE],
    ["devextreme", {}],
    ["kendo", {}],
    ["o-js", {}],
    ["odata-query", {}],
    ["react-admin", {}],
    ["syncfusion", {}],
  ])("prints what the guide says: %s", async (name, options) => {
    const { code, prints } = await readGuide(name, "js");
    const program = code
      .replace('"https://shop.example', 'location.origin + "')
      .replace("console.log(", "export const printed = () => [")
      .replace(/\);\n$/u, '].join(" ");\n');
    await mkdir(here(".generated"), { recursive: true });
    await writeFile(here(`.generated/guide-${name}.js`), program);
    const client = await openClientPage(`../.generated/guide-${name}`, options);
    try {
      expect(await client.run("printed()")).toBe(prints);
    } finally {
      await client.close();
    }
  });
});
