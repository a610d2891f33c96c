import { posix } from "node:path";
import { EXPLORER_FLOORS, FLOORS, INNER_FLOORS, WINGS } from "./floors.ts";
import { type SourceFile, lineAt } from "./source-files.ts";

/** One import of a source file: `import`, `export … from`, `import type`, or `import()` in code and in types. */
export interface ImportOf {
  readonly line: number;
  readonly specifier: string;
  readonly isReexport: boolean;
}

const STATEMENT = /^(import|export)\b(?:[^;"'`]*?\bfrom)?\s*["']([^"']+)["']/gmu;
const CALL = /\bimport\(\s*["'`]([^"'`]+)["'`]/gu;

/** Returns every import of a source text, in order of kind and place. */
export function importsOf(text: string): readonly ImportOf[] {
  const statements = Array.from(text.matchAll(STATEMENT), (match) => ({
    line: lineAt(text, match.index + match[0].length),
    specifier: match[2] ?? "",
    isReexport: match[1] === "export",
  }));
  const calls = Array.from(text.matchAll(CALL), (match) => ({
    line: lineAt(text, match.index),
    specifier: match[1] ?? "",
    isReexport: false,
  }));
  return [...statements, ...calls];
}

/**
 * The room of a file: the folder below src/, or below a wing; undefined for a file of src/ itself, which is the package
 * entry.
 */
export function roomOf(path: string): string | undefined {
  const [, folder = "", within] = path.split("/");
  if (within === undefined) return undefined;
  return WINGS.includes(folder) ? `${folder}/${within}` : folder;
}

/** Returns the faults in the imports of a file, each with file, line, import and remedy. */
export function faultsOf(file: SourceFile, entries: readonly string[]): readonly string[] {
  return importsOf(file.text).flatMap((found) => {
    const fault = found.specifier.startsWith(".") ? relativeFault(file, found, entries) : packageFault(file, found);
    return fault === undefined ? [] : [`${file.path}:${found.line} imports "${found.specifier}": ${fault}`];
  });
}

function relativeFault(file: SourceFile, found: ImportOf, entries: readonly string[]): string | undefined {
  const target = posix.join(posix.dirname(file.path), found.specifier);
  const isBarrel = posix.basename(file.path) === "index.ts" && entries.includes(file.path);
  if (!target.endsWith(".ts")) return "a relative import names its file with the .ts extension";
  if (!target.startsWith("src/")) return "src imports nothing from outside src";
  if (["index.ts", "types.ts"].includes(posix.basename(target))) return "nobody imports an index.ts or types.ts";
  if (found.isReexport && !isBarrel) return "only an index.ts that is a package entry re-exports";
  const from = roomOf(file.path);
  const to = roomOf(target);
  if (to === undefined) return "the file belongs to no room";
  if (from === undefined) return entryFault(to);
  const allowed = FLOORS[from]?.mayImport ?? [];
  if (from === to) return innerFault(file.path, target, from);
  if (allowed.includes(to)) return undefined;
  return `the room ${from} may import ${allowed.length === 0 ? "no other room" : allowed.join(" ")}`;
}

/** Returns the place of a file within its room: the entry of the table that names it or its folder, and its floor. */
export function innerPlaceOf(path: string): { readonly name: string; readonly floor: number } | undefined {
  const room = roomOf(path) ?? "";
  const inner = path.slice(`src/${room}/`.length);
  const places = (INNER_FLOORS[room] ?? []).flatMap((names, floor) => names.map((name) => ({ name, floor })));
  return places.find(({ name }) => inner === name || inner.startsWith(`${name}/`));
}

/** Returns the fault of an import within a room. */
function innerFault(path: string, target: string, room: string): string | undefined {
  if (INNER_FLOORS[room] === undefined) return undefined;
  const [from, to] = [innerPlaceOf(path), innerPlaceOf(target)];
  if (from === undefined || to === undefined) return `no inner floor of the room ${room} holds one of the two files`;
  if (from.name === to.name || to.floor < from.floor) return undefined;
  return `within ${room}, ${to.name} does not stand below ${from.name}`;
}

function entryFault(to: string): string | undefined {
  const closed = ["adapters", "kysely", "openapi", "sql", ...WINGS];
  return closed.some((room) => to === room || to.startsWith(`${room}/`))
    ? `the entry "." leaves ${closed.join(", ")} to entries of their own`
    : undefined;
}

function packageFault(file: SourceFile, found: ImportOf): string | undefined {
  const allowed = FLOORS[roomOf(file.path) ?? ""]?.packages ?? [];
  const isAllowed = allowed.some((name) =>
    name === "node:"
      ? found.specifier.startsWith(name)
      : found.specifier === name || found.specifier.startsWith(`${name}/`),
  );
  if (isAllowed) return undefined;
  return `its room may import ${allowed.length === 0 ? "no package" : `the packages ${allowed.join(" ")}`}`;
}

/** Returns the faults in the imports of a file of the explorer, each with file, line, import and remedy. */
export function explorerFaultsOf({ path, text }: SourceFile): readonly string[] {
  const [, , folder = "", within = ""] = path.split("/");
  return importsOf(text).flatMap(({ line, specifier, isReexport }) => {
    const target = specifier.startsWith(".") ? posix.join(posix.dirname(path), specifier) : specifier;
    const [to = "", screen] = explorerPlaceOf(target);
    const isOwn = to === folder && (folder !== "screens" || screen === within);
    const fault = isReexport ? "nobody re-exports" : isOwn || mayImport(folder, to, specifier);
    return typeof fault === "string" ? [`${path}:${line} imports "${specifier}": ${fault}`] : [];
  });
}

/** Returns the folder of the page, or the room of src, that holds a file. */
function explorerPlaceOf(target: string): readonly string[] {
  const [root, , folder = "", within] = target.split("/");
  if (root === "explorer") return [folder, within ?? ""];
  return [root === "src" ? target.split("/").slice(0, 2).join("/") : target];
}

function mayImport(folder: string, to: string, specifier: string): true | string {
  const allowed = EXPLORER_FLOORS[folder] ?? ["app", "client", "state", "preact"];
  const isAllowed = allowed.some((each) => to === each || (!specifier.startsWith(".") && to.startsWith(`${each}/`)));
  return isAllowed || `${folder} may import ${allowed.length === 0 ? "nothing else" : allowed.join(" ")}`;
}
