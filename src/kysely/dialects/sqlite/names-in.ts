const QUOTED = /"((?:[^"]|"")*)"/g;

/** Returns the names in the quoted name of a table: its schema, if it has one, and its own name. */
export function namesIn(quoted: string): readonly string[] {
  return Array.from(quoted.matchAll(QUOTED), ([, name = ""]) => name.replaceAll('""', '"'));
}

/** Quotes a name. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
