import { spawnSync } from "node:child_process";
import process from "node:process";
import { ALL_CASES } from "../cases.ts";
import { filesBelow, ROOT } from "../house/source-files.ts";

/**
 * `npm run test:doors`: runs the files of the protocol through the doors of the web frameworks; with ODATAKIT_CASES=all each file
 * whose requests go through doors. `npm test` uses the doors of `node:http` and Fetch. `ODATAKIT_DOORS=hono npm run test:doors -- test/service/http/etag.test.ts` runs one file through
 * one door.
 */
const { ODATAKIT_DOORS = "express,fastify,hono" } = process.env;
const given = process.argv.slice(2);

/** Files about parts that a framework may change: methods, paths, queries, headers, bodies, statuses. */
const PROTOCOL = [
  "authenticate",
  "batch",
  "batch-malformed",
  "cors",
  "envelope",
  "etag",
  "limits-json-values",
  "long-queries",
  "media-parameters",
  "options-without-sign",
  "protocol-headers",
  "request-id",
  "value-paths",
].map((name) => `test/service/http/${name}.test.ts`);

const ofDoors = filesBelow("test", ".test.ts").flatMap(({ path, text }) => (text.includes("eachDoor(") ? [path] : []));
const files = ALL_CASES ? ofDoors : PROTOCOL;

const { status } = spawnSync(
  process.execPath,
  ["node_modules/vitest/vitest.mjs", "run", "--project=tests", ...(given.length > 0 ? given : files)],
  { cwd: ROOT, stdio: "inherit", env: { ...process.env, ODATAKIT_DOORS } },
);
process.exitCode = status ?? 1;
