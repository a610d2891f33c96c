import { tokenize } from "./lexer.ts";
import { closingDoubleQuote } from "./nested-value-end.ts";
import type { ParseContext } from "./parse-context.ts";
import type { TokenList } from "./token.ts";

/** `$apply` as tokens, with the texts of its searches, which do not belong to its shape. */
export interface ApplyTokens {
  readonly text: string;
  readonly list: TokenList;
  /** The offsets of the texts in the parentheses of `search(…)`, in their order. */
  readonly searches: readonly { readonly start: number; readonly end: number }[];
}

/**
 * Splits `$apply` into tokens. Blanks replace the texts of searches, which have another grammar.
 * @throws ODataError 400 as `tokenize`
 */
export function tokenizeApply(text: string, context: ParseContext): ApplyTokens {
  const searches = searchTexts(text);
  let masked = "";
  let from = 0;
  for (const { start, end } of searches) {
    masked += text.slice(from, start) + " ".repeat(end - start);
    from = end;
  }
  return { text, list: tokenize(masked + text.slice(from), context, "$apply"), searches };
}

/** Finds the texts of searches, outside of strings. */
function searchTexts(text: string): ApplyTokens["searches"] {
  const found: { start: number; end: number }[] = [];
  // A step is at the beginning, or after a slash, a comma or a parenthesis.
  const pattern = /'|(?<=^|[/,(])[ \t]*search[ \t]*\(/gu;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const start = pattern.lastIndex;
    if (match[0] === "'") {
      const close = text.indexOf("'", start);
      pattern.lastIndex = close === -1 ? text.length : close + 1;
      continue;
    }
    const end = searchEnd(text, start);
    found.push({ start, end });
    pattern.lastIndex = end;
  }
  return found;
}

/** Returns the offset of the parenthesis that ends a search. In it, single quotes are ordinary characters. */
function searchEnd(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') at = closingDoubleQuote(text, at);
    else if (character === "(") depth += 1;
    else if (character === ")") {
      if (depth === 0) return at;
      depth -= 1;
    }
  }
  return text.length;
}
