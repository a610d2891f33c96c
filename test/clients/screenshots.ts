import { mkdir, stat } from "node:fs/promises";
import { createRequire } from "node:module";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { openClientPage, type ClientPage } from "./client-page.ts";
import { UI5_HEAD } from "./package-files.ts";

/**
 * Makes the screenshots of `docs/images`: each client shows the products of the shop in its own controls. Run
 * `npm run test:clients` before, which installs the clients.
 */

const SIZE = { width: 760, height: 420 };
/** Notices of grids without a license cover the top of the page. */
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

const HEADS: Readonly<Record<string, () => string | Promise<string>>> = {
  "angular-odata": () => "",
  devextreme: () => style("devextreme/dist/css/dx.light.css"),
  kendo: () => style("@progress/kendo-theme-default/dist/default-main.css") + BELOW_NOTICE,
  "react-admin": () => "",
  syncfusion: () => STYLES_OF_SYNCFUSION.map(style).join("") + BELOW_NOTICE,
  ui5: async () => (await themeOfUi5()) + UI5_HEAD.replace('theme="base"', 'theme="sap_horizon"'),
};

async function take(client: ClientPage, name: string, path: string): Promise<void> {
  await client.page.setViewportSize({ ...SIZE, width: name === "react-admin" ? 960 : SIZE.width });
  await client.run("show()");
  // Fonts, and the end of animations.
  await client.page.evaluate("document.fonts.ready.then(() => new Promise((resolve) => setTimeout(resolve, 1000)))");
  await client.page.screenshot({ path });
  const { size } = await stat(path);
  process.stdout.write(`${path} ${String(size)} bytes\n`);
  if (size > MAX_BYTES) throw new Error(`${path} is larger than ${String(MAX_BYTES)} bytes.`);
}

const images = here("../../docs/images");
await mkdir(images, { recursive: true });
const names = process.argv.slice(2);
for (const name of names.length === 0 ? Object.keys(HEADS) : names) {
  const client = await openClientPage(`screens/${name}`, { head: (await HEADS[name]?.()) ?? "" });
  try {
    await take(client, name, `${images}/${name}.png`);
  } finally {
    await client.close();
  }
}
