import type { ODataError } from "../../base/errors/odata-error.ts";
import { isDigit } from "../../edm/decimal.ts";
import { type Expansion, fault, type Lexer, push } from "./lexer-state.ts";
import { scanJson, scanJsonString, add, isGuid, scanNumeric, scanPrefixed, scanString } from "./literal-scanner.ts";
import { keywordOf, type ParseContext } from "./parse-context.ts";
import { isQuotedName, skipBlanks } from "./quoted-name.ts";
import { quoteText } from "./syntax-error.ts";
import { skipDottedName, skipName, toShape, OPERATORS, type TokenList, type Token, type TokenKind } from "./token.ts";

const QUOTE = 39;

/**
 * Splits the text of an option into tokens, in one pass. Literals are added to `context.literals`, and a parameter alias
 * with a value is replaced by the tokens of the value.
 * @param text the percent-decoded text
 * @param option the target of errors: `$filter`, `key`, …
 * @param base offset of `text` in the text of that option
 * @throws ODataError 400 for an invalid character or literal, an alias that refers to itself, and above the limits on
 *   tokens and depth
 * @see OData URL Conventions 4.0, section 5.1.1; ABNF rules commonExpr, primitiveLiteral, parameterAlias
 */
export function tokenize(text: string, context: ParseContext, option: string, base = 0): TokenList {
  const shared: Expansion = { context, tokens: [], aliases: [], characters: 0 };
  scanTokens({
    text,
    base,
    option,
    literals: context.literals,
    shared,
    alias: null,
    startDepth: 0,
    offset: 0,
    depth: 0,
    prefixes: 0,
    expectOperand: true,
    afterSlash: false,
    listEnd: -1,
  });
  return { option, text, tokens: shared.tokens, end: base + text.length, shape: toShape(shared.tokens) };
}

function scanTokens(lexer: Lexer): void {
  const { text } = lexer;
  while (lexer.offset < text.length) {
    const code = text.charCodeAt(lexer.offset);
    if (code === 32 || code === 9) lexer.offset += 1;
    else scanToken(lexer, code);
  }
}

function scanToken(lexer: Lexer, code: number): void {
  const start = lexer.offset;
  if (isDigit(code)) {
    addLiteral(lexer, start, scanNumeric(lexer, start));
    return;
  }
  switch (code) {
    case 39:
      scanQuote(lexer, start);
      return;
    case 40:
      scanOpen(lexer, start);
      return;
    case 41:
      scanClose(lexer, start);
      return;
    case 44:
      scanComma(lexer, start);
      return;
    case 47:
      push(lexer, "/", start, start + 1);
      lexer.expectOperand = true;
      lexer.afterSlash = true;
      return;
    case 58:
    case 61:
      push(lexer, code === 58 ? ":" : "=", start, start + 1);
      lexer.expectOperand = true;
      return;
    case 43:
    case 45:
      scanSign(lexer, start);
      return;
    case 34:
    case 91:
    case 93:
    case 123:
      scanJsonToken(lexer, code, start);
      return;
    case 36:
      scanDollarName(lexer, start);
      return;
    case 64:
      scanAlias(lexer, start);
      return;
    default:
      scanName(lexer, start);
  }
}

function addLiteral(lexer: Lexer, start: number, end: number): void {
  addOperand(lexer, "literal", start, end);
}

/**
 * Reads a string, or the name of a type in quotes, which some clients send: `cast(Id,'Edm.String')`, or that of a hierarchy. It becomes a name, so
 * that it is part of the shape.
 */
function scanQuote(lexer: Lexer, start: number): void {
  const nameEnd = skipDottedName(lexer.text, start + 1);
  const isName = nameEnd > start + 1 && lexer.text.charCodeAt(nameEnd) === QUOTE;
  if (!isName || !isQuotedName(lexer, nameEnd + 1)) {
    addLiteral(lexer, start, scanString(lexer, start));
    return;
  }
  addOperand(lexer, "name", start + 1, nameEnd);
  lexer.offset = nameEnd + 1;
}

