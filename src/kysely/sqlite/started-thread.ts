import type { Worker } from "node:worker_threads";
import { builtinModule } from "../../base/host.ts";
import type { Patience } from "../connection/patient-reader.ts";
import type { ReadRequest, ReadResult, ThreadData } from "./reader-messages.ts";
import type { SqliteSettings } from "./sqlite-settings.ts";

/** A snapshot of the database, which one thread reads. */
export interface ThreadSnapshot {
  readonly id: number;
  readonly thread: object;
}

/** A statement for a thread, without the facts of its run. */
export interface Wanted extends Pick<ReadRequest, "sql" | "values" | "isFirst" | "fetch"> {
  /** Absent: the last committed rows. */
  readonly snapshot?: ThreadSnapshot | undefined;
}

/** A statement that waits or runs. */
export interface Job extends Wanted {
  readonly timeout: NonNullable<Patience["timeout"]> | null;
  deadline: number;
  /** Called when a thread begins the statement. */
  readonly begin: () => void;
  /** Statements of one request share it. */
  readonly owner: object;
  /** Requests of one client share it: its name, or the owner of the only request that is known to be its own. */
  readonly client: string | object;
  readonly end: (finish: () => void) => void;
  readonly resolve: (rows: readonly (readonly unknown[])[]) => void;
  readonly reject: (error: unknown) => void;
}

/** A thread, and the statement that it runs. */
export interface Thread {
  readonly worker: Worker;
  readonly flag: Int32Array;
  /** The number of its last statement. */
  last: number;
  /** Null for an idle thread. */
  job: Job | null;
  isRunning: boolean;
  /** The number of open snapshots. */
  snapshots: number;
  /** Whether it keeps much memory since its last statement. */
  isLarge: boolean;
}

/** Receives the results of a thread, and the error that ends it. */
interface ThreadListener {
  readonly finish: (thread: Thread, result: ReadResult) => void;
  readonly fail: (thread: Thread, error: unknown) => void;
}

/** Megabytes of the heap for new objects: a third of the default, which grows and does not shrink. */
const YOUNG = 24;

/** Starts a thread, which does not keep the process alive. @param entry its file */
export function startThread(entry: URL, settings: SqliteSettings, { finish, fail }: ThreadListener): Thread {
  const cancelled = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  const workerData: ThreadData = { settings, cancelled };
  const resourceLimits = { maxYoungGenerationSizeMb: YOUNG };
  const threads = builtinModule("node:worker_threads") as typeof import("node:worker_threads");
  const worker = new threads.Worker(entry, { workerData, resourceLimits, name: "odatakit reader" });
  const thread: Thread = {
    worker,
    flag: new Int32Array(cancelled),
    last: 0,
    job: null,
    isRunning: false,
    snapshots: 0,
    isLarge: false,
  };
  worker.on("message", (result: ReadResult) => finish(thread, result));
  worker.on("error", (error) => fail(thread, error));
  worker.unref();
  return thread;
}
