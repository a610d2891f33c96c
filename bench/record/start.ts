import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { rolldown } from "rolldown";
import { ask } from "../ask.ts";
import { measureLoad } from "../load.ts";
import { median } from "../measure-scenario.ts";
import { SCENARIOS } from "../scenarios.ts";
import { startServer } from "../server-process.ts";
import { BUILT, writeProgram } from "./built-program.ts";
import { rounded } from "./figures.ts";

/** A value of both servers. */
export interface Compared {
  readonly what: string;
  readonly unit: "ms" | "MB";
  readonly ours: number;
  readonly limit: number;
  readonly ratio: number;
  /** Null for a program without odatakit, which shows how little is possible. */
  readonly budget: number | null;
}

const ROUNDS = 9;
const CONNECTIONS = 8;
const START_BUDGET = 1.6;
const MEMORY_BUDGET = 1.5;
const COMMAND = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

/** Measures the start and the peak memory of the built package against the limit. */
export async function measureStart(file: string, metadata: string): Promise<readonly Compared[]> {
  return [...(await startTimes(file)), await peakMemory(file, metadata)];
}

/** A program that is started. */
interface Variant {
  readonly name: string;
  readonly arguments: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Whether it answers requests. */
  readonly serves?: false;
  readonly budget?: null;
}

/** Returns the limit, then the programs to compare with it. */
async function toVariants(file: string): Promise<readonly [limit: Variant, ...others: Variant[]]> {
  const [limit, library, kysely, nothing] = ["limit", "odatakit", "kysely", "nothing"].map((name) =>
    writeProgram(new URL(`start-${name}.ts`, import.meta.url)),
  ) as [string, string, string, string];
  const bundled = await bundleProgram(library);
  const cache = `${BUILT}cache`;
  const withCache = { environment: { NODE_COMPILE_CACHE: cache } };
  return [
    { name: "the limit", arguments: [limit, file] },
    { name: "Node.js alone, without a response", arguments: [nothing], serves: false, budget: null },
    { name: "by hand, with `kysely` imported", arguments: [kysely, file], budget: null },
    { name: "library", arguments: [library, file] },
    { name: "library, with a compile cache", arguments: [library, file], ...withCache },
    { name: "bundled and minified", arguments: [bundled, file] },
    { name: "bundled and minified, with a compile cache", arguments: [bundled, file], ...withCache },
    {
      name: "`odatakit serve`, all six tables",
      arguments: [COMMAND, "serve", file, "--port", "0", "--json"],
      environment: { XDG_CACHE_HOME: cache },
    },
  ];
}

/** Starts all variants in turn, until the first response. */
async function startTimes(file: string): Promise<readonly Compared[]> {
  const [limit, ...others] = await toVariants(file);
  const rounds: (readonly [limit: Start, ...others: Start[]])[] = [];
  // The first rounds fill the caches of the system, and the compile caches.
  for (let round = 0; round <= ROUNDS; round += 1) {
    const starts: [Start, ...Start[]] = [await start(limit)];
    for (const variant of others) starts.push(await start(variant));
    if (round > 0) rounds.push(starts);
  }
  rmSync(BUILT, { recursive: true });
  return others.flatMap(({ name, budget = START_BUDGET }, index) => {
    const compare = (what: string, valueOf: (start: Start) => number): Compared => {
      const ours = rounds.map((starts) => valueOf(starts[index + 1] ?? starts[0]));
      const limits = rounds.map(([first]) => valueOf(first));
      const ratio = median(ours.map((value, at) => value / (limits[at] ?? Number.NaN)));
      return compared(`${name}: ${what}`, "ms", { ours: median(ours), limit: median(limits), ratio, budget });
    };
    return [compare("start to first response", ({ time }) => time), compare("CPU time until then", ({ cpu }) => cpu)];
  });
}

/** Milliseconds of the clock, and of the processor, until the first response. */
interface Start {
  readonly time: number;
  readonly cpu: number;
}

