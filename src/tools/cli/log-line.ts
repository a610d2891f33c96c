/** The length of the chain of causes to follow. */
const MAX_CAUSES = 5;

/** Returns a line for a message and its fields. A stack says nothing to somebody without the code. */
export function logLine(level: string, message: string, fields: Readonly<Record<string, unknown>>): string {
  const shown = Object.entries(fields).map(([name, value]) => {
    const text = value instanceof Error ? messagesOf(value) : (JSON.stringify(value, withoutBigint) ?? "");
    return `${name}: ${text}`;
  });
  return [`${level}: ${message}`, ...shown].join("; ");
}

/** Joins the messages of an error and of its causes: the first one is often that for the client. */
function messagesOf(error: Error): string {
  let text = error.message;
  let { cause } = error;
  for (let depth = 0; depth < MAX_CAUSES && cause instanceof Error; depth += 1) {
    if (!text.includes(cause.message)) text += ` Cause: ${cause.message}`;
    ({ cause } = cause);
  }
  return text;
}

/** Replaces integers for `JSON.stringify`, which throws for them. */
export function withoutBigint(_name: string, value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value;
}
