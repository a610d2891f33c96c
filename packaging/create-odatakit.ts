import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

/** Bundles the package `create-odatakit` into one file. npm runs this before it packs that package. */
const PACKAGE = fileURLToPath(new URL("../packages/create-odatakit/", import.meta.url));

rmSync(`${PACKAGE}dist`, { recursive: true, force: true });
const build = await rolldown({
  input: { main: "./src/main.ts" },
  cwd: PACKAGE,
  platform: "node",
  checks: { bundlerTimings: false },
  onLog(level, log) {
    if (level === "warn") throw new Error(log.message);
  },
});
try {
  await build.write({ dir: "dist", format: "esm" });
} finally {
  await build.close();
}
