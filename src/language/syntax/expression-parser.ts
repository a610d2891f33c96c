import type { ArgumentSyntax, InSyntax, LogicalSyntax, SyntaxNode, UnarySyntax, CountSyntax } from "./ast.ts";
import {
  checkAnyAllDepth,
  readList,
  readParts,
  startsList,
  toLeaf,
  isCanonicalFunction,
  isHierarchyNext,
  readCanonicalCall,
  readKeyPredicate,
  readLambda,
  readQualifiedCall,
  refuseAggregation,
  refuseThese,
  unknownFunction,
} from "./call-parser.ts";
import {
  counted,
  enter,
  expect,
  type TokenCursor,
  faultAt,
  leave,
  lookAhead,
  openReader,
  take,
  unexpected,
} from "./expression-reader.ts";
import type { ParseContext } from "./parse-context.ts";
import { quoteText } from "./syntax-error.ts";
import { type TokenList, UNARY_PRECEDENCE } from "./token.ts";

/** The tokens that a message expects after an operand. */
const OPERATOR_OR_END =
  "an operator (and, or, eq, ne, gt, ge, lt, le, in, has, add, sub, mul, div, divby, mod) or the end";

/**
 * Parses a token list as one expression: `$filter`, or the value of an argument. `maxDepth` limits the recursion and the
 * height of the tree. Chains of binary operators nest to the left, chains of `and` and `or` are flat.
 * @throws ODataError 400 with position, what was found and what was expected
 * @see OData URL Conventions 4.0, section 5.1.1; ABNF rules commonExpr, boolCommonExpr
 */
export function parseExpression(list: TokenList, context: ParseContext): SyntaxNode {
  const reader = openReader(list, context, readExpression);
  const node = readExpression(reader);
  expectEnd(reader);
  return node;
}

/**
 * Parses a token list as the content of parentheses: a key predicate, or the arguments of a function call in a path.
 * @returns the parts, with or without names, whose values may be any expressions; empty without tokens
 * @throws ODataError 400 with position, what was found and what was expected
 * @see ABNF rules keyPredicate, functionParameters
 */
export function parseArguments(list: TokenList, context: ParseContext): readonly ArgumentSyntax[] {
  const parts: ArgumentSyntax[] = [];
  if (list.tokens.length === 0) return parts;
  const reader = openReader(list, context, readExpression);
  readParts(reader, parts);
  if (reader.token.kind !== "end") throw unexpected(reader, "a comma or the end");
  return parts;
}

/** Refuses tokens after a whole expression. */
function expectEnd(reader: TokenCursor): void {
  if (reader.token.kind !== "end") throw unexpected(reader, OPERATOR_OR_END);
}

/** Reads one whole expression, up to a token that does not belong to it. @see ABNF rule commonExpr */
export function readExpression(reader: TokenCursor): SyntaxNode {
  return readBinary(reader, 1);
}

/** Reads an operand and the operators after it with at least the precedence `minimum`. */
function readBinary(reader: TokenCursor, minimum: number): SyntaxNode {
  let left = readUnary(reader);
  for (;;) {
    const { operator } = reader.token;
    if (operator === null || operator.precedence < minimum) return left;
    const { symbol, precedence } = operator;
    if (symbol === "and" || symbol === "or") {
      left = readLogical(reader, left, symbol, precedence);
      continue;
    }
    const { height } = reader;
    const { position } = take(reader);
    if (symbol === "in") {
      left = readIn(reader, left, height, position);
      continue;
    }
    const right = readBinary(reader, precedence + 1);
    const above = Math.max(height, reader.height) + 1;
    left = counted(reader, { kind: "binary", operator: symbol, left, right, position }, above);
  }
}

/**
 * Reads a chain of `and` or of `or` into one flat node. Operands that are the same kind of chain, in redundant parentheses,
 * become part of it.
 * @see ABNF rules andExpr, orExpr
 */
function readLogical(
  reader: TokenCursor,
  first: SyntaxNode,
  operator: "and" | "or",
  precedence: number,
): LogicalSyntax {
  const { position } = reader.token;
  const operands: SyntaxNode[] = [];
  let height = addOperand(operands, first, operator, reader.height);
  while (reader.token.operator?.symbol === operator) {
    take(reader);
    const operand = readBinary(reader, precedence + 1);
    height = Math.max(height, addOperand(operands, operand, operator, reader.height));
  }
  return counted(reader, { kind: "logical", operator, operands, position }, height + 1);
}

