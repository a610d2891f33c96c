import type { DatabaseFinding } from "odatakit/check";
import { printable } from "../redact.ts";

/** How a finding counts. */
export type Severity = DatabaseFinding["severity"];

const SHORT: Readonly<Record<Severity, string>> = { error: "error", warning: "warn", info: "info" };

/** Returns the lines for a reader: two for each finding. */
export function describeFindings(findings: readonly DatabaseFinding[]): readonly string[] {
  const width = Math.max(0, ...findings.map(({ subject }) => subject.length));
  return findings.flatMap(({ severity, code, subject, message, fix }) => [
    `  ${SHORT[severity].padEnd(5)}  ${code}  ${subject.padEnd(width)}  ${printable(message)}`,
    `              → ${printable(fix)}`,
  ]);
}

/** Counts findings of one severity. */
export function countOf(findings: readonly DatabaseFinding[], severity: Severity): number {
  return findings.filter((each) => each.severity === severity).length;
}

/** Returns a number with a noun. */
export function counted(count: number, noun: string): string {
  return `${String(count)} ${noun}${count === 1 ? "" : "s"}`;
}

const LEVELS: Readonly<Record<Severity, string>> = { error: "error", warning: "warning", info: "notice" };

/**
 * Returns a finding as an annotation of a workflow of GitHub.
 * @see https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions
 */
export function annotationOf({ severity, code, subject, message, fix }: DatabaseFinding): string {
  return `::${LEVELS[severity]} title=${escapeProperty(`${code} ${subject}`)}::${escapeData(`${message} → ${fix}`)}`;
}

function escapeData(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