async function start({ name, arguments: args, environment, serves }: Variant): Promise<Start> {
  const begun = performance.now();
  const child = spawn(process.execPath, args, {
    // The schema check warns about missing indexes.
    stdio: ["pipe", "pipe", "ignore"],
    env: { ...process.env, ...environment },
  });
  const exited = once(child, "exit");
  const failed = exited.then(() => {
    throw new Error(`${name} ended before its response: run \`npm run build\` first.`);
  });
  failed.catch(() => undefined);
  const listening: Promise<unknown[]> = once(child.stdout.setEncoding("utf8"), "data");
  const [line] = await Promise.race([listening, failed]);
  if (serves !== false) {
    const port = Number(/^\d+|(?<=:)\d+/.exec(String(line))?.[0]);
    const { status, body } = await ask(port, "/odata/Orders(1)", { headers: { host: "localhost" } });
    if (status !== 200) throw new Error(`${name}: ${String(status)} ${body.toString()}`);
  }
  const time = performance.now() - begun;
  const cpu = cpuOf(child);
  // The programs end with their input, and the command by a signal: both then write the compile cache.
  child.stdin.end();
  if (args[0] === COMMAND) child.kill("SIGTERM");
  await exited;
  return { time, cpu };
}

/** Returns the milliseconds of the processor that all threads of a process have used. */
function cpuOf({ pid }: ChildProcess): number {
  const tasks = `/proc/${String(pid)}/task`;
  const nanoseconds = readdirSync(tasks).map((task) =>
    Number(readFileSync(`${tasks}/${task}/schedstat`, "utf8").split(" ", 1)[0]),
  );
  return nanoseconds.reduce((sum, each) => sum + each, 0) / 1e6;
}

/** The CPU time of a step of the start, in milliseconds. */
export interface Stage {
  readonly step: string;
  readonly cpu: number;
}

/** Measures the steps of the start of the built package. */
export async function measureStages(file: string): Promise<readonly Stage[]> {
  const program = writeProgram(new URL("start-stages.ts", import.meta.url));
  const all = new Map<string, number[]>();
  for (let round = 0; round <= ROUNDS; round += 1) {
    const { stdout } = await promisify(execFile)(process.execPath, [program, file]);
    const steps = JSON.parse(stdout) as ReadonlyArray<readonly [step: string, cpu: number]>;
    for (const [step, cpu] of steps) all.set(step, [...(all.get(step) ?? []), cpu]);
  }
  rmSync(BUILT, { recursive: true });
  return Array.from(all, ([step, times]) => ({ step, cpu: rounded(median(times)) }));
}

/** Bundles a program as the guide says, with the file of the reader threads in the same folder. */
async function bundleProgram(program: string): Promise<string> {
  const thread = fileURLToPath(new URL("../../dist/engines/sqlite/reader-thread.js", import.meta.url));
  const input = { start: program, "reader-thread": thread };
  const build = await rolldown({ input, platform: "node", logLevel: "silent" });
  await build.write({
    dir: `${BUILT}bundled`,
    format: "esm",
    minify: true,
    keepNames: true,
    charset: "ascii",
    sourcemap: true,
  });
  await build.close();
  return `${BUILT}bundled/start.js`;
}

async function peakMemory(file: string, metadata: string): Promise<Compared> {
  const scenario = SCENARIOS.find(({ id }) => id === "S5");
  if (scenario === undefined) throw new Error("There is no scenario S5.");
  const copy = `${file}.memory`;
  copyFileSync(file, copy);
  const peaks: number[] = [];
  for (const server of ["odatakit-server.ts", "limit-server.ts"]) {
    const { process: started, end } = await startServer(server, server, [copy, metadata], []);
    await measureLoad(started, scenario, 5 * CONNECTIONS, CONNECTIONS);
    peaks.push((await started.state()).peakRss / 1e6);
    await end();
  }
  const [ours = Number.NaN, limit = Number.NaN] = peaks;
  return compared("peak memory in S5", "MB", { ours, limit, ratio: ours / limit, budget: MEMORY_BUDGET });
}

function compared(
  what: string,
  unit: Compared["unit"],
  { ours, limit, ratio, budget }: Pick<Compared, "ours" | "limit" | "ratio" | "budget">,
): Compared {
  return { what, unit, ours: rounded(ours), limit: rounded(limit), ratio: rounded(ratio), budget };
}
