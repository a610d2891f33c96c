import { join } from "node:path";
import { writeAttackedDatabase, writeAttackedTables } from "../attacks.ts";
import { compareAll } from "../compare-answers.ts";
import { measureScenario } from "../measure-scenario.ts";
import { deleteDatabase, makeDatabase } from "../open-database.ts";
import { runsOnPostgres, SCENARIOS } from "../scenarios.ts";
import { metadataOf, withServers, type Servers } from "../with-servers.ts";
import { measureBatches } from "./batches.ts";
import { writeProgram } from "./built-program.ts";
import { measureConnections } from "./connections.ts";
import { measureGrowth } from "./growth.ts";
import { measureMicro } from "./micro.ts";
import { readResult, type RecordedScenario, type ResultName, toRecorded, writeResult } from "./results.ts";
import { measureStalls, type Stall } from "./stalls.ts";
import { measureStages, measureStart } from "./start.ts";
import { toStreamRecords, type StreamRecord } from "./stream-records.ts";
import { measureStreams, writeStreamedFile, writeStreamedTable } from "./streams.ts";

/** The tools of the parts that measure. */
export interface Recording {
  /** A folder that is deleted at the end, and the SQLite file of all scenarios in it. */
  readonly directory: string;
  readonly file: string;
  /** The URL of a PostgreSQL server on this machine. */
  readonly postgres: string | undefined;
  readonly rounds: number;
  readonly report: (progress: string) => void;
}

/** Measures a part and writes its results. */
type Part = (recording: Recording) => Promise<void>;

const CONNECTIONS: readonly number[] = [1, 8];
const STREAMED_ROWS = 1_000_000;
const MOST_STREAMS = 3;
const DATABASE = "odatakit_bench_part";

/** The parts of a record by their names, in the order in which they run. */
export const PARTS: Readonly<Record<string, Part>> = {
  micro: async ({ file }) => writeResult("micro", await measureMicro(file)),
  growth: async ({ file, report }) => {
    const growth = await measureGrowth();
    report("connections");
    await withServers(file, null, async (servers) => {
      writeResult("growth", [...growth, await measureConnections(servers)]);
    });
  },
  sqlite: (recording) => recordScenarios(recording, "sqlite"),
  batch: async ({ file, rounds }) => {
    await withServers(file, null, async (servers) => writeResult("batch", await measureBatches(servers, rounds)));
  },
  start: async ({ file }) => {
    await withServers(file, null, async ({ ours }) => {
      writeResult("start", await measureStart(file, await metadataOf(ours)));
    });
    writeResult("stages", await measureStages(file));
  },
  stall: async ({ directory, postgres, report }) => {
    const attacked = join(directory, "attacked.db");
    writeAttackedDatabase(attacked);
    const sqlite = await measureStalls(attacked, ({ name }) => report(name));
    writeStalls({ sqlite });
    await onDatabase(postgres, async (place) => {
      await writeAttackedTables(place);
      writeStalls({ postgres: await measureStalls(place, ({ name }) => report(name)) });
    });
  },
  stream: async ({ directory, postgres, rounds }) => {
    const program = writeProgram(new URL("../stream-server.ts", import.meta.url));
    const plan = { program, args: [], rounds: Math.min(rounds, MOST_STREAMS) };
    const place = join(directory, "streamed.db");
    writeStreamedFile(place, STREAMED_ROWS);
    writeStreams("SQLite", toStreamRecords("SQLite", await measureStreams({ ...plan, place })));
    await onDatabase(postgres, async (database) => {
      await writeStreamedTable(database, STREAMED_ROWS);
      writeStreams("PostgreSQL", toStreamRecords("PostgreSQL", await measureStreams({ ...plan, place: database })));
    });
  },
  postgres: (recording) => recordScenarios(recording, "postgres"),
};

async function recordScenarios(
  { file, postgres, rounds, report }: Recording,
  name: Extract<ResultName, "sqlite" | "postgres">,
): Promise<void> {
  const isPostgres = name === "postgres";
  if (isPostgres && postgres === undefined) return;
  await withServers(file, isPostgres ? (postgres ?? null) : null, async (servers) => {
    writeResult(name, await measureScenarios(servers, rounds, isPostgres, report));
  });
}

async function measureScenarios(
  servers: Servers,
  rounds: number,
  isPostgres: boolean,
  report: (progress: string) => void,
): Promise<readonly RecordedScenario[]> {
  const scenarios = SCENARIOS.filter((scenario) => !isPostgres || runsOnPostgres(scenario));
  for (const scenario of scenarios) await compareAll(scenario, servers);
  const recorded: RecordedScenario[] = [];
  for (const scenario of scenarios) {
    report(scenario.id);
    for (const connections of scenario.connections ?? CONNECTIONS) {
      recorded.push(toRecorded(await measureScenario(scenario, connections, rounds, servers)));
    }
  }
  return recorded;
}

/** Uses an empty database of the server, if there is one. */
async function onDatabase(server: string | undefined, use: (place: string) => Promise<void>): Promise<void> {
  if (server === undefined) return;
  try {
    await use(await makeDatabase(server, DATABASE));
  } finally {
    await deleteDatabase(server, DATABASE);
  }
}

/** The attacks over each database. */
export type StallRecord = Readonly<Partial<Record<"sqlite" | "postgres", readonly Stall[]>>>;

function writeStalls(measured: StallRecord): void {
  writeResult("stall", { ...readResult<StallRecord>("stall"), ...measured });
}

function writeStreams(database: StreamRecord["database"], measured: readonly StreamRecord[]): void {
  const kept = (readResult<readonly StreamRecord[]>("stream") ?? []).filter((each) => each.database !== database);
  const all = [...kept, ...measured];
  writeResult(
    "stream",
    all.toSorted((left, right) => right.database.localeCompare(left.database)),
  );
}
