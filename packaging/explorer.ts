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
}

/**
 * Writes the page of the explorer to `dist/explorer`: one script, one style sheet, and a manifest with their names.
 * @param project the folder of package.json
 * @param folder where to write
 * @throws Error if a file cannot be bundled, and for a warning of the bundler
 */
export async function bundleExplorer(project: string, folder = join(project, "dist/explorer")): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const manifest: ExplorerManifest = {
    script: await writeScript(project, folder),
    style: writeStyle(project, folder),
  };
  // Services that start meanwhile find the files of the old manifest or of the new one.
  writeFileSync(join(folder, "manifest.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  const kept = new Set([manifest.script, manifest.style, "manifest.json"]);
  for (const name of readdirSync(folder)) if (!kept.has(name)) rmSync(join(folder, name));
}

async function writeScript(project: string, folder: string): Promise<string> {
  const build = await rolldown({
    input: { explorer: `./${SOURCES}/main.tsx` },
    cwd: project,
    platform: "browser",
    tsconfig: "explorer/tsconfig.json",
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
      hashCharacters: "hex",
      charset: "ascii",
      minify: true,
      comments: { legal: true, annotation: false, jsdoc: false },
    });
    const [entry, ...others] = output;
    if (others.length > 0) throw new Error(`The explorer has the unexpected file ${others[0]?.fileName ?? ""}.`);
    return entry.fileName;
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
