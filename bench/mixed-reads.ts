import { seededRandom } from "./random.ts";
import { SCENARIOS } from "./scenarios.ts";

/** How often each scenario is read in the mix: reads of keys and short pages most, scans of a whole table least. */
const SHARES: Readonly<Record<string, number>> = { S1: 8, S2: 6, S3: 4, S4: 3, S3b: 1, P1000: 1 };

/** Returns a number of reads, the same in every run. @see bench/README.md, Start and memory */
export function mixedReads(count: number): readonly string[] {
  const random = seededRandom(3);
  const tickets = SCENARIOS.flatMap(({ id, paths }) => Array.from({ length: SHARES[id] ?? 0 }, () => paths));
  return Array.from({ length: count }, () => {
    const paths = tickets[random.below(tickets.length)] ?? [];
    return paths[random.below(paths.length)] ?? "";
  });
}
