import type { AliasNameSyntax, ComputedSyntax } from "./ast.ts";
import { readExpression } from "./expression-parser.ts";
import { type TokenCursor, faultAt, openReader, take, unexpected } from "./expression-reader.ts";
import type { ParseContext } from "./parse-context.ts";
import { quoteText } from "./syntax-error.ts";
import { isIdentifier, type Token, type TokenList } from "./token.ts";

/** Most characters of a simple identifier. @see OData CSDL 4.0, section 17.2 */
const MAX_ALIAS_LENGTH = 128;

/**
 * Parses a token list as `$compute`: expressions with their aliases.
 * @throws ODataError 400 with position, what was found and what was expected
 * @see OData URL Conventions 4.01, section 5.1.3.2; ABNF rule compute
 */
export function parseCompute(list: TokenList, context: ParseContext): readonly ComputedSyntax[] {
  return readComputed(openReader(list, context, readExpression), "end");
}

/**
 * Reads expressions with their aliases up to a token, which it does not take.
 * @throws ODataError as parseCompute
 */
export function readComputed(reader: TokenCursor, last: "end" | ")"): readonly ComputedSyntax[] {
  const items: ComputedSyntax[] = [];
  for (;;) {
    const expression = readExpression(reader);
    items.push({ expression, alias: readAlias(reader, "an operator, or as and a name, as in Price mul 2 as Double") });
    if (reader.token.kind === last) return items;
    if (reader.token.kind !== ",") throw unexpected(reader, last === "end" ? "a comma or the end" : 'a comma or ")"');
    take(reader);
  }
}

/**
 * Reads `as` and an alias.
 * @param expected the missing `as`, for the message
 * @throws ODataError 400 for a name that is not a simple identifier
 */
export function readAlias(reader: TokenCursor, expected: string): AliasNameSyntax {
  if (!isWord(reader.token, "as")) {
    if (isWordIgnoringCase(reader.token, "as")) throw faultAt(reader, reader.token, "write as in lower case.");
    throw unexpected(reader, expected);
  }
  take(reader);
  const { token } = reader;
  const { text: name, position } = token;
  if (token.kind !== "name") throw unexpected(reader, "a name after as");
  // Rows are objects with these names.
  if (!isIdentifier(name) || name.length > MAX_ALIAS_LENGTH || name === "__proto__") {
    const rule = `an alias is a letter or underscore, then letters, digits and underscores, at most ${MAX_ALIAS_LENGTH}, and not __proto__`;
    throw faultAt(reader, token, `${quoteText(name)} cannot be an alias: ${rule}.`);
  }
  take(reader);
  return { name, position };
}

/** Returns whether a token is a word that is not part of an expression. */
export function isWord({ kind, text }: Token, word: string): boolean {
  return kind === "name" && text === word;
}

/** Returns the same for any letter case. */
export function isWordIgnoringCase({ kind, text }: Token, word: string): boolean {
  return kind === "name" && text.toLowerCase() === word;
}
