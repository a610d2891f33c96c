/** Strings, punctuation, and numbers or words as they are written. */
const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

const OPENS: ReadonlySet<string> = new Set(["{", "["]);
const CLOSES: ReadonlySet<string> = new Set(["}", "]"]);

/**
 * Indents a text of JSON. Numbers keep all their digits, because JavaScript rounds integers beyond 53 bits.
 * @param text what `JSON.parse` accepts
 */
export function readableJson(text: string): string {
  const tokens = text.match(TOKENS) ?? [];
  let depth = 0;
  const parts = tokens.map((token, at) => {
    if (OPENS.has(token) && !CLOSES.has(tokens[at + 1] ?? "")) {
      depth += 1;
      return `${token}${newLine(depth)}`;
    }
    if (CLOSES.has(token) && !OPENS.has(tokens[at - 1] ?? "")) {
      depth -= 1;
      return `${newLine(depth)}${token}`;
    }
    if (token === ",") return `,${newLine(depth)}`;
    return token === ":" ? ": " : token;
  });
  return parts.join("");
}

function newLine(depth: number): string {
  return `\n${"  ".repeat(depth)}`;
}
