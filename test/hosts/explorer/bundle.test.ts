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

test("the manifest names one script and one style sheet, with hashes", () => {
  const manifest: unknown = JSON.parse(read("manifest.json"));
  expect(manifest).toEqual({
    script: expect.stringMatching(/^explorer-[\da-f]{8}\.js$/u),
    style: expect.stringMatching(/^explorer-[\da-f]{8}\.css$/u),
  });
  expect(readdirSync(folder).toSorted()).toEqual(
    [...Object.values(manifest as Readonly<Record<string, string>>), "manifest.json"].toSorted(),
  );
});

test(`script and style sheet have at most ${MOST_BYTES} bytes`, () => {
  const sizes = readdirSync(folder).map((name) => gzipSync(read(name)).length);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(MOST_BYTES);
});

test("the page loads nothing of other origins, and runs no text as code", () => {
  const style = readdirSync(folder).find((name) => name.endsWith(".css")) ?? "";
  expect(read(style)).not.toMatch(/url\(|@import|@font-face/u);
  const unsafe =
    /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|localStorage|sessionStorage/u;
  expect(
    explorerSources().filter(({ text }) => unsafe.test(text.replaceAll(/^\s*(?:\/\/|\*|\/\*).*$/gmu, ""))),
  ).toEqual([]);
});

test("the style sheet is complete: each brace closes, and texts keep their spaces", () => {
  const text = read(readdirSync(folder).find((name) => name.endsWith(".css")) ?? "");
  expect(text.split("{").length).toBe(text.split("}").length);
  expect(text).toContain('"Segoe UI"');
  expect(text).not.toMatch(/\/\*|\n/u);
});
