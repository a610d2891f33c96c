import type { ExitReason } from "./exit-codes.ts";
import type { Problem } from "./problem.ts";
import type { Terminal } from "./terminal.ts";

/** Writes problems to the standard error. @returns the reason of the first one */
export function reportProblems(problems: readonly Problem[], terminal: Terminal): ExitReason {
  for (const { message, fix } of problems) terminal.report(`odatakit: ${message} ${fix}`);
  return problems[0]?.reason ?? "usage";
}
