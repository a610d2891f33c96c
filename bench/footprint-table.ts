import { median } from "./measure-scenario.ts";
import { alignColumns } from "./print-table.ts";

/** The cost of one process. */
export interface Footprint {
  /** Milliseconds until the first response. */
  readonly start: number;
  /** Milliseconds of CPU time until then. */
  readonly cpu: number;
  /** Resident memory in megabytes: after the first response, and after the mix of reads. */
  readonly idle: number;
  readonly loaded: number;
  /** Microseconds of CPU time for each read of the mix. */
  readonly read: number;
}

/** The figures, each with its largest acceptable multiple of the limit. */
const FIGURES: ReadonlyArray<readonly [name: keyof Footprint, title: string, goal: number]> = [
  ["start", "first response, ms", 1.6],
  ["cpu", "CPU time until then, ms", 1.6],
  ["idle", "memory when idle, MB", 1.5],
  ["loaded", "memory after reads, MB", 1.8],
  ["read", "CPU time of a read, µs", 1.8],
];

/**
 * Formats the figures of programs: medians, ranges, and the median of the multiples of the first program in the same round.
 * @param measured the rounds of each program, that of the limit first
 * @see bench/README.md, Start and memory
 */
export function toFootprintTable(measured: ReadonlyMap<string, readonly Footprint[]>): string {
  const [limit = []] = measured.values();
  const rows = FIGURES.flatMap(([name, title, goal]) =>
    Array.from(measured, ([program, rounds]) => {
      const values = rounds.map((round) => round[name]);
      const ratios = values.map((value, round) => value / (limit[round]?.[name] ?? Number.NaN));
      const [ratio, isLimit] = [median(ratios), rounds === limit];
      return [
        title,
        program,
        median(values).toFixed(0),
        rangeOf(values, 0),
        ...(isLimit
          ? ["", "", "", ""]
          : [ratio.toFixed(2), rangeOf(ratios, 2), `≤ ${String(goal)}`, verdict(ratio, goal)]),
      ];
    }),
  );
  return alignColumns([["", "", "median", "min–max", "÷ limit", "min–max", "goal", ""], ...rows], new Set([0, 1, 7]));
}

function verdict(ratio: number, goal: number): string {
  return ratio <= goal ? "within" : "over";
}

function rangeOf(values: readonly number[], digits: number): string {
  return `${Math.min(...values).toFixed(digits)}–${Math.max(...values).toFixed(digits)}`;
}
