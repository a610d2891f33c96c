import { EventEmitter } from "node:events";
import type { Writable } from "node:stream";

/**
 * Writes to a stream, and waits while it, or middleware around it, asks for a pause. Middleware of Express such as
 * `compression` replaces `write` and `on` of a response: both then belong to its own stream, which drains at other times
 * than the response.
 */
export class PacedWriter {
  readonly #target: Writable;
  /** Whether the stream of middleware has more than it can take. */
  #isHeld = false;
  #wake: (() => void) | undefined;

  constructor(target: Writable) {
    this.#target = target;
    target.on("drain", this.#release).on("close", this.#release);
    // The drain of the response itself, whatever `on` is now.
    EventEmitter.prototype.on.call(target, "drain", this.#awake);
  }

  /** Removes the listeners. */
  end(): void {
    this.#target.off("drain", this.#release).off("close", this.#release).off("drain", this.#awake);
  }

  write(chunk: string | Uint8Array): void {
    const { writableNeedDrain: before } = this.#target;
    const isTaken: unknown = this.#target.write(chunk);
    // A stream without middleware states in `writableNeedDrain` what it returns. Some middleware returns undefined.
    if (isTaken === false && !before && !this.#target.writableNeedDrain) this.#isHeld = true;
  }

  /** Resolves when the client has read enough, or has gone; null if nothing asks for a pause. */
  pause(): Promise<void> | null {
    return this.#isPaused() ? this.#untilReleased() : null;
  }

  async #untilReleased(): Promise<void> {
    while (this.#isPaused()) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  #isPaused(): boolean {
    return !this.#target.destroyed && (this.#isHeld || this.#target.writableNeedDrain);
  }

  readonly #release = (): void => {
    this.#isHeld = false;
    this.#awake();
  };

  readonly #awake = (): void => this.#wake?.();
}
