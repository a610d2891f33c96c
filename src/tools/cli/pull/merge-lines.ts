import { diffIndices } from "#diff3";
import { entriesOf } from "./entries.ts";

/** A part that was changed in two ways. */
export interface MergeConflict {
  /** The number of the first line in your text, from 1. */
  readonly line: number;
  readonly base: readonly string[];
  readonly yours: readonly string[];
  readonly theirs: readonly string[];
}

/** The result of a merge. */
interface MergedLines {
  /** The merged lines; conflicts have yours. */
  readonly lines: readonly string[];
  readonly conflicts: readonly MergeConflict[];
  /** The number of your edits, conflicts included. */
  readonly ownEdits: number;
}

/** Edits of both sides that touch each other. */
interface Cluster {
  start: number;
  end: number;
  readonly yours: LineEdit[];
  readonly theirs: LineEdit[];
}

/**
 * Merges two texts with the same base line by line, as git does. Beyond that, it keeps all entries that both sides added at one
 * place, accepts edits of neighbouring lines, and merges imports and `search` by name.
 */
export function mergeLines(base: readonly string[], yours: readonly string[], theirs: readonly string[]): MergedLines {
  const own = editsOf(base, yours);
  const made = editsOf(base, theirs);
  const lines: string[] = [];
  const conflicts: MergeConflict[] = [];
  let position = 0;
  // How many lines yours has more than the base, before this position.
  let shift = 0;
  for (const cluster of clustersOf(own, made)) {
    lines.push(...base.slice(position, cluster.start));
    const merged = mergeCluster(base, cluster);
    if (merged === null) {
      const mine = applied(base, cluster, cluster.yours);
      const parts = {
        base: base.slice(cluster.start, cluster.end),
        yours: mine,
        theirs: applied(base, cluster, cluster.theirs),
      };
      conflicts.push({ line: cluster.start + shift + 1, ...parts });
      lines.push(...mine);
    } else lines.push(...merged);
    for (const { start, end, lines: added } of cluster.yours) shift += added.length - (end - start);
    position = cluster.end;
  }
  lines.push(...base.slice(position));
  if (conflicts.length === 0) conflicts.push(...faultsOf(lines, base, yours, theirs));
  return { lines, conflicts, ownEdits: own.length };
}

/** Finds possible errors of a merge by lines: entries that both sides added in different places, and halves of entries. */
function faultsOf(
  merged: readonly string[],
  base: readonly string[],
  yours: readonly string[],
  theirs: readonly string[],
): readonly MergeConflict[] {
  const own = entriesOf(yours);
  const made = entriesOf(theirs);
  const twice = [...entriesOf(merged)].flatMap(([entry, places]): readonly MergeConflict[] => {
    const [mine = 0] = own.get(entry) ?? [];
    const [other = 0] = made.get(entry) ?? [];
    const isNew =
      places.length > 1 &&
      places.length > (own.get(entry) ?? []).length &&
      places.length > (made.get(entry) ?? []).length;
    return isNew
      ? [{ line: mine + 1, base: [], yours: yours.slice(mine, mine + 1), theirs: theirs.slice(other, other + 1) }]
      : [];
  });
  if (twice.length > 0) return twice;
  const isBroken = !isBalanced(merged.join("\n")) && [yours, theirs].every((lines) => isBalanced(lines.join("\n")));
  return isBroken ? [{ line: 1, base, yours, theirs }] : [];
}

function clustersOf(own: readonly LineEdit[], made: readonly LineEdit[]): readonly Cluster[] {
  const edits = [
    ...own.map((edit) => ({ edit, isYours: true })),
    ...made.map((edit) => ({ edit, isYours: false })),
  ].toSorted((left, right) => left.edit.start - right.edit.start || left.edit.end - right.edit.end);
  const clusters: Cluster[] = [];
  for (const { edit, isYours } of edits) {
    let cluster = clusters.at(-1);
    if (cluster === undefined || edit.start > cluster.end) {
      cluster = { start: edit.start, end: edit.end, yours: [], theirs: [] };
      clusters.push(cluster);
    }
    cluster.end = Math.max(cluster.end, edit.end);
    (isYours ? cluster.yours : cluster.theirs).push(edit);
  }
  return clusters;
}

