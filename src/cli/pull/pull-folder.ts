import type { WrittenModule } from "odatakit/introspect";
import type { ExitReason } from "../exit-codes.ts";
import { DIFF_STYLES, PLAN_STYLES, type Styles } from "../paint.ts";
import { isProblem, type Problem } from "../problem.ts";
import { printable } from "../redact.ts";
import { planFolder, writesOf } from "./plan-folder.ts";
import { readFolder } from "./read-folder.ts";
import { showPlan } from "./show-plan.ts";
import { unifiedDiff } from "./unified-diff.ts";
import { writeFolder } from "./write-folder.ts";

/** How a pull treats the files of its folder. */
export interface PullOptions {
  /** The absolute path of the folder. */
  readonly folder: string;
  /** Whether nothing is written, and differences are findings. */
  readonly isCheck: boolean;
  /** Whether nothing is written, and the differences are printed. */
  readonly isDryRun: boolean;
  /** Whether conflicts are settled in favour of your text. */
  readonly keepMine: boolean;
}

/**
 * Merges written modules into a folder: all files are written, or none.
 * @param print receives each line of the report
 * @returns `findings` for conflicts, and for differences with `isCheck`
 * @throws the error of the file system
 */
export function pullFolder(
  modules: readonly WrittenModule[],
  { folder, isCheck, isDryRun, keepMine }: PullOptions,
  print: (line: string, styles: Styles) => void,
): ExitReason | Problem {
  const state = readFolder(
    folder,
    modules.map(({ path }) => path),
  );
  if (isProblem(state)) return state;
  const plans = planFolder(modules, state, keepMine);
  if (isDryRun) {
    for (const { path, text } of plans) {
      const before = state.yours.get(path) ?? null;
      for (const line of text === undefined ? [] : unifiedDiff(path, before, text)) print(printable(line), DIFF_STYLES);
    }
  }
  for (const line of showPlan(plans)) print(line, PLAN_STYLES);
  if (!isCheck && !isDryRun) writeFolder(folder, writesOf(plans));
  const hasConflicts = plans.some(({ kind }) => kind === "conflict");
  const hasChanges = plans.some(({ kind }) => !["deleted", "unchanged"].includes(kind));
  return hasConflicts || (isCheck && hasChanges) ? "findings" : "success";
}
