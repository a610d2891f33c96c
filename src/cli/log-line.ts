/** Returns a line for a message and its fields. A stack says nothing to somebody without the code. */
export function logLine(level: string, message: string, fields: Readonly<Record<string, unknown>>): string {
  const shown = Object.entries(fields).map(([name, value]) => {
    const text = value instanceof Error ? value.message : (JSON.stringify(value, withoutBigint) ?? "");
    return `${name}: ${text}`;
  });
  return [`${level}: ${message}`, ...shown].join("; ");
}

/** Replaces integers for `JSON.stringify`, which throws for them. */
export function withoutBigint(_name: string, value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value;
}
