import { expect, onTestFinished, vi } from "vitest";

/** More milliseconds than a test runs: a limit that ends nothing, unless `passTime` lets it pass. */
export const NEVER = 1_000_000;

/**
 * Stops the timers of this process until the test ends: `passTime` alone lets time pass. Databases, threads and sockets
 * continue, so that no limit is over too early on a slow machine.
 */
export function stopTimers(): void {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
}

/** Lets so many milliseconds pass for stopped timers. */
export async function passTime(time: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(time);
}

/** @returns a function that waits for a further timer: work that begins meanwhile has its limit then */
export function nextTimer(): () => Promise<void> {
  const before = vi.getTimerCount();
  return async () => {
    await expect.poll(() => vi.getTimerCount()).toBeGreaterThan(before);
  };
}
