import type { Worker } from "node:worker_threads";
import { builtinModule } from "../../base/host.ts";
import type { ChangedRows } from "./changed-rows.ts";
import { receiveError } from "./reader-messages.ts";
import type { SqliteSettings } from "./sqlite-database.ts";
import type { WriteRequest, WriteResult, WriterData, WriteStep } from "./writer-messages.ts";

/** The step that waits for its end. */
interface Pending {
  readonly id: number;
  readonly resolve: (changed: ChangedRows | null) => void;
  readonly reject: (error: Error) => void;
}

/** A thread with a writable connection. It does one step at a time. While it does nothing, it does not keep the process alive. */
export class WriterThread {
  readonly #worker: Worker;
  #last = 0;
  #pending: Pending | null = null;
  /** Why it does nothing any longer; null while it runs. */
  #failure: Error | null = null;
  /** Whether it keeps much memory since its last step. */
  isLarge = false;

  /** @param entry the file of a thread, as `threadEntry` finds it */
  constructor(entry: URL, settings: SqliteSettings) {
    const threads = builtinModule("node:worker_threads") as typeof import("node:worker_threads");
    const workerData: WriterData = { writerSettings: settings };
    this.#worker = new threads.Worker(entry, { workerData, name: "odatakit writer" });
    this.#worker.on("message", (result: WriteResult) => this.#finish(result));
    this.#worker.on("error", (error) => this.#fail(error instanceof Error ? error : new Error(String(error))));
    this.#worker.on("exit", () => this.#fail(new Error("The writer thread has ended.")));
    this.#worker.unref();
  }

  /** Whether it can do further steps. */
  get isAlive(): boolean {
    return this.#failure === null;
  }

  /** Does one step. Do not call it before the previous step has ended. @throws the errors of the database, or of the thread */
  run(step: WriteStep): Promise<ChangedRows | null> {
    if (this.#failure !== null) return Promise.reject(this.#failure);
    this.#last += 1;
    const id = this.#last;
    this.#worker.ref();
    return new Promise((resolve, reject) => {
      this.#pending = { id, resolve, reject };
      const request: WriteRequest = { ...step, id };
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread of Node.js has no origin
      this.#worker.postMessage(request);
    });
  }

  /** Closes the connection, and ends the thread. */
  async end(): Promise<void> {
    if (this.#failure !== null) return;
    // A connection that cannot be closed ends with its thread.
    await this.run({ ends: true }).catch(() => undefined);
    await this.#worker.terminate();
  }

  #finish(result: WriteResult): void {
    const pending = this.#pending;
    this.isLarge = result.isLarge;
    if (pending?.id !== result.id) return;
    this.#pending = null;
    this.#worker.unref();
    if ("error" in result) pending.reject(receiveError(result.error));
    else pending.resolve(result.changed);
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    this.#pending?.reject(error);
    this.#pending = null;
  }
}
