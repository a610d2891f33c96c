import { readFileSync } from "node:fs";

/** Returns the version of the package. */
export function packageVersion(): string {
  // The files of `dist/cli`, `dist/chunks` and `src/cli` are two levels below the root of the package.
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { readonly version: string }).version;
}
