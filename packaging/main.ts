import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { settingsSchema } from "../src/cli/settings/settings-schema.ts";
import { bundle, type PackageEntry } from "./bundle.ts";
import { type JsonObject, publishedManifest } from "./published-manifest.ts";

/**
 * The steps of npm around a tarball: `build` writes `dist`; `prepack` also replaces package.json by the manifest that is
 * published; `postpack` puts the original back.
 */
const STEPS: Readonly<Record<string, () => unknown>> = {
  build: writeDist,
  prepack: async () => {
    putBack();
    await writeDist();
    mkdirSync(CACHE, { recursive: true });
    copyFileSync(MANIFEST, ORIGINAL);
    writeFileSync(MANIFEST, `${JSON.stringify(publishedManifest(readManifest()), null, 2)}\n`);
  },
  postpack: putBack,
};

const PROJECT = fileURLToPath(new URL("../", import.meta.url));
const MANIFEST = `${PROJECT}package.json`;
const CACHE = `${PROJECT}node_modules/.cache/packaging/`;
const ORIGINAL = `${CACHE}package.json`;

function readManifest(): JsonObject & { readonly exports: Readonly<Record<string, PackageEntry>> } {
  return JSON.parse(readFileSync(MANIFEST, "utf8")) as ReturnType<typeof readManifest>;
}

async function writeDist(): Promise<void> {
  rmSync(`${PROJECT}dist`, { recursive: true, force: true });
  await bundle(PROJECT, readManifest().exports);
  writeFileSync(`${PROJECT}odatakit.schema.json`, `${JSON.stringify(settingsSchema(), null, 2)}\n`);
}

/** Does nothing if package.json is the original. */
function putBack(): void {
  if (existsSync(ORIGINAL)) renameSync(ORIGINAL, MANIFEST);
}

const [name = ""] = process.argv.slice(2);
const run = STEPS[name];
if (run === undefined) throw new Error(`Give the step: ${Object.keys(STEPS).join(", ")}.`);
await run();
