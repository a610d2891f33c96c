import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  lstatSync,
  readdirSync,
  readFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import type { WrittenModule } from "odatakit/introspect";
import type { ExitReason } from "../command.ts";
import { DIFF_STYLES, PLAN_STYLES, type Styles } from "../paint.ts";
import { isProblem, type Problem, usageProblem } from "../problem.ts";
import { printable } from "../redact.ts";
import { editsOf } from "./merge-lines.ts";
import { type FilePlan, planFile } from "./plan-file.ts";
import type { RenamedColumn } from "./renamed-columns.ts";

/** How a pull treats the files of its folder. */
interface PullOptions {
  /** The absolute path of the folder. */
  readonly folder: string;
  /** Whether nothing is written, and differences are findings. */
  readonly isCheck: boolean;
  /** Whether nothing is written, and the differences are printed. */
  readonly isDryRun: boolean;
  /** Whether conflicts are settled in favour of your text. */
  readonly keepMine: boolean;
  /** The renamed columns whose properties keep their names, by the name of the file; absent: none. */
  readonly renamed?: ReadonlyMap<string, readonly RenamedColumn[]> | undefined;
}

/**
 * Merges written modules into a folder: all files are written, or none, as after a conflict.
 * @param print receives each line of the report
 * @returns `findings` for conflicts, and for differences with `isCheck`
 * @throws the error of the file system
 */
export function pullFolder(
  modules: readonly WrittenModule[],
  { folder, isCheck, isDryRun, keepMine, renamed }: PullOptions,
  print: (line: string, styles: Styles) => void,
): ExitReason | Problem {
  const state = readFolder(
    folder,
    modules.map(({ path }) => path),
  );
  if (isProblem(state)) return state;
  const plans = planFolder(modules, state, { keepMine, renamed });
  if (isDryRun) {
    for (const { path, text } of plans) {
      const before = state.yours.get(path) ?? null;
      for (const line of text === undefined ? [] : unifiedDiff(path, before, text)) print(printable(line), DIFF_STYLES);
    }
  }
  for (const line of showPlan(plans)) print(line, PLAN_STYLES);
  const hasConflicts = plans.some(({ kind }) => kind === "conflict");
  // Modules import each other: some of them alone would not start.
  if (!isCheck && !isDryRun && !hasConflicts) writeFolder(folder, writesOf(plans));
  const hasChanges = plans.some(({ kind }) => !["deleted", "unchanged"].includes(kind));
  return hasConflicts || (isCheck && hasChanges) ? "findings" : "success";
}

/** Files that pull writes once, and never merges: they open the database in your way. */
const ONCE: ReadonlySet<string> = new Set(["database.ts"]);

/** Plans all files of a pull, in the order of their names. */
function planFolder(
  modules: readonly WrittenModule[],
  { yours, bases }: FolderState,
  { keepMine, renamed }: Pick<PullOptions, "keepMine" | "renamed">,
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
      renamed: renamed?.get(path) ?? [],
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
    ...plan.notes.map((note) => `      ${printable(note)}`),
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
  const others = count("added") + count("changed") + count("removed");
  const unwritten = others === 0 ? "" : " No file was written.";
  return `${summary} ${counted}: change the files to what you want, then run again with --keep-mine.${unwritten}`;
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

/** A file to write, or to remove if its text is null. */
interface FileWrite {
  /** Within the folder. */
  readonly path: string;
  readonly text: string | null;
}

/**
 * Writes files into a folder: all of them, or none if one cannot be written. They are written next to the folder's files and
 * renamed in the given order, so that a file is never half written.
 * @throws the error of the file system, after everything is as before
 */
export function writeFolder(folder: string, writes: readonly FileWrite[]): void {
  if (writes.length === 0) return;
  mkdirSync(join(folder, BASE_FOLDER), { recursive: true });
  const draft = mkdtempSync(join(folder, BASE_FOLDER, ".draft-"));
  const undo: Array<() => void> = [];
  try {
    for (const [index, { path, text }] of writes.entries()) {
      if (!isWithin(path)) throw new Error(`The path "${path}" leads out of the folder.`);
      if (text !== null) writeFileSync(join(draft, `new-${index}`), text, { flag: "wx" });
    }
    for (const [index, { path, text }] of writes.entries()) {
      const target = join(folder, path);
      const old = join(draft, `old-${index}`);
      const mode = statSync(target, { throwIfNoEntry: false })?.mode;
      if (mode !== undefined) {
        renameSync(target, old);
        undo.push(() => renameSync(old, target));
      }
      if (text === null) continue;
      renameSync(join(draft, `new-${index}`), target);
      undo.push(() => rmSync(target, { force: true }));
      if (mode !== undefined) chmodSync(target, mode);
    }
  } catch (error) {
    for (const step of undo.toReversed()) step();
    throw error;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** Whether a path is a name, or a name in the folder of bases. */
function isWithin(path: string): boolean {
  const name = basename(path);
  return (
    [name, join(BASE_FOLDER, name)].includes(path) &&
    name !== ".." &&
    name !== "." &&
    !/[/\\]/.test(name) &&
    dirname(name) === "."
  );
}

/** The folder of the texts that the last pull wrote. */
const BASE_FOLDER = ".odatakit";

const ENDING = ".base.ts";

/** The files of a folder that a pull may touch, with their texts. */
interface FolderState {
  readonly yours: ReadonlyMap<string, string>;
  /** By the name of the file, without `.odatakit` and `.base`. */
  readonly bases: ReadonlyMap<string, string>;
}

/** Returns the path of the base of a file within the folder. */
function basePath(path: string): string {
  return join(BASE_FOLDER, path.replace(/\.ts$/, ENDING));
}

/**
 * Reads the files of a pulled folder and their bases. Links are not followed, because they may lead out of the folder.
 * @param paths the names of the files that the database gives now
 */
export function readFolder(folder: string, paths: readonly string[]): FolderState | Problem {
  const linked = [BASE_FOLDER, ...paths].find((path) => kindOf(join(folder, path)) === "other");
  if (linked !== undefined) return linkProblem(linked);
  if (kindOf(join(folder, BASE_FOLDER)) === "file") return linkProblem(BASE_FOLDER);
  const found = kindOf(join(folder, BASE_FOLDER)) === "folder" ? readdirSync(join(folder, BASE_FOLDER)) : [];
  const based = found.filter((name) => name.endsWith(ENDING)).map((name) => name.replace(/\.base\.ts$/, ".ts"));
  const bases = new Map<string, string>();
  const yours = new Map<string, string>();
  for (const path of new Set([...paths, ...based])) {
    for (const [place, texts] of [
      [path, yours],
      [basePath(path), bases],
    ] as const) {
      const kind = kindOf(join(folder, place));
      if (kind === "other" || kind === "folder") return linkProblem(place);
      if (kind === "file") texts.set(path, readFileSync(join(folder, place), "utf8"));
    }
  }
  const normalized = new Map([...bases].map(([path, text]) => [path, text.replaceAll("\r\n", "\n")] as const));
  return { yours, bases: normalized };
}

function linkProblem(path: string): Problem {
  return usageProblem(
    `"${printable(path)}" in the folder is a link, a folder or a device, and pull follows none.`,
    "Move it, or give another folder with `--out`.",
  );
}

function kindOf(path: string): "file" | "folder" | "none" | "other" {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return "none";
  if (stats.isFile()) return "file";
  return stats.isDirectory() ? "folder" : "other";
}
