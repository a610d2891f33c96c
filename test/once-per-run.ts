import { existsSync, mkdirSync, mkdtempSync, renameSync, rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

/** The variable that names the folder which all processes of a test run share. */
const VARIABLE = "ODATAKIT_RUN_FOLDER";
/** Below `node_modules`, so that modules in it find the packages of the project. */
const PARENT = fileURLToPath(new URL("../node_modules/.cache", import.meta.url));
/** Where programs that tests start keep the sources that they have compiled. */
export const COMPILED = `${PARENT}/node`;
const MILLISECONDS_BETWEEN_LOOKS = 20;

/** Makes the folder of this run, which disappears with the process. @returns the variable for the processes of the tests */
export function makeRunFolder(): Readonly<Record<string, string>> {
  mkdirSync(PARENT, { recursive: true });
  const folder = mkdtempSync(join(PARENT, "run-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  return { [VARIABLE]: folder };
}

/** Returns a path that later runs find again. */
export function pathBesideRuns(name: string): string {
  return join(PARENT, name);
}

/** Returns a path in the folder of this run. */
export function pathInRunFolder(name: string): string {
  const folder = process.env[VARIABLE];
  if (folder === undefined) throw new Error(`${VARIABLE} is not set: run the tests with Vitest.`);
  return join(folder, name);
}

/**
 * Makes a file or folder that takes long, once for all processes of a test run. The others wait.
 * @param make writes it to the path that it is given
 * @returns its path
 */
export async function oncePerRun(name: string, make: (path: string) => void | Promise<void>): Promise<string> {
  const path = pathInRunFolder(name);
  const lock = `${path}.lock`;
  while (!existsSync(path)) {
    if (!take(lock)) {
      await sleep(MILLISECONDS_BETWEEN_LOOKS);
      continue;
    }
    try {
      if (existsSync(path)) break;
      await make(`${path}.unfinished`);
      renameSync(`${path}.unfinished`, path);
    } finally {
      rmdirSync(lock);
    }
  }
  return path;
}

/** Makes a folder that serves as a lock. @returns false if another process holds the lock */
function take(lock: string): boolean {
  try {
    mkdirSync(lock);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}
