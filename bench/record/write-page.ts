import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { SoakRecord } from "../soak/record-soak.ts";
import type { Figure } from "./figures.ts";
import { type Machine, readResult, type RecordedScenario } from "./results.ts";
import type { Compared } from "./start.ts";

const PAGE = fileURLToPath(new URL("../../docs/explanations/measurements.md", import.meta.url));

const POSTGRES_PLOTS = `![CPU time of the server as a quotient, over PostgreSQL](measurements/postgres-server.svg)

![CPU time of PostgreSQL as a quotient](measurements/postgres-backend.svg)`;

/** Writes the recorded figures into the tables of the page. The text around them stays. */
export function writePage(): void {
  const tables: Readonly<Record<string, string>> = {
    machine: machineTable(),
    sqlite: scenarioTable("sqlite"),
    postgres:
      readResult("postgres") === null ? "Nothing was recorded." : `${POSTGRES_PLOTS}\n\n${scenarioTable("postgres")}`,
    start: startTable(),
    micro: microTable(),
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
  if (machine === null) return "Nothing was recorded.";
  const { processor, cores, memory, system, versions, commit, date } = machine;
  return table(
    ["", ""],
    [
      ["processor", `${processor}, ${String(cores)} cores`],
      ["memory, system", `${memory}, ${system}`],
      ...Object.entries(versions),
      ["commit, date", `\`${commit}\`, ${date}`],
    ],
  );
}

function scenarioTable(name: "sqlite" | "postgres"): string {
  const scenarios = readResult<readonly RecordedScenario[]>(name);
  if (scenarios === null) return "Nothing was recorded.";
  const hasBackend = scenarios.some(({ backend }) => backend !== null);
  const tail = hasBackend ? ["PostgreSQL, by hand, µs", "PostgreSQL, odatakit, µs", "quotient"] : ["budget"];
  return table(
    ["scenario", "connections", "by hand, µs", "odatakit, µs", "quotient", ...tail],
    scenarios.map(({ id, title, connections, server, backend, budget }) => [
      `${id} ${title}`,
      connections,
      server.limit,
      server.ours,
      server.ratio.median,
      ...(backend === null ? [`≤ ${String(budget)}`] : [backend.limit, backend.ours, backend.ratio.median]),
    ]),
  );
}

function startTable(): string {
  const rows = readResult<readonly Compared[]>("start");
  if (rows === null) return "Nothing was recorded.";
  return table(
    ["", "by hand", "odatakit", "quotient", "budget"],
    rows.map(({ what, unit, ours, limit, ratio, budget }) => [
      what,
      `${String(limit)} ${unit}`,
      `${String(ours)} ${unit}`,
      ratio,
      `≤ ${String(budget)}`,
    ]),
  );
}

function microTable(): string {
  const figures = readResult<readonly Figure[]>("micro");
  if (figures === null) return "Nothing was recorded.";
  return table(
    ["", "µs", "tokens", "budget, µs"],
    figures.map(({ name, microseconds, details }) => [
      details?.["filter"] === undefined ? name : `${name}: \`${String(details["filter"])}\``,
      microseconds,
      details?.["tokens"] ?? "",
      details?.["budget"] === undefined ? "" : `≤ ${String(details["budget"])}`,
    ]),
  );
}

function soakTable(): string {
  const soak = readResult<SoakRecord>("soak");
  if (soak === null) return "Nothing was recorded.";
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
