import { mkdir, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { openClientPage, type ClientPage, type ClientPageOptions } from "./client-page.ts";
import { readGuide, writeModules } from "./read-guide.ts";
import { openShop } from "./shop.ts";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

const BREEZE: ClientPageOptions = {
  head: '<script src="/packages/ts-odatajs/dist/odatajs-latest.js"></script>',
  open: () => openShop({ isPlain: true }),
};

/** The guides whose program runs in a page of the browser, and the options of the page. */
export const GUIDES_OF_BROWSERS: Readonly<Record<string, ClientPageOptions>> = {
  "ag-grid": {},
  "angular-odata": {},
  breeze: BREEZE,
  "o-js": {},
  "odata-client": {},
  "odata-query": {},
  "react-admin": {},
};

/** The same for clients with commercial licenses. */
export const LICENSED_GUIDES: readonly string[] = ["devextreme", "kendo", "syncfusion"];

/**
 * Opens a page with the program of a guide. Its function `printed()` returns the text that the program prints.
 * @param folder the folder whose packages the program imports
 */
export async function openGuide(name: string, folder = "."): Promise<ClientPage> {
  const guide = await readGuide(name, "js");
  const program = guide.code
    .replace('"https://shop.example', 'globalThis.serviceRoot.replace(/\\/odata$/u, "") + "')
    .replace("console.log(", "export const printed = () => [")
    .replace(/\);\n$/u, '].join(" ");\n');
  const generated = here(`${folder}/.generated`);
  await mkdir(generated, { recursive: true });
  await writeModules(guide, generated);
  await writeFile(`${generated}/guide-${name}.js`, program);
  return openClientPage(`.generated/guide-${name}`, { ...GUIDES_OF_BROWSERS[name], folder });
}
