import type { Worker } from "node:worker_threads";
import { builtinModule } from "../../../base/host.ts";
import type { Patience } from "../../connection/patient-reader.ts";
import type { SqliteSettings } from "./prepared-statement.ts";
import type { FittingRows } from "./read-fitting.ts";
import type { ReadPart, ReadRequest, ReadResult, ThreadData } from "./reader-messages.ts";

/**
 * The statements that wait for a reader thread. Clients take turns, and so do the requests of a client: many statements of
 * one client do not delay those of others, and many statements of one request not those of other requests of its client.
 */
export class ReaderQueue {
  /** By client, then by request, both in the order of their turns. */
  readonly #clients = new Map<Job["client"], Map<object, Job[]>>();
  #size = 0;

  /** The number of waiting statements. */
  get size(): number {
    return this.#size;
  }

  /** Whether the queue has no place for a client, which may hold half of it. @param most the places of the queue */
  isFullFor(client: Job["client"], most: number): boolean {
    if (this.#size >= most) return true;
    const requests = this.#clients.get(client);
    if (requests === undefined) return false;
    let held = 0;
    for (const jobs of requests.values()) held += jobs.length;
    return held >= Math.max(1, Math.floor(most / 2));
  }

  add(job: Job): void {
    const requests = this.#clients.get(job.client) ?? new Map<object, Job[]>();
    const jobs = requests.get(job.owner) ?? [];
    jobs.push(job);
    requests.set(job.owner, jobs);
    this.#clients.set(job.client, requests);
    this.#size += 1;
  }

  /** Takes the first statement of the next request of the next client that can run now; null without any. */
  take(canRun: (job: Job) => boolean): Job | null {
    for (const [client, requests] of this.#clients) {
      for (const [owner, jobs] of requests) {
        const [job] = jobs;
        if (job === undefined || !canRun(job)) continue;
        this.remove(job);
        moveToEnd(requests, owner);
        moveToEnd(this.#clients, client);
        return job;
      }
    }
    return null;
  }

  /** Takes a statement out of the queue. Returns whether it was there. */
  remove(job: Job): boolean {
    const requests = this.#clients.get(job.client);
    const jobs = requests?.get(job.owner);
    const at = jobs?.indexOf(job) ?? -1;
    if (requests === undefined || jobs === undefined || at < 0) return false;
    jobs.splice(at, 1);
    this.#size -= 1;
    if (jobs.length === 0) requests.delete(job.owner);
    if (requests.size === 0) this.#clients.delete(job.client);
    return true;
  }

  /** Returns the waiting statements. */
  jobs(): readonly Job[] {
    return [...this.#clients.values()].flatMap((requests) => [...requests.values()].flat());
  }

  clear(): void {
    this.#clients.clear();
    this.#size = 0;
  }
}

function moveToEnd<K, V>(map: Map<K, V>, key: K): void {
  const value = map.get(key);
  if (value === undefined) return;
  map.delete(key);
  map.set(key, value);
}

/** A snapshot of the database, which one thread reads. */
export interface ThreadSnapshot {
  readonly id: number;
  readonly thread: object;
}

/** A statement for a thread, without the facts of its run. */
export interface Wanted extends Pick<ReadRequest, "sql" | "values" | "isFirst" | "room"> {
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
  readonly resolve: (found: FittingRows) => void;
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
  /** The rows of its statement that have come before the end. */
  parts: Array<FittingRows["rows"]>;
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
    parts: [],
    snapshots: 0,
    isLarge: false,
  };
  worker.on("message", (message: ReadPart | ReadResult) => {
    if (!("part" in message)) return finish(thread, message);
    if (message.id !== thread.last) return;
    if (message.part === null) thread.parts = [];
    else thread.parts.push(message.part);
  });
  worker.on("error", (error) => fail(thread, error));
  worker.unref();
  return thread;
}
