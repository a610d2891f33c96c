import { writeSync } from "node:fs";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { inspect } from "node:util";
import type { ModuleRun } from "./module-runs.ts";

/**
 * Runs the modules named by its arguments one after another, each after the one before it has left nothing to wait for, and
 * prints one line of JSON per module. It ends at the first module that fails: timers and servers of a failed
 * module could affect the next one.
 */

const MOST_MILLISECONDS = 120_000;

const paths = process.argv.slice(2);
let index = -1;
let isSettled = true;
let printed = { stdout: "", stderr: "" };
let watchdog: NodeJS.Timeout | undefined;

for (const stream of ["stdout", "stderr"] as const) {
  process[stream].write = (chunk: string | Uint8Array) => {
    printed[stream] += String(chunk);
    return true;
  };
}

function report(failure: string | null): void {
  const run: ModuleRun = { path: paths[index] ?? "", failure, ...printed };
  writeSync(1, `${JSON.stringify(run)}\n`);
}

function fail(failure: string): never {
  report(failure);
  process.exit(1);
}

/** Starts the next module. */
function start(): void {
  index += 1;
  const path = paths[index];
  if (path === undefined) process.exit(0);
  isSettled = false;
  printed = { stdout: "", stderr: "" };
  watchdog = setTimeout(() => fail("It does not end."), MOST_MILLISECONDS);
  // The watchdog alone must not keep the process running.
  watchdog.unref();
  void import(pathToFileURL(path).href).then(
    () => (isSettled = true),
    (error: unknown) => fail(inspect(error)),
  );
}

process.on("uncaughtException", (error) => fail(inspect(error)));
process.on("beforeExit", (code) => {
  clearTimeout(watchdog);
  if (!isSettled) fail("It awaits what never comes.");
  if (code !== 0) fail(`It ends with the code ${String(code)}.`);
  report(null);
  // An immediate: without one the process would end before the next module waits for anything.
  setImmediate(start);
});
start();
