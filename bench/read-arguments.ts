import { parseArgs } from "node:util";
import { databaseNameOf } from "./open-database.ts";
import { runsOnPostgres, SCENARIOS, type Scenario } from "./scenarios.ts";

/** The options of the command line. */
export interface Arguments {
  readonly scenarios: readonly Scenario[];
  /** How often each server is measured. */
  readonly rounds: number;
  /** Whether to profile our server instead of measuring. */
  readonly profile: boolean;
  /** The URL of a server of PostgreSQL on this machine; null for SQLite. */
  readonly postgres: string | null;
}

const DEFAULT_ROUNDS = 5;

/** The usage of the bench. */
export const USAGE = `npm run bench -- [${SCENARIOS.map(({ id }) => id).join("] [")}] [--rounds ${String(DEFAULT_ROUNDS)}] [--database postgresql://…] [--profile]`;

/**
 * Reads the command line. Without a scenario, all scenarios run; over PostgreSQL without those of arrays.
 * @throws Error with the usage of the bench
 */
export function readArguments(args: readonly string[]): Arguments {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { rounds: { type: "string" }, profile: { type: "boolean" }, database: { type: "string" } },
    allowPositionals: true,
  });
  const wanted = positionals.map((id) => id.toUpperCase());
  const unknown = wanted.filter((id) => SCENARIOS.every((scenario) => scenario.id.toUpperCase() !== id));
  if (unknown.length > 0) throw new Error(`There is no scenario ${unknown.join(", ")}: ${USAGE}`);
  const rounds = values.rounds === undefined ? DEFAULT_ROUNDS : Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1) throw new Error(`--rounds takes a whole number from 1 on: ${USAGE}`);
  const postgres = values.database ?? null;
  if (postgres !== null && databaseNameOf(postgres) !== "postgres") {
    throw new Error(`--database takes the URL of a PostgreSQL server: ${USAGE}`);
  }
  const isMeant = (scenario: Scenario): boolean =>
    wanted.length === 0 ? postgres === null || runsOnPostgres(scenario) : wanted.includes(scenario.id.toUpperCase());
  return { scenarios: SCENARIOS.filter(isMeant), rounds, profile: values.profile ?? false, postgres };
}
