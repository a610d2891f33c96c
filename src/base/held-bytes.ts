import { startTimer } from "./within-time.ts";

/** The share of the limit that a request has from its start, and the most bytes of it. */
const START = 64;
const MOST_START = 1_000_000;

/**
 * Counts the bytes that all requests of a service hold together. A request waits before it holds anything, so requests never wait
 * for each other. Later it gets more as long as there is some, and otherwise ends its page.
 * @see docs/reference/limits.md, Size of a response
 */
export class HeldBytes {
  readonly #most: number;
  readonly #start: number;
  #held = 0;
  readonly #waiting = new Set<() => void>();

  /** @param most Infinity: no limit */
  constructor(most: number) {
    this.#most = Math.floor(most);
    this.#start = Math.min(MOST_START, Math.ceil(most / START));
  }

  /** Returns the share of a new request; null if it must wait. */
  begin(): HeldShare | null {
    if (this.#waiting.size > 0 || this.#held + this.#start > this.#most) return null;
    return this.#open();
  }

  /**
   * Waits for the share of a new request: the longest waiting one is next.
   * @param time in milliseconds
   * @returns null if none is free in time
   * @throws the reason of the signal
   */
  wait(time: number, signal: AbortSignal): Promise<HeldShare | null> {
    return new Promise((resolve, reject) => {
      const settle = (finish: () => void): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", leave);
        this.#waiting.delete(enter);
        finish();
      };
      const enter = (): void => settle(() => resolve(this.#open()));
      const leave = (): void => settle(() => reject(signal.reason as Error));
      const timer = startTimer(() => settle(() => resolve(null)), time);
      this.#waiting.add(enter);
      if (signal.aborted) leave();
      else signal.addEventListener("abort", leave, { once: true });
    });
  }

  #open(): HeldShare {
    this.#held += this.#start;
    const change = (bytes: number): void => {
      this.#held += bytes;
      if (bytes < 0) this.#enterNext();
    };
    return new HeldShare(this.#start, () => Math.max(this.#most - this.#held, 0), change);
  }

  #enterNext(): void {
    for (const enter of this.#waiting) {
      if (this.#held + this.#start > this.#most) return;
      enter();
    }
  }
}

/** The bytes that one request holds. */
export class HeldShare {
  #reserved: number;
  #used = 0;
  #isEnded = false;
  readonly #free: () => number;
  readonly #change: (bytes: number) => void;
  /** Whether bytes were refused because of other requests. */
  isRefused = false;

  constructor(reserved: number, free: () => number, change: (bytes: number) => void) {
    this.#reserved = reserved;
    this.#free = free;
    this.#change = change;
  }

  /** The bytes that it may still hold. */
  get left(): number {
    return this.#reserved - this.#used + this.#free();
  }

  /** Holds bytes, if there is room. */
  take(bytes: number): boolean {
    if (this.#used + bytes > this.#reserved && bytes > this.left) {
      this.isRefused = true;
      return false;
    }
    this.add(bytes);
    return true;
  }

  /** Holds bytes that are there already; negative: gives them back. */
  add(bytes: number): void {
    this.#used += bytes;
    const more = this.#used - this.#reserved;
    if (more <= 0 || this.#isEnded) return;
    this.#reserved += more;
    this.#change(more);
  }

  /** Gives everything back. Further calls have no effect. */
  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#change(-this.#reserved);
  }
}
