import type { ArgumentSyntax, KeyPredicateSyntax, SyntaxNode } from "./ast.ts";
import { parseArguments } from "./expression-parser.ts";
import { tokenize } from "./lexer.ts";
import type { ParseContext } from "./parse-context.ts";
import { quoteText, syntaxError } from "./syntax-error.ts";
import type { TokenKind, TokenList } from "./token.ts";

/** The tokens allowed in the parentheses themselves, outside values of aliases. Names are allowed only before `=`. */
const INLINE_TOKENS: ReadonlySet<TokenKind> = new Set(["literal", "null", "alias", "json", "[", "]", ",", "="]);

/** The options of `parseKeyPredicate`. */
interface KeyPredicateOptions {
  /** The target of errors: `key`, or the name of the function whose arguments are read. */
  readonly target: string;
}

/**
 * Parses the text in the parentheses of a path segment: a key (`5`, `Id=5,No='x'`), or the arguments of a function.
 * Parameter aliases are replaced by their values. Literals are not added to those of the query, because keys have no shape.
 * @param parentheses the decoded text between the parentheses
 * @returns the parts; none for empty parentheses of a function
 * @throws ODataError 400 InvalidKey (target `key`) or InvalidParameter (target the function) with the position, for a
 *   syntax error, a value that is not a literal or alias, and a repeated name
 * @see OData URL Conventions 4.0, sections 4.3 and 4.5; ABNF keyPredicate, functionParameters
 */
export function parseKeyPredicate(
  parentheses: string,
  context: ParseContext,
  options: KeyPredicateOptions,
): KeyPredicateSyntax {
  const { target } = options;
  const isKey = target === "key";
  const ownContext: ParseContext = { ...context, literals: [] };
  const list = tokenize(parentheses, ownContext, target);
  const parts = parseArguments(list, ownContext);
  if (parts.length === 0 && isKey) throw syntaxError(target, 0, "a value is missing in the parentheses.");
  checkNames(parts, target);
  checkInlineValues(list);
  if (isKey) for (const { value } of parts) checkKeyValue(value);
  return { parts, position: 0 };
}

/** Requires either one part without a name, or a different name for each part. */
function checkNames(parts: readonly ArgumentSyntax[], target: string): void {
  const names = new Set<string>();
  for (const { name, value } of parts) {
    if (name === null) {
      if (parts.length === 1) return;
      throw syntaxError(target, value.position, "several values must be named: write Name=value,Name=value.");
    }
    if (name.includes(".") || name.startsWith("$")) {
      throw syntaxError(
        target,
        value.position,
        `${quoteText(name)} is not a name: use letters, digits and underscores.`,
      );
    }
    if (names.has(name)) throw syntaxError(target, value.position, `${quoteText(name)} appears twice.`);
    names.add(name);
  }
}

/** Expressions are allowed in the value of a parameter alias, but not in the path itself. */
function checkInlineValues({ tokens, option }: TokenList): void {
  for (const [index, { kind, alias, position }] of tokens.entries()) {
    if (alias !== null || INLINE_TOKENS.has(kind)) continue;
    if (kind === "name" && tokens[index + 1]?.kind === "=") continue;
    throw syntaxError(
      option,
      position,
      "a value must be a literal, such as 5 or 'text', or a parameter alias, such as @p.",
    );
  }
}

function checkKeyValue({ kind, position }: SyntaxNode): void {
  if (kind === "literal" || kind === "null" || kind === "alias") return;
  throw syntaxError("key", position, "a key value must be a literal, such as 5 or 'text'.");
}
