import { queryTimeout } from "../../../base/errors/odata-error.ts";
import { builtinModule } from "../../../base/host.ts";
import { startTimer, withinTime } from "../../../base/within-time.ts";
import type { Patience } from "../../connection/patient-reader.ts";
import type { SqliteSettings } from "./prepared-statement.ts";
import { lostSnapshot, reasonOf, tooManyQueued } from "./reader-faults.ts";
import { receiveError, type ReadRequest, type ReadResult, type SnapshotEnd } from "./reader-messages.ts";
import { ReaderQueue, type Job, startThread, type Thread, type ThreadSnapshot, type Wanted } from "./reader-queue.ts";

/** Milliseconds in which a thread must end a statement that was cancelled or is late, before it is replaced. */
const GRACE = 500;

/** The milliseconds for a statement without a time limit of its request. */
const USUAL_TIMEOUT = 10_000;

type Rows = readonly (readonly unknown[])[];

/**
 * The threads that run the long statements of one database file. They start when they are needed. Waiting clients take
 * turns, and so do the requests of a client.
 */
export class ReaderThreads {
  readonly #settings: SqliteSettings;
  readonly #entry: URL;
  readonly #threads = new Set<Thread>();
  /** Threads that do not end: their statement does not call `odata_alive()`. */
  #lost = 0;
  /** The ends of threads that were replaced because of their memory. */
  readonly #retiring = new Set<Promise<unknown>>();
  readonly #queue = new ReaderQueue();
  #isClosed = false;
  #lastSnapshot = 0;

  /** @param entry the file of a thread, as `threadEntry` finds it */
  constructor(settings: SqliteSettings, entry: URL) {
    this.#settings = settings;
    this.#entry = entry;
  }

