import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The root folder of the project. */
export const ROOT: string = fileURLToPath(new URL("../..", import.meta.url));

/** A text file of the project. */
export interface SourceFile {
  /** Its path from the root, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

/** The files below a folder of the project whose names end as given, in order of path; none if the folder is missing. */
export function filesBelow(folder: string, ending: string): readonly SourceFile[] {
  if (!existsSync(join(ROOT, folder))) return [];
  return pathsBelow(folder)
    .filter((path) => path.endsWith(ending))
    .toSorted()
    .map(readSource);
}

/** The sources of the page of the explorer, in order of path. */
export function explorerSources(): readonly SourceFile[] {
  return [...filesBelow("explorer/src", ".ts"), ...filesBelow("explorer/src", ".tsx")].toSorted((a, b) =>
    a.path < b.path ? -1 : 1,
  );
}

/** The paths of files, without those of installed packages, which may change meanwhile. */
function pathsBelow(folder: string): readonly string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (!entry.isDirectory()) return [path];
    return entry.name === "node_modules" ? [] : pathsBelow(path);
  });
}

/** One file of the project by its path from the root. */
export function readSource(path: string): SourceFile {
  return { path, text: readFileSync(join(ROOT, path), "utf8") };
}

/** The number of the line, counted from 1, at an offset of a text. */
export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}

/** The part of package.json that house tests read. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

/** package.json. */
export function readManifest(): Manifest {
  return JSON.parse(readSource("package.json").text) as Manifest;
}