function scanOpen(lexer: Lexer, start: number): void {
  lexer.depth += 1;
  checkDepth(lexer, start);
  push(lexer, "(", start, start + 1);
  lexer.expectOperand = true;
}

function scanClose(lexer: Lexer, start: number): void {
  if (lexer.depth === lexer.startDepth) throw fault(lexer, start, 'the ")" has no opening parenthesis.');
  lexer.depth -= 1;
  addOperand(lexer, ")", start, start + 1);
}

function scanComma(lexer: Lexer, start: number): void {
  if (lexer.alias !== null && lexer.depth === lexer.startDepth && lexer.listEnd < 0) {
    throw fault(lexer, start, "the value of a parameter alias must be one expression: put a list in parentheses.");
  }
  push(lexer, ",", start, start + 1);
  lexer.expectOperand = true;
}

/** Where an operand may start, a sign directly before digits or INF belongs to the number. */
function scanSign(lexer: Lexer, start: number): void {
  const { text } = lexer;
  const isMinus = text.charCodeAt(start) === 45;
  if (lexer.expectOperand && isDigit(text.charCodeAt(start + 1))) {
    addLiteral(lexer, start, scanNumeric(lexer, start));
    return;
  }
  if (!isMinus) throw fault(lexer, start, 'found "+": write add between two operands (and a plus sign as %2B).');
  if (lexer.expectOperand && text.startsWith("INF", start + 1) && skipName(text, start + 1) === start + 4) {
    add(lexer, "Edm.Double", "-INF", start);
    addLiteral(lexer, start, start + 4);
    return;
  }
  if (lexer.expectOperand) {
    lexer.prefixes += 1;
    checkDepth(lexer, start);
  }
  push(lexer, "-", start, start + 1);
  lexer.expectOperand = true;
}

function scanJsonToken(lexer: Lexer, code: number, start: number): void {
  const isInList = start < lexer.listEnd;
  if (code === 34 && isInList) {
    addLiteral(lexer, start, scanJsonString(lexer, start));
  } else if (code === 34) {
    throw fault(lexer, start, "a string is written in single quotes.");
  } else if (code === 93) {
    if (start !== lexer.listEnd) throw fault(lexer, start, 'the "]" has no opening bracket.');
    lexer.listEnd = -1;
    addOperand(lexer, "]", start, start + 1);
  } else {
    const extent = scanJson(lexer, start, lexer.shared.context.limits.maxDepth);
    if (extent.isList) {
      push(lexer, "[", start, start + 1);
      lexer.listEnd = extent.end - 1;
      lexer.expectOperand = true;
    } else {
      addOperand(lexer, "json", start, extent.end);
    }
  }
}

function scanDollarName(lexer: Lexer, start: number): void {
  const end = skipName(lexer.text, start + 1);
  if (end === start + 1) throw fault(lexer, start, 'found "$": only $it, $root and $count begin with it.');
  addOperand(lexer, "name", start, end);
}

/** Reads a name, or another word: an operator, `null`, a Boolean, INF, NaN, a Guid, or the prefix of a literal. */
function scanName(lexer: Lexer, start: number): void {
  const { text } = lexer;
  const end = skipDottedName(text, start);
  if (end === start) throw strayCharacter(lexer, start);
  if (!lexer.expectOperand && text.charCodeAt(start - 1) === QUOTE) {
    throw fault(lexer, start, "put a blank between a string and an operator, and double a quote within a string.");
  }
  if (text.charCodeAt(end) === QUOTE) {
    addLiteral(lexer, start, scanPrefixed(lexer, start, end));
  } else if (lexer.afterSlash) {
    addOperand(lexer, "name", start, end);
  } else if (lexer.expectOperand) {
    scanOperandName(lexer, start, end);
  } else {
    const operator = OPERATORS.get(keywordOf(text.slice(start, end), lexer.shared.context)) ?? null;
    push(lexer, operator === null ? "name" : "operator", start, end, operator);
    lexer.expectOperand = true;
  }
}

