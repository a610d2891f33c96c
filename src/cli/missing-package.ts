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
  kysely: "^0.29.9",
  mysql2: "^3.24.6",
  pg: "^8.23.1",
} as const;

/** The name of an optional package. */
export type PackageName = keyof typeof PACKAGES;

/** Set in the process that npm starts with the packages, so that it does not start another one. */
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
    const { code, message } = error as { readonly code?: unknown; readonly message: string };
    // A package of the package may be missing too, which another installation would not cure.
    const isOne = code === "ERR_MODULE_NOT_FOUND" && all.some((name) => message.includes(`'${name}'`));
    throw isOne ? new MissingPackage(all) : error;
  }
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
  const names = [`odatakit@${version}`, ...packages.map((name) => `${name}@${PACKAGES[name]}`)];
  const parts = ["exec", "--yes", ...names.map((name) => `--package=${name}`), "--", "odatakit"];
  const shown = `npm ${parts.join(" ")} ${given.map(redact).join(" ")}`;
  const missing = `This needs ${packages.join(" and ")}.`;
  if (!mayInstall || environment[RESTARTED] !== undefined) {
    terminal.report(`odatakit: ${missing} Install ${packages.length === 1 ? "it" : "them"}, or run: ${shown}`);
    return EXIT_CODES.unavailable;
  }
  terminal.report(`odatakit: ${missing} npm fetches ${packages.length === 1 ? "it" : "them"} for this run.`);
  const { execPath, platform } = process;
  const npm = npmCommand([...parts, ...given], { execPath, platform, environment });
  const child = spawn(npm.command, [...npm.given], {
    stdio: "inherit",
    env: { ...environment, [RESTARTED]: "1" },
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
