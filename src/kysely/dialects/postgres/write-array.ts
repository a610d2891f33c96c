/**
 * Writes an array literal of texts, numbers and booleans. Items are quoted, so that commas, braces and NULL have no special
 * meaning.
 */
export function writeArray(items: readonly unknown[]): string {
  return `{${items.map(writeItem).join(",")}}`;
}

function writeItem(item: unknown): string {
  if (item === null) return "NULL";
  const text = typeof item === "string" ? item : JSON.stringify(item);
  return `"${text.replaceAll(/["\\]/g, "\\$&")}"`;
}
