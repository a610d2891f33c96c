import type { Measurement } from "./measure-scenario.ts";

const HEAD = ["", "scenario", "conn.", "limit µs", "ours µs", "ours ÷ limit", "min–max", "budget", ""];
/** The columns that contain words; the others contain numbers. */
const LEFT: ReadonlySet<number> = new Set([0, 1, 8]);

/** Formats all measurements as a table, one line each. */
export function toTable(measurements: readonly Measurement[]): string {
  const rows = [HEAD, ...measurements.map(cells)];
  const widths = HEAD.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? "").length)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => {
          const width = widths[column] ?? 0;
          return LEFT.has(column) ? cell.padEnd(width) : cell.padStart(width);
        })
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

function cells({ scenario, connections, ours, limit, ratio }: Measurement): readonly string[] {
  const { id, title, budget } = scenario;
  return [
    id,
    title,
    String(connections),
    limit.toFixed(0),
    ours.toFixed(0),
    ratio.median.toFixed(2),
    `${ratio.min.toFixed(2)}–${ratio.max.toFixed(2)}`,
    `≤ ${budget.toFixed(1)}`,
    ratio.median <= budget ? "within" : "over",
  ];
}
