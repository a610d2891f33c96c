import type { WritePatience } from "../connection/synchronous-reader.ts";
import { reasonOf } from "./reader-faults.ts";

/** Users of a connection, one at a time, in the order in which they asked for it. */
export class Turns {
  readonly #waiting: (() => void)[] = [];
  #isTaken = false;

  /**
   * Resolves when all earlier users have given the connection back.
   * @throws the reason of the signal, if the client disconnects meanwhile
   */
  take(patience: WritePatience | undefined): Promise<void> {
    if (!this.#isTaken) {
      this.#isTaken = true;
      return Promise.resolve();
    }
    const signal = patience?.signal();
    return new Promise((resolve, reject) => {
      const begin = (): void => {
        signal?.removeEventListener("abort", leave);
        resolve();
      };
      const leave = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(begin), 1);
        reject(reasonOf(signal));
      };
      this.#waiting.push(begin);
      signal?.addEventListener("abort", leave, { once: true });
    });
  }

  /** Passes the connection on to the next user. */
  giveBack(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#isTaken = false;
    else next();
  }
}
