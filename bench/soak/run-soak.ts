import { setTimeout as sleep } from "node:timers/promises";
import { ask } from "../ask.ts";
import { type DatabaseName, databaseNameOf, openDatabase } from "../open-database.ts";
import type { ProcessState } from "../server-messages.ts";
import { type ServerProcess, startServer, withServer } from "../server-process.ts";
import { runBatches } from "./batches.ts";
import { checkFile, checkStored } from "./check-stored.ts";
import type { SoakRun } from "./client.ts";
import { runLeavingBatches } from "./leaving-batches.ts";
import { runLeavingWriter } from "./leaving-writers.ts";
import { Ledger } from "./ledger.ts";
import { growthOf, leftOpen, type Sample } from "./memory-curve.ts";
import { runDearReads, runMistakes } from "./mistakes.ts";
import { FixedReads, runReader } from "./readers.ts";
import { runLeavingReader, runPipeline, runSlowReader, runSlowSender } from "./rude-clients.ts";
import { createSoakTables, FIXED_ROWS, SOAK_PREFIX } from "./soak-model.ts";
import { runStalledReader } from "./stalled-reader.ts";
import { type KindFigures, Tally } from "./tally.ts";
import { runWriter } from "./writers.ts";

/** The figures of a soak. */
export interface SoakResult {
  readonly database: DatabaseName;
  readonly seconds: number;
  readonly requests: number;
  /** CPU time of the server as a share of the time: 1 is one busy core. */
  readonly cpu: number;
  readonly kinds: readonly KindFigures[];
  readonly samples: readonly Sample[];
  /** The server without requests, before the load and after it. */
  readonly idle: { readonly before: ProcessState; readonly after: ProcessState };
  /** The acknowledged orders at the end. */
  readonly orders: number;
  readonly violations: readonly string[];
}

const SERVER = "soak-server.ts";
/** How many clients of each kind run at the same time. */
const CLIENTS = {
  readers: 12,
  writers: 8,
  leavingWriters: 2,
  mistakes: 2,
  leavingReaders: 3,
  slowReaders: 2,
  batches: 2,
} as const;
const MOST_SAMPLES = 40;
/** Milliseconds in which sockets close after the last request: `keepAliveTimeout` of the server, and more. */
const REST = 8000;

/** Loads a server over an empty database. */
export async function runSoak(place: string, seconds: number): Promise<SoakResult> {
  const database = databaseNameOf(place);
  const db = openDatabase(place);
  await createSoakTables(db, database);
  await db.destroy();
  const tally = new Tally();
  const ledger = new Ledger();
  const { process: server, end } = await startServer("soak", SERVER, [place]);
  try {
    const loaded = await loadServer(server, tally, ledger, seconds);
    for (const fault of await checkStored(server.port, ledger)) tally.violate("stored", fault);
    const code = await server.close();
    if (code !== 0) tally.violate("end", `the process did not end by itself after close(), exit code ${String(code)}`);
    await withServer("soak", SERVER, [place], async (again) => {
      for (const fault of await checkStored(again.port, ledger)) tally.violate("stored, after a restart", fault);
    });
    if (database === "sqlite") for (const fault of checkFile(place)) tally.violate("file", fault);
    const { requests } = tally;
    return {
      database,
      seconds,
      requests,
      ...loaded,
      kinds: tally.figures(),
      orders: ledger.size,
      violations: tally.violations(),
    };
  } finally {
    await end();
  }
}

type Loaded = Pick<SoakResult, "cpu" | "samples" | "idle">;

async function loadServer(server: ServerProcess, tally: Tally, ledger: Ledger, seconds: number): Promise<Loaded> {
  await warmUp(server.port);
  const before = await stateAtRest(server, tally);
  const begun = performance.now();
  const { server: cpuBefore } = await server.cpu();
  const elapsed = (): number => (performance.now() - begun) / 1000;
  const clients = startClients({ port: server.port, tally, isOver: () => elapsed() >= seconds }, ledger);
  const samples: Sample[] = [];
  while (elapsed() < seconds) {
    await sleep((1000 * seconds) / MOST_SAMPLES);
    const state = await server.state();
    noteErrors(state, tally);
    samples.push({ seconds: elapsed(), requests: tally.requests, state });
  }
  await Promise.all(clients);
  const cpu = ((await server.cpu()).server - cpuBefore) / 1e6 / elapsed();
  const after = await stateAtRest(server, tally);
  for (const growth of growthOf(samples)) tally.violate("memory", growth);
  for (const left of leftOpen(before, after)) tally.violate("left open", left);
  return { cpu, samples, idle: { before, after } };
}

/** Opens connections to the database, and starts the threads that read, so that they exist before the load. */
async function warmUp(port: number): Promise<void> {
  const paths = [
    "/Products?$orderby=Description",
    `/Products?$top=${String(FIXED_ROWS.products)}`,
    "/Products(1)",
    "/Orders",
  ];
  for (let round = 0; round < 3; round += 1) {
    await Promise.all(
      Array.from({ length: 16 }, (_none, index) => ask(port, SOAK_PREFIX + (paths[index % paths.length] ?? ""))),
    );
  }
}

async function stateAtRest(server: ServerProcess, tally: Tally): Promise<ProcessState> {
  await sleep(REST);
  const state = await server.state();
  noteErrors(state, tally);
  return state;
}

function noteErrors({ errors }: ProcessState, tally: Tally): void {
  for (const error of errors) tally.violate("logged error", error);
}

function startClients(run: SoakRun, ledger: Ledger): ReadonlyArray<Promise<void>> {
  const reads = new FixedReads();
  const many = (count: number, start: (index: number) => Promise<void>): ReadonlyArray<Promise<void>> =>
    Array.from({ length: count }, (_none, index) => start(1 + index));
  return [
    ...many(CLIENTS.readers, (index) => runReader(run, reads, 100 + index)),
    ...many(CLIENTS.writers, (index) => runWriter(run, ledger, index)),
    ...many(CLIENTS.leavingWriters, (index) => runLeavingWriter(run, ledger, 200 + index)),
    ...many(CLIENTS.mistakes, (index) => runMistakes(run, 300 + index)),
    ...many(CLIENTS.leavingReaders, (index) => runLeavingReader(run, 400 + index)),
    ...many(CLIENTS.slowReaders, (index) => runSlowReader(run, 500 + index)),
    ...many(CLIENTS.batches, (index) => runBatches(run, ledger, reads, 900 + index)),
    runLeavingBatches(run, ledger, 950),
    runStalledReader(run),
    runSlowSender(run, 600),
    runPipeline(run, 700),
    runDearReads(run, 800),
  ];
}
