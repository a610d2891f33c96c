import type { Lexer } from "./lexer-state.ts";

/** Returns the offset after the blanks at `start`. */
export function skipBlanks(text: string, start: number): number {
  let offset = start;
  while (text.charCodeAt(offset) === 32 || text.charCodeAt(offset) === 9) offset += 1;
  return offset;
}

/**
 * Whether a name in quotes, which begins after the last token and ends before `end`, is a name: the type of `cast`, as some
 * clients write it, or a part of a hierarchy, which decides on the meaning of the step.
 */
export function isQuotedName({ text, shared: { tokens } }: Lexer, end: number): boolean {
  const parameter = tokens.at(-1)?.kind === "=" ? tokens.at(-2)?.text : undefined;
  if (parameter === "HierarchyQualifier" || parameter === "NodeProperty") return true;
  return text.charCodeAt(skipBlanks(text, end)) === 41 && isLastInCast(tokens);
}

/** Whether an argument of `cast` or `isof` begins here. */
function isLastInCast(tokens: Lexer["shared"]["tokens"]): boolean {
  const last = tokens.at(-1)?.kind;
  if (last !== "," && last !== "(") return false;
  let depth = 0;
  for (let index = tokens.length - 1; index > 0; index -= 1) {
    const kind = tokens[index]?.kind;
    if (kind === ")") depth += 1;
    if (kind !== "(") continue;
    if (depth === 0) return /^(?:cast|isof)$/iu.test(tokens[index - 1]?.text ?? "");
    depth -= 1;
  }
  return false;
}
