/** Any character but those that stand for themselves: quote, backslash, controls, and surrogates that may be alone. */
const NEEDS_ESCAPE = /[^ !#-[\]-\ud7ff\ue000-\uffff]/;

/**
 * Writes a text as a JSON string, quotes included; a surrogate without its partner is escaped, so that the answer is
 * always well-formed UTF-8.
 * @see RFC 8259, section 7
 */
export function writeJsonString(text: string): string {
  return NEEDS_ESCAPE.test(text) ? JSON.stringify(text) : `"${text}"`;
}