/** Returns the lines of a cluster; null for a conflict. */
function mergeCluster(base: readonly string[], cluster: Cluster): readonly string[] | null {
  const { yours, theirs } = cluster;
  const mine = applied(base, cluster, yours);
  const made = applied(base, cluster, theirs);
  if (theirs.length === 0 || isSame(mine, made)) return mine;
  if (yours.length === 0) return made;
  const both = mergeNeighbours(base, cluster);
  if (both !== null) return both;
  const before = base.slice(cluster.start, cluster.end);
  return mergeImports(before, mine, made) ?? mergeSearch(before, mine, made);
}

/** Applies the edits of both sides, unless one replaces lines that another replaces or extends. */
function mergeNeighbours(base: readonly string[], { start, end, yours, theirs }: Cluster): readonly string[] | null {
  if (yours.some((one) => theirs.some((other) => overlap(one, other)))) return null;
  // New columns come before your entries at the same place: next to their neighbours.
  const edits = [...theirs, ...yours].toSorted((left, right) => left.start - right.start || left.end - right.end);
  return applied(base, { start, end }, edits);
}

function overlap(one: LineEdit, other: LineEdit): boolean {
  if (one.start === one.end) return other.start < one.start && one.start < other.end;
  if (other.start === other.end) return overlap(other, one);
  return one.start < other.end && other.start < one.end;
}

function applied(
  base: readonly string[],
  { start, end }: { readonly start: number; readonly end: number },
  edits: readonly LineEdit[],
): readonly string[] {
  const lines: string[] = [];
  let position = start;
  for (const edit of edits) {
    lines.push(...base.slice(position, edit.start), ...edit.lines);
    position = edit.end;
  }
  return [...lines, ...base.slice(position, end)];
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((line, index) => line === other[index]);
}

const IMPORT = /^import \{ ([^{}]*) \} from (".*");$/;

/**
 * Merges import statements of one line each by the names that they import.
 * @returns null if a line is anything else
 */
function mergeImports(
  base: readonly string[],
  yours: readonly string[],
  theirs: readonly string[],
): readonly string[] | null {
  const [old, mine, made] = [base, yours, theirs].map(importsOf);
  if (!old || !mine || !made) return null;
  const paths = [...mine.keys(), ...[...made.keys()].filter((path) => !mine.has(path))];
  const merged: string[] = [];
  for (const path of paths) {
    const before = old.get(path) ?? [];
    const own = mine.get(path);
    const given = made.get(path) ?? [];
    // You removed the statement, and the new one needs no other names.
    if (own === undefined && before.length > 0 && given.every((name) => before.includes(name))) continue;
    const kept = (own ?? []).filter((name) => given.includes(name) || !before.includes(name));
    const added = given.filter((name) => !before.includes(name) && !kept.includes(name));
    const names = isSorted(own ?? []) ? [...kept, ...added].toSorted() : [...kept, ...added];
    if (names.length > 0) merged.push(`import { ${names.join(", ")} } from ${path};`);
  }
  return merged;
}

function importsOf(lines: readonly string[]): ReadonlyMap<string, readonly string[]> | null {
  const found = new Map<string, readonly string[]>();
  for (const line of lines) {
    const [, names, path] = IMPORT.exec(line) ?? [];
    if (names === undefined || path === undefined || found.has(path)) return null;
    found.set(path, names.split(", "));
  }
  return found;
}

function isSorted(names: readonly string[]): boolean {
  return names.every((name, index) => index === 0 || (names[index - 1] ?? "") <= name);
}

