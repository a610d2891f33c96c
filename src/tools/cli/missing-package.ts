import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { EXIT_CODES, type Terminal } from "./command.ts";
import { redact } from "./redact.ts";

/** The versions of optional packages that commands are tested with. */
export const PACKAGES = {
  "@electric-sql/pglite": "^0.5.16",
  jose: "^6.2.17",
  mysql2: "^3.24.6",
  pg: "^8.23.1",
} as const;

/** The name of an optional package. */
type PackageName = keyof typeof PACKAGES;

/** Contains the names of the packages in the process that npm starts with them, so that it does not ask for them again. */
const RESTARTED = "ODATAKIT_RESTARTED";

/** A command needs packages that are not installed. */
export class MissingPackage extends Error {
  override readonly name = "MissingPackage";
  readonly packages: readonly PackageName[];

  constructor(packages: readonly PackageName[]) {
    super(`Missing: ${packages.join(", ")}`);
    this.packages = packages;
  }
}

/** Imports an optional package. @throws MissingPackage if it is not installed @param all the packages that the command needs */
export async function importPackage<T>(load: () => Promise<T>, all: readonly PackageName[]): Promise<T> {
  try {
    return await load();
  } catch (error) {
    // A package of the package may be missing too, which another installation would not cure.
    throw all.some((name) => name === missingPackage(error)) ? new MissingPackage(all) : error;
  }
}

/** Returns the name of the package that Node.js has not found; undefined for other errors. */
export function missingPackage(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error) || error.code !== "ERR_MODULE_NOT_FOUND") return undefined;
  return /^Cannot find package '([^']+)'/.exec(error.message)?.[1];
}

/** The parts that start the program again. */
interface Restart {
  readonly version: string;
  readonly given: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly terminal: Terminal;
  /** Whether npm may fetch packages. */
  readonly mayInstall: boolean;
}

/** Runs the program again with the packages, which npm fetches into its cache. @returns the exit code */
export async function restartWith(
  packages: readonly PackageName[],
  { version, given, environment, terminal, mayInstall }: Restart,
): Promise<number> {
  const fetched = (environment[RESTARTED] ?? "").split(",").filter(isPackageName);
  // A command may need a driver and `jose`, and finds one after the other.
  const all = [...new Set([...fetched, ...packages])];
  const names = [`odatakit@${version}`, ...all.map((name) => `${name}@${PACKAGES[name]}`)];
  const parts = ["exec", "--yes", ...names.map((name) => `--package=${name}`), "--", "odatakit"];
  const repeated = given.filter((argument) => argument !== "--no-install").map(redact);
  const shown = `npm ${[...parts, ...repeated].join(" ")}`;
  const missing = `This needs ${packages.join(" and ")}.`;
  if (!mayInstall || packages.every((name) => fetched.includes(name))) {
    terminal.report(`odatakit: ${missing} Install ${packages.length === 1 ? "it" : "them"}, or run: ${shown}`);
    return EXIT_CODES.unavailable;
  }
  terminal.report(`odatakit: ${missing} npm fetches ${packages.length === 1 ? "it" : "them"} for this run.`);
  const { execPath, platform } = process;
  const npm = npmCommand([...parts, ...given], { execPath, platform, environment });
  const child = spawn(npm.command, [...npm.given], {
    stdio: "inherit",
    env: { ...environment, [RESTARTED]: all.join(",") },
    shell: npm.shell,
  });
  try {
    const [code] = (await once(child, "close")) as [number | null];
    return code ?? EXIT_CODES.unavailable;
  } catch {
    terminal.report(`odatakit: npm could not be started. Run: ${shown}`);
    return EXIT_CODES.unavailable;
  }
}

function isPackageName(name: string): name is PackageName {
  return Object.hasOwn(PACKAGES, name);
}

/** The parts of `process` that contain the place of npm. */
interface NpmSurroundings {
  readonly execPath: string;
  readonly platform: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** A program, its first arguments, and whether only a shell can start it. */
interface NpmCommand {
  readonly command: string;
  readonly given: readonly string[];
  readonly shell: boolean;
}

/**
 * Returns how to start npm. On Windows it is a script, which needs a shell, and a shell would split paths with blanks: there
 * Node.js runs the program of npm itself, if it is in the folder of Node.js.
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
