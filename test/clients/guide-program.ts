import { mkdir, readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { openClientPage, type ClientPage, type ClientPageOptions } from "./client-page.ts";
import { openShop } from "./shop.ts";

/** The program of a guide, and the text that it prints. */
export interface GuideProgram {
  readonly code: string;
  readonly prints: string;
  readonly commands: readonly string[];
  /** The text of the module after the program; empty without one. */
  readonly module: string;
  /** The text of the `tsconfig.json` that compiles the program; empty without one. */
  readonly settings: string;
}

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/**
 * Reads the program of `docs/guides/clients/<name>.md`, its commands, settings and module, and the text after "It prints".
 * @param language the language of the block
 */
export async function readGuide(name: string, language: "js" | "tsx"): Promise<GuideProgram> {
  const page = await readFile(here(`../../docs/guides/clients/${name}.md`), "utf8");
  const [code, module = ""] = blocksOf(page, language);
  const prints = /^It prints `(?<text>[^`]+)`\.$/mu.exec(page)?.groups?.["text"];
  if (code === undefined || prints === undefined) throw new Error(`${name}.md has no program that prints something.`);
  const commands = blocksOf(page, "sh").flatMap((lines) => lines.trim().split("\n"));
  return { code, prints, commands, module, settings: blocksOf(page, "json")[0] ?? "" };
}

/** The code blocks of a page in one language. */
function blocksOf(page: string, language: string): readonly string[] {
  return page
    .split(`\`\`\`${language}\n`)
    .slice(1)
    .map((rest) => rest.split("```\n")[0] ?? "");
}

const BREEZE: ClientPageOptions = {
  head: '<script src="/packages/ts-odatajs/dist/odatajs-latest.js"></script>',
  open: () => openShop({ isPlain: true }),
};

/** The guides whose program runs in a page of the browser, and what the page needs. */
export const GUIDES_OF_BROWSERS: Readonly<Record<string, ClientPageOptions>> = {
  "angular-odata": {},
  breeze: BREEZE,
  devextreme: {},
  kendo: {},
  "o-js": {},
  "odata-client": {},
  "odata-query": {},
  "react-admin": {},
  syncfusion: {},
};

/** Opens a page with the program of a guide. Its function `printed()` returns the text that the program prints. */
export async function openGuide(name: string): Promise<ClientPage> {
  const { code } = await readGuide(name, "js");
  const program = code
    .replace('"https://shop.example', 'location.origin + "')
    .replace("console.log(", "export const printed = () => [")
    .replace(/\);\n$/u, '].join(" ");\n');
  await mkdir(here(".generated"), { recursive: true });
  await writeFile(here(`.generated/guide-${name}.js`), program);
  return openClientPage(`../.generated/guide-${name}`, GUIDES_OF_BROWSERS[name] ?? {});
}
