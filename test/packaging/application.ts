import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { ROOT } from "../house/source-files.ts";
import { packedTarball } from "./tarball.ts";

/** How a program ended. */
export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Makes a folder with the unpacked tarball, and with packages of this project. @returns its path */
export async function applicationWith(packages: readonly string[]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "odatakit-package-"));
  const modules = join(folder, "node_modules");
  mkdirSync(join(modules, "odatakit"), { recursive: true });
  const { path } = await packedTarball();
  execFileSync("tar", ["xzf", path, "--strip-components=1", "-C", join(modules, "odatakit")]);
  for (const name of packages) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(ROOT, "node_modules", name), join(modules, name), "junction");
  }
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  return folder;
}

/** The program of the command in a folder with the unpacked tarball. */
export function programOf(folder: string): string {
  return join(folder, "node_modules/odatakit/dist/cli/main.js");
}

/** Runs Node.js in a folder, with a standard input. */
export function runNode(folder: string, given: readonly string[], input = ""): Ended {
  const run = { cwd: folder, encoding: "utf8", input } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--no-warnings", ...given], run);
  return { code: status, out: stdout, err: stderr };
}
