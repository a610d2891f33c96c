import { existsSync } from "node:fs";
import { join } from "node:path";

/** The parts of `process` that tell where npm is. */
export interface NpmSurroundings {
  readonly execPath: string;
  readonly platform: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** A program, its first arguments, and whether only a shell can start it. */
export interface NpmCommand {
  readonly command: string;
  readonly given: readonly string[];
  readonly shell: boolean;
}

/**
 * Returns how to start npm. On Windows it is a script, which needs a shell, and a shell would split paths with blanks: there
 * Node.js runs the program of npm itself, wherever it is beside Node.js.
 */
export function npmCommand(
  given: readonly string[],
  { execPath, platform, environment }: NpmSurroundings,
  exists: (path: string) => boolean = existsSync,
): NpmCommand {
  const isWindows = platform === "win32";
  const beside = join(execPath, "..", "node_modules", "npm", "bin", "npm-cli.js");
  const npm = environment["npm_execpath"] ?? (isWindows && exists(beside) ? beside : undefined);
  if (npm !== undefined) return { command: execPath, given: [npm, ...given], shell: false };
  return isWindows
    ? { command: "npm", given: given.map(quoted), shell: true }
    : { command: "npm", given, shell: false };
}

/** Quotes an argument for `cmd.exe`, which would otherwise interpret blanks and signs. */
function quoted(argument: string): string {
  if (/^[\w./:\\@=+-]+$/.test(argument)) return argument;
  return `"${argument.replaceAll('"', '\\"').replaceAll("%", "%%")}"`;
}
