import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  lstatSync,
  readdirSync,
  readFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { type Problem, usageProblem } from "../problem.ts";
import { printable } from "../redact.ts";

/** A file to write, or to remove if its text is null. */
export interface FileWrite {
  /** Within the folder. */
  readonly path: string;
  readonly text: string | null;
}

/**
 * Writes files into a folder: all of them, or none if one cannot be written. They are written next to the folder's files and
 * renamed in the given order, so that a file is never half written.
 * @throws the error of the file system, after everything is as before
 */
export function writeFolder(folder: string, writes: readonly FileWrite[]): void {
  if (writes.length === 0) return;
  mkdirSync(join(folder, BASE_FOLDER), { recursive: true });
  const draft = mkdtempSync(join(folder, BASE_FOLDER, ".draft-"));
  const undo: Array<() => void> = [];
  try {
    for (const [index, { path, text }] of writes.entries()) {
      if (!isWithin(path)) throw new Error(`The path "${path}" leads out of the folder.`);
      if (text !== null) writeFileSync(join(draft, `new-${index}`), text, { flag: "wx" });
    }
    for (const [index, { path, text }] of writes.entries()) {
      const target = join(folder, path);
      const old = join(draft, `old-${index}`);
      const mode = statSync(target, { throwIfNoEntry: false })?.mode;
      if (mode !== undefined) {
        renameSync(target, old);
        undo.push(() => renameSync(old, target));
      }
      if (text === null) continue;
      renameSync(join(draft, `new-${index}`), target);
      undo.push(() => rmSync(target, { force: true }));
      if (mode !== undefined) chmodSync(target, mode);
    }
  } catch (error) {
    for (const step of undo.toReversed()) step();
    throw error;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** Whether a path is a name, or a name in the folder of bases. */
function isWithin(path: string): boolean {
  const name = basename(path);
  return (
    [name, join(BASE_FOLDER, name)].includes(path) &&
    name !== ".." &&
    name !== "." &&
    !/[/\\]/.test(name) &&
    dirname(name) === "."
  );
}

/** The folder of the texts that the last pull wrote. */
const BASE_FOLDER = ".odatakit";

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
