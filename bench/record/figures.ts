import process from "node:process";
import { median } from "../measure-scenario.ts";

/** One measured value, with its name and details. */
export interface Figure {
  readonly name: string;
  /** CPU time in microseconds. */
  readonly microseconds: number;
  readonly details?: Readonly<Record<string, string | number>>;
}

const BATCHES = 7;
/** Batches that are not counted. */
const WARM_UPS = 3;
/** The CPU time of one batch, in microseconds. */
const BATCH = 30_000;
/** Significant digits of recorded figures: the others are noise. */
const DIGITS = 3;

/** Makes a figure. */
export function toFigure(name: string, microseconds: number, details?: Figure["details"]): Figure {
  const figure = { name, microseconds: rounded(microseconds) };
  return details === undefined ? figure : { ...figure, details };
}

/** Rounds to three significant digits. */
export function rounded(value: number): number {
  return Number(value.toPrecision(DIGITS));
}

/** Measures the CPU time of one run of a function in this process, all threads included, in microseconds. */
export async function cpuOf(run: () => unknown): Promise<number> {
  let runs = 1;
  // The first batches compile the code, and find out how many runs a batch has.
  for (let taken = await batch(run, runs); taken < BATCH; taken = await batch(run, runs)) {
    runs = Math.max(runs + 1, Math.ceil((runs * BATCH * 1.2) / Math.max(taken, BATCH / 20)));
  }
  for (let index = 0; index < WARM_UPS; index += 1) await batch(run, runs);
  const costs: number[] = [];
  for (let index = 0; index < BATCHES; index += 1) costs.push((await batch(run, runs)) / runs);
  return median(costs);
}

async function batch(run: () => unknown, runs: number): Promise<number> {
  const before = process.cpuUsage();
  for (let index = 0; index < runs; index += 1) {
    const result = run();
    if (result instanceof Promise) await result;
  }
  const { user, system } = process.cpuUsage(before);
  return user + system;
}
