import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { ROOT } from "../house/source-files.ts";
import { oncePerRun } from "../once-per-run.ts";

/** A package as npm would publish it. */
export interface Tarball {
  /** The absolute path of the `.tgz` file. */
  readonly path: string;
  /** The paths in the package. */
  readonly files: readonly string[];
  /** The size of the unpacked files in bytes. */
  readonly size: number;
}

/** Packs odatakit once per run, because each packing writes `dist` anew. @param folder that of package.json, from the root */
export async function packedTarball(folder = "."): Promise<Tarball> {
  const place = await oncePerRun(`tarball-${folder.replaceAll(/\W/gu, "-")}`, (path) => {
    mkdirSync(path);
    const copy = copyProject();
    try {
      const packed = npm(join(copy, folder), "pack", "--json", "--pack-destination", path);
      writeFileSync(join(path, "packed.json"), packed);
      for (const name of PUT_BACK) cpSync(join(copy, name), join(path, "put-back", name));
    } finally {
      rmSync(copy, { recursive: true, force: true });
    }
  });
  const [packed] = JSON.parse(readFileSync(join(place, "packed.json"), "utf8")) as readonly {
    readonly filename: string;
    readonly unpackedSize: number;
    readonly files: readonly { readonly path: string }[];
  }[];
  if (packed === undefined) throw new Error("npm packed nothing.");
  return { path: join(place, packed.filename), files: packed.files.map(({ path }) => path), size: packed.unpackedSize };
}

/** Files that packing replaces. */
const PUT_BACK = ["package.json", "docs/guides/clients.md"] as const;

/** Returns the text of a file of the project as it is after packing. */
export async function textAfterPacking(name: (typeof PUT_BACK)[number]): Promise<string> {
  const { path } = await packedTarball();
  return readFileSync(join(path, "../put-back", name), "utf8");
}

/** Parts of the project that no package contains. */
const UNPACKED: ReadonlySet<string> = new Set([".git", "bench", "coverage", "dist", "node_modules", "site", "test"]);

/**
 * Copies the project: packing replaces package.json and pages for a while, which other programs read. The copy is outside
 * of `node_modules`, where Node.js runs no TypeScript.
 */
function copyProject(): string {
  const copy = mkdtempSync(join(tmpdir(), "odatakit-packing-"));
  cpSync(ROOT, copy, { recursive: true, filter: (path) => !UNPACKED.has(relative(ROOT, path)) });
  const modules = join(copy, "node_modules");
  mkdirSync(modules);
  for (const name of readdirSync(join(ROOT, "node_modules"))) {
    if (name !== ".cache") symlinkSync(join(ROOT, "node_modules", name), join(modules, name), "junction");
  }
  return copy;
}

/** Runs npm in a folder. @returns its standard output @throws Error with the standard error if it fails */
export function npm(folder: string, ...given: readonly string[]): string {
  return execFileSync("npm", [...given], { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}
