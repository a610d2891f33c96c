import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The script and the style sheet of `tinyFolder`. */
export const TINY = { script: "main-abc123.js", style: "main-def456.css" } as const;

/** Makes a folder as the build of the explorer does, with a script and a style sheet of one line. */
export function tinyFolder(manifest: unknown = TINY): string {
  const folder = mkdtempSync(join(tmpdir(), "odatakit-explorer-"));
  writeFileSync(join(folder, "manifest.json"), typeof manifest === "string" ? manifest : JSON.stringify(manifest));
  writeFileSync(join(folder, TINY.script), "export {};\n");
  writeFileSync(join(folder, TINY.style), "body { margin: 0 }\n");
  return folder;
}
