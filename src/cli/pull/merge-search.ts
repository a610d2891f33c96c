/** The option `search` of an entity set, on one line or one line for each property. */
const SEARCH = /^(?<indent> *)search: \[(?<names>[^[\]]*)\],$/;
const NAME = /"(?:\\.|[^"\\])*"/g;
const MAX_WIDTH = 80;

/**
 * Merges lists of searched properties by their names: a new column is no conflict with a property that you renamed.
 * @returns null if a side is anything else
 */
export function mergeSearch(
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
