import { megabytes } from "./memory-curve.ts";
import type { SoakResult } from "./run-soak.ts";

/** Lines of the memory curve. */
const SHOWN = 10;

/** Formats the figures of a soak for a reader. */
export function printSoak({
  database,
  seconds,
  requests,
  cpu,
  kinds,
  samples,
  idle,
  orders,
  violations,
}: SoakResult): string {
  const step = Math.max(1, Math.floor(samples.length / SHOWN));
  const longest = Math.max(...samples.map(({ state }) => state.longestDelay));
  return [
    `${database}: ${String(requests)} responses in ${String(seconds)} s, ${(requests / seconds).toFixed(0)} per second; the server used ${cpu.toFixed(2)} cores`,
    "",
    row(["kind", "responses", "p50 ms", "p99 ms", "longest ms", "by status"]),
    ...kinds.map(({ kind, requests: count, p50, p99, longest: most, statuses }) => {
      const list = Object.entries(statuses).map(([status, times]) => `${status}: ${String(times)}`);
      return row([kind, String(count), p50.toFixed(1), p99.toFixed(1), most.toFixed(0), list.join(", ")]);
    }),
    "",
    row(["second", "responses", "rss", "heap", "external", "handles and files"]),
    ...samples
      .filter((_sample, index) => index % step === step - 1)
      .map(({ seconds: at, requests: until, state }) =>
        row([
          at.toFixed(0),
          String(until),
          megabytes(state.rss),
          megabytes(state.heap),
          megabytes(state.external),
          sums(state),
        ]),
      ),
    "",
    `Without requests, before: ${megabytes(idle.before.rss)}, ${sums(idle.before)}; after: ${megabytes(idle.after.rss)}, ${sums(idle.after)}.`,
    `The longest delay of the main thread was ${longest.toFixed(0)} ms, the largest memory ${megabytes(idle.after.peakRss)}.`,
    `${String(orders)} orders were acknowledged and not deleted.`,
    "",
    ...(violations.length === 0 ? ["No violation."] : ["Violations:", ...violations]),
  ].join("\n");
}

const WIDTHS = [20, 10, 10, 10, 11] as const;

function row(cells: readonly string[]): string {
  return cells
    .map((cell, index) => (index === 0 ? cell.padEnd(WIDTHS[0]) : cell.padStart(WIDTHS[index] ?? 0)))
    .join("  ");
}

function sums({ handles, files }: SoakResult["idle"]["before"]): string {
  const sum = (counts: Readonly<Record<string, number>>): string =>
    String(Object.values(counts).reduce((total, count) => total + count, 0));
  return `${sum(handles)} handles, ${sum(files)} files`;
}