/** Adds an operand, or the operands of a chain of the same operator, and returns their height. */
function addOperand(operands: SyntaxNode[], operand: SyntaxNode, operator: "and" | "or", height: number): number {
  if (operand.kind !== "logical" || operand.operator !== operator) {
    operands.push(operand);
    return height;
  }
  for (const inner of operand.operands) operands.push(inner);
  return height - 1;
}

/** Reads `not x`, `-x` or an operand. @see ABNF rules notExpr, negateExpr */
function readUnary(reader: TokenCursor): SyntaxNode {
  const { kind } = reader.token;
  if (kind !== "not" && kind !== "-") return readOperand(reader);
  enter(reader);
  const { position } = take(reader);
  const operand = readBinary(reader, UNARY_PRECEDENCE);
  leave(reader);
  const node: UnarySyntax = { kind: "unary", operator: kind === "not" ? "not" : "negate", operand, position };
  return counted(reader, node, reader.height + 1);
}

/** Reads a literal, a path, a call, an alias, JSON, or an expression in parentheses. @see ABNF rule commonExpr */
function readOperand(reader: TokenCursor): SyntaxNode {
  const { token } = reader;
  switch (token.kind) {
    case "literal":
    case "null":
    case "alias":
      take(reader);
      return counted(reader, toLeaf(token), 1);
    case "name":
      return readMemberPath(reader);
    case "(":
      return readParenthesised(reader);
    case "[":
      return readList(reader);
    case "json":
      take(reader);
      return counted(reader, { kind: "json", text: token.text, position: token.position }, 1);
    default:
      throw unexpected(reader, "a property, a literal or a function");
  }
}

/** @see ABNF rules parenExpr, boolParenExpr */
function readParenthesised(reader: TokenCursor): SyntaxNode {
  enter(reader);
  take(reader);
  const node = readExpression(reader);
  expect(reader, ")", 'an operator or ")"');
  leave(reader);
  return node.kind === "unary" || node.kind === "binary" ? { ...node, isEnclosed: true } : node;
}

/** Reads the right side of `in`: a list of literals, an alias, or the path of a collection. @see ABNF rule inExpr */
function readIn(reader: TokenCursor, operand: SyntaxNode, height: number, position: number): InSyntax {
  const start = reader.token;
  const isList = start.kind === "[" || (start.kind === "(" && startsList(lookAhead(reader, 1)));
  const list = isList ? readList(reader) : readOperand(reader);
  if (!isCollection(list)) {
    throw faultAt(reader, start, "in is followed by a list of literals in parentheses, as in Id in (1,2).");
  }
  if (!isList && list.kind !== "alias") checkAnyAllDepth(reader, start);
  return counted(reader, { kind: "in", operand, list, position }, Math.max(height, reader.height) + 1);
}

function isCollection(node: SyntaxNode): boolean {
  switch (node.kind) {
    case "list":
    case "json":
    case "alias":
    case "member":
    case "variable":
    case "cast":
    case "key":
    case "call":
      return true;
    default:
      return false;
  }
}

/**
 * Reads an operand that begins with a name: a path of members, or a function call.
 * @throws ODataError 400 with position, what was found and what was expected
 * @see OData URL Conventions 4.0, section 5.1.1.15; ABNF rules firstMemberExpr, memberExpr, rootExpr, functionExpr
 */
function readMemberPath(reader: TokenCursor): SyntaxNode {
  let node = readFirst(reader);
  while (reader.token.kind === "/") {
    if (isPathEnd(node)) {
      throw faultAt(reader, reader.token, "nothing can follow $count, any, all or a canonical function in a path.");
    }
    take(reader);
    node = readSegment(reader, node);
  }
  return node;
}

function isPathEnd(node: SyntaxNode): boolean {
  if (node.kind === "call") return node.source === null && isCanonicalFunction(node.name);
  return node.kind === "count" || node.kind === "lambda" || node.kind === "these";
}

