import { spawnSync } from "node:child_process";
import process from "node:process";
import { filesBelow, ROOT } from "../house/source-files.ts";

/**
 * `npm run test:doors`: runs each file whose requests go through doors through those of the web frameworks. `npm test` uses
 * the doors of `node:http` and Fetch. `ODATAKIT_DOORS=hono npm run test:doors -- test/http/etag.test.ts` runs one file through
 * one door.
 */
const { ODATAKIT_DOORS = "express,fastify,hono" } = process.env;
const given = process.argv.slice(2);
const files = filesBelow("test", ".test.ts").flatMap(({ path, text }) => (text.includes("eachDoor(") ? [path] : []));

const { status } = spawnSync(
  process.execPath,
  ["node_modules/vitest/vitest.mjs", "run", "--project=tests", ...(given.length > 0 ? given : files)],
  { cwd: ROOT, stdio: "inherit", env: { ...process.env, ODATAKIT_DOORS } },
);
process.exitCode = status ?? 1;