/** The option `search` of an entity set, on one line or one line for each property. */
const SEARCH = /^(?<indent> *)search: \[(?<names>[^[\]]*)\],$/;
const NAME = /"(?:\\.|[^"\\])*"/g;
const MAX_WIDTH = 80;

/**
 * Merges lists of searched properties by their names: a new column does not conflict with a property that you renamed.
 * @returns null if a side is anything else
 */
function mergeSearch(
  base: readonly string[],
  yours: readonly string[],
  theirs: readonly string[],
): readonly string[] | null {
  const [old, mine, made] = [base, yours, theirs].map(searchOf);
  if (!old || !mine || !made) return null;
  const kept = mine.names.filter((name) => made.names.includes(name) || !old.names.includes(name));
  const added = made.names.filter((name) => !old.names.includes(name) && !kept.includes(name));
  const { indent } = mine;
  const names = [...kept, ...added];
  if (names.length === 0) return [];
  const line = `${indent}search: [${names.join(", ")}],`;
  if (line.length <= MAX_WIDTH) return [line];
  return [`${indent}search: [`, ...names.map((name) => `${indent}  ${name},`), `${indent}],`];
}

function searchOf(lines: readonly string[]): { readonly indent: string; readonly names: readonly string[] } | null {
  const { indent, names } = SEARCH.exec(lines.join("\n"))?.groups ?? {};
  if (indent === undefined || names === undefined) return null;
  const found = names.match(NAME) ?? [];
  return names.replaceAll(NAME, "").replaceAll(/[\s,]/g, "") === "" ? { indent, names: found } : null;
}

/** A change of one part of a text. */
interface LineEdit {
  /** The index of the first replaced line of the base. */
  readonly start: number;
  /** The index after the last replaced line; equal to `start` for an insertion. */
  readonly end: number;
  readonly lines: readonly string[];
}

/** Returns the edits that make one text of another, in their order. Insertions begin at whole entries where possible. */
export function editsOf(base: readonly string[], other: readonly string[]): readonly LineEdit[] {
  return diffIndices(base, other).map(({ buffer1: [start, length], buffer2Content: lines }) =>
    length === 0 ? atEntry(base, { start, end: start, lines }) : { start, end: start + length, lines },
  );
}

/**
 * Moves an insertion to where its brackets match: the lines of `}), b: f({` between two entries are those of `b: f({ }),` one
 * line above.
 */
function atEntry(base: readonly string[], edit: LineEdit): LineEdit {
  let moved = edit;
  while (!isWhole(moved.lines)) {
    const above = base[moved.start - 1];
    const last = moved.lines.at(-1);
    if (above === undefined || above !== last) return edit;
    moved = { start: moved.start - 1, end: moved.start - 1, lines: [above, ...moved.lines.slice(0, -1)] };
  }
  return moved;
}

/** Whether no bracket is closed before it is opened. */
function isWhole(lines: readonly string[]): boolean {
  let depth = 0;
  for (const line of lines) {
    depth += depthOf(line);
    if (depth < 0) return false;
  }
  return depth === 0;
}

/** Strings, comments and templates, in which brackets have no meaning. */
const QUOTED = /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\[^]|[^`\\])*`|\/\/[^\n]*|\/\*[^]*?\*\//g;

/** Returns how many more brackets a text opens than it closes. */
function depthOf(text: string): number {
  let depth = 0;
  for (const bracket of text.replaceAll(QUOTED, "").replaceAll(/[^()[\]{}]/g, "")) {
    depth += "([{".includes(bracket) ? 1 : -1;
  }
  return depth;
}

/** Returns whether each bracket of a text is closed by its own kind. */
function isBalanced(text: string): boolean {
  const open: string[] = [];
  for (const bracket of text.replaceAll(QUOTED, "").replaceAll(/[^()[\]{}]/g, "")) {
    const index = ")]}".indexOf(bracket);
    if (index < 0) open.push(bracket);
    else if (open.pop() !== "([{"[index]) return false;
  }
  return open.length === 0;
}
