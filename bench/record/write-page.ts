import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { SoakRecord } from "../soak/record-soak.ts";
import type { BatchCost } from "./batches.ts";
import type { Figure } from "./figures.ts";
import { missedBudgets } from "./missed-budgets.ts";
import type { StallRecord } from "./parts.ts";
import { isComparable, type Machine, readResult, type RecordedScenario } from "./results.ts";
import { budgetOf, MEMORY_BUDGET, type Stall } from "./stalls.ts";
import type { Compared, Stage } from "./start.ts";
import { STREAM_BUDGET, type StreamRecord } from "./stream-records.ts";

const NOTHING = "Nothing was recorded.";
const PAGE = fileURLToPath(new URL("../../docs/explanations/measurements.md", import.meta.url));

const POSTGRES_PLOTS = `![CPU time of the server as a quotient, over PostgreSQL](measurements/postgres-server.svg)

![CPU time of PostgreSQL as a quotient](measurements/postgres-backend.svg)`;

/** Writes the recorded figures into the tables of the page. The text around them stays. */
export function writePage(): void {
  const tables: Readonly<Record<string, string>> = {
    machine: machineTable(),
    sqlite: scenarioTable("sqlite"),
    postgres: readResult("postgres") === null ? NOTHING : `${POSTGRES_PLOTS}\n\n${scenarioTable("postgres")}`,
    start: startTable(),
    stages: stagesTable(),
    micro: microTable(),
    batch: batchTable(),
    stream: streamTable(),
    stall: stallTable(),
    missed: missedTable(),
    soak: soakTable(),
  };
  let page = readFileSync(PAGE, "utf8");
  for (const [name, table] of Object.entries(tables)) {
    const [begin, end] = [`<!-- ${name} -->\n`, "\n<!-- end -->"];
    const from = page.indexOf(begin) + begin.length;
    const to = page.indexOf(end, from);
    if (from < begin.length || to < 0) throw new Error(`${PAGE} has no place for the table ${name}.`);
    page = `${page.slice(0, from)}\n${table}\n${page.slice(to)}`;
  }
  writeFileSync(PAGE, page);
}

function table(head: readonly string[], rows: ReadonlyArray<ReadonlyArray<string | number>>): string {
  const line = (cells: ReadonlyArray<string | number>): string => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map((_, index) => (index === 0 ? "---" : "---:"))), ...rows.map(line)].join("\n");
}

function machineTable(): string {
  const machine = readResult<Machine>("machine");
  if (machine === null) return NOTHING;
  const { processor, cores, memory, system, versions, commit, date, parts = {} } = machine;
  return table(
    ["", ""],
    [
      ["processor", `${processor}, ${String(cores)} cores`],
      ["memory, system", `${memory}, ${system}`],
      ...Object.entries(versions),
      ["commit, date", `\`${commit}\`, ${date}`],
      ...Array.from(new Set(Object.values(parts)), (at) => {
        const recorded = Object.keys(parts).filter((part) => parts[part] === at);
        return [`recorded at ${at}`, recorded.join(", ")];
      }),
    ],
  );
}

function scenarioTable(name: "sqlite" | "postgres"): string {
  const scenarios = readResult<readonly RecordedScenario[]>(name);
  if (scenarios === null) return NOTHING;
  const hasBackend = scenarios.some(({ backend }) => backend !== null);
  const tail = hasBackend ? ["PostgreSQL, by hand, µs", "PostgreSQL, odatakit, µs", "quotient"] : ["budget, at most"];
  return table(
    ["scenario", "connections", "by hand, µs", "odatakit, µs", "quotient", ...tail],
    scenarios.map((scenario, index) => {
      const { id, title, connections, server, budget } = scenario;
      // The lines of one scenario follow one another: its name and its budget are on the first.
      const isFirst = scenarios[index - 1]?.id !== id;
      return [
        isFirst ? `${id} ${title}` : "",
        connections,
        server.limit,
        server.ours,
        server.ratio.median,
        ...(hasBackend ? backendCells(scenario) : [isFirst ? budget : ""]),
      ];
    }),
  );
}

function backendCells({ backend }: RecordedScenario): ReadonlyArray<string | number> {
  if (backend === null) return ["–", "–", "–"];
  return [backend.limit, backend.ours, isComparable(backend) ? backend.ratio.median : "–"];
}

function startTable(): string {
  const rows = readResult<readonly Compared[]>("start");
  if (rows === null) return NOTHING;
  return table(
    ["", "by hand", "measured", "quotient", "budget, at most"],
    rows.map(({ what, unit, ours, limit, ratio, budget }) => [
      what,
      `${String(limit)} ${unit}`,
      `${String(ours)} ${unit}`,
      ratio,
      budget ?? "",
    ]),
  );
}

