import { spawn, spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { afterAll, expect, test } from "vitest";
import { readSource, ROOT } from "./source-files.ts";

/** `.ci/run` counts each step, whatever becomes of it. Its steps call `npm`, which is a program of this test here. */

const folder = mkdtempSync(path.join(tmpdir(), "odatakit-ci-run-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Steps of tests report 3 tests each. One step does something else. */
const NPM = `#!/usr/bin/env bash
if [[ "$*" == "$STEP" ]]; then
  case "$HOW" in
    fails) printf 'failed: a test\\n3 passed, 2 failed\\n'; exit 1 ;;
    says-nothing) printf 'no closing line\\n' ;;
    hides) printf '3 passed, 0 failed\\n'; exit 7 ;;
    hangs) printf '3 passed, 0 failed\\n'; sleep 100 ;;
    dies) kill -9 $$ ;;
    kills-its-lane) kill -9 "$(cut -d ' ' -f 4 "/proc/$PPID/stat")" ;;
    leaves-a-program) sleep 3 & printf '3 passed, 0 failed\\n' ;;
    repeats) printf '9 passed, 9 failed\\nskipped: a part\\nunsteady: a test\\n3 passed, 0 failed\\n' ;;
  esac
  exit
fi
printf 'the start of %s\\n' "$*"
sleep 0.05
printf 'the end of %s\\n3 passed, 0 failed\\n' "$*"
`;
const program = path.join(folder, "npm");
writeFileSync(program, NPM);
chmodSync(program, 0o755);
/** A copy: the script removes `coverage` of its project, where the run of this test writes. */
const script = path.join(folder, "project", ".ci", "run");
mkdirSync(path.dirname(script), { recursive: true });
copyFileSync(path.join(ROOT, ".ci/run"), script);

const count = (kind: string): number =>
  Array.from(readSource(".ci/run").text.matchAll(new RegExp(`^ *${kind} (?:env \\S+ )?npm `, "gmu"))).length;
/** How many pass when all do: three tests of each step with tests, and each other step. */
const ALL = 3 * count("tests") + count("step");

interface Run {
  readonly status: number | null;
  readonly lines: readonly string[];
  /** The lines after the last step. */
  readonly summary: readonly string[];
}

function ciRun(step: string, how: string): Run {
  const { status, stdout } = spawnSync(script, {
    encoding: "utf8",
    env: {
      ...process.env,
      PATH: `${folder}${path.delimiter}${process.env["PATH"] ?? ""}`,
      STEP: step,
      HOW: how,
      CI_STEP_SECONDS: how === "hangs" ? "1" : "60",
    },
  });
  const lines = stdout.split("\n").filter((line) => line !== "");
  return { status, lines, summary: lines.slice(lines.findLastIndex((line) => line.startsWith("== ")) + 1) };
}

const isLinux = process.platform === "linux";

test.runIf(isLinux)("the last line counts what passed, and the output of each step is whole", () => {
  const { status, lines, summary } = ciRun("", "");
  expect([status, summary]).toEqual([0, [`${String(ALL)} passed, 0 failed`]]);
  const starts = lines.flatMap((line, index) => (line.startsWith("the start of ") ? [index] : []));
  expect(starts).toHaveLength(count("tests") + count("step"));
  for (const start of starts) {
    const command = (lines[start] ?? "").slice("the start of ".length);
    expect(lines[start - 1]).toMatch(/^== (?:env \S+ )?npm /);
    expect(lines[start - 1]?.endsWith(command)).toBe(true);
    expect(lines.slice(start, start + 3)).toEqual([
      `the start of ${command}`,
      `the end of ${command}`,
      "3 passed, 0 failed",
    ]);
  }
});

/** A step, its fault, and the last lines of the summary. */
const FAULTS = [
  ["cit", "fails", ["failed: a test", `${String(ALL)} passed, 2 failed`]],
  ["run test:nodes", "fails", ["failed: a test", `${String(ALL)} passed, 2 failed`]],
  [
    "run test:hosts",
    "says-nothing",
    ["failed: npm run test:hosts did not run to its end", `${String(ALL - 3)} passed, 1 failed`],
  ],
  [
    "cit",
    "hides",
    ["failed: env ODATAKIT_COVERAGE=test npm cit ended with status 7", `${String(ALL)} passed, 1 failed`],
  ],
  ["run test:nodes", "hides", ["failed: npm run test:nodes ended with status 7", `${String(ALL)} passed, 1 failed`]],
  ["run test:nodes", "hangs", ["failed: npm run test:nodes ended with status 124", `${String(ALL)} passed, 1 failed`]],
  ["run docs:build", "hangs", ["failed: npm run docs:build", `${String(ALL - 1)} passed, 1 failed`]],
  ["run check", "fails", ["failed: npm run check", `${String(ALL - 1)} passed, 1 failed`]],
  [
    "run test:doors",
    "dies",
    ["failed: npm run test:doors did not run to its end", `${String(ALL - 3)} passed, 1 failed`],
  ],
  ["run test:nodes", "repeats", ["skipped: a part", "unsteady: a test", `${String(ALL)} passed, 0 failed`]],
  ["run test:nodes", "leaves-a-program", [`${String(ALL)} passed, 0 failed`]],
] as const;

test.runIf(isLinux).each(FAULTS)("npm %s that %s is counted", (step, how, expected) => {
  const { status, summary } = ciRun(step, how);
  expect([status, summary]).toEqual([expected.some((line) => line.startsWith("failed: ")) ? 1 : 0, expected]);
});

test.runIf(isLinux)("steps that never ran are a failure", () => {
  const { status, summary } = ciRun("run check", "kills-its-lane");
  expect(status).toBe(1);
  expect(summary.slice(0, -1)).toEqual(["failed: the steps of programs did not run to their end"]);
  expect(summary.at(-1)).toMatch(/^\d+ passed, 1 failed$/);
});

test.runIf(isLinux)("a signal stops the steps", async () => {
  const child = spawn(script, {
    stdio: ["ignore", "pipe", "inherit"],
    env: {
      ...process.env,
      PATH: `${folder}${path.delimiter}${process.env["PATH"] ?? ""}`,
      STEP: "run test:nodes",
      HOW: "hangs",
      CI_STEP_SECONDS: "60",
    },
  });
  let output = "";
  let isStopped = false;
  const ended = new Promise<number | null>((resolve) => {
    child.once("close", resolve);
  });
  child.stdout.on("data", (data: Buffer) => {
    output += data.toString();
    if (isStopped || !output.includes("npm run test:slow")) return;
    isStopped = true;
    child.kill("SIGTERM");
  });
  expect(await ended).toBe(130);
  expect(output).not.toContain("passed, 1 failed");
});
