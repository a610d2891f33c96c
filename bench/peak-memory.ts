import { readFileSync, writeFileSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/**
 * Returns the largest memory that this process has had, in bytes. `maxRSS` of Node.js is not less than the memory that the
 * parent had when it started the process.
 * @see docs/explanations/measurements.md
 */
export function peakMemory(): number {
  const [, kilobytes] = /^VmHWM:\s*(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8")) ?? [];
  if (kilobytes === undefined) throw new Error("The system does not state the peak memory of a process.");
  return Number(kilobytes) * 1024;
}

/** Makes the present memory of this process its peak. @returns it, in bytes */
export function resetPeakMemory(): number {
  writeFileSync("/proc/self/clear_refs", "5");
  return peakMemory();
}

/** Frees the memory of earlier work, so that the next one is measured alone. */
export function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc()");
}
