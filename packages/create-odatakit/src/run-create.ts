import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { createProject, type ModelWriter } from "./create-project.ts";
import { readArguments, USAGE } from "./project-arguments.ts";
import { pullModel } from "./pull-model.ts";

/** The oldest version of Node.js that runs TypeScript and reads `.env` without a flag. */
const OLDEST_NODE = [22, 18] as const;

/** Where the command writes. */
export interface Streams {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
}

/** What tests replace. */
export interface CreateSettings {
  readonly node?: string;
  readonly pull?: ModelWriter;
}

/**
 * Creates a project, and prints what to do next.
 * @param given the arguments after the name of the command
 * @returns the exit code: 0, 1 if the database cannot be read, 2 for wrong usage
 */
export async function runCreate(
  given: readonly string[],
  { stdout, stderr }: Streams,
  { node = process.versions.node, pull = pullModel }: CreateSettings = {},
): Promise<number> {
  const wrong = (message: string): number => {
    stderr.write(`${message}\nRun with --help for the usage.\n`);
    return 2;
  };
  const read = readArguments(given);
  if (read === "help") return said(`${USAGE}\n`);
  const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
    version: string;
  };
  if (read === "version") return said(`${version}\n`);
  if ("message" in read) return wrong(read.message);
  if (isOld(node)) return wrong(`The project needs Node.js ${OLDEST_NODE.join(".")} or later. This is ${node}.`);
  const template = fileURLToPath(new URL("../template", import.meta.url));
  const problem = await createProject({ ...read, folder: resolve(read.folder), template, version, pull });
  if (problem !== null) {
    stderr.write(`${problem.message}\n`);
    return problem.exitCode;
  }
  return said(nextSteps(read.folder, read.from === null && read.database !== "sqlite"));

  function said(text: string): number {
    stdout.write(text);
    return 0;
  }
}

function isOld(node: string): boolean {
  const [major = 0, minor = 0] = node.split(".").map(Number);
  return major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1]);
}

function nextSteps(folder: string, needsServer: boolean): string {
  const enter = folder === "." ? "" : `  cd ${/\s/u.test(folder) ? JSON.stringify(folder) : folder}\n`;
  const seed = needsServer ? "  npm run seed        (first write DATABASE_URL into .env; makes the tables)\n" : "";
  return `Created ${folder === "." ? "the project" : folder}. Continue with:\n\n${enter}  npm install\n${seed}  npm start\n`;
}
