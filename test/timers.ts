import { setTimeout as pause } from "node:timers/promises";
import { onTestFinished, vi } from "vitest";

/** More milliseconds than a test runs: a limit that ends nothing, unless `passTime` lets it pass. */
export const NEVER = 1_000_000;

/**
 * Stops the timers of this process until the test ends: `passTime` alone lets time pass. Databases, threads, sockets and
 * `node:timers/promises` continue, so that no limit is over too early on a slow machine. Wait with `until` meanwhile:
 * `expect.poll` would let time pass.
 */
export function stopTimers(): void {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
}

/** Stops `performance.now()`, too. */
export function stopClock(): void {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
}

/** Lets so many milliseconds pass for stopped timers. */
export async function passTime(time: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(time);
}

/** Waits for a condition, which otherwise fails with the time of the test. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await pause(5);
}

/** @returns a function that waits for a further timer: work that begins meanwhile has its limit then */
export function nextTimer(): () => Promise<void> {
  const before = vi.getTimerCount();
  return () => until(() => vi.getTimerCount() > before);
}
