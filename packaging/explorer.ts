import { createHash } from "node:crypto";
import { globSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rolldown } from "rolldown";

const SOURCES = "explorer/src";

/** Styles on which the others build, in order. */
const FIRST = ["tokens.css", "base.css", "parts.css", "app.css"];

/** The content of `dist/explorer/manifest.json`: the names of the files of the page, which change with their content. */
interface ExplorerManifest {
  readonly script: string;
  readonly style: string;
  /** Parts of the script that it imports, which the page requests with it. */
  readonly preloads: readonly string[];
  /** Scripts that screens load when they are shown. */
  readonly chunks: readonly string[];
}

/**
 * Writes the page of the explorer to `dist/explorer`: a script with the chunks that screens load, one style sheet, and a manifest
 * with their names.
 * @param project the folder of package.json
 * @param folder where to write
 * @throws Error if a file cannot be bundled, and for a warning of the bundler
 */
export async function bundleExplorer(project: string, folder = join(project, "dist/explorer")): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const manifest: ExplorerManifest = {
    ...(await writeScripts(project, folder)),
    style: writeStyle(project, folder),
  };
  // Services that start meanwhile find the files of the old manifest or of the new one.
  writeFileSync(join(folder, "manifest.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  const kept = new Set([manifest.script, ...manifest.preloads, ...manifest.chunks, manifest.style, "manifest.json"]);
  for (const name of readdirSync(folder)) if (!kept.has(name)) rmSync(join(folder, name));
}

async function writeScripts(project: string, folder: string): Promise<Omit<ExplorerManifest, "style">> {
  const build = await rolldown({
    input: { explorer: `./${SOURCES}/main.tsx` },
    cwd: project,
    platform: "browser",
    // The paths of tsconfig.json lead to declarations.
    tsconfig: false,
    transform: { jsx: { runtime: "automatic", importSource: "preact" } },
    checks: { bundlerTimings: false },
    onLog(level, log) {
      if (level === "warn") throw new Error(log.message);
    },
  });
  try {
    const { output } = await build.write({
      dir: folder,
      format: "esm",
      entryFileNames: "[name]-[hash].js",
      chunkFileNames: "[name]-[hash].js",
      hashCharacters: "hex",
      charset: "ascii",
      minify: true,
      comments: { legal: true, annotation: false, jsdoc: false },
    });
    const [entry, ...others] = output;
    const asset = others.find(({ type }) => type !== "chunk");
    if (asset !== undefined) throw new Error(`The explorer has the unexpected file ${asset.fileName}.`);
    const chunks = output.filter((each) => each.type === "chunk");
    const preloads = new Set(entry.imports);
    // A set goes on to the names that are added meanwhile.
    for (const name of preloads) {
      for (const next of chunks.find(({ fileName }) => fileName === name)?.imports ?? []) preloads.add(next);
    }
    const rest = others.map(({ fileName }) => fileName).filter((name) => !preloads.has(name));
    return { script: entry.fileName, preloads: [...preloads], chunks: rest };
  } finally {
    await build.close();
  }
}

function writeStyle(project: string, folder: string): string {
  const names = globSync("*.css", { cwd: join(project, SOURCES, "style") }).toSorted();
  const ordered = [...FIRST, ...names.filter((name) => !FIRST.includes(name))];
  const texts = ordered.map((name) => readFileSync(join(project, SOURCES, "style", name), "utf8"));
  const style = minifyStyle(texts.join("\n"));
  const file = `explorer-${createHash("sha256").update(style).digest("hex").slice(0, 8)}.css`;
  writeFileSync(join(folder, file), style);
  return file;
}

/** Removes comments and spaces that mean nothing. Texts in quotes stay as they are. */
function minifyStyle(text: string): string {
  return text.replaceAll(
    /("[^"]*")|\/\*[\s\S]*?\*\/\s*|;?\s*(\})\s*|\s*([{;,])\s*|\s+/gu,
    (found: string, quoted?: string, end?: string, sign?: string) =>
      quoted ?? end ?? sign ?? (found.startsWith("/") ? "" : " "),
  );
}
