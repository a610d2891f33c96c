import { rounded } from "../record/figures.ts";
import { describeMachine, type Machine, writeResult } from "../record/results.ts";
import type { SoakResult } from "./run-soak.ts";
import type { KindFigures } from "./tally.ts";

/** A soak as it is kept in `bench/results/`. */
export interface SoakRecord extends Pick<SoakResult, "database" | "seconds" | "requests" | "orders" | "violations"> {
  readonly machine: Machine;
  readonly cores: number;
  readonly longestDelay: number;
  readonly kinds: readonly KindFigures[];
  /** Seconds, and megabytes: of the process, of the heap, outside the heap. */
  readonly samples: ReadonlyArray<readonly [seconds: number, rss: number, heap: number, external: number]>;
  /** Open files and handles of the server without requests. */
  readonly idle: { readonly before: readonly [number, number]; readonly after: readonly [number, number] };
}

/** Records a soak. */
export function recordSoak(result: SoakResult): void {
  const { database, seconds, requests, orders, violations, cpu, kinds, samples, idle } = result;
  const sum = (counts: Readonly<Record<string, number>>): number =>
    Object.values(counts).reduce((total, count) => total + count, 0);
  const open = ({ files, handles }: SoakResult["idle"]["before"]): readonly [number, number] => [
    sum(files),
    sum(handles),
  ];
  const record: SoakRecord = {
    machine: describeMachine(),
    database,
    seconds,
    requests,
    cores: rounded(cpu),
    orders,
    longestDelay: rounded(Math.max(...samples.map(({ state }) => state.longestDelay))),
    kinds: kinds.map(({ p50, p99, longest, ...rest }) => ({
      ...rest,
      p50: rounded(p50),
      p99: rounded(p99),
      longest: rounded(longest),
    })),
    samples: samples.map(({ seconds: at, state }) => [
      Math.round(at),
      Math.round(state.rss / 1e6),
      Math.round(state.heap / 1e6),
      Math.round(state.external / 1e6),
    ]),
    idle: { before: open(idle.before), after: open(idle.after) },
    violations,
  };
  writeResult("soak", record);
}
