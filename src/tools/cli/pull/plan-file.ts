import { entriesOf, wholeEntry } from "./entries.ts";
import { mergeLines, type MergeConflict } from "./merge-lines.ts";
import { type RenamedColumn, renameColumns, renamedColumnsOf } from "./renamed-columns.ts";

/** The three texts of a file, each null if it does not exist. */
interface PulledFile {
  readonly path: string;
  /** The text that the last pull wrote. */
  readonly base: string | null;
  readonly yours: string | null;
  /** The text for the current database. */
  readonly next: string | null;
  /** Whether the file is written once, and never merged. */
  readonly isOnce: boolean;
  /** The table of the file, for messages; null if it has none. */
  readonly table: string | null;
  /** The renamed columns whose properties keep their names. */
  readonly renamed: readonly RenamedColumn[];
}

/** The change of a file. */
export interface FilePlan {
  readonly path: string;
  readonly kind: "added" | "changed" | "conflict" | "deleted" | "removed" | "unchanged";
  /** The text to write; null removes the file, undefined leaves it. */
  readonly text: string | null | undefined;
  /** The same for the base of the next merge. */
  readonly base: string | null | undefined;
  /** The message for the user, without the name of the file. */
  readonly message: string;
  readonly conflicts: readonly MergeConflict[];
  /** Consequences of the change for clients. */
  readonly notes: readonly string[];
}

/**
 * Decides how a pull changes one file.
 * @param keepMine whether conflicts are settled in favour of your text
 */
export function planFile(file: PulledFile, keepMine: boolean): FilePlan {
  const { path, base, yours, next } = file;
  const plan = { path, text: undefined, base: undefined, message: "", conflicts: [], notes: [] };
  if (next === null) return planDropped(file, keepMine);
  if (yours === null) {
    // You deleted the file, so it stays deleted.
    if (base !== null) return { ...plan, kind: "deleted", message: "deleted by you, not written again" };
    return { ...plan, kind: "added", text: next, base: next, message: newMessage(file) };
  }
  const mine = normalized(yours);
  if (mine === next || file.isOnce) {
    return { ...plan, kind: "unchanged", base: base === null || (base !== next && !file.isOnce) ? next : undefined };
  }
  if (base === null) return planWithoutBase(file, keepMine);
  return planMerge({ ...plan, kind: "changed" }, { ...file, base, mine, next, yours, keepMine });
}

/** Plans a file whose table no longer exists. */
function planDropped({ path, base, yours, table }: PulledFile, keepMine: boolean): FilePlan {
  const plan = { path, text: undefined, base: null, conflicts: [], notes: [] };
  if (yours === null || base === null) return { ...plan, kind: "unchanged", message: "" };
  const what = table === null ? "no longer needed" : `${table} was dropped`;
  if (normalized(yours) === base) return { ...plan, kind: "removed", text: null, message: what };
  if (keepMine) return { ...plan, kind: "changed", message: `${what}, kept as yours` };
  const message = `conflict: ${what}, but you edited the file; file unchanged`;
  const conflicts = mergeLines(linesOf(base), linesOf(normalized(yours)), []).conflicts.slice(0, 1);
  return { ...plan, kind: "conflict", base: undefined, message, conflicts };
}

/** Plans a file that the last pull did not write. */
function planWithoutBase({ path, yours, next, table }: PulledFile, keepMine: boolean): FilePlan {
  if (keepMine) {
    const message = "kept as yours, merged from now on";
    return { path, kind: "changed", text: undefined, base: next, message, conflicts: [], notes: [] };
  }
  const why = table === null ? "the file" : `${table} needs this file, which`;
  const conflict = { line: 1, base: [], yours: linesOf(yours ?? ""), theirs: linesOf(next ?? "") };
  const message = `conflict: ${why} exists, and its base in .odatakit is missing; file unchanged`;
  return {
    path,
    kind: "conflict",
    text: undefined,
    base: undefined,
    message,
    conflicts: [shortened(conflict)],
    notes: [],
  };
}

interface MergeInput {
  readonly base: string;
  readonly mine: string;
  readonly next: string;
  /** With its own line ends. */
  readonly yours: string;
  readonly keepMine: boolean;
  readonly renamed: readonly RenamedColumn[];
}

