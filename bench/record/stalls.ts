import { ATTACKS } from "../attack-requests.ts";
import { pauseBudget } from "../attack.ts";
import { attack, openAttackedService } from "../attacks.ts";
import { collectGarbage } from "../peak-memory.ts";
import { rounded } from "./figures.ts";

/** How long a request stopped everything else. */
export interface Stall {
  readonly name: string;
  /** The status, and the code of an error. */
  readonly answer: string;
  /** Milliseconds until the end of the response. */
  readonly time: number;
  /** The longest CPU time of the main thread during which no other request could run, in milliseconds. */
  readonly pause: number;
  /** The longest pause that is acceptable; absent in older records. */
  readonly budget?: number;
  /** The megabytes by which the memory of the process grew; absent in older records. */
  readonly memory?: number;
}

/** The most memory that an attack may take, in megabytes. */
export const MEMORY_BUDGET = 300;

/** Returns the longest pause that is acceptable, in milliseconds. Older records have none. */
export function budgetOf({ budget = pauseBudget(0) }: Stall): number {
  return budget;
}

/**
 * Sends the attacks, and reports each of them.
 * @param place a SQLite file with the attacked tables, or a database of PostgreSQL: attacks on arrays are then left out
 * @param only matches the names of the attacks; absent: all
 */
export async function measureStalls(
  place: string,
  report: (stall: Stall) => void,
  only: RegExp = /^/u,
): Promise<readonly Stall[]> {
  const { service, close, isPostgres } = openAttackedService(place, {});
  const stalls: Stall[] = [];
  try {
    await service.fetch(new Request("http://attacked.example/Cities(1)"));
    for (const each of ATTACKS.filter(({ name }) => only.test(name))) {
      if (isPostgres && !/^\/(?:Cities|Countries|Texts)/u.test(each.target)) continue;
      collectGarbage();
      const { status, code, time, pause, memory, budget } = await attack(service, each);
      const stall = {
        name: each.name,
        answer: [status, code].filter(Boolean).join(" "),
        time: rounded(time),
        pause: rounded(pause),
        budget,
        memory: Math.round(memory / 1_000_000),
      };
      report(stall);
      stalls.push(stall);
    }
  } finally {
    await close();
  }
  return stalls;
}
