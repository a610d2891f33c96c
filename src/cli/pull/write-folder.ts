import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { BASE_FOLDER } from "./read-folder.ts";

/** A file to write, or to remove if its text is null. */
export interface FileWrite {
  /** Within the folder. */
  readonly path: string;
  readonly text: string | null;
}

/**
 * Writes files into a folder: all of them, or none if one cannot be written. They are written beside the folder's files and
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
