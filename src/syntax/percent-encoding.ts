/**
 * Decodes percent-encoding once.
 * @param text a piece of a URL, already split at its delimiters
 * @returns the decoded text, or null if an escape is malformed or the bytes are not UTF-8 (overlong forms and
 *   surrogates included); `malformedEscapeAt` finds the place
 * @see RFC 3986, section 2.1; OData URL Conventions 4.0, section 2
 */
export function decodePercent(text: string): string | null {
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/**
 * Finds the escapes that `decodePercent` could not decode, for an error.
 * @returns the offset of the first run of escapes that is malformed or not UTF-8
 */
export function malformedEscapeAt(text: string): number {
  const runs = /%(?:[\dA-Fa-f]{2}(?:%[\dA-Fa-f]{2})*)?/gu;
  for (const run of text.matchAll(runs)) {
    if (run[0].length < 3 || decodePercent(run[0]) === null) return run.index;
  }
  return 0;
}
