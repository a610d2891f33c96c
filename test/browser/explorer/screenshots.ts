import { mkdirSync, mkdtempSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { explorerRoute } from "odatakit/explorer";
import { serve } from "odatakit/node";
import { openWorld } from "../../../examples/world/database.ts";
import { worldService } from "../../../examples/world/service.ts";
import { bundleExplorer } from "../../../packaging/explorer.ts";
import { findBrowser, openBrowser } from "../browser.ts";
import { addTrip } from "./made-once.ts";
import { openExplorer } from "./open-explorer.ts";

/**
 * Makes the screenshots of the explorer in `docs/images`, over the world. With a folder as argument, it writes every screen
 * in every size and colour there.
 */

const PROJECT = fileURLToPath(new URL("../../..", import.meta.url));
const MAX_BYTES = 120_000;
const SIZES = { wide: { width: 1080, height: 640 }, narrow: { width: 390, height: 700 } } as const;

const SCREENS = {
  home: "#/home",
  grid: "#/grid/Cities?$filter=Population gt 1000000&$orderby=Population desc&$select=Name,CountryCode,Population,FeatureCode",
  record: "#/record/Countries('PT')",
  relations: "#/relations",
  query: "#/query/Cities?$filter=Population gt 1000000 and startswith(Name,'S')&$orderby=Population desc&$top=20",
  chart: "#/chart/Countries?$apply=groupby((Region),aggregate(Area with sum as Area))&kind=bars&x=Region&y=Area",
  cost: "#/cost/Cities?$filter=Population gt 10000000&$orderby=Name",
} as const;

/** The pictures that pages show. */
const SHOWN = [
  ...(Object.keys(SCREENS) as (keyof typeof SCREENS)[]).map((screen) => [screen, "wide", "light"] as const),
  ["grid", "wide", "dark"],
  ["chart", "narrow", "light"],
  ["record", "narrow", "dark"],
] as const;

const [, , everything] = process.argv;
const folder = everything ?? join(PROJECT, "docs/images");
mkdirSync(folder, { recursive: true });
const made = mkdtempSync(join(tmpdir(), "odatakit-screens-"));
await bundleExplorer(PROJECT, join(made, "explorer"));
const db = await openWorld(":memory:", () => undefined);
await addTrip(db);
const server = await serve(worldService(db, true, [explorerRoute({ folder: join(made, "explorer") })]), { port: 0 });
const browser = await openBrowser(findBrowser() ?? "");
for (const size of ["wide", "narrow"] as const) {
  for (const colorScheme of ["light", "dark"] as const) {
    const names = (Object.keys(SCREENS) as (keyof typeof SCREENS)[]).filter(
      (name) =>
        everything !== undefined || SHOWN.some((row) => row[0] === name && row[1] === size && row[2] === colorScheme),
    );
    if (names.length === 0) continue;
    const { page, show } = await openExplorer(browser, `${server.url}/odata`, "#/home", { viewport: SIZES[size] });
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    for (const name of names) {
      await show(SCREENS[name]);
      await page.evaluate("document.activeElement.blur()");
      const variant = size === "wide" && colorScheme === "light" ? "" : `-${size}-${colorScheme}`;
      const path = join(folder, `explorer-${name}${variant}.png`);
      await page.screenshot({ path });
      const bytes = statSync(path).size;
      process.stdout.write(`${path} ${String(bytes)} bytes\n`);
      if (bytes > MAX_BYTES) throw new Error(`${path} is larger than ${String(MAX_BYTES)} bytes.`);
    }
    await page.close();
  }
}
await browser.close();
await server.close();
await db.destroy();
