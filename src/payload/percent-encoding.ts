/** The characters that a path segment may contain and that have no meaning in a key predicate. */
const PLAIN = /^[\w.~!*'():@-]*$/;

/**
 * Percent-encodes text for one path segment. Quotes, parentheses, `:` and `@` are not encoded; `/`, `%`, `?`, `#`, `+`,
 * `=`, `,`, blanks, control characters and all characters beyond ASCII are. A lone surrogate, which UTF-8 cannot encode,
 * becomes U+FFFD.
 * @see RFC 3986, section 3.3
 */
export function encodeSegment(text: string): string {
  if (PLAIN.test(text)) return text;
  return encodeURIComponent(withoutLoneSurrogates(text)).replaceAll("%3A", ":").replaceAll("%40", "@");
}

/**
 * Percent-encodes a path of wire names, such as `ShipTo/City` or `*`, for the fragment of a URL. Names are identifiers, so
 * only characters beyond ASCII are encoded.
 * @see RFC 3986, section 3.5
 */
export function encodeNames(text: string): string {
  return PLAIN.test(text) ? text : encodeURI(withoutLoneSurrogates(text));
}

function withoutLoneSurrogates(text: string): string {
  return text.replaceAll(/\p{Surrogate}/gu, "\uFFFD");
}
