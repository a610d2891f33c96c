import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The scripts and the style sheet of `tinyFolder`. */
export const TINY = {
  script: "main-abc123.js",
  style: "main-def456.css",
  preloads: ["field-abc456.js"],
  chunks: ["chart-def789.js"],
} as const;

/** Makes a folder as the build of the explorer does, with scripts and a style sheet of one line. */
export function tinyFolder(manifest: unknown = TINY): string {
  const folder = mkdtempSync(join(tmpdir(), "odatakit-explorer-"));
  writeFileSync(join(folder, "manifest.json"), typeof manifest === "string" ? manifest : JSON.stringify(manifest));
  for (const name of [TINY.script, ...TINY.preloads, ...TINY.chunks]) writeFileSync(join(folder, name), "export {};\n");
  writeFileSync(join(folder, TINY.style), "body { margin: 0 }\n");
  return folder;
}
