import { spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { EXIT_CODES } from "./exit-codes.ts";
import { npmCommand } from "./npm-command.ts";
import { redact } from "./redact.ts";
import type { Terminal } from "./terminal.ts";

/** The versions of optional packages that commands are tested with. */
export const PACKAGES = {
  "@electric-sql/pglite": "^0.5.16",
  jose: "^6.2.17",
  mysql2: "^3.24.6",
  pg: "^8.23.1",
} as const;

/** The name of an optional package. */
export type PackageName = keyof typeof PACKAGES;

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

/** What starts the program again. */
export interface Restart {
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
