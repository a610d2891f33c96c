import process from "node:process";

/**
 * Returns how many milliseconds of the processor this process has used. A machine that does much else slows the clock of a
 * test, but not this one.
 */
export function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
