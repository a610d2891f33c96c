import { readFileSync, writeFileSync } from "node:fs";

/** Returns the megabytes by which the memory of this process grows while it works, at the most. */
export async function memoryGrowth(work: () => Promise<void>): Promise<number> {
  // Makes the present memory the peak.
  writeFileSync("/proc/self/clear_refs", "5");
  const before = megabytes("VmRSS");
  await work();
  return megabytes("VmHWM") - before;
}

function megabytes(name: string): number {
  const kilobytes = new RegExp(`^${name}:\\s*(\\d+) kB$`, "m").exec(readFileSync("/proc/self/status", "utf8"))?.[1];
  return Number(kilobytes) / 1024;
}
