const IMPORT = /^import \{ ([^{}]*) \} from (".*");$/;

/**
 * Merges import statements of one line each by the names that they import.
 * @returns null if a line is anything else
 */
export function mergeImports(
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
