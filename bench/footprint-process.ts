import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { Agent } from "node:http";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { ask } from "./ask.ts";
import type { Footprint } from "./footprint-table.ts";
import { mixedReads } from "./mixed-reads.ts";
import { BUILT } from "./record/built-program.ts";

/** A program that serves the database of the bench. */
export interface Program {
  /** Part of the names of its files. */
  readonly id: string;
  readonly name: string;
  /** Arguments of Node.js for a database. */
  readonly toArguments: (file: string) => readonly string[];
  /** Returns the port from the first message of the process, or from its first line. */
  readonly listening: (child: ChildProcess) => Promise<number>;
}

const CONNECTIONS = 8;
const READS = 1500;
/** Milliseconds without requests before the memory is read. */
const QUIET = 1000;
/** The name that `odatakit serve` accepts without a user. */
const HOST = "localhost";
const COMMAND = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));
const NO_METADATA = '{"headers":{},"body":""}';

/** The programs in the order of a round; the first one is the limit. */
export const PROGRAMS: readonly [limit: Program, ...others: Program[]] = [
  { id: "limit", name: "written by hand", ...bundled("limit-server") },
  { id: "library", name: "the library", ...bundled("odatakit-server") },
  {
    id: "serve",
    name: "odatakit serve",
    toArguments: (file) => [COMMAND, "serve", file, "--port", "0", "--json"],
    listening: portOfLine,
  },
];

/** Writes the servers of the bench as JavaScript next to the built package: removing types would cost time and memory. */
export async function bundlePrograms(): Promise<void> {
  const servers = ["limit-server", "odatakit-server"];
  const build = await rolldown({
    input: Object.fromEntries(servers.map((name) => [name, fileURLToPath(new URL(`${name}.ts`, import.meta.url))])),
    platform: "node",
    external: [/^odatakit(?:\/|$)/u, "kysely", "pg", "mysql2"],
    logLevel: "silent",
  });
  await build.write({ dir: BUILT, format: "esm", entryFileNames: "[name].mjs", chunkFileNames: "[name].mjs" });
  await build.close();
}

/**
 * Starts a program, reads its memory before and after the mix of reads, and ends it.
 * @param caches the folder of the compile cache of the command
 * @throws Error for a status other than 200
 */
export async function measureProcess(program: Program, file: string, caches: string): Promise<Footprint> {
  const begun = performance.now();
  const child = spawn(process.execPath, program.toArguments(file), {
    stdio: ["ignore", "pipe", "ignore", "ipc"],
    env: { ...process.env, XDG_CACHE_HOME: caches },
  });
  const exited = once(child, "exit");
  try {
    const port = await Promise.race([program.listening(child), failed(program, exited)]);
    await read(port, "/odata/Orders(1)");
    const [start, cpu] = [performance.now() - begun, cpuOf(child)];
    await sleep(QUIET);
    const [idle, before] = [memoryOf(child), cpuOf(child)];
    await readAll(port);
    await sleep(QUIET);
    return { start, cpu, idle, loaded: memoryOf(child), read: ((cpuOf(child) - before) * 1000) / READS };
  } finally {
    // The command keeps its compiled code when it ends; the servers of the bench end with their parent.
    if (child.connected) child.disconnect();
    child.kill("SIGTERM");
    await exited;
  }
}

function bundled(name: string): Pick<Program, "toArguments" | "listening"> {
  return { toArguments: (file) => [`${BUILT}${name}.mjs`, file, NO_METADATA], listening: portOfMessage };
}

async function portOfMessage(child: ChildProcess): Promise<number> {
  const [{ port }] = (await once(child, "message")) as [{ readonly port: number }];
  return port;
}

async function portOfLine({ stdout }: ChildProcess): Promise<number> {
  if (stdout === null) throw new Error("The output is a pipe.");
  const [line] = (await once(createInterface(stdout), "line")) as [string];
  return Number(new URL((JSON.parse(line) as { readonly url: string }).url).port);
}

async function failed({ name }: Program, exited: Promise<unknown>): Promise<never> {
  await exited;
  throw new Error(`The process of ${name} ended before its first response: run \`npm run build\` first.`);
}

async function readAll(port: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const left = mixedReads(READS)[Symbol.iterator]();
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      // All connections share one iterator.
      for (let next = left.next(); next.done !== true; next = left.next()) await read(port, next.value, agent);
    }),
  );
  agent.destroy();
}

async function read(port: number, path: string, agent?: Agent): Promise<void> {
  const { status } = await ask(port, path, { headers: { host: HOST }, ...(agent && { agent }) });
  if (status !== 200) throw new Error(`${path}: ${String(status)}`);
}

/** Returns the resident memory of a process in megabytes. */
function memoryOf({ pid }: ChildProcess): number {
  return Number(/^VmRSS:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${String(pid)}/status`, "utf8"))?.[1]) / 1000;
}

/** Returns the CPU time of all threads of a process in milliseconds. The system counts in hundredths of a second. */
function cpuOf({ pid }: ChildProcess): number {
  const [, text = ""] = readFileSync(`/proc/${String(pid)}/stat`, "utf8").split(") ");
  const fields = text.split(" ");
  return 10 * (Number(fields[11]) + Number(fields[12]));
}
