import { editsOf } from "./line-edits.ts";

const CONTEXT = 3;

/**
 * Returns the difference of two texts as `diff -u` prints it; nothing for equal texts.
 * @param before null for a file that does not exist
 * @param after the same
 */
export function unifiedDiff(path: string, before: string | null, after: string | null): readonly string[] {
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
