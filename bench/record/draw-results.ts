import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { drawLines } from "../plot/line-chart.ts";
import { drawRatios } from "../plot/ratio-chart.ts";
import type { SoakRecord } from "../soak/record-soak.ts";
import type { BatchCost } from "./batches.ts";
import type { Growth } from "./growth.ts";
import type { StallRecord } from "./parts.ts";
import { isComparable, readResult, type RecordedScenario } from "./results.ts";
import { budgetOf, type Stall } from "./stalls.ts";
import type { StreamRecord } from "./stream-records.ts";

/** Beside the page that shows them. */
const PLOTS = fileURLToPath(new URL("../../docs/explanations/measurements/", import.meta.url));
/** The pauses that are drawn. */
const LONGEST = 20;
const PAGES: Readonly<Record<string, number>> = { P1: 1, P10: 10, P100: 100, P1000: 1000, S5: 10_000 };

/** Draws all recorded results. */
export function drawResults(): void {
  mkdirSync(PLOTS, { recursive: true });
  const sqlite = readResult<readonly RecordedScenario[]>("sqlite");
  if (sqlite !== null) {
    write("sqlite", ratios("CPU time over SQLite, one connection", sqlite, "server"));
    write("pages", pages(sqlite));
  }
  const postgres = readResult<readonly RecordedScenario[]>("postgres");
  if (postgres !== null) {
    write("postgres-server", ratios("CPU time of the server over PostgreSQL, one connection", postgres, "server"));
    write("postgres-backend", ratios("CPU time of PostgreSQL, one connection", postgres, "backend"));
  }
  for (const growth of readResult<readonly Growth[]>("growth") ?? []) write(fileNameOf(growth), drawGrowth(growth));
  const streams = readResult<readonly StreamRecord[]>("stream");
  if (streams !== null) write("stream-memory", drawStreams(streams));
  const { sqlite: stalls } = readResult<StallRecord>("stall") ?? {};
  if (stalls !== undefined) write("stalls", drawStalls(stalls));
  const batches = readResult<readonly BatchCost[]>("batch");
  if (batches !== null) write("batches", drawBatches(batches));
  const soak = readResult<SoakRecord>("soak");
  if (soak !== null) write("soak-memory", drawSoak(soak));
}

/** The name of the picture of a growth. */
export function fileNameOf({ of }: Growth): string {
  return `growth-${of.replace(/,.*/u, "").replaceAll(/[^a-z]+/gu, "-")}`;
}

function write(name: string, svg: string): void {
  writeFileSync(`${PLOTS}${name}.svg`, svg);
}

function ratios(title: string, scenarios: readonly RecordedScenario[], what: "server" | "backend"): string {
  const bars = scenarios
    .filter(({ connections }) => connections === 1)
    .flatMap((scenario) => {
      const cost = scenario[what];
      if (cost === null || !isComparable(cost)) return [];
      const { median, min, max } = cost.ratio;
      const budget = scenario.backend === null ? scenario.budget : undefined;
      return [{ name: `${scenario.id}  ${scenario.title}`, ratio: median, min, max, budget }];
    });
  return drawRatios({ title, label: "odatakit ÷ server written by hand (left of 1: less CPU time)", bars });
}

function pages(scenarios: readonly RecordedScenario[]): string {
  const lines = (["ours", "limit"] as const).map((whose) => ({
    name: whose === "ours" ? "odatakit" : "written by hand",
    points: scenarios
      .filter(({ connections }) => connections === 1)
      .flatMap(({ id, server }): ReadonlyArray<readonly [number, number]> => {
        const size = PAGES[id];
        return size === undefined ? [] : [[size, server[whose]]];
      })
      .toSorted(([left], [right]) => left - right),
  }));
  return drawLines({
    title: "Plain pages over SQLite",
    x: { label: "entities of the page", scale: "log" },
    y: { label: "CPU time per request, µs", scale: "log" },
    series: lines,
  });
}

function drawGrowth({ of, curves }: Growth): string {
  return drawLines({
    title: `CPU time by ${of}`,
    x: { label: of, scale: "log" },
    y: { label: "CPU time, µs", scale: "log" },
    series: curves.map(({ line, points }) => ({ name: line, points })),
  });
}

function drawStreams(records: readonly StreamRecord[]): string {
  const lines = records.map(({ database, server, samples }) => ({
    name: `${server === "ours" ? "odatakit" : "by hand"}, ${database}`,
    points: samples.map(([milliseconds, megabytes]): readonly [number, number] => [milliseconds / 1000, megabytes]),
  }));
  return drawLines({
    title: "Memory during a page of a million rows",
    x: { label: "seconds", scale: "linear" },
    y: { label: "MB", scale: "linear" },
    series: lines,
  });
}

function drawStalls(stalls: readonly Stall[]): string {
  const ratioOf = (stall: Stall): number => stall.pause / budgetOf(stall);
  const longest = stalls.toSorted((left, right) => ratioOf(right) - ratioOf(left)).slice(0, LONGEST);
  const bars = longest.map((stall) => {
    const ratio = ratioOf(stall);
    return { name: stall.name, ratio, min: ratio, max: ratio, budget: 1 };
  });
  return drawRatios({
    title: `The ${String(bars.length)} longest pauses, over SQLite`,
    label: "pause ÷ budget (left of 1: within the budget)",
    bars,
  });
}

function drawBatches(batches: readonly BatchCost[]): string {
  const bars = batches.map(({ form, ratio }) => ({ name: form, ratio, min: ratio, max: ratio }));
  return drawRatios({
    title: "CPU time of 20 key reads, over SQLite",
    label: "odatakit ÷ server written by hand (left of 1: less CPU time)",
    bars,
  });
}

function drawSoak({ samples, seconds }: SoakRecord): string {
  const lineOf = (
    name: string,
    place: 1 | 2 | 3,
  ): { name: string; points: ReadonlyArray<readonly [number, number]> } => ({
    name,
    points: samples.map((sample): readonly [number, number] => [sample[0] / 60, sample[place]]),
  });
  return drawLines({
    title: `Memory during ${String(Math.round(seconds / 60))} minutes at saturation`,
    x: { label: "minutes", scale: "linear" },
    y: { label: "MB", scale: "linear" },
    series: [lineOf("whole process", 1), lineOf("heap of the main thread", 2), lineOf("outside the heap", 3)],
  });
}
