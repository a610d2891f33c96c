import { median } from "../measure-scenario.ts";
import { rounded } from "./figures.ts";
import type { Streamed } from "./streams.ts";

/** The figures of one server over one database: medians, and the memory during the last response. */
export interface StreamRecord extends Pick<
  Streamed,
  "server" | "cpu" | "pause" | "first" | "total" | "peak" | "samples"
> {
  readonly database: "SQLite" | "PostgreSQL";
}

/** The figures that a million rows over SQLite should not exceed. */
export const STREAM_BUDGET = { cpu: 1300, pause: 12, peak: 150 } as const;

/** Summarizes the responses of both servers. */
export function toStreamRecords(
  database: StreamRecord["database"],
  streamed: readonly Streamed[],
): readonly StreamRecord[] {
  return (["limit", "ours"] as const).map((server) => {
    const own = streamed.filter((each) => each.server === server);
    const middle = (valueOf: (each: Streamed) => number): number => rounded(median(own.map(valueOf)));
    return {
      database,
      server,
      cpu: middle(({ cpu }) => cpu),
      pause: middle(({ pause }) => pause),
      first: middle(({ first }) => first),
      total: middle(({ total }) => total),
      peak: rounded(Math.max(...own.map(({ peak }) => peak))),
      samples: own.at(-1)?.samples ?? [],
    };
  });
}
