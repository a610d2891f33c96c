import { diffIndices } from "#diff3";

/** A change of one part of a text. */
export interface LineEdit {
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
export function isBalanced(text: string): boolean {
  const open: string[] = [];
  for (const bracket of text.replaceAll(QUOTED, "").replaceAll(/[^()[\]{}]/g, "")) {
    const index = ")]}".indexOf(bracket);
    if (index < 0) open.push(bracket);
    else if (open.pop() !== "([{"[index]) return false;
  }
  return open.length === 0;
}
