import { spawnSync } from "node:child_process";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { findBrowser } from "../browser/browser.ts";
import { installPackages } from "../house/debian.ts";

/**
 * Runs real clients against a service: installs them from the package.json of this folder, and the browser where it is
 * absent and this may be done. With `--licensed` as the first argument it runs those of the folder `licensed` instead, whose
 * licenses are commercial. The last line is `N passed, N failed`.
 */

function run(command: string, given: readonly string[], cwd?: string): number {
  return spawnSync(command, given, { stdio: "inherit", cwd }).status ?? 1;
}

const isLicensed = process.argv[2] === "--licensed";
const given = process.argv.slice(isLicensed ? 3 : 2);
const folder = fileURLToPath(new URL(isLicensed ? "licensed" : ".", import.meta.url));
const project = isLicensed ? "licensed" : "clients";

const reason = findBrowser() === undefined ? installPackages("Chromium and its libraries", ["chromium"]) : null;
if (reason !== null) {
  process.stdout.write(`skipped: ${reason}\n0 passed, 0 failed\n`);
} else if (run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], folder) === 0) {
  process.exitCode = run(process.execPath, ["node_modules/vitest/vitest.mjs", "run", `--project=${project}`, ...given]);
} else {
  process.stdout.write("skipped: The clients cannot be installed.\n0 passed, 0 failed\n");
}
