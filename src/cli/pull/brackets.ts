/** Strings, comments and templates, in which brackets have no meaning. */
const QUOTED = /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\[^]|[^`\\])*`|\/\/[^\n]*|\/\*[^]*?\*\//g;

/** Returns how many more brackets a text opens than it closes. */
export function depthOf(text: string): number {
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
