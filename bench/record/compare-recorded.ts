import type { Measurement } from "../measure-scenario.ts";
import { alignColumns } from "../print-table.ts";
import { type Machine, readResult, type RecordedScenario } from "./results.ts";

/** Formats the quotients of a run next to the recorded ones. */
export function toComparison(measurements: readonly Measurement[], name: "sqlite" | "postgres"): string {
  const recorded = readResult<readonly RecordedScenario[]>(name) ?? [];
  const rows = measurements.map(({ scenario, connections, server }) => {
    const before = recorded.find((each) => each.id === scenario.id && each.connections === connections);
    return [
      scenario.id,
      String(connections),
      server.ratio.median.toFixed(2),
      before === undefined ? "none" : before.server.ratio.median.toFixed(2),
    ];
  });
  const commit = readResult<Machine>("machine")?.commit ?? "none";
  return `ours ÷ limit, now and as recorded at ${commit}:\n\n${alignColumns([["", "conn.", "now", "recorded"], ...rows], new Set([0]))}`;
}
