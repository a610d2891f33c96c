import { parseArgs } from "node:util";
import { SCENARIOS, type Scenario } from "./scenarios.ts";

/** The options of the command line. */
export interface Arguments {
  readonly scenarios: readonly Scenario[];
  /** How often each server is measured. */
  readonly rounds: number;
  /** Whether to profile our server instead of measuring. */
  readonly profile: boolean;
}

const DEFAULT_ROUNDS = 9;

/** The usage of the bench. */
export const USAGE = `npm run bench -- [${SCENARIOS.map(({ id }) => id).join("] [")}] [--rounds ${String(DEFAULT_ROUNDS)}] [--profile]`;

/**
 * Reads the command line. Without a scenario, all scenarios run.
 * @throws Error with the usage of the bench
 */
export function readArguments(args: readonly string[]): Arguments {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { rounds: { type: "string" }, profile: { type: "boolean" } },
    allowPositionals: true,
  });
  const wanted = positionals.map((id) => id.toUpperCase());
  const unknown = wanted.filter((id) => SCENARIOS.every((scenario) => scenario.id.toUpperCase() !== id));
  if (unknown.length > 0) throw new Error(`There is no scenario ${unknown.join(", ")}: ${USAGE}`);
  const rounds = values.rounds === undefined ? DEFAULT_ROUNDS : Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1) throw new Error(`--rounds takes a whole number from 1 on: ${USAGE}`);
  return {
    scenarios: wanted.length === 0 ? SCENARIOS : SCENARIOS.filter(({ id }) => wanted.includes(id.toUpperCase())),
    rounds,
    profile: values.profile ?? false,
  };
}
