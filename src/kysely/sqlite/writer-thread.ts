import type { SQLInputValue } from "node:sqlite";
import type { Worker } from "node:worker_threads";
import { builtinModule } from "../../base/host.ts";
import type { ChangedRows } from "./changed-rows.ts";
import { receiveError } from "./reader-messages.ts";
import type { SqliteSettings } from "./sqlite-settings.ts";
import type { WriteRequest, WriteResult, WriterData, WriteStep } from "./writer-messages.ts";

/** A step that waits for its end. */
interface Pending {
  readonly resolve: (changed: ChangedRows | null) => void;
  readonly reject: (error: Error) => void;
}

/** A thread with a writable connection. It does one step after another. While it does nothing, it does not keep the process alive. */
export class WriterThread {
  readonly #worker: Worker;
  #last = 0;
  readonly #pending = new Map<number, Pending>();
  /** Why it does nothing any longer; null while it runs. */
  #failure: Error | null = null;
  /** Whether it keeps much memory since its last step. */
  isLarge = false;
  /** Whether a transaction was open after its last step. */
  isTransaction = false;

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

  /** Does one step, after all earlier ones. @throws the errors of the database, or of the thread */
  run(step: WriteStep): Promise<ChangedRows | null> {
    if (this.#failure !== null) return Promise.reject(this.#failure);
    this.#last += 1;
    const id = this.#last;
    this.#worker.ref();
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      const request: WriteRequest =
        "values" in step ? { ...step, values: step.values.map(alone), id } : { ...step, id };
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread of Node.js has no origin
      this.#worker.postMessage(request);
    });
  }

  /** Closes the connection after all earlier steps, and ends the thread. An open transaction is undone. */
  async end(): Promise<void> {
    if (this.#failure !== null) return;
    // A connection that cannot be closed ends with its thread.
    const ended = this.run({ ends: true }).catch(() => undefined);
    // A later step would open the connection again.
    this.#failure = new Error("The SQLite database was closed while a transaction was open: it is undone.");
    await ended;
    await this.#worker.terminate();
  }

  #finish(result: WriteResult): void {
    const pending = this.#pending.get(result.id);
    this.isLarge = result.isLarge;
    this.isTransaction = result.isTransaction;
    this.#pending.delete(result.id);
    if (this.#pending.size === 0) this.#worker.unref();
    if ("error" in result) pending?.reject(receiveError(result.error));
    else pending?.resolve(result.changed);
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    this.isTransaction = false;
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
  }
}

/** Copies bytes out of a larger memory, which a message would copy as a whole. */
function alone(value: SQLInputValue): SQLInputValue {
  if (!ArrayBuffer.isView(value) || value.byteLength === value.buffer.byteLength) return value;
  return new Uint8Array(value.buffer, value.byteOffset, value.byteLength).slice();
}
