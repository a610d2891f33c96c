import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";
import { ROOT } from "../../house/source-files.ts";
import { oncePerRun } from "../../once-per-run.ts";

/** The program as packed. */
export const BUILT_MAIN: string = join(ROOT, "dist/cli/main.js");

/** Writes `dist` once for all files of a run. */
export async function build(): Promise<void> {
  await oncePerRun("dist", (path) => {
    execFileSync(process.execPath, ["packaging/main.ts", "build"], { cwd: ROOT });
    writeFileSync(path, "");
  });
}

/** A started service. */
export interface StartedProgram {
  readonly url: string;
  /** Milliseconds from the start to the first line. */
  readonly ready: number;
  /** The most memory so far in megabytes; 0 where the system does not say. */
  readonly memory: () => number;
  /** Milliseconds since the start. */
  readonly elapsed: () => number;
  /**
   * Ends it by SIGINT, and by a second one if it takes too long.
   * @param patience the milliseconds before that
   * @returns the exit code; null if the second signal has ended the process
   */
  readonly end: (patience?: number) => Promise<number | null>;
}

/** Starts `odatakit serve` as a process. */
export async function startBuilt(...given: readonly string[]): Promise<StartedProgram> {
  const begun = performance.now();
  const elapsed = (): number => Math.round(performance.now() - begun);
  const child: ChildProcess = spawn(process.execPath, [BUILT_MAIN, "serve", ...given, "--port", "0", "--json"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  if (child.stdout === null) throw new Error("The output is a pipe.");
  const [line] = (await once(createInterface(child.stdout), "line")) as [string];
  const ready = elapsed();
  const { url } = JSON.parse(line) as { readonly url: string };
  return { url, ready, elapsed, memory: () => memoryOf(child), end: (patience) => endOf(child, patience) };
}

function memoryOf({ pid }: ChildProcess): number {
  const file = `/proc/${String(pid)}/status`;
  if (!existsSync(file)) return 0;
  return Math.round(Number(/VmHWM:\s+(\d+)/.exec(readFileSync(file, "utf8"))?.[1]) / 1024);
}

/** Milliseconds after which a user would press Ctrl+C again, on a machine that does much else. */
const PATIENCE = 60_000;

/** @returns the exit code; null if the second signal has ended the process */
async function endOf(child: ChildProcess, patience = PATIENCE): Promise<number | null> {
  child.kill("SIGINT");
  const again = setTimeout(() => child.kill("SIGINT"), patience);
  const [code] = (await once(child, "exit")) as [number | null];
  clearTimeout(again);
  return code;
}
