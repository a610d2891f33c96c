import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ask } from "../ask.ts";
import { measureLoad } from "../load.ts";
import { median } from "../measure-scenario.ts";
import { SCENARIOS } from "../scenarios.ts";
import { startServer } from "../server-process.ts";
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
/** Within the package, whose name the programs import. */
const FOLDER = fileURLToPath(new URL("../../dist/bench-start/", import.meta.url));
const CONNECTIONS = 8;
const START_BUDGET = 1.6;
const MEMORY_BUDGET = 1.5;

/** Measures the start and the peak memory of the built package against the limit. */
export async function measureStart(file: string, metadata: string): Promise<readonly Compared[]> {
  return [...(await startTimes(file)), await peakMemory(file, metadata)];
}

/** Starts both programs in turn, until the first response. */
async function startTimes(file: string): Promise<readonly Compared[]> {
  mkdirSync(FOLDER, { recursive: true });
  const programs = { ours: writeProgram("start-odatakit"), limit: writeProgram("start-limit") };
  const starts: Array<{ readonly ours: Start; readonly limit: Start }> = [];
  // The first round fills the caches of the system.
  for (let round = 0; round <= ROUNDS; round += 1) {
    starts.push({ limit: await start(programs.limit, file), ours: await start(programs.ours, file) });
  }
  starts.shift();
  rmSync(FOLDER, { recursive: true });
  const compare = (what: string, valueOf: (start: Start) => number): Compared => {
    const ours = starts.map((each) => valueOf(each.ours));
    const limit = starts.map((each) => valueOf(each.limit));
    const ratio = median(ours.map((value, index) => value / (limit[index] ?? Number.NaN)));
    return compared(what, "ms", { ours: median(ours), limit: median(limit), ratio, budget: START_BUDGET });
  };
  return [compare("start to first response", ({ time }) => time), compare("CPU time until then", ({ cpu }) => cpu)];
}

/** Milliseconds of the clock, and of the processor, until the first response. */
interface Start {
  readonly time: number;
  readonly cpu: number;
}

async function start(program: string, file: string): Promise<Start> {
  const begun = performance.now();
  const child = spawn(process.execPath, [program, file], { stdio: ["pipe", "pipe", "inherit"] });
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

/** Programs in JavaScript: removing types at the start would cost both of them the same. */
function writeProgram(name: string): string {
  const source = readFileSync(new URL(`${name}.ts`, import.meta.url), "utf8");
  const program = join(FOLDER, `${name}.mjs`);
  writeFileSync(program, stripTypeScriptTypes(source));
  return program;
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
