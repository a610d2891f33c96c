const MAX_NAME_LENGTH = 64;

/**
 * Finds the declared name that a mistyped one most likely means: the same but for letter case, else the one at the
 * smallest edit distance if that is at most a third of the length. `City` and its plural differ by one letter so.
 * @param name the name as written; longer than 64 characters it is like nothing
 * @returns null when no name is near
 */
export function nearestName(name: string, declared: Iterable<string>): string | null {
  if (name.length > MAX_NAME_LENGTH) return null;
  const lower = name.toLowerCase();
  let nearest: string | null = null;
  let smallest = Math.floor(name.length / 3) + 1;
  for (const candidate of declared) {
    const other = candidate.toLowerCase();
    const distance = Math.min(
      distanceBelow(smallest, lower, other),
      distanceBelow(smallest, plural(lower), plural(other)),
    );
    if (distance < smallest) {
      nearest = candidate;
      smallest = distance;
    }
  }
  return nearest;
}

/** A word that ends in y as its plural but for the last letter, so that one stands for both. */
function plural(word: string): string {
  return word.replace(/y$|ies$/u, "ie");
}

/** The edit distance; Infinity where it is not below a limit for the lengths alone. */
function distanceBelow(limit: number, from: string, to: string): number {
  return Math.abs(from.length - to.length) >= limit ? Infinity : editDistance(from, to);
}

/** Counts the insertions, deletions, replacements and swaps of neighbours that make one text of the other. */
function editDistance(from: string, to: string): number {
  let before: readonly number[] = [];
  let row: readonly number[] = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 0; i < from.length; i += 1) {
    const next = [i + 1];
    for (let j = 0; j < to.length; j += 1) {
      const replaced = (row[j] ?? 0) + (from[i] === to[j] ? 0 : 1);
      const isSwap = i > 0 && j > 0 && from[i] === to[j - 1] && from[i - 1] === to[j];
      const swapped = isSwap ? (before[j - 1] ?? 0) + 1 : Infinity;
      next.push(Math.min(replaced, swapped, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    before = row;
    row = next;
  }
  return row[to.length] ?? 0;
}
