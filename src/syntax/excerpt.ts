const MAX_EXCERPT_LENGTH = 40;

/**
 * Quotes a piece of client text in a message: at most 40 characters of it, so that no message grows with its cause.
 */
export function excerpt(text: string): string {
  if (text.length <= MAX_EXCERPT_LENGTH) return `"${text}"`;
  return `"${text.slice(0, MAX_EXCERPT_LENGTH).replace(/[\uD800-\uDBFF]$/u, "")}…"`;
}
