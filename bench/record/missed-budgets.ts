import type { Figure } from "./figures.ts";
import type { StallRecord } from "./parts.ts";
import { readResult, type RecordedScenario } from "./results.ts";
import { budgetOf, MEMORY_BUDGET } from "./stalls.ts";
import type { Compared } from "./start.ts";
import { STREAM_BUDGET, type StreamRecord } from "./stream-records.ts";

/** A recorded figure that is larger than its budget. */
export interface Missed {
  readonly what: string;
  readonly budget: string;
  readonly measured: string;
  /** Why, with a link to a profile. */
  readonly reason: string;
}

const FIXED_WORK =
  "The fixed work of a request: [URL, options, types and rules](#where-the-time-of-a-request-goes) are checked, which the other server does not.";
const JSON_WORK =
  "SQLite writes the JSON, and checks each cell meanwhile: [the profile](../decisions/0027-json-of-the-database.md).";

/** The reasons by scenario. */
const REASONS: Readonly<Record<string, string>> = {
  S4: JSON_WORK,
  S4b: JSON_WORK,
  S5: JSON_WORK,
  P100: JSON_WORK,
  P1000: JSON_WORK,
  S9: "Closures evaluate the filter by the rules of OData for null and for types, in turns with other requests: [the decision](../decisions/0032-long-work-takes-turns.md). The other server compares two fields.",
};
const START =
  "Imports, of which `kysely` is the largest: [the steps of a start](#start-and-memory), [the decision](../decisions/0037-fast-start.md#what-is-possible).";
const STREAM =
  "SQLite writes and checks a row of 8 columns in 1 µs, and the main thread checks its bytes: [the profile](../decisions/0029-page-size.md#where-the-time-goes).";
const SERVER_STREAM =
  "V8 lets the space of new objects grow, since the driver makes an object for each row: [the profile](../decisions/0029-page-size.md#memory-over-postgresql).";
const TURNS = "[the decision](../decisions/0032-long-work-takes-turns.md#what-takes-one-turn)";
/** The reasons of long pauses, by the names of their attacks. */
const STALLS: readonly (readonly [name: RegExp, reason: string])[] = [
  [/^SQLite/u, `One call of \`node:sqlite\` binds, stores and returns the value: ${TURNS}.`],
  [/members|annotations/u, `V8 stores the names of one object in one turn: ${TURNS}.`],
  [/^(?:Many)?ListedTexts/u, `The texts of one element are computed in one turn: ${TURNS}.`],
  [/29 MB/u, `A body is parsed in one turn: ${TURNS}.`],
  [/^/u, `The conditions of one element take one turn: ${TURNS}.`],
];
/** The reasons of much memory, by the names of their attacks. */
const PEAKS: readonly (readonly [name: RegExp, reason: string])[] = [
  [/Texts|20 MB/u, "Computed texts are bounded: [the limits](../reference/limits.md#growth-of-computed-texts)."],
  [/^/u, "V8 collects the garbage of a long body or response late."],
];
const PARSER = "The time grows with the number of tokens, by the same amount for each.";

/** Returns all recorded figures that are larger than their budgets. With several connections, a scenario has no own line. */
export function missedBudgets(): readonly Missed[] {
  return [...missedScenarios(), ...missedStarts(), ...missedStreams(), ...missedStalls(), ...missedFigures()];
}

function missedScenarios(): readonly Missed[] {
  return (readResult<readonly RecordedScenario[]>("sqlite") ?? [])
    .filter(({ connections, server, budget }) => connections === 1 && server.ratio.median > budget)
    .map(({ id, title, budget, server }) => ({
      what: `${id} ${title}`,
      budget: String(budget),
      measured: String(server.ratio.median),
      reason: REASONS[id] ?? FIXED_WORK,
    }));
}

function missedStarts(): readonly Missed[] {
  return (readResult<readonly Compared[]>("start") ?? [])
    .filter(({ ratio, budget }) => budget !== null && ratio > budget)
    .map(({ what, ratio, budget }) => ({
      what,
      budget: String(budget),
      measured: String(ratio),
      reason: what.startsWith("peak") ? JSON_WORK : START,
    }));
}

function missedStreams(): readonly Missed[] {
  const records = readResult<readonly StreamRecord[]>("stream") ?? [];
  return records.filter(({ server }) => server === "ours").flatMap(missedStream);
}

/** Over PostgreSQL the budgets of time do not apply: its driver takes longer than they allow. */
function missedStream(ours: StreamRecord): readonly Missed[] {
  const isSqlite = ours.database === "SQLite";
  const units = [
    ["CPU time", "cpu", "ms"],
    ["longest pause", "pause", "ms"],
    ["peak memory", "peak", "MB"],
  ] as const;
  return units
    .filter(([, what]) => (isSqlite || what === "peak") && ours[what] > STREAM_BUDGET[what])
    .map(([name, what, unit]) => ({
      what: `a million rows${isSqlite ? "" : " over PostgreSQL"}: ${name}`,
      budget: `${String(STREAM_BUDGET[what])} ${unit}`,
      measured: `${String(ours[what])} ${unit}`,
      reason: isSqlite ? STREAM : SERVER_STREAM,
    }));
}

function missedStalls(): readonly Missed[] {
  const { sqlite = [], postgres = [] } = readResult<StallRecord>("stall") ?? {};
  const all = [...sqlite, ...postgres.map((stall) => ({ ...stall, name: `${stall.name}, over PostgreSQL` }))];
  const pauses = all
    .filter((stall) => stall.pause > budgetOf(stall))
    .map((stall) => ({
      what: `pause: ${stall.name}`,
      budget: `${String(budgetOf(stall))} ms`,
      measured: `${String(stall.pause)} ms`,
      reason: STALLS.find(([names]) => names.test(stall.name))?.[1] ?? "",
    }));
  const peaks = all
    .filter(({ memory = 0 }) => memory > MEMORY_BUDGET)
    .map(({ name, memory }) => ({
      what: `memory: ${name}`,
      budget: `${String(MEMORY_BUDGET)} MB`,
      measured: `${String(memory)} MB`,
      reason: PEAKS.find(([names]) => names.test(name))?.[1] ?? "",
    }));
  return [...pauses, ...peaks];
}

function missedFigures(): readonly Missed[] {
  return (readResult<readonly Figure[]>("micro") ?? []).flatMap(({ name, microseconds, details }) => {
    const budget = Number(details?.["budget"] ?? Infinity);
    if (microseconds <= budget) return [];
    return [{ what: name, budget: `${String(budget)} µs`, measured: `${String(microseconds)} µs`, reason: PARSER }];
  });
}
