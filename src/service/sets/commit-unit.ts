import { nextTurn } from "../../base/host.ts";

/** Work of `ctx.afterCommit`. */
interface CommittedWork {
  /** The work of the service in progress. */
  readonly running: RunningWork;
  /** Runs the work, and logs its error. Never rejects. */
  readonly run: () => Promise<void>;
}

/**
 * Writes that are kept or undone together, and the work that follows them: a transaction, a part of one, or outside of
 * transactions a request or a call of `ctx.sets`. A unit that fails is never committed, so its work never runs.
 * @see docs/reference/handlers.md, ctx.afterCommit
 */
export class CommitUnit {
  /** Absent for most units. */
  #work: CommittedWork[] | undefined;
  /** The unit that has taken over the work of this one. */
  #outer: CommitUnit | null = null;
  #isCommitted = false;

  /** Adds work. After the commit, it starts at once. */
  add(work: CommittedWork): void {
    if (this.#outer !== null) this.#outer.add(work);
    else if (this.#isCommitted) work.running.start([work]);
    else (this.#work ??= []).push(work);
  }

  /** Starts the work of this unit. */
  commit(): void {
    this.#isCommitted = true;
    const work = this.#work ?? [];
    this.#work = undefined;
    work[0]?.running.start(work);
  }

  /** Passes the work to the unit of which this one is a part. */
  joinTo(outer: CommitUnit): void {
    this.#outer = outer;
    for (const work of this.#work ?? []) outer.add(work);
    this.#work = undefined;
  }
}

/** The work of `ctx.afterCommit` of one service that is running. */
export class RunningWork {
  readonly #running = new Set<Promise<void>>();

  /** Starts the work of one commit. It runs one after another, and no response waits for it. */
  start(work: readonly CommittedWork[]): void {
    const running = runInOrder(work);
    this.#running.add(running);
    void running.then(() => this.#running.delete(running));
  }

  /** Waits for all work, including work that it adds. */
  async drain(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }
}

async function runInOrder(work: readonly CommittedWork[]): Promise<void> {
  await nextTurn();
  for (const { run } of work) await run();
}
