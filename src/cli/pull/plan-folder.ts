import type { WrittenModule } from "odatakit/introspect";
import { printable } from "../redact.ts";
import { type FilePlan, planFile } from "./plan-file.ts";
import { basePath, type FolderState } from "./read-folder.ts";
import type { FileWrite } from "./write-folder.ts";

/** Files that pull writes once, and never merges: they open the database in your way. */
const ONCE: ReadonlySet<string> = new Set(["database.ts"]);

/** Plans all files of a pull, in the order of their names. @param keepMine settles conflicts in favour of your text */
export function planFolder(
  modules: readonly WrittenModule[],
  { yours, bases }: FolderState,
  keepMine: boolean,
): readonly FilePlan[] {
  const next = new Map(modules.map((module) => [module.path, module]));
  const paths = [...new Set([...next.keys(), ...bases.keys()])].toSorted();
  return paths.map((path) => {
    const module = next.get(path);
    const table = module?.table ?? null;
    const file = {
      path,
      base: bases.get(path) ?? null,
      yours: yours.get(path) ?? null,
      next: module?.text ?? null,
      isOnce: ONCE.has(path),
      table: table === null ? null : printable(`${table.schema}.${table.name}`),
    };
    return planFile(file, keepMine);
  });
}

/**
 * Returns the files to write. Bases are the last: if the process dies between two files, the next pull finds text of the
 * database as an edit of yours that equals it, and never takes an old text for your edit.
 */
export function writesOf(plans: readonly FilePlan[]): readonly FileWrite[] {
  const files = plans.flatMap(({ path, text }) => (text === undefined ? [] : [{ path, text }]));
  const bases = plans.flatMap(({ path, base }) => (base === undefined ? [] : [{ path: basePath(path), text: base }]));
  return [...files, ...bases];
}
