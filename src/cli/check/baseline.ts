import { existsSync, readFileSync, writeFileSync } from "node:fs";
import type { DatabaseFinding } from "odatakit/check";
import { usageProblem, type Problem } from "../problem.ts";

/** The accepted findings of a project, as its file contains them. */
interface Baseline {
  readonly accepted: ReadonlySet<string>;
}

/** What identifies a finding in a baseline. A finding that becomes more severe is a new one. */
export function baselineKey({ severity, code, subject, table, column }: DatabaseFinding): string {
  const place = [table, column].filter((part) => part !== undefined).join(".");
  return [severity, code, subject, place].filter((part) => part !== "").join(" ");
}

/** Reads a baseline; null if the file does not exist. */
export function readBaseline(path: string): Baseline | Problem | null {
  if (!existsSync(path)) return null;
  const fix = "Correct the file, or remove it and run `odatakit check` again.";
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return usageProblem(`The baseline ${path} cannot be read: ${reason}`, fix);
  }
  const accepted = typeof content === "object" && content !== null && "accepted" in content ? content.accepted : null;
  if (Array.isArray(accepted) && accepted.every((key): key is string => typeof key === "string")) {
    return { accepted: new Set(accepted) };
  }
  return usageProblem(`The baseline ${path} has no list \`accepted\`.`, fix);
}

/** Writes the findings of today. Equal findings make equal files. */
export function writeBaseline(path: string, findings: readonly DatabaseFinding[]): void {
  const accepted = [...new Set(findings.map(baselineKey))].toSorted();
  writeFileSync(path, `${JSON.stringify({ accepted }, null, 2)}\n`);
}
