import { printable } from "../redact.ts";
import type { FilePlan } from "./plan-file.ts";

const SIGNS = { added: "+", changed: "~", conflict: "!", deleted: "-", removed: "-", unchanged: " " } as const;

/** The widest name of a file that others are aligned with. */
const MAX_NAME = 32;

/** Shows a plan: one line for each file that changes or conflicts, with the parts in conflict, and a summary. */
export function showPlan(plans: readonly FilePlan[]): readonly string[] {
  const shown = plans.filter(({ kind }) => kind !== "unchanged" && kind !== "deleted");
  const width = Math.min(MAX_NAME, Math.max(0, ...shown.map(({ path }) => path.length)));
  const lines = shown.flatMap((plan) => [
    `  ${SIGNS[plan.kind]} ${plan.path.padEnd(width)}  ${printable(plan.message)}`,
    ...plan.conflicts.flatMap((conflict) => [
      `      ${plan.path}:${conflict.line}`,
      ...conflict.base.map((line) => `      - before    ${printable(line)}`),
      ...conflict.yours.map((line) => `      < yours     ${printable(line)}`),
      ...conflict.theirs.map((line) => `      > database  ${printable(line)}`),
    ]),
  ]);
  return [...lines, `  ${summaryOf(plans)}`];
}

function summaryOf(plans: readonly FilePlan[]): string {
  const count = (kind: FilePlan["kind"]): number => plans.filter((plan) => plan.kind === kind).length;
  const conflicts = count("conflict");
  const parts = [
    `${count("unchanged")} unchanged`,
    ...(count("deleted") === 0 ? [] : [`${count("deleted")} deleted by you`]),
  ];
  const summary = `${parts.join(", ")}.`;
  if (conflicts === 0) return summary;
  const counted = conflicts === 1 ? "1 conflict" : `${conflicts} conflicts`;
  return `${summary} ${counted}: change the files to what you want, then run again with --keep-mine.`;
}
