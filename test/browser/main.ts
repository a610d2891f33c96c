import { spawnSync } from "node:child_process";
import process from "node:process";
import { installPackages } from "../house/debian.ts";
import { findBrowser } from "./browser.ts";

/**
 * Runs the tests that need a browser, with Chromium from the packages of Debian: it is installed when it is absent and this
 * may be done. The last line is `N passed, N failed`.
 */

function skip(reason: string): void {
  process.stdout.write(`skipped: ${reason}\n0 passed, 0 failed\n`);
}

const reason = findBrowser() === undefined ? installPackages("Chromium and its libraries", ["chromium"]) : null;
if (reason !== null) {
  skip(reason);
} else if (findBrowser() === undefined) {
  skip("The package chromium does not hold the browser.");
} else {
  const vitest = ["node_modules/vitest/vitest.mjs", "run"];
  const given = process.argv.length > 2 ? process.argv.slice(2) : ["test/browser"];
  const { status } = spawnSync(process.execPath, [...vitest, ...given], { stdio: "inherit" });
  process.exitCode = status ?? 1;
}
