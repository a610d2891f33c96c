import { posix } from "node:path";
import { EXPLORER_FLOORS, FLOORS, type Part, WINGS } from "./floors.ts";
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
  if (from === to) return innerFault(file.path, target, from);
  const part = partOf(file.path)?.part;
  const allowed = part?.mayImport ?? FLOORS[from]?.mayImport ?? [];
  if (allowed.some((name) => target.startsWith(`src/${name}/`))) return undefined;
  return `${placeName(from, part)} may import ${allowed.length === 0 ? "no other room" : allowed.join(" ")}`;
}

/** Returns the name of a room, or of a part that may import less. */
function placeName(room: string, part: Part | undefined): string {
  return part?.mayImport === undefined ? `the room ${room}` : `the part ${room}/${part.name}`;
}

/** Returns the part of its room that holds a file, and its floor within the room; undefined if the table names none. */
export function partOf(path: string): { readonly part: Part; readonly floor: number } | undefined {
  const room = roomOf(path) ?? "";
  const inner = path.slice(`src/${room}/`.length);
  const places = (FLOORS[room]?.parts ?? []).flatMap((parts, floor) => parts.map((part) => ({ part, floor })));
  return (
    places.find(({ part: { name } }) => inner === name || inner.startsWith(`${name}/`)) ??
    places.find(({ part: { name } }) => name === "." && !inner.includes("/"))
  );
}

/** Returns the fault of an import within a room. */
function innerFault(path: string, target: string, room: string): string | undefined {
  if (FLOORS[room]?.parts === undefined) return undefined;
  const [from, to] = [partOf(path), partOf(target)];
  if (from === undefined || to === undefined) return `no part of the room ${room} holds one of the two files`;
  if (from.part === to.part || to.floor < from.floor) return undefined;
  return `within ${room}, ${to.part.name} does not stand below ${from.part.name}`;
}

function entryFault(to: string): string | undefined {
  const closed = ["databases", ...WINGS];
  return closed.some((room) => to === room || to.startsWith(`${room}/`))
    ? `the entry "." leaves ${closed.join(", ")} to entries of their own`
    : undefined;
}

function packageFault(file: SourceFile, found: ImportOf): string | undefined {
  const allowed = partOf(file.path)?.part.packages ?? FLOORS[roomOf(file.path) ?? ""]?.packages ?? [];
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

/** Returns the folder of the page, or the path below src, that holds a file. */
function explorerPlaceOf(target: string): readonly string[] {
  const [root, , folder = "", within] = target.split("/");
  return root === "explorer" ? [folder, within ?? ""] : [target];
}

function mayImport(folder: string, to: string, specifier: string): true | string {
  const allowed = EXPLORER_FLOORS[folder] ?? ["app", "client", "state", "preact"];
  const isBelow = !specifier.startsWith(".") || to.startsWith("src/");
  const isAllowed = allowed.some((each) => to === each || (isBelow && to.startsWith(`${each}/`)));
  return isAllowed || `${folder} may import ${allowed.length === 0 ? "nothing else" : allowed.join(" ")}`;
}
