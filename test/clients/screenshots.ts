import { mkdir, stat } from "node:fs/promises";
import { createRequire } from "node:module";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { findBrowser, openBrowser } from "../browser/browser.ts";
import { openClientPage, type ClientPageOptions } from "./client-page.ts";
import { outputInPage, outputOfGenerated } from "./guide-output.ts";
import { UI5_HEAD } from "./package-files.ts";
import { terminalPage, type Output } from "./terminal-page.ts";

/**
 * Makes the screenshots of `docs/images`: a client with controls shows the products of the shop in them; of any other, the
 * picture has the output of the program of its guide. Run `npm run test:clients` before, which installs the clients.
 */

const SIZE = { width: 760, height: 420 };
/** Wide enough for the commands. */
const WIDTH_OF_OUTPUT = 840;
/** The notice of a grid without a license would cover its head. */
const BELOW_NOTICE = "<style>body { padding-top: 90px }</style>";
const MAX_BYTES = 60_000;

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const style = (path: string): string => `<link rel="stylesheet" href="/packages/${path}">`;

interface Builder {
  build(options: object): Promise<{ readonly css: string }>;
}

/** Compiles the theme of UI5, which its packages contain as sources only. */
async function themeOfUi5(): Promise<string> {
  const less = createRequire(import.meta.url)("less-openui5") as { readonly Builder: new () => Builder };
  const builder = new less.Builder();
  const rootPaths = ["sap.ui.core", "sap.m", "themelib_sap_horizon"].map((name) =>
    here(`node_modules/@openui5/${name}/src`),
  );
  const parts: string[] = [];
  for (const library of ["sap/ui/core", "sap/m"]) {
    const lessInputPath = `${library}/themes/sap_horizon/library.source.less`;
    parts.push(
      (await builder.build({ lessInputPath, rootPaths, library: { name: library.replaceAll("/", ".") } })).css,
    );
  }
  return `<style>${parts.join("\n")}</style>`;
}

const STYLES_OF_SYNCFUSION = [
  "base",
  "buttons",
  "inputs",
  "popups",
  "dropdowns",
  "calendars",
  "navigations",
  "grids",
].map((name) => `@syncfusion/ej2-${name}/styles/bootstrap5.css`);

interface Screen {
  readonly head?: () => string | Promise<string>;
  readonly crop?: string;
  readonly width?: number;
  readonly options?: ClientPageOptions;
}

/** Settings for the pages of clients with controls. Grids without a license show notices around them: the picture is cropped. */
const SCREENS: Readonly<Record<string, Screen>> = {
  "ag-grid": { width: 960, options: { guide: "ag-grid" } },
  "angular-odata": {},
  devextreme: {
    head: () => style("devextreme/dist/css/dx.light.css"),
    crop: ".dx-datagrid",
    options: { folder: "licensed" },
  },
  "react-admin": { width: 960, options: { guide: "react-admin" } },
  syncfusion: {
    head: () => STYLES_OF_SYNCFUSION.map(style).join("") + BELOW_NOTICE,
    crop: "#content",
    options: { folder: "licensed" },
  },
  ui5: { head: async () => (await themeOfUi5()) + UI5_HEAD.replace('theme="base"', 'theme="sap_horizon"') },
};

/** Clients without controls, and Kendo UI, whose controls have a watermark without a license. */
const OUTPUTS: Readonly<Record<string, () => Promise<readonly Output[]>>> = {
  ...Object.fromEntries(
    ["breeze", "kendo", "o-js", "odata-client", "odata-query"].map((name) => [name, () => outputInPage(name)]),
  ),
  odata2ts: () => outputOfGenerated("odata2ts"),
  "sap-cloud-sdk": () => outputOfGenerated("sap-cloud-sdk"),
};

async function takeScreen(name: string, path: string): Promise<void> {
  const { head = () => "", crop, width = SIZE.width, options = {} } = SCREENS[name] ?? {};
  const client = await openClientPage(`pages/screens/${name}`, { ...options, head: await head() });
  try {
    await client.page.setViewportSize({ ...SIZE, width });
    await client.run("show()");
    // Fonts, and the end of animations.
    await client.page.evaluate("document.fonts.ready.then(() => new Promise((resolve) => setTimeout(resolve, 1000)))");
    await (crop === undefined
      ? client.page.screenshot({ path })
      : client.page.locator(crop).first().screenshot({ path }));
  } finally {
    await client.close();
  }
}

async function takeOutput(outputs: readonly Output[], path: string): Promise<void> {
  const browser = await openBrowser(findBrowser() ?? "");
  try {
    const page = await browser.newPage();
    await page.setViewportSize({ ...SIZE, width: WIDTH_OF_OUTPUT });
    await page.setContent(terminalPage(outputs));
    await page.locator("body").screenshot({ path });
  } finally {
    await browser.close();
  }
}

const images = here("../../docs/images");
await mkdir(images, { recursive: true });
const names = process.argv.slice(2);
for (const name of names.length === 0 ? [...Object.keys(SCREENS), ...Object.keys(OUTPUTS)] : names) {
  const path = `${images}/${name}.png`;
  const outputs = await OUTPUTS[name]?.();
  await (outputs === undefined ? takeScreen(name, path) : takeOutput(outputs, path));
  const { size } = await stat(path);
  process.stdout.write(`${path} ${String(size)} bytes\n`);
  if (size > MAX_BYTES) throw new Error(`${path} is larger than ${String(MAX_BYTES)} bytes.`);
}
