import type { WrittenModule } from "odatakit/introspect";
import type { ExitReason } from "../command.ts";
import { DIFF_STYLES, PLAN_STYLES, type Styles } from "../paint.ts";
import { isProblem, type Problem } from "../problem.ts";
import { printable } from "../redact.ts";
import { editsOf } from "./line-edits.ts";
import { type FilePlan, planFile } from "./plan-file.ts";
import { readFolder, basePath, type FolderState, writeFolder, type FileWrite } from "./write-folder.ts";

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

/** Files that pull writes once, and never merges: they open the database in your way. */
const ONCE: ReadonlySet<string> = new Set(["database.ts"]);

/** Plans all files of a pull, in the order of their names. @param keepMine settles conflicts in favour of your text */
function planFolder(
  modules: readonly WrittenModule[],
  { yours, bases }: FolderState,
  keepMine: boolean,
): readonly FilePlan[] {
  const next = new Map(modules.map((module) => [module.path, module]));
  const paths = [...new Set([...next.keys(), ...bases.keys()])].toSorted();
  return paths.map((path) => {
    const module = next.get(path);
    const table = module?.table ?? null;
    const file = {
      path,
      base: bases.get(path) ?? null,
      yours: yours.get(path) ?? null,
      next: module?.text ?? null,
      isOnce: ONCE.has(path),
      table: table === null ? null : printable(`${table.schema}.${table.name}`),
    };
    return planFile(file, keepMine);
  });
}

/**
 * Returns the files to write, bases last. If the process dies between two files, the next pull finds the same text of the
 * database in your file, and never takes an old text for your edit.
 */
function writesOf(plans: readonly FilePlan[]): readonly FileWrite[] {
  const files = plans.flatMap(({ path, text }) => (text === undefined ? [] : [{ path, text }]));
  const bases = plans.flatMap(({ path, base }) => (base === undefined ? [] : [{ path: basePath(path), text: base }]));
  return [...files, ...bases];
}

const SIGNS = { added: "+", changed: "~", conflict: "!", deleted: "-", removed: "-", unchanged: " " } as const;

/** The widest name of a file that others are aligned with. */
const MAX_NAME = 32;

/** Shows a plan: one line for each file that changes or conflicts, with the parts in conflict, and a summary. */
function showPlan(plans: readonly FilePlan[]): readonly string[] {
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

const CONTEXT = 3;

/**
 * Returns the difference of two texts as `diff -u` prints it; nothing for equal texts.
 * @param before null for a file that does not exist
 * @param after the same
 */
function unifiedDiff(path: string, before: string | null, after: string | null): readonly string[] {
  if (before === after) return [];
  const [old, made] = [before, after].map((text) => (text === null ? [] : text.replace(/\r?\n$/, "").split(/\r?\n/)));
  const edits = editsOf(old ?? [], made ?? []);
  const lines: string[] = [`--- ${before === null ? "/dev/null" : path}`, `+++ ${after === null ? "/dev/null" : path}`];
  let shift = 0;
  for (let index = 0; index < edits.length;) {
    const first = edits[index];
    if (first === undefined) break;
    const from = Math.max(0, first.start - CONTEXT);
    const hunk: string[] = [];
    let position = from;
    let added = 0;
    for (let edit = edits[index]; edit !== undefined && edit.start <= position + 2 * CONTEXT; edit = edits[index]) {
      hunk.push(...marked(" ", old?.slice(position, edit.start)), ...marked("-", old?.slice(edit.start, edit.end)));
      hunk.push(...marked("+", edit.lines));
      added += edit.lines.length - (edit.end - edit.start);
      position = edit.end;
      index += 1;
    }
    const rest = marked(" ", old?.slice(position, position + CONTEXT));
    const length = position - from + rest.length;
    lines.push(`@@ -${place(from, length)} +${place(from + shift, length + added)} @@`, ...hunk, ...rest);
    shift += added;
  }
  return lines;
}

function marked(sign: string, lines: readonly string[] = []): readonly string[] {
  return lines.map((line) => `${sign}${line}`);
}

function place(start: number, length: number): string {
  return `${length === 0 ? start : start + 1},${length}`;
}