function planMerge(plan: FilePlan, { base, mine, next, yours, keepMine, renamed }: MergeInput): FilePlan {
  if (base === next) return { ...plan, kind: "unchanged" };
  const [known, own] = [base, mine].map((text) => linesOf(renameColumns(text, renamed)));
  const { lines, conflicts, ownEdits } = mergeLines(known ?? [], own ?? [], linesOf(next));
  const kept = new Set(renamed.map(({ before }) => before));
  const settled = renamed.map(({ before, oldColumn, column }) => {
    return `${before} keeps its name, over ${JSON.stringify(column)} in place of ${JSON.stringify(oldColumn)}. If that is not the same data, remove the property.`;
  });
  const others = renamedColumnsOf(base, next).flatMap((each) => (kept.has(each.before) ? [] : [noteOf(each)]));
  const notes = [...settled, ...others];
  const changes = changesOf(base, next);
  if (conflicts.length > 0 && !keepMine) {
    return { ...plan, kind: "conflict", conflicts, notes, message: `conflict: ${changes}; file unchanged` };
  }
  const edits = ownEdits === 1 ? "1 edit" : `${ownEdits} edits`;
  const message = ownEdits === 0 ? changes : `${changes}, kept ${edits} of yours`;
  const text = lines.join("\n");
  const isSame = text === mine;
  const ended = `${yours.startsWith("\uFEFF") ? "\uFEFF" : ""}${yours.includes("\r\n") ? text.replaceAll("\n", "\r\n") : text}`;
  return {
    ...plan,
    kind: isSame ? "unchanged" : "changed",
    text: isSame ? undefined : ended,
    base: next,
    message,
    notes,
  };
}

/** Tells that a property has the name of the column in its place, and how it keeps its own. */
function noteOf({ before, after, oldColumn, column }: RenamedColumn): string {
  const old = JSON.stringify(oldColumn);
  const made = JSON.stringify(column);
  return `${before} is now ${after}, also for clients: the column ${made} stands in place of ${old}. To keep the name, call the property ${before} and write columns: { ${before}: ${made} }.`;
}

function newMessage({ table }: PulledFile): string {
  return table === null ? "new" : `new table ${table}`;
}

/** Describes the difference of two written texts by the keys of their entries, such as `+ shippedAt, - fax`. */
function changesOf(base: string, next: string): string {
  const before = namedLines(base);
  const after = namedLines(next);
  const added = [...after.keys()].filter((name) => !before.has(name));
  const removed = [...before.keys()].filter((name) => !after.has(name));
  const changed = [...after].filter(([name, line]) => before.has(name) && before.get(name) !== line);
  const parts = [
    ...added.map((name) => `+ ${name}`),
    ...removed.map((name) => `- ${name}`),
    ...changed.map(([name]) => `~ ${name}`),
  ];
  const shown = parts.slice(0, 6).join(", ");
  if (parts.length > 6) return `${shown} and ${parts.length - 6} more`;
  return shown === "" ? "changed" : shown;
}

/** Options of sets with an entry for each property or navigation. */
const SECTIONS: ReadonlySet<string> = new Set(["columns", "navigation"]);

/** Returns the text of each property and navigation by its key. */
function namedLines(text: string): ReadonlyMap<string, string> {
  const lines = linesOf(text);
  const found = new Map<string, string>();
  for (const [path, [index = 0]] of entriesOf(lines)) {
    const keys = path.split("\n");
    const isOfSection = SECTIONS.has(keys[1] ?? "");
    const isMember = keys.length === (isOfSection ? 3 : 2);
    const name = keys.at(-1) ?? "";
    if (!isMember || path.startsWith("import ")) continue;
    found.set(name, `${found.get(name) ?? ""}${wholeEntry(lines, index)}`);
  }
  return found;
}

/** Conflicts of whole files show their first lines. */
function shortened(conflict: MergeConflict): MergeConflict {
  const { yours, theirs } = conflict;
  const first = yours.findIndex((line, index) => line !== theirs[index]);
  return {
    ...conflict,
    line: first + 1,
    yours: yours.slice(first, first + 3),
    theirs: theirs.slice(first, first + 3),
  };
}

function linesOf(text: string): readonly string[] {
  return text.split("\n");
}

/** The mark of Unicode with which some editors begin files. */
const MARK = /^\uFEFF/u;

/** Bases have neither carriage returns nor the mark of Unicode, but git and editors may add them to files. */
function normalized(text: string): string {
  return text.replace(MARK, "").replaceAll("\r\n", "\n");
}
