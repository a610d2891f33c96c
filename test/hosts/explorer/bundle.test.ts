import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bundleExplorer } from "../../../packaging/explorer.ts";
import { ROOT, explorerSources } from "../../house/source-files.ts";

const folder = mkdtempSync(join(tmpdir(), "explorer-"));
const read = (name: string): string => readFileSync(join(folder, name), "utf8");

beforeAll(() => bundleExplorer(ROOT, folder));

afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** In bytes, as a server with gzip sends them. */
const MOST_BYTES = 90_000;

interface Manifest {
  readonly script: string;
  readonly style: string;
  readonly preloads: readonly string[];
  readonly chunks: readonly string[];
}

const readManifest = (): Manifest => JSON.parse(read("manifest.json")) as Manifest;

/** The files that a script imports at once, and those that they import. */
function importsOf(script: string, seen = new Set<string>()): ReadonlySet<string> {
  for (const [, name = ""] of read(script).matchAll(/\b(?:from|import)\s*"\.\/([^"]+)"/gu)) {
    if (seen.has(name)) continue;
    seen.add(name);
    importsOf(name, seen);
  }
  return seen;
}

test("the manifest names the scripts and one style sheet, with hashes", () => {
  const manifest = readManifest();
  const script = /^[a-z-]+-[\da-f]{8}\.js$/u;
  expect(manifest).toEqual({
    script: expect.stringMatching(/^explorer-[\da-f]{8}\.js$/u),
    style: expect.stringMatching(/^explorer-[\da-f]{8}\.css$/u),
    preloads: manifest.preloads.map(() => expect.stringMatching(script)),
    chunks: manifest.chunks.map(() => expect.stringMatching(script)),
  });
  const { script: entry, style, preloads, chunks } = manifest;
  expect(new Set(readdirSync(folder))).toEqual(new Set(["manifest.json", entry, style, ...preloads, ...chunks]));
});

test(`the files that the page needs at first have at most ${MOST_BYTES} bytes`, () => {
  const { script, style, preloads } = readManifest();
  expect(new Set(importsOf(script))).toEqual(new Set(preloads));
  const sizes = [script, style, ...preloads].map((name) => gzipSync(read(name)).length);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(MOST_BYTES);
});

test.each(["chart", "cost", "query", "relations"])("the code of the screen %s is a file of its own", (screen) => {
  const { chunks } = readManifest();
  expect(chunks.filter((name) => name.startsWith(`${screen}-`))).toHaveLength(1);
});

test("the page loads nothing of other origins, and runs no text as code", () => {
  const style = readdirSync(folder).find((name) => name.endsWith(".css")) ?? "";
  expect(read(style)).not.toMatch(/url\(|@import|@font-face/u);
  expect(sourcesWith(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function/u)).toEqual([]);
});

test("one file alone keeps something in the browser, and only there", () => {
  expect(sourcesWith(/localStorage/u)).toEqual(["explorer/src/state/kept-views.ts"]);
  expect(sourcesWith(/sessionStorage|indexedDB|document\.cookie|\bcaches\b/u)).toEqual([]);
});

/** Returns the files whose code, without comments, has a pattern. */
function sourcesWith(pattern: RegExp): readonly string[] {
  const isThere = (text: string): boolean => pattern.test(text.replaceAll(/^\s*(?:\/\/|\*|\/\*).*$/gmu, ""));
  return explorerSources().flatMap(({ path, text }) => (isThere(text) ? [path] : []));
}

test("the style sheet is complete: each brace closes, and texts keep their spaces", () => {
  const text = read(readdirSync(folder).find((name) => name.endsWith(".css")) ?? "");
  expect(text.split("{").length).toBe(text.split("}").length);
  expect(text).toContain('"Segoe UI"');
  expect(text).not.toMatch(/\/\*|\n/u);
});
