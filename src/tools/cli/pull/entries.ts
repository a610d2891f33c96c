/** A key of an object, the name of a variable, or an item of a list, with its indentation. */
const ENTRY = /^(?<indent>\s*)(?:export )?(?:const )?(?<key>"(?:\\.|[^"\\])*"|[\p{ID_Continue}$]+)\s*(?<sign>[:=,(])/u;

const IMPORT = /^import .* from (".*");$/;

/**
 * Finds the entries of a text by their paths, such as `orders`, `columns`, `customerId` on three lines: the keys of the lines around them with
 * less indentation.
 * @returns the indexes of the lines
 */
export function entriesOf(lines: readonly string[]): ReadonlyMap<string, readonly number[]> {
  const found = new Map<string, number[]>();
  const note = (path: string, index: number): void => {
    const places = found.get(path) ?? [];
    places.push(index);
    found.set(path, places);
  };
  const around: Array<{ readonly indent: number; readonly key: string }> = [];
  for (const [index, line] of lines.entries()) {
    const imported = IMPORT.exec(line)?.[1];
    if (imported !== undefined) note(`import ${imported}`, index);
    const { indent = "", key, sign } = ENTRY.exec(line)?.groups ?? {};
    if (key === undefined || sign === "(") continue;
    while ((around.at(-1)?.indent ?? -1) >= indent.length) around.pop();
    note([...around.map((each) => each.key), key].join("\n"), index);
    around.push({ indent: indent.length, key });
  }
  return found;
}

/** Returns the line of an entry, and the lines below it with more indentation. */
export function wholeEntry(lines: readonly string[], index: number): string {
  const indentOf = (line: string): number => line.length - line.trimStart().length;
  const own = indentOf(lines[index] ?? "");
  const end = lines.findIndex((line, at) => at > index && indentOf(line) <= own);
  return lines.slice(index, end < 0 ? undefined : end).join("\n");
}
