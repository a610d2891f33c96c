import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Problem, usageProblem } from "../problem.ts";
import { printable } from "../redact.ts";

/** The folder of what the last pull wrote. */
export const BASE_FOLDER = ".odatakit";

const ENDING = ".base.ts";

/** The files of a folder that a pull may touch, with their texts. */
export interface FolderState {
  readonly yours: ReadonlyMap<string, string>;
  /** By the name of the file, without `.odatakit` and `.base`. */
  readonly bases: ReadonlyMap<string, string>;
}

/** Returns the path of the base of a file within the folder. */
export function basePath(path: string): string {
  return join(BASE_FOLDER, path.replace(/\.ts$/, ENDING));
}

/**
 * Reads the files of a pulled folder and their bases. Links are not followed, because they may lead out of the folder.
 * @param paths the names of the files that the database gives now
 */
export function readFolder(folder: string, paths: readonly string[]): FolderState | Problem {
  const linked = [BASE_FOLDER, ...paths].find((path) => kindOf(join(folder, path)) === "other");
  if (linked !== undefined) return linkProblem(linked);
  if (kindOf(join(folder, BASE_FOLDER)) === "file") return linkProblem(BASE_FOLDER);
  const found = kindOf(join(folder, BASE_FOLDER)) === "folder" ? readdirSync(join(folder, BASE_FOLDER)) : [];
  const based = found.filter((name) => name.endsWith(ENDING)).map((name) => name.replace(/\.base\.ts$/, ".ts"));
  const bases = new Map<string, string>();
  const yours = new Map<string, string>();
  for (const path of new Set([...paths, ...based])) {
    for (const [place, texts] of [
      [path, yours],
      [basePath(path), bases],
    ] as const) {
      const kind = kindOf(join(folder, place));
      if (kind === "other" || kind === "folder") return linkProblem(place);
      if (kind === "file") texts.set(path, readFileSync(join(folder, place), "utf8"));
    }
  }
  const normalized = new Map([...bases].map(([path, text]) => [path, text.replaceAll("\r\n", "\n")] as const));
  return { yours, bases: normalized };
}

function linkProblem(path: string): Problem {
  return usageProblem(
    `"${printable(path)}" in the folder is a link, a folder or a device, and pull follows none.`,
    "Move it, or give another folder with `--out`.",
  );
}

function kindOf(path: string): "file" | "folder" | "none" | "other" {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return "none";
  if (stats.isFile()) return "file";
  return stats.isDirectory() ? "folder" : "other";
}