  /**
   * Runs a guarded statement in a thread.
   * @throws ODataError `QueryTimeout` after the timeout, `ServiceUnavailable` if too many statements wait, or half as many of
   *   this client; the reason of the signal; errors of the statement
   */
  read(wanted: Wanted, { signal, timeout = USUAL_TIMEOUT, caller, bytes }: Patience): Promise<Rows> {
    const { maxQueuedQueries } = this.#settings;
    if (this.#isClosed) return Promise.reject(new Error(`The SQLite database ${this.#settings.file} was closed.`));
    if (signal?.aborted === true) return Promise.reject(reasonOf(signal));
    const { snapshot } = wanted;
    const owner = signal ?? {};
    const client = caller?.client ?? owner;
    const isFull = this.#idle() === undefined && this.#queue.isFullFor(client, maxQueuedQueries);
    if (isFull) return Promise.reject(tooManyQueued());
    if (snapshot !== undefined && this.#threadOf(snapshot) === undefined) return Promise.reject(lostSnapshot());
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        this.#give(job, () => job.reject(reasonOf(signal)));
      };
      const late = (): void => {
        this.#give(job, () => job.reject(queryTimeout(timeout ?? 0)));
      };
      const isBehindOthers = this.#isBusyForOthers(client);
      let timer = timeout === null ? undefined : startTimer(late, isBehindOthers ? timeout + GRACE : timeout);
      let isEnded = false;
      const job: Job = {
        ...wanted,
        timeout,
        deadline: timeout === null ? Infinity : performance.now() + timeout,
        begin: () => {
          if (timeout === null || !isBehindOthers) return;
          clearTimeout(timer);
          timer = startTimer(late, timeout);
          job.deadline = performance.now() + timeout;
        },
        owner,
        client,
        resolve: ({ rows, used, isOver }) => {
          bytes?.merge(used, isOver);
          resolve(rows);
        },
        reject,
        end: (finish) => {
          if (isEnded) return;
          isEnded = true;
          clearTimeout(timer);
          signal?.removeEventListener("abort", onAbort);
          finish();
        },
      };
      signal?.addEventListener("abort", onAbort, { once: true });
      this.#queue.add(job);
      this.#next();
    });
  }

  /**
   * Whether all threads run statements of other clients. A statement that waits for these has its whole time from its start on:
   * otherwise slow statements of one client would use up the time of another.
   */
  #isBusyForOthers(client: Job["client"]): boolean {
    const threads = [...this.#threads];
    if (typeof client !== "string" || threads.length === 0) return false;
    return threads.every(({ isRunning, job }) => isRunning && job?.client !== client);
  }

  /** Makes a snapshot, which begins with its first statement. End it. @throws ODataError if no thread can start */
  openSnapshot(): ThreadSnapshot {
    const [fewest] = [...this.#threads].toSorted((left, right) => left.snapshots - right.snapshots);
    const thread = fewest === undefined || fewest.snapshots > 0 ? (this.#start() ?? fewest) : fewest;
    if (thread === undefined || this.#isClosed) throw tooManyQueued();
    thread.snapshots += 1;
    this.#lastSnapshot += 1;
    return { id: this.#lastSnapshot, thread };
  }

  /** Ends a snapshot. Its waiting statements fail: they would begin it again. */
  endSnapshot(snapshot: ThreadSnapshot): void {
    const waiting = this.#queue.jobs().filter((job) => job.snapshot === snapshot);
    for (const job of waiting) this.#give(job, () => job.reject(lostSnapshot()));
    const found = this.#threadOf(snapshot);
    if (found === undefined) return;
    found.snapshots -= 1;
    const end: SnapshotEnd = { ends: snapshot.id };
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread of Node.js has no origin
    found.worker.postMessage(end);
    this.#retireIfLarge(found);
  }

  #threadOf({ thread: wanted }: ThreadSnapshot): Thread | undefined {
    return [...this.#threads].find((thread) => thread === wanted);
  }

  /** Ends all threads; waiting and running statements fail. Resolves after the threads, but waits for them no longer than `GRACE`. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const closed = new Error(`The SQLite database ${this.#settings.file} was closed.`);
    for (const job of this.#queue.jobs()) job.end(() => job.reject(closed));
    this.#queue.clear();
    const threads = [...this.#threads];
    this.#threads.clear();
    for (const { job, flag, last } of threads) {
      Atomics.store(flag, 0, last);
      job?.end(() => job.reject(closed));
    }
    const ended = Promise.all([...threads.map(({ worker }) => worker.terminate()), ...this.#retiring]);
    // A thread whose statement does not end is given up.
    await withinTime(ended, GRACE, () => closed).catch(() => undefined);
  }

  /** Gives statements to idle threads: one of a snapshot, to the thread of the snapshot. */
  #next(): void {
    let thread: Thread | undefined;
    const canRun = ({ snapshot }: Job): boolean => (thread = this.#threadFor(snapshot)) !== undefined;
    for (let job = this.#queue.take(canRun); job !== null; job = this.#queue.take(canRun)) {
      const { snapshot, end, reject } = job;
      if (thread === undefined) return;
      if (snapshot === undefined || this.#threadOf(snapshot) !== undefined) this.#run(thread, job);
      else end(() => reject(lostSnapshot()));
    }
  }

  #threadFor(snapshot: ThreadSnapshot | undefined): Thread | undefined {
    if (snapshot === undefined || this.#threadOf(snapshot) === undefined) return this.#idle() ?? this.#start();
    const thread = this.#threadOf(snapshot);
    return thread?.isRunning === true ? undefined : thread;
  }

  #idle(): Thread | undefined {
    for (const thread of this.#threads) if (!thread.isRunning) return thread;
    return undefined;
  }

  #run(thread: Thread, job: Job): void {
    thread.last += 1;
    thread.parts = [];
    thread.job = job;
    thread.isRunning = true;
    // An idle thread does not keep the process alive.
    thread.worker.ref();
    job.begin();
    const { sql, values, isFirst, room, timeout, deadline, snapshot } = job;
    const remaining = Math.min(deadline - performance.now(), Number.MAX_SAFE_INTEGER);
    const request: ReadRequest = {
      id: thread.last,
      sql,
      values,
      isFirst,
      room,
      timeout,
      remaining,
      snapshot: snapshot?.id,
    };
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread of Node.js has no origin
    thread.worker.postMessage(request);
  }

  /** Gives up a statement: takes it out of the queue, or stops it. */
  #give(job: Job, finish: () => void): void {
    job.end(finish);
    if (this.#queue.remove(job)) return;
    const thread = [...this.#threads].find((each) => each.job === job);
    if (thread !== undefined) this.#stop(thread);
  }

  #stop(thread: Thread): void {
    const { last, flag } = thread;
    thread.job = null;
    Atomics.store(flag, 0, last);
    const replace = (): void => {
      if (thread.isRunning && thread.last === last) this.#replace(thread);
    };
    setTimeout(replace, GRACE).unref();
  }

  /** Ends a thread that does not stop its statement. It runs until SQLite returns, and counts as busy for so long. */
  #replace(thread: Thread): void {
    if (!this.#threads.delete(thread)) return;
    this.#lost += 1;
    const ended = (): void => {
      this.#lost -= 1;
      this.#next();
    };
    void thread.worker.terminate().then(ended, ended);
    this.#next();
  }

  /** Starts a thread; undefined if there are enough. A lost thread is replaced once. */
  #start(): Thread | undefined {
    const { readerThreads } = this.#settings;
    if (this.#threads.size >= readerThreads || this.#threads.size + this.#lost >= 2 * readerThreads) return undefined;
    const thread = startThread(this.#entry, this.#settings, {
      finish: (ended, result) => this.#finish(ended, result),
      fail: (ended, error) => this.#fail(ended, error),
    });
    this.#threads.add(thread);
    return thread;
  }

  #finish(thread: Thread, result: ReadResult): void {
    if (result.id !== thread.last) return;
    const { job, parts } = thread;
    thread.job = null;
    thread.parts = [];
    thread.isRunning = false;
    thread.isLarge = result.isLarge;
    thread.worker.unref();
    job?.end(() => {
      if (!("rows" in result)) job.reject(receiveError(result.error));
      else job.resolve(parts.length === 0 ? result : { ...result, rows: [...parts, result.rows].flat() });
    });
    this.#retireIfLarge(thread);
    this.#next();
  }

  /** Ends an idle thread with a large heap, whose garbage nothing else would free. The next statement starts another. */
  #retireIfLarge(thread: Thread): void {
    if (!thread.isLarge || thread.isRunning || thread.snapshots > 0 || !this.#threads.delete(thread)) return;
    const end = thread.worker.terminate().finally(() => this.#retiring.delete(end));
    this.#retiring.add(end);
  }

  /** A thread that cannot start, or has failed, is replaced by the next statement. */
  #fail(thread: Thread, error: unknown): void {
    this.#threads.delete(thread);
    const { job } = thread;
    job?.end(() => job.reject(error));
    this.#next();
  }
}

/** Finds the file of a reader thread in the folder of this module; null in a bundle without it. */
export function threadEntry(here: string = import.meta.url): URL | null {
  const { existsSync } = builtinModule("node:fs") as typeof import("node:fs");
  const entry = new URL(here.endsWith(".ts") ? "reader-thread.ts" : "reader-thread.js", here);
  return entry.protocol === "file:" && existsSync(entry) ? entry : null;
}
