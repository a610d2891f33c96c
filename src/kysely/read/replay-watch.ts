import { pause } from "../../base/host.ts";
import type { Replay } from "./wal-position.ts";

/** Milliseconds between two readings of the state while requests wait for it. */
const INTERVAL = 10;

/** A request that waits for a state. */
interface Waiter {
  readonly isReached: (replay: Replay) => boolean;
  /** @param replay null: the replica cannot be reached */
  readonly settle: (replay: Replay | null) => void;
}

/** Reads the state of a replica, and whether its connections stayed the same meanwhile, so that the state counts for them. */
export type AskReplay = () => Promise<{ readonly replay: Replay; readonly isStable: boolean }>;

/**
 * Follows how far a replica has replayed the changes of its primary. All requests that wait share one statement at a time,
 * and none of them holds a connection.
 */
export class ReplayWatch {
  readonly #ask: AskReplay;
  readonly #waiters = new Set<Waiter>();
  /** The runs of the server so far. */
  readonly #runs = new Set<string>();
  #last: Replay | null = null;
  #error: unknown;
  /** Whether the last state counts for every connection. */
  #isStable = false;
  #isAmbiguous = false;
  #askedAt = -Infinity;
  #asking: Promise<void> | null = null;
  #isFollowing = false;

  constructor(ask: AskReplay) {
    this.#ask = ask;
  }

  /** The last known state; null before the first, and while the replica cannot be reached. */
  get last(): Replay | null {
    return this.#last;
  }

  /** The error of the last attempt; undefined if it succeeded. */
  get error(): unknown {
    return this.#error;
  }

  /** Whether several servers have answered in turn, whose positions say nothing about one another. */
  get isAmbiguous(): boolean {
    return this.#isAmbiguous;
  }

  /** Whether the last known state shows a position, so that nothing needs to be asked. */
  shows(offset: bigint): boolean {
    return this.#isStable && this.#last?.offset !== null && this.#last !== null && this.#last.offset >= offset;
  }

  /** The connections have changed: they may lead to a server that was started again, with an earlier state. */
  forget(): void {
    this.#isStable = false;
  }

  /** The replica cannot be reached. */
  fail(error: unknown): void {
    this.#last = null;
    this.#isStable = false;
    this.#error = error;
    this.#askedAt = performance.now();
  }

  /** Reads the state if the last attempt is older. Nobody waits for it. @param age in milliseconds */
  refresh(age: number): void {
    if (this.#asking === null && performance.now() - this.#askedAt >= age) void this.#read();
  }

  /**
   * Waits for a state.
   * @param time in milliseconds
   * @returns null if the time is over, or the replica cannot be reached
   * @throws the reason of the signal
   */
  wait(isReached: Waiter["isReached"], time: number, signal: AbortSignal): Promise<Replay | null> {
    signal.throwIfAborted();
    return new Promise((resolve, reject) => {
      const finish = (): void => {
        this.#waiters.delete(waiter);
        clearTimeout(timer);
        signal.removeEventListener("abort", leave);
      };
      const settle: Waiter["settle"] = (replay) => {
        finish();
        resolve(replay);
      };
      const leave = (): void => {
        finish();
        reject(signal.reason as Error);
      };
      const waiter: Waiter = { isReached, settle };
      const timer = setTimeout(() => settle(null), time);
      signal.addEventListener("abort", leave, { once: true });
      this.#waiters.add(waiter);
      if (!this.#isFollowing) void this.#follow();
    });
  }

  /** Reads the state again and again while a request waits. */
  async #follow(): Promise<void> {
    this.#isFollowing = true;
    // A state that is being read may be older than the requests, but never tells too much.
    for (;;) {
      await (this.#asking ?? this.#read());
      if (this.#waiters.size === 0) break;
      await pause(INTERVAL);
    }
    this.#isFollowing = false;
  }

  #read(): Promise<void> {
    this.#askedAt = performance.now();
    const asking = this.#readNow().finally(() => {
      this.#asking = null;
    });
    this.#asking = asking;
    return asking;
  }

  /** Never throws. */
  async #readNow(): Promise<void> {
    try {
      const { replay, isStable } = await this.#ask();
      this.#note(replay, isStable);
    } catch (error) {
      this.fail(error);
    }
    const last = this.#last;
    for (const { isReached, settle } of this.#waiters) if (last === null || isReached(last)) settle(last);
  }

  #note(replay: Replay, isStable: boolean): void {
    const isOtherRun = this.#last !== null && this.#last.started !== replay.started;
    // A server that was started again does not return to its earlier run.
    if (isOtherRun && this.#runs.has(replay.started)) this.#isAmbiguous = true;
    this.#runs.add(replay.started);
    this.#last = replay;
    this.#isStable = isStable && !this.#isAmbiguous;
    this.#error = undefined;
  }
}
