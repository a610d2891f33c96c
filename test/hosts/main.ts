import { spawnSync } from "node:child_process";
import process from "node:process";
import { fileURLToPath } from "node:url";

/** `npm run test:hosts`: installs the runtimes and frameworks of `packages`, then runs its tests. */
const PACKAGES = fileURLToPath(new URL("packages/", import.meta.url));

function run(command: string, given: readonly string[], cwd: string): void {
  const { status } = spawnSync(command, [...given], { cwd, stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}

run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], PACKAGES);
run("vitest", ["run", "--project=hosts", ...process.argv.slice(2)], fileURLToPath(new URL("../../", import.meta.url)));