function microTable(): string {
  const figures = readResult<readonly Figure[]>("micro");
  if (figures === null) return NOTHING;
  return table(
    ["", "µs", "tokens", "budget, at most, µs"],
    figures.map(({ name, microseconds, details }) => [
      details?.["filter"] === undefined ? name : `${name}: \`${String(details["filter"])}\``,
      microseconds,
      details?.["tokens"] ?? "",
      details?.["budget"] ?? "",
    ]),
  );
}

function stagesTable(): string {
  const stages = readResult<readonly Stage[]>("stages");
  if (stages === null) return NOTHING;
  return table(
    ["step", "CPU time, ms"],
    stages.map(({ step, cpu }) => [step, cpu]),
  );
}

function batchTable(): string {
  const batches = readResult<readonly BatchCost[]>("batch");
  if (batches === null) return NOTHING;
  return `![CPU time of 20 key reads as a quotient](measurements/batches.svg)\n\n${table(
    ["20 key reads", "by hand, µs", "odatakit, µs", "quotient"],
    batches.map(({ form, limit, ours, ratio }) => [form, limit, ours, ratio]),
  )}`;
}

function streamTable(): string {
  const records = readResult<readonly StreamRecord[]>("stream");
  if (records === null) return NOTHING;
  const { cpu, pause, peak } = STREAM_BUDGET;
  return `![Memory during a page of a million rows](measurements/stream-memory.svg)\n\n${table(
    ["", "CPU time, ms", "longest pause, ms", "first byte, ms", "last byte, ms", "peak memory, MB"],
    [
      ...records.map((each) => [
        `${each.database}, ${each.server === "ours" ? "odatakit" : "by hand"}`,
        each.cpu,
        each.pause,
        each.first,
        each.total,
        each.peak,
      ]),
      ["budget of odatakit over SQLite, at most", cpu, pause, "", "", peak],
    ],
  )}`;
}

function stallTable(): string {
  const record = readResult<StallRecord>("stall");
  if (record === null) return NOTHING;
  const rows = Object.entries(record).map(([name, stalls]) => {
    const pauses = stalls.map(({ pause }) => pause);
    const longest = stalls.find(({ pause }) => pause === Math.max(...pauses));
    return [
      name === "sqlite" ? "SQLite and arrays" : "PostgreSQL",
      stalls.length,
      stalls.filter((stall) => stall.pause > budgetOf(stall)).length,
      `${String(longest?.pause ?? 0)} ms: ${longest?.name ?? ""}`,
      stalls.filter(({ answer }) => answer === "503 QueryTimeout").length,
      peakOf(stalls),
    ];
  });
  const head = [
    "",
    "attacks",
    "above the budget",
    "longest pause",
    "ended by the time limit",
    `peak memory, at most ${String(MEMORY_BUDGET)} MB`,
  ];
  return `![The longest pauses](measurements/stalls.svg)\n\n${table(head, rows)}`;
}

/** Names the attack that took the most memory of the process. */
function peakOf(stalls: readonly Stall[]): string {
  const [most] = stalls.toSorted((left, right) => (right.memory ?? 0) - (left.memory ?? 0));
  return most?.memory === undefined ? "" : `${String(most.memory)} MB: ${most.name}`;
}

/** Lists the figures by their reasons, so that each reason appears once. */
function missedTable(): string {
  const byReason = new Map<string, string[]>();
  for (const { what, budget, measured, reason } of missedBudgets()) {
    const figures = byReason.get(reason) ?? [];
    figures.push(`${what}: ${measured} (${budget})`);
    byReason.set(reason, figures);
  }
  if (byReason.size === 0) return "None.";
  return table(
    ["reason", "figures, each with its budget"],
    Array.from(byReason, ([reason, figures]) => [reason, figures.join("; ")]),
  );
}

function soakTable(): string {
  const soak = readResult<SoakRecord>("soak");
  if (soak === null) return NOTHING;
  const { requests, seconds, cores, orders, violations, longestDelay, idle, machine } = soak;
  return table(
    ["", ""],
    [
      ["responses", `${String(requests)} in ${String(seconds)} s, at commit \`${machine.commit}\``],
      ["processor time of the server", `${String(cores)} cores`],
      ["longest delay of the main thread", `${String(longestDelay)} ms`],
      ["open files of the idle server, before and after", `${String(idle.before[0])}, ${String(idle.after[0])}`],
      ["orders at the end, all as acknowledged", orders],
      ["violations", violations.filter((line) => !line.startsWith(" ")).join("; ") || "none"],
    ],
  );
}