function readFirst(reader: TokenCursor): SyntaxNode {
  const { text, position } = reader.token;
  if (text.startsWith("$")) return readDollarName(reader);
  const isBeforeParenthesis = lookAhead(reader, 1).kind === "(";
  if (isBeforeParenthesis && isCanonicalFunction(text)) return readCanonicalCall(reader);
  if (text.includes(".")) return readQualifiedName(reader, null);
  if (reader.variables.includes(text) && !isBeforeParenthesis) {
    take(reader);
    return counted(reader, { kind: "variable", name: text, position }, 1);
  }
  if (isBeforeParenthesis && isHierarchyNext(reader)) refuseAggregation(reader);
  if (isBeforeParenthesis && !isKeyPredicateNext(reader)) {
    refuseAggregation(reader);
    throw unknownFunction(reader);
  }
  take(reader);
  return readKeyBehind(reader, counted(reader, { kind: "member", source: null, name: text, position }, 1));
}

/** Reads `$it`, or `$root` before the required slash. */
function readDollarName(reader: TokenCursor): SyntaxNode {
  const { text, position } = reader.token;
  if (text === "$it") {
    take(reader);
    return counted(reader, { kind: "variable", name: "$it", position }, 1);
  }
  if (text === "$these" && reader.readThese !== null) return reader.readThese(reader);
  refuseThese(reader);
  if (text !== "$root") throw unexpected(reader, "a property, a literal, a function, $it or $root");
  take(reader);
  if (reader.token.kind !== "/") throw unexpected(reader, "a slash and an entity set or singleton after $root");
  return counted(reader, { kind: "root", position }, 1);
}

function readSegment(reader: TokenCursor, source: SyntaxNode): SyntaxNode {
  const { text, position } = reader.token;
  if (reader.token.kind !== "name") throw unexpected(reader, "a name after the slash");
  if (text.includes(".")) return readQualifiedName(reader, source);
  if (text.startsWith("$")) return readCount(reader, source);
  if (lookAhead(reader, 1).kind === "(") {
    if (/^(?:any|all)$/iu.test(text)) return readLambda(reader, source);
    if (!isKeyPredicateNext(reader)) {
      refuseAggregation(reader);
      throw faultAt(
        reader,
        reader.token,
        `${quoteText(text)} is followed by a parenthesis without a key: call a function by its qualified name.`,
      );
    }
  }
  take(reader);
  return readKeyBehind(reader, counted(reader, { kind: "member", source, name: text, position }, reader.height + 1));
}

/** Reads `$count` after a slash. @see ABNF rule count */
function readCount(reader: TokenCursor, source: SyntaxNode): CountSyntax {
  if (reader.token.text !== "$count" || source.kind === "root") {
    throw unexpected(reader, source.kind === "root" ? "an entity set or singleton after $root/" : "a name or $count");
  }
  const { position } = take(reader);
  return counted(reader, { kind: "count", source, position }, reader.height + 1);
}

/** Reads a qualified name: a type cast, or the call of a function. @see ABNF rules qualifiedEntityTypeName, function */
function readQualifiedName(reader: TokenCursor, source: SyntaxNode | null): SyntaxNode {
  const { text: typeName, position } = reader.token;
  if (lookAhead(reader, 1).kind === "(" && !isPositionalKeyNext(reader)) return readQualifiedCall(reader, source);
  const height = source === null ? 1 : reader.height + 1;
  take(reader);
  return readKeyBehind(reader, counted(reader, { kind: "cast", source, typeName, position }, height));
}

function isPositionalKeyNext(reader: TokenCursor): boolean {
  return lookAhead(reader, 2).kind !== "name" && isKeyPredicateNext(reader);
}

function readKeyBehind(reader: TokenCursor, source: SyntaxNode): SyntaxNode {
  if (reader.token.kind !== "(") return source;
  const { height } = reader;
  const { position } = reader.token;
  const key = readKeyPredicate(reader);
  return counted(reader, { kind: "key", source, key, position }, Math.max(height, reader.height) + 1);
}

/**
 * Returns whether the next name and its parenthesis begin a key predicate: one value, or named values.
 * @see ABNF rule keyPredicate
 */
function isKeyPredicateNext(reader: TokenCursor): boolean {
  const first = lookAhead(reader, 2).kind;
  const second = lookAhead(reader, 3).kind;
  return first === "name" ? second === "=" : (first === "literal" || first === "alias") && second === ")";
}
