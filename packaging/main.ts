import { cpSync, existsSync, globSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { settingsSchema } from "../src/tools/cli/settings/settings-schema.ts";
import { bundle, type PackageEntry } from "./bundle.ts";
import { bundleExplorer } from "./explorer.ts";
import { packedPage } from "./packed-page.ts";
import { type JsonObject, publishedManifest } from "./published-manifest.ts";

/**
 * The steps of npm around a tarball: `build` writes `dist`; `prepack` also replaces package.json by the manifest that is
 * published, and pages by those whose links lead to packed files; `postpack` puts the originals back. `explorer` writes only
 * the page of the explorer.
 */
const STEPS: Readonly<Record<string, () => unknown>> = {
  build: writeDist,
  explorer: () => bundleExplorer(PROJECT),
  prepack: async () => {
    putBack();
    await writeDist();
    const packed = packedFiles();
    for (const path of Object.keys(packed)) cpSync(join(PROJECT, path), join(ORIGINALS, path));
    for (const [path, text] of Object.entries(packed)) writeFileSync(join(PROJECT, path), text);
  },
  postpack: putBack,
};

const PROJECT = fileURLToPath(new URL("../", import.meta.url));
/** The files that `prepack` has replaced, by their paths in the project. */
const ORIGINALS = `${PROJECT}node_modules/.cache/packaging/originals/`;

interface Manifest extends JsonObject {
  readonly version: string;
  readonly exports: Readonly<Record<string, PackageEntry>>;
  readonly files: readonly string[];
  readonly homepage: string;
}

function readManifest(): Manifest {
  return JSON.parse(readFileSync(`${PROJECT}package.json`, "utf8")) as Manifest;
}

/** Returns the texts of the files that are packed in another form, by their paths. */
function packedFiles(): Readonly<Record<string, string>> {
  const manifest = readManifest();
  const places = {
    files: manifest.files,
    repository: manifest.homepage.replace(/#.*$/u, ""),
    commit: `v${manifest.version}`,
  };
  const pages = globSync(["README.md", "docs/**/*.md"], { cwd: PROJECT });
  return {
    "package.json": `${JSON.stringify(publishedManifest(manifest), null, 2)}\n`,
    ...Object.fromEntries(
      pages.map((path) => {
        const page = path.replaceAll("\\", "/");
        const text = readFileSync(join(PROJECT, path), "utf8");
        return [page, packedPage(page, text, places)];
      }),
    ),
  };
}

async function writeDist(): Promise<void> {
  // Services that start meanwhile need the page of the explorer, whose files are replaced without a gap.
  for (const path of globSync("dist/*", { cwd: PROJECT, exclude: ["dist/explorer"] })) {
    rmSync(join(PROJECT, path), { recursive: true });
  }
  await bundle(PROJECT, readManifest().exports);
  await bundleExplorer(PROJECT);
  writeFileSync(`${PROJECT}odatakit.schema.json`, `${JSON.stringify(settingsSchema(), null, 2)}\n`);
}

/** Does nothing if the files are the originals. */
function putBack(): void {
  if (!existsSync(ORIGINALS)) return;
  for (const entry of readdirSync(ORIGINALS, { recursive: true, withFileTypes: true })) {
    const original = join(entry.parentPath, entry.name);
    if (entry.isFile()) renameSync(original, join(PROJECT, relative(ORIGINALS, original)));
  }
  rmSync(ORIGINALS, { recursive: true });
}

const [name = ""] = process.argv.slice(2);
const run = STEPS[name];
if (run === undefined) throw new Error(`Give the step: ${Object.keys(STEPS).join(", ")}.`);
await run();
