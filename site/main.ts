import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { OUTPUT, ROOT, SITE } from "./paths.ts";

/**
 * Serves the documentation (`serve`) or builds it and checks its links (`build`). The packages of the site have a lockfile
 * of their own, so that `npm ci` of the project stays small; the first use installs them.
 */

function run(program: string, given: readonly string[], folder: string): void {
  const { status } = spawnSync(process.execPath, [program, ...given], { cwd: folder, stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}

/** Installs the packages of the site, unless those of its lockfile are installed. */
function install(): void {
  const installed = join(SITE, "node_modules/.package-lock.json");
  if (existsSync(installed) && versionsIn(installed) === versionsIn(join(SITE, "package-lock.json"))) return;
  const npm = process.env["npm_execpath"];
  if (npm === undefined) throw new Error("Start this by `npm run docs` or `npm run docs:build`.");
  run(npm, ["ci", "--no-audit", "--no-fund"], SITE);
}

/** Returns the versions of the packages that a build on each machine needs. */
function versionsIn(lockfile: string): string {
  const { packages } = JSON.parse(readFileSync(lockfile, "utf8")) as {
    readonly packages: Readonly<Record<string, { readonly version?: string; readonly optional?: boolean }>>;
  };
  const needed = Object.entries(packages).filter(([path, { optional }]) => path !== "" && optional !== true);
  const versions = needed.map(([path, { version }]) => `${path} ${version ?? ""}`);
  return versions.toSorted((left, right) => left.localeCompare(right)).join("\n");
}

const [command = "serve", ...given] = process.argv.slice(2);
const vitepress = join(SITE, "node_modules/vitepress/bin/vitepress.js");
const base = process.env["DOCS_BASE"] ?? "/";

install();
const { writeApiReference } = await import("./api-reference/main.ts");
writeApiReference();
if (command === "serve") {
  run(vitepress, ["dev", ".", ...given], SITE);
} else {
  run(join(ROOT, "node_modules/typescript/bin/tsc"), ["-p", SITE], ROOT);
  run(vitepress, ["build", "."], SITE);
  const { faultsOfSite } = await import("./check-site.ts");
  const { writeLlms } = await import("./llms.ts");
  const faults = faultsOfSite(base);
  for (const fault of faults) console.error(fault);
  if (faults.length > 0) process.exit(1);
  writeLlms(base);
  console.log(`The site is in ${OUTPUT}.`);
}
