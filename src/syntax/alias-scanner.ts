import { skipName } from "./characters.ts";
import { addOperand, checkDepth, fault, type Lexer, push } from "./lexer-state.ts";
import { quoteText } from "./syntax-error.ts";
import type { Token } from "./token.ts";

/** Most characters that the values of parameter aliases may expand to within one option. */
const MAX_ALIAS_CHARACTERS = 1_048_576;

/**
 * Reads a parameter alias. Where an operand may start, an alias with a value is replaced by the tokens of the value, in
 * parentheses if necessary.
 * @param scanTokens reads all tokens of a text
 * @throws ODataError 400 for a value that is not a single operand or contains its own alias, and above the limits
 * @see OData URL Conventions 4.0, section 5.3; ABNF rule parameterAlias
 */
export function scanAlias(lexer: Lexer, start: number, scanTokens: (lexer: Lexer) => void): void {
  const end = skipName(lexer.text, start + 1);
  if (end === start + 1) throw fault(lexer, start, 'found "@": a parameter alias needs a name, as in @p.');
  const name = lexer.text.slice(start, end);
  const value = lexer.shared.context.aliases.get(name);
  if (value === undefined || !lexer.expectOperand) {
    addOperand(lexer, "alias", start, end);
    return;
  }
  const inner = innerLexer(lexer, start, name, value);
  expand(inner, scanTokens);
  lexer.offset = end;
  lexer.expectOperand = false;
  lexer.afterSlash = false;
  lexer.prefixes = 0;
}

/** Makes the lexer for the value of an alias, after checking that the value may be read. */
function innerLexer(lexer: Lexer, start: number, name: string, value: string): Lexer {
  const { shared } = lexer;
  if (shared.aliases.includes(name)) {
    throw fault(lexer, start, `the parameter alias ${quoteText(name)} refers to itself.`);
  }
  shared.characters += value.length;
  if (shared.characters > MAX_ALIAS_CHARACTERS) {
    throw fault(
      lexer,
      start,
      `the values of parameter aliases expand to more than ${MAX_ALIAS_CHARACTERS} characters: shorten them, or use them less often.`,
    );
  }
  const depth = lexer.depth + lexer.prefixes + 1;
  const inner: Lexer = {
    ...lexer,
    text: value,
    base: 0,
    option: name,
    alias: { name, position: lexer.alias === null ? lexer.base + start : lexer.alias.position },
    startDepth: depth,
    offset: 0,
    depth,
    prefixes: 0,
    listEnd: -1,
  };
  checkDepth(inner, 0);
  return inner;
}

function expand(inner: Lexer, scanTokens: (lexer: Lexer) => void): void {
  const { aliases, tokens } = inner.shared;
  const first = tokens.length;
  push(inner, "(", 0, 0);
  aliases.push(inner.option);
  scanTokens(inner);
  aliases.pop();
  const { length } = inner.text;
  if (inner.depth > inner.startDepth) throw fault(inner, length, "a closing parenthesis is missing.");
  if (tokens.length === first + 1) throw fault(inner, 0, "the parameter alias has an empty value; write null instead.");
  if (isSelfContained(tokens, first + 1)) tokens.splice(first, 1);
  else push(inner, ")", length, length);
}

/** Returns whether the tokens from `first` on need no parentheses: a literal, null, JSON, or a single group. */
function isSelfContained(tokens: readonly Token[], first: number): boolean {
  let depth = 0;
  for (let index = first; index < tokens.length; index += 1) {
    const kind = tokens[index]?.kind;
    if (kind === "(" || kind === "[") depth += 1;
    else if (kind === ")" || kind === "]") depth -= 1;
    else if (depth === 0 && kind !== "literal" && kind !== "null" && kind !== "json") return false;
    if (depth === 0 && index < tokens.length - 1) return false;
  }
  return true;
}
