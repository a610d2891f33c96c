/**
 * Splits a resource path at the slashes between its segments: `Orders('a%2Fb')/Items` has two. A slash within a key is
 * encoded, or within quotes.
 */
export function pathSegments(path: string): readonly string[] {
  const segments: string[] = [];
  let current = "";
  let isQuoted = false;
  for (const character of path) {
    if (character === "'") isQuoted = !isQuoted;
    if (character === "/" && !isQuoted) {
      segments.push(current);
      current = "";
    } else {
      current += character;
    }
  }
  return [...segments, current].filter((segment) => segment !== "");
}
