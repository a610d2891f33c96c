import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Within the package, whose name the programs import. */
export const BUILT = fileURLToPath(new URL("../../dist/bench/", import.meta.url));

/**
 * Writes a program next to the built package, as JavaScript: removing types at the start would cost time and memory.
 * @param source a TypeScript module that imports packages only
 * @returns its path
 */
export function writeProgram(source: URL): string {
  mkdirSync(BUILT, { recursive: true });
  const program = join(BUILT, `${basename(fileURLToPath(source), ".ts")}.mjs`);
  writeFileSync(program, stripTypeScriptTypes(readFileSync(source, "utf8")));
  return program;
}
