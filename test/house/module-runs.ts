import { spawnSync } from "node:child_process";
import { join } from "node:path";
import process from "node:process";
import { ROOT } from "./source-files.ts";

/** The result of running a module. */
export interface ModuleRun {
  /** Its path from the root. */
  readonly path: string;
  /** Why it did not run to its end; null if it did. */
  readonly failure: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs modules as Node.js runs them, many in one process: the start of a process costs more than most of them. A module
 * that fails ends its process, and those after it run in a new one.
 * @returns how each module ran, by its path
 */
export function runModules(paths: readonly string[]): ReadonlyMap<string, ModuleRun> {
  const runs = new Map<string, ModuleRun>();
  // Two excerpts may be of one program.
  const programs = [...new Set(paths)];
  while (runs.size < programs.length) {
    const left = programs.filter((path) => !runs.has(path));
    const given = ["--conditions=source", join(import.meta.dirname, "run-modules.ts"), ...left];
    const timeout = 20_000 + left.length * 2000;
    const { stdout, stderr, status, signal } = spawnSync(process.execPath, given, {
      cwd: ROOT,
      encoding: "utf8",
      timeout,
    });
    const found = stdout.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as ModuleRun]));
    for (const run of found) runs.set(run.path, run);
    const [next] = left.filter((path) => !runs.has(path));
    const hasFailed = found.some(({ failure }) => failure !== null);
    if (next === undefined || hasFailed) continue;
    const failure = `The process ended with ${signal ?? `the code ${String(status)}`}.\n${stderr}`;
    runs.set(next, { path: next, failure, stdout: "", stderr: "" });
  }
  return runs;
}
