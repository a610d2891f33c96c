import type { ProcessState } from "../server-messages.ts";

/** A state of the server, so many seconds after the start of the load. */
export interface Sample {
  readonly seconds: number;
  readonly requests: number;
  readonly state: ProcessState;
}

/** Shares of the samples: the first ones are the warm-up, then come those of the start, and the last ones are the end. */
const WARM_UP = 0.25;
const START = 0.5;
const END = 0.75;

/** A shorter load ends before the warm-up of all caches, in seconds. */
const SHORTEST = 100;

/** The allowed growth: a share of the start, and bytes that depend on the moment of a garbage collection. */
const DEMANDS: ReadonlyArray<readonly [name: "rss" | "heap" | "external", share: number, bytes: number]> = [
  ["rss", 1.15, 24e6],
  ["heap", 1.1, 6e6],
  // Responses that are being sent are outside the heap; those to slow clients have many megabytes.
  ["external", 1.15, 24e6],
];

/** Compares medians of the memory at the start and at the end. @returns the values that grow */
export function growthOf(samples: readonly Sample[]): readonly string[] {
  if ((samples.at(-1)?.seconds ?? 0) < SHORTEST) return [];
  const from = (share: number): number => Math.floor(samples.length * share);
  const start = samples.slice(from(WARM_UP), from(START));
  const end = samples.slice(from(END));
  if (start.length === 0 || end.length === 0) return ["there are too few samples"];
  return DEMANDS.flatMap(([name, share, bytes]) => {
    const [before, after] = [medianOf(start, name), medianOf(end, name)];
    return after <= before * share + bytes
      ? []
      : [`${name}: ${megabytes(before)} at the start, ${megabytes(after)} at the end`];
  });
}

/** Compares handles and open files of a server without requests, before and after the load. @returns those that remain */
export function leftOpen(before: ProcessState, after: ProcessState): readonly string[] {
  return (["handles", "files"] as const).flatMap((what) =>
    Object.entries(after[what])
      .filter(([kind, count]) => count > (before[what][kind] ?? 0) && !PASSING.has(kind))
      .map(
        ([kind, count]) => `${what} of kind ${kind}: ${String(before[what][kind] ?? 0)} before, ${String(count)} after`,
      ),
  );
}

/** Handles and files that last for a moment. */
const PASSING: ReadonlySet<string> = new Set(["Timeout", "Immediate", "closed meanwhile", "FSReqCallback"]);

/** Formats a size. */
export function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

function medianOf(samples: readonly Sample[], name: "rss" | "heap" | "external"): number {
  const sorted = samples.map(({ state }) => state[name]).toSorted((left, right) => left - right);
  return sorted[sorted.length >> 1] ?? Number.NaN;
}
