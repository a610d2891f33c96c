import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, rmSync } from "node:fs";
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
  readonly budget: number;
}

const ROUNDS = 9;
const CONNECTIONS = 8;
const START_BUDGET = 1.6;
const MEMORY_BUDGET = 1.5;

/** Measures the start and the peak memory of the built package against the limit. */
export async function measureStart(file: string, metadata: string): Promise<readonly Compared[]> {
  return [...(await startTimes(file)), await peakMemory(file, metadata)];
}

/** An application that is started: a program, and variables of its environment. */
interface Variant {
  readonly program: string;
  readonly environment?: Readonly<Record<string, string>>;
}

/** Starts all variants in turn, until the first response. */
async function startTimes(file: string): Promise<readonly Compared[]> {
  const program = writeProgram(new URL("start-odatakit.ts", import.meta.url));
  const bundled = await bundleProgram(program);
  const limit: Variant = { program: writeProgram(new URL("start-limit.ts", import.meta.url)) };
  const variants: ReadonlyArray<readonly [name: string, variant: Variant]> = [
    ["", { program }],
    [", bundled", { program: bundled }],
    [", bundled, with a compile cache", { program: bundled, environment: { NODE_COMPILE_CACHE: `${BUILT}cache` } }],
  ];
  const limits: Start[] = [];
  const starts = variants.map((): Start[] => []);
  // The first round fills the caches of the system.
  for (let round = 0; round <= ROUNDS; round += 1) {
    limits.push(await start(limit, file));
    for (const [index, [, variant]] of variants.entries()) starts[index]?.push(await start(variant, file));
  }
  rmSync(BUILT, { recursive: true });
  const compare = (what: string, ours: readonly Start[], valueOf: (start: Start) => number): Compared =>
    compareRounds(what, ours.slice(1).map(valueOf), limits.slice(1).map(valueOf));
  return variants.flatMap(([name], index) => [
    compare(`start to first response${name}`, starts[index] ?? [], ({ time }) => time),
    compare(`CPU time until then${name}`, starts[index] ?? [], ({ cpu }) => cpu),
  ]);
}

function compareRounds(what: string, ours: readonly number[], limit: readonly number[]): Compared {
  const ratio = median(ours.map((value, index) => value / (limit[index] ?? Number.NaN)));
  return compared(what, "ms", { ours: median(ours), limit: median(limit), ratio, budget: START_BUDGET });
}

/** Milliseconds of the clock, and of the processor, until the first response. */
interface Start {
  readonly time: number;
  readonly cpu: number;
}

async function start({ program, environment }: Variant, file: string): Promise<Start> {
  const begun = performance.now();
  const child = spawn(process.execPath, [program, file], {
    // The schema check warns about missing indexes.
    stdio: ["pipe", "pipe", "ignore"],
    env: { ...process.env, ...environment },
  });
  const exited = once(child, "exit");
  const lines = child.stdout.setEncoding("utf8");
  const failed = exited.then(() => {
    throw new Error(`${program} ended before its response: run \`npm run build\` first.`);
  });
  failed.catch(() => undefined);
  const listening: Promise<unknown[]> = once(lines, "data");
  const [port] = await Promise.race([listening, failed]);
  const { status, body } = await ask(Number(port), "/odata/Orders(1)");
  const time = performance.now() - begun;
  if (status !== 200) throw new Error(`${program}: ${String(status)} ${body.toString()}`);
  // The program reports its CPU time when its input ends, and ends.
  const reported: Promise<unknown[]> = once(lines, "data");
  child.stdin.end();
  const [cpu] = await reported;
  await exited;
  return { time, cpu: Number(cpu) };
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

/** Bundles a program as an application would, with the file of the reader threads in the same folder. */
async function bundleProgram(program: string): Promise<string> {
  const thread = fileURLToPath(new URL("../../dist/engines/sqlite/reader-thread.js", import.meta.url));
  const input = { start: program, "reader-thread": thread };
  const build = await rolldown({ input, platform: "node", logLevel: "silent" });
  await build.write({ dir: `${BUILT}bundled`, format: "esm" });
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