function scanOperandName(lexer: Lexer, start: number, end: number): void {
  const { text } = lexer;
  if (isGuid(text, start)) {
    addLiteral(lexer, start, scanNumeric(lexer, start));
    return;
  }
  const length = end - start;
  const word = length <= 5 ? text.slice(start, end) : "";
  const lower = word.toLowerCase();
  if (word === "not" || (keywordOf(word, lexer.shared.context) === "not" && isBeforeOperand(text, end))) {
    lexer.prefixes += 1;
    checkDepth(lexer, start);
    push(lexer, "not", start, end);
  } else if (word === "null") {
    addOperand(lexer, "null", start, end);
  } else if (lower === "true" || lower === "false") {
    add(lexer, "Edm.Boolean", lower, start);
    addLiteral(lexer, start, end);
  } else if (word === "INF" || word === "NaN") {
    add(lexer, "Edm.Double", word, start);
    addLiteral(lexer, start, end);
  } else {
    addOperand(lexer, "name", start, end);
  }
}

/** Words that follow an operand. */
const AFTER_OPERAND = /^(?:asc|desc|as|with|from)$/u;

/** Whether an operand follows: a property may be called `Not`, as in `Not eq true`. */
function isBeforeOperand(text: string, end: number): boolean {
  const start = skipBlanks(text, end);
  const word = text.slice(start, skipDottedName(text, start)).toLowerCase();
  if (word === "") return start < text.length && !"),/:=".includes(text.charAt(start));
  return !OPERATORS.has(word) && !AFTER_OPERAND.test(word);
}

/** The corrections of operators and quotes of other languages. */
const STRAY_CHARACTERS: ReadonlyMap<string, string> = new Map([
  ["<", "write lt or le"],
  [">", "write gt or ge"],
  ["!", "write ne, or not before an operand"],
  ["&", "write and"],
  ["|", "write or"],
  ["*", "write mul"],
  ["%", "write mod"],
  ["`", "a string is written in single quotes"],
  ["\u2018", "a string is written in straight single quotes"],
  ["\u2019", "a string is written in straight single quotes"],
  [";", "write a comma"],
  [".", "a dot is allowed only within a number or a qualified name"],
]);

function strayCharacter(lexer: Lexer, start: number): ODataError {
  const character = String.fromCodePoint(lexer.text.codePointAt(start) ?? 0);
  const hint = STRAY_CHARACTERS.get(character) ?? "no name, literal or operator begins with it";
  return fault(lexer, start, `found ${JSON.stringify(character)}: ${hint}.`);
}

/** Most characters that the values of parameter aliases may expand to within one option. */
const MAX_ALIAS_CHARACTERS = 1_048_576;

/**
 * Reads a parameter alias. Where an operand may start, an alias with a value is replaced by the tokens of the value, in
 * parentheses if necessary.
 * @throws ODataError 400 for a value that is not a single operand or contains its own alias, and above the limits
 * @see OData URL Conventions 4.0, section 5.3; ABNF rule parameterAlias
 */
function scanAlias(lexer: Lexer, start: number): void {
  const end = skipName(lexer.text, start + 1);
  if (end === start + 1) throw fault(lexer, start, 'found "@": a parameter alias needs a name, as in @p.');
  const name = lexer.text.slice(start, end);
  const value = lexer.shared.context.aliases.get(name);
  if (value === undefined || !lexer.expectOperand) {
    addOperand(lexer, "alias", start, end);
    return;
  }
  const inner = innerLexer(lexer, start, name, value);
  expand(inner);
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

function expand(inner: Lexer): void {
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

/** Adds a token that ends an operand, so that an operator or the end follows. */
function addOperand(lexer: Lexer, kind: TokenKind, start: number, end: number): void {
  push(lexer, kind, start, end);
  lexer.expectOperand = false;
  lexer.prefixes = 0;
}

/**
 * Refuses nesting that is too deep, before more of the text is read.
 * @throws ODataError 400 above `maxDepth`
 */
function checkDepth(lexer: Lexer, start: number): void {
  const { maxDepth } = lexer.shared.context.limits;
  if (lexer.depth + lexer.prefixes > maxDepth) {
    throw fault(
      lexer,
      start,
      `the expression is nested deeper than ${maxDepth} levels: use fewer nested parentheses, calls and operators.`,
    );
  }
}
