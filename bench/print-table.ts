import type { Cost, Measurement } from "./measure-scenario.ts";

const HEAD = ["", "scenario", "conn.", "by hand", "limit µs", "ours µs", "ours ÷ limit", "min–max", "budget", ""];
const BACKEND_HEAD = ["limit µs", "ours µs", "ours ÷ limit", "min–max"];
/** The columns that contain words; the others contain numbers. */
const LEFT: ReadonlySet<number> = new Set([0, 1, 3, 9]);

/** Formats all measurements as a table, one line each. Over PostgreSQL its processes have separate columns. */
export function toTable(measurements: readonly Measurement[]): string {
  const hasBackend = measurements.some(({ backend }) => backend !== null);
  const head = hasBackend ? [...HEAD.slice(0, 8), "", ...BACKEND_HEAD] : HEAD;
  return alignColumns([head, ...measurements.map(hasBackend ? backendCells : cells)], LEFT);
}

/** Aligns cells: words to the left, numbers to the right. */
export function alignColumns(rows: ReadonlyArray<readonly string[]>, left: ReadonlySet<number>): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? "").length)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => {
          const width = widths[column] ?? 0;
          return left.has(column) ? cell.padEnd(width) : cell.padStart(width);
        })
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

function cells({ scenario, connections, server, limit }: Measurement): readonly string[] {
  const { id, title, budget } = scenario;
  const verdict = server.ratio.median <= budget ? "within" : "over";
  return [id, title, String(connections), limit, ...costCells(server), `≤ ${String(budget)}`, verdict];
}

function backendCells({ scenario, connections, server, backend, limit }: Measurement): readonly string[] {
  const { id, title } = scenario;
  return [
    id,
    title,
    String(connections),
    limit,
    ...costCells(server),
    "PostgreSQL",
    ...(backend ? costCells(backend) : []),
  ];
}

function costCells({ ours, limit, ratio }: Cost): readonly string[] {
  return [
    limit.toFixed(0),
    ours.toFixed(0),
    ratio.median.toFixed(2),
    `${ratio.min.toFixed(2)}–${ratio.max.toFixed(2)}`,
  ];
}
