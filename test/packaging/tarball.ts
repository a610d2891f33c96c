import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
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
    writeFileSync(join(path, "packed.json"), npm(join(ROOT, folder), "pack", "--json", "--pack-destination", path));
  });
  const [packed] = JSON.parse(readFileSync(join(place, "packed.json"), "utf8")) as readonly {
    readonly filename: string;
    readonly unpackedSize: number;
    readonly files: readonly { readonly path: string }[];
  }[];
  if (packed === undefined) throw new Error("npm packed nothing.");
  return { path: join(place, packed.filename), files: packed.files.map(({ path }) => path), size: packed.unpackedSize };
}

/** Runs npm in a folder. @returns its standard output @throws Error with the standard error if it fails */
export function npm(folder: string, ...given: readonly string[]): string {
  return execFileSync("npm", [...given], { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}
