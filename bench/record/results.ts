import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { cpus, totalmem, type } from "node:os";
import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import type { Cost, Measurement } from "../measure-scenario.ts";
import { rounded } from "./figures.ts";

/** Where and with which versions figures were measured. */
export interface Machine {
  readonly processor: string;
  readonly cores: number;
  readonly memory: string;
  readonly system: string;
  readonly versions: Readonly<Record<string, string>>;
  readonly commit: string;
  readonly date: string;
  /** The commit and the date of each part of the results. */
  readonly parts?: Readonly<Record<string, string>>;
}

/** A measured scenario, rounded. */
export interface RecordedScenario {
  readonly id: string;
  readonly title: string;
  readonly connections: number;
  readonly budget: number;
  readonly server: Cost;
  readonly backend: Cost | null;
}

/** The names of the files in `bench/results/`. */
export type ResultName =
  | "machine"
  | "sqlite"
  | "postgres"
  | "micro"
  | "growth"
  | "start"
  | "stages"
  | "stall"
  | "stream"
  | "batch"
  | "soak";

const RESULTS = fileURLToPath(new URL("../results/", import.meta.url));
const require = createRequire(import.meta.url);

/** Writes a result in a form that differs only where the figures differ. */
export function writeResult(name: ResultName, value: unknown): void {
  mkdirSync(RESULTS, { recursive: true });
  writeFileSync(`${RESULTS}${name}.json`, `${JSON.stringify(value, null, 1)}\n`);
}

/** Reads a result; null if it was never recorded. */
export function readResult<T>(name: ResultName): T | null {
  const file = `${RESULTS}${name}.json`;
  // Only writeResult writes these files.
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as T) : null;
}

/**
 * Describes this machine.
 * @param versions of servers that were measured
 */
export function describeMachine(versions: Readonly<Record<string, string>> = {}): Machine {
  const sqlite = new DatabaseSync(":memory:");
  const version = sqlite.prepare("select sqlite_version() as version").get()?.["version"];
  sqlite.close();
  return {
    processor: cpus()[0]?.model ?? "unknown",
    cores: cpus().length,
    memory: `${String(Math.round(totalmem() / 2 ** 30))} GiB`,
    system: `${type()} ${process.arch}`,
    versions: {
      "Node.js": process.versions.node,
      SQLite: String(version),
      kysely: versionOf("kysely"),
      pg: versionOf("pg"),
      ...versions,
    },
    commit: execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim(),
    date: new Date().toISOString().slice(0, 10),
  };
}

/** Records that a part was measured on this machine now. */
export function recordMachine(part: string, versions: Readonly<Record<string, string>>): void {
  const before = readResult<Machine>("machine");
  const machine = describeMachine({ ...(before === null ? {} : serversOf(before.versions)), ...versions });
  writeResult("machine", { ...machine, parts: { ...before?.parts, [part]: `${machine.commit}, ${machine.date}` } });
}

/** The versions of servers: those of packages are read from this installation. */
function serversOf({ PostgreSQL }: Machine["versions"]): Readonly<Record<string, string>> {
  return PostgreSQL === undefined ? {} : { PostgreSQL };
}

/** Rounds a measurement for its file. */
export function toRecorded({ scenario, connections, server, backend }: Measurement): RecordedScenario {
  const { id, title, budget } = scenario;
  return { id, title, connections, budget, server: roundedCost(server), backend: backend && roundedCost(backend) };
}

function roundedCost({ ours, limit, ratio }: Cost): Cost {
  const { median, min, max } = ratio;
  return {
    ours: rounded(ours),
    limit: rounded(limit),
    ratio: { median: rounded(median), min: rounded(min), max: rounded(max) },
  };
}

/** Whether both servers took time in each round: $metadata needs no database. */
export function isComparable({ ratio }: Cost): boolean {
  return Number.isFinite(ratio.max);
}

function versionOf(name: string): string {
  const path = require.resolve(name);
  const root = path.slice(0, path.lastIndexOf(`/node_modules/${name}/`));
  const { version } = JSON.parse(readFileSync(`${root}/node_modules/${name}/package.json`, "utf8")) as {
    readonly version: string;
  };
  return version;
}
