import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { expect, onTestFinished, test } from "vitest";
import { ROOT } from "../../house/source-files.ts";

/** Runs `odatakit --version` with a cache folder, and returns the names in that folder. */
function run(more: Readonly<Record<string, string>>, prepare?: (folder: string) => void): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), "odatakit-caches-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  prepare?.(folder);
  // Vitest switches compiled code off while it measures coverage.
  const { NODE_COMPILE_CACHE: _own, NODE_DISABLE_COMPILE_CACHE: _off, ...environment } = process.env;
  const output = execFileSync(
    process.execPath,
    ["--conditions=source", join(ROOT, "src/tools/cli/main.ts"), "--version"],
    {
      env: { ...environment, XDG_CACHE_HOME: folder, HOME: folder, ...more },
      cwd: folder,
      encoding: "utf8",
    },
  );
  expect(output).toMatch(/^\d+\.\d+\.\d+/);
  return readdirSync(folder);
}

test("the command keeps its compiled code in the folder for caches", () => {
  expect(run({})).toEqual(["odatakit"]);
});

test("NODE_DISABLE_COMPILE_CACHE keeps nothing", () => {
  expect(run({ NODE_DISABLE_COMPILE_CACHE: "1" })).toEqual([]);
});

// The specification of these folders asks for it: https://specifications.freedesktop.org/basedir-spec/latest/
test("a relative folder for caches is ignored", () => {
  expect(run({ XDG_CACHE_HOME: "caches", LOCALAPPDATA: "" })).toEqual([".cache"]);
});

test("a folder that cannot be made changes nothing", () => {
  expect(run({}, (folder) => writeFileSync(join(folder, "odatakit"), "a file"))).toEqual(["odatakit"]);
});
