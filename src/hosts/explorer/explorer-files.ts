import type { ConfigurationFault } from "../../base/errors/configuration-error.ts";
import { builtinModule } from "../../base/host.ts";
import { messageOf } from "../../base/message-of.ts";
import { isObject } from "../../definition/option-table.ts";

/** The built scripts and the style sheet of the explorer. Their names contain a hash of their content. */
export interface ExplorerFiles {
  readonly script: ExplorerFile;
  readonly style: ExplorerFile;
  /** Parts of the script that it imports. */
  readonly preloads: readonly ExplorerFile[];
  /** Scripts that screens load when they are shown. */
  readonly chunks: readonly ExplorerFile[];
}

interface ExplorerFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** The folder of the files, seen from `src/hosts/explorer` and from `dist/hosts/explorer`. */
const FOLDER = new URL("../../../dist/explorer/", import.meta.url);

/**
 * Reads the built files.
 * @param folder the URL of the folder with `manifest.json`, or its path; undefined for that of the package
 * @returns a fault without a file system, or if a file is missing
 */
export function readExplorerFiles(folder: string | URL = FOLDER): ExplorerFiles | ConfigurationFault {
  const files = builtinModule("node:fs") as typeof import("node:fs") | undefined;
  const place = { route: "/explorer" };
  if (files === undefined) {
    return { ...place, message: "explorerRoute needs a file system, which this runtime lacks.", fix: "Remove it." };
  }
  const base = typeof folder === "string" ? folder.replace(/\/?$/u, "/") : folder;
  const read = (name: string): Uint8Array =>
    files.readFileSync(typeof base === "string" ? base + name : new URL(name, base));
  const fileOf = (name: unknown): ExplorerFile => {
    if (typeof name !== "string" || !/^[\w.-]+$/u.test(name)) throw new Error("manifest.json names no file.");
    return { name, bytes: read(name) };
  };
  try {
    const manifest: unknown = JSON.parse(new TextDecoder().decode(read("manifest.json")));
    const { script, style, preloads = [], chunks = [] } = isObject(manifest) ? manifest : {};
    if (!Array.isArray(preloads) || !Array.isArray(chunks)) throw new Error("manifest.json names no list of scripts.");
    return {
      script: fileOf(script),
      style: fileOf(style),
      preloads: preloads.map(fileOf),
      chunks: chunks.map(fileOf),
    };
  } catch (error) {
    const message = `The files of the explorer cannot be read: ${messageOf(error)}.`;
    const fix =
      "Run `npm run build` in a copy of the repository; a bundled application names its copy of `dist/explorer` in `folder`.";
    return { ...place, message, fix };
  }
}
