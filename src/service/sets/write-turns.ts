import { startTimer, withinTime } from "../../base/within-time.ts";

/**
 * Lets the writes of one entity run one after another, where no database locks it: the values that a rule reads of the entity
 * stay until the write ends.
 * @see docs/reference/handlers.md, Rules that read the stored entity
 */
export class WriteTurns {
  /** The end of the last write of each entity that is being written. */
  readonly #ends = new Map<string, Promise<void>>();

  /**
   * Runs a write after all earlier writes of the entity. A write that never ends does not stop the later ones.
   * @param timeout how long it waits for them, and how long later ones wait for it, in milliseconds; null: without limit
   * @throws the error of the write, or of `late`
   */
  async run<T>(
    entity: string,
    { timeout, late }: { readonly timeout: number | null; readonly late: (timeout: number) => Error },
    write: () => Promise<T>,
  ): Promise<T> {
    const before = this.#ends.get(entity);
    let end = (): void => undefined;
    const own = new Promise<void>((resolve) => {
      end = resolve;
    });
    // Also a write that has not waited for the end of its time follows the earlier ones.
    const last = before === undefined ? own : before.then(() => own);
    this.#ends.set(entity, last);
    void last.then(() => {
      if (this.#ends.get(entity) === last) this.#ends.delete(entity);
    });
    let timer: ReturnType<typeof startTimer> | undefined;
    try {
      if (before !== undefined) await withinTime(before, timeout, late);
      if (timeout !== null) timer = startTimer(end, timeout);
      return await write();
    } finally {
      clearTimeout(timer);
      end();
    }
  }
}
