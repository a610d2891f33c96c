/** What encodeURIComponent leaves alone and what a segment may hold besides, but a key predicate does not give a meaning. */
const PLAIN = /^[\w.~!*'():@-]*$/;

/**
 * Percent-encodes text for one path segment. Quotes, parentheses, `:` and `@` stay as they are; `/`, `%`, `?`, `#`, `+`,
 * `=`, `,`, blanks, control characters and everything beyond ASCII are encoded. A lone surrogate, which UTF-8 cannot
 * hold, becomes U+FFFD.
 * @see RFC 3986, section 3.3
 */
export function encodeSegment(text: string): string {
  if (PLAIN.test(text)) return text;
  return encodeURIComponent(withoutLoneSurrogates(text)).replaceAll("%3A", ":").replaceAll("%40", "@");
}

/**
 * Percent-encodes a path of wire names, such as `ShipTo/City` or `*`, for the fragment of a URL: names are
 * identifiers, so this is what is beyond ASCII.
 * @see RFC 3986, section 3.5
 */
export function encodeNames(text: string): string {
  return PLAIN.test(text) ? text : encodeURI(withoutLoneSurrogates(text));
}

function withoutLoneSurrogates(text: string): string {
  return text.replaceAll(/\p{Surrogate}/gu, "\uFFFD");
}
