import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { ALL_CASES, SEED } from "../cases.ts";
import { filesBelow, ROOT } from "../house/source-files.ts";
import { LONG } from "../long-files.ts";
import { NODES, type TestedNode } from "./tested-nodes.ts";

/**
 * `npm run test:nodes`: runs the tests of SQL and HTTP under the oldest and the newest Node.js that the package supports,
 * without the long files: one file in four under each, with another sample of the generated cases than `npm test`. FUZZ_SEED
 * chooses other files, and ODATAKIT_CASES=all runs everything under both. It installs them from npm.
 * `npm run test:nodes -- test/databases/sql/writes.test.ts` runs one file, and `ODATAKIT_NODES=26` chooses one Node.js. The last
 * line is `N passed, N failed`.
 */

const SUITES = [
  "test/hosts/adapters/",
  "test/engine/apply/",
  "test/service/batch/",
  "test/engine/executors/",
  "test/service/http/",
  "test/databases/sql/",
  "test/service/sets/",
];
const CLOSING_LINE = /^(\d+) passed, (\d+) failed$/gm;
const FOLDER = path.join(ROOT, "node_modules/.cache/nodes");

interface Count {
  readonly passed: number;
  readonly failed: number;
}

/** Installs a Node.js. @returns its program; null if it cannot be installed */
function install({ version }: TestedNode): string | null {
  const alias = `node-${version}`;
  mkdirSync(FOLDER, { recursive: true });
  // The packages with the program alone need no script at installation.
  const wanted = `${alias}@npm:node-${process.platform}-${process.arch}@${version}`;
  const given = [
    "install",
    "--no-save",
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    "--prefix",
    path.join(FOLDER, alias),
  ];
  const { status } = spawnSync("npm", [...given, wanted], { stdio: "inherit" });
  return status === 0 ? path.join(FOLDER, alias, "node_modules", alias, "bin/node") : null;
}

/** Runs the tests under a Node.js. @param chosen the variables that choose files and cases */
async function run(
  program: string,
  { version, lacks }: TestedNode,
  files: readonly string[],
  chosen: Readonly<Record<string, string>>,
): Promise<Count> {
  process.stdout.write(`\n== Node.js ${version}\n`);
  const names = lacks.map(({ tests }) => tests.source).join("|");
  const omitted = names === "" ? [] : ["--testNamePattern", `^(?!.*(?:${names}))`];
  const given = ["node_modules/vitest/vitest.mjs", "run", "--project=tests", ...omitted, ...files];
  const PATH = `${path.dirname(program)}${path.delimiter}${process.env["PATH"] ?? ""}`;
  const child = spawn(program, given, {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, ...chosen, PATH, NODE_NO_WARNINGS: "1" },
  });
  let tail = "";
  child.stdout.on("data", (data: Buffer) => {
    process.stdout.write(data);
    tail = (tail + data.toString()).slice(-1000);
  });
  const [status] = (await once(child, "close")) as [number | null];
  const [, passed = "0", failed = "0"] = [...tail.matchAll(CLOSING_LINE)].at(-1) ?? [];
  const isHidden = status !== 0 && failed === "0";
  return { passed: Number(passed), failed: isHidden ? 1 : Number(failed) };
}

/** Each Node.js runs one file of so many, and no other Node.js the same one. */
const SHARE = 4;

/** Returns the files of a sample for the Node.js at a place of the list. */
function shareOf(place: number): readonly string[] {
  const ofSuites = filesBelow("test", ".test.ts").flatMap(({ path: file }) =>
    SUITES.some((suite) => file.startsWith(suite)) && !LONG.includes(file) ? [file] : [],
  );
  return ofSuites.filter((_file, index) => (index + place * 2 + SEED) % SHARE === 0);
}

const given = process.argv.slice(2);
const { ODATAKIT_NODES: chosen } = process.env;
let total: Count = { passed: 0, failed: 0 };
for (const [index, node] of NODES.entries()) {
  if (chosen !== undefined && !node.version.startsWith(chosen)) continue;
  const program = install(node);
  if (program === null) {
    process.stdout.write(`skipped: Node.js ${node.version} cannot be installed.\n`);
    continue;
  }
  const isSample = given.length === 0 && !ALL_CASES;
  const files = isSample ? shareOf(index) : SUITES;
  const sample = isSample ? { ODATAKIT_FILES: "short", FUZZ_SEED: String(SEED + 1 + index) } : {};
  const { passed, failed } = await run(program, node, given.length > 0 ? given : files, sample);
  total = { passed: total.passed + passed, failed: total.failed + failed };
}
process.exitCode = total.failed === 0 ? 0 : 1;
process.stdout.write(`\n${String(total.passed)} passed, ${String(total.failed)} failed\n`);
