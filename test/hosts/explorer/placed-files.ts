import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const FOLDER = fileURLToPath(new URL("../../../dist/explorer/", import.meta.url));
const SCRIPT = `document.getElementById("explorer").textContent = "Run npm run build.";\n`;

/**
 * Writes files in place of the built page of the explorer, unless it was built: services that serve it do not start
 * otherwise, and most tests do not open it.
 */
export function placeExplorerFiles(): void {
  const manifest = `${FOLDER}manifest.json`;
  if (existsSync(manifest)) return;
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(`${FOLDER}main-unbuilt.js`, SCRIPT);
  writeFileSync(`${FOLDER}main-unbuilt.css`, "body { margin: 2rem }\n");
  writeFileSync(`${manifest}.new`, JSON.stringify({ script: "main-unbuilt.js", style: "main-unbuilt.css" }));
  renameSync(`${manifest}.new`, manifest);
}
