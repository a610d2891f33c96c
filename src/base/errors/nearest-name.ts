const MAX_NAME_LENGTH = 64;

/**
 * Finds the declared name that a mistyped name most likely means: the name with the smallest edit distance, ignoring letter
 * case, if that is at most a third of the length. Singulars and plurals such as `City` and `Cities` differ by one letter.
 * @param name the name as written; a name of more than 64 characters has no similar name
 * @returns null without a similar name
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

/** Returns a word in y or ies with the ending `ie`, so that singular and plural are similar. */
function plural(word: string): string {
  return word.replace(/y$|ies$/u, "ie");
}

/** Returns the edit distance, or Infinity if the lengths alone differ by at least the limit. */
function distanceBelow(limit: number, from: string, to: string): number {
  return Math.abs(from.length - to.length) >= limit ? Infinity : editDistance(from, to);
}

/** Counts the insertions, deletions, replacements and swaps of neighbours that turn one text into the other. */
function editDistance(from: string, to: string): number {
  // The distances from the beginnings of `from` to the beginnings of `to`, without the empty one: two rows are kept.
  let before: readonly number[] = [];
  let row: readonly number[] = Array.from({ length: to.length }, (_, index) => index + 1);
  let distance = to.length;
  for (let i = 0; i < from.length; i += 1) {
    const next: number[] = [];
    let diagonal = i;
    distance = i + 1;
    for (const [j, above] of row.entries()) {
      const replaced = diagonal + (from[i] === to[j] ? 0 : 1);
      const isSwap = i > 0 && j > 0 && from[i] === to[j - 1] && from[i - 1] === to[j];
      const swapped = isSwap ? (before[j - 2] ?? i - 1) + 1 : Infinity;
      distance = Math.min(replaced, swapped, above + 1, distance + 1);
      next.push(distance);
      diagonal = above;
    }
    before = row;
    row = next;
  }
  return distance;
}
