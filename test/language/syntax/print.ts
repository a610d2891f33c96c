import type { ArgumentSyntax, SyntaxNode } from "../../../src/language/syntax/ast.ts";
import { type Literal, OPERATORS, UNARY_PRECEDENCE } from "../../../src/language/syntax/token.ts";

const PATH_PRECEDENCE = 9;

function precedenceOf(symbol: string): number {
  return OPERATORS.get(symbol)?.precedence ?? 0;
}

/**
 * Writes a syntax tree as the text of an expression, not percent-encoded, with the fewest parentheses. Parsing the text
 * produces the same tree. The parser limits the height of the tree, and so the recursion here.
 * @see OData URL Conventions 4.0, section 5.1.1; ABNF rule commonExpr
 */
export function print(node: SyntaxNode): string {
  return printNode(node, 0);
}

/** Writes a node, in parentheses if its precedence is below `minimum`. */
function printNode(node: SyntaxNode, minimum: number): string {
  const text = printBare(node);
  return nodePrecedence(node) < minimum || isKeptApart(node, text) ? `(${text})` : text;
}

/** Whether parentheses have a meaning beyond precedence: `(not a) eq b` is never `not (a eq b)`. */
function isKeptApart(node: SyntaxNode, text: string): boolean {
  const isEnclosed = (node.kind === "unary" || node.kind === "binary") && node.isEnclosed === true;
  return isEnclosed && text.startsWith("not ");
}

function nodePrecedence(node: SyntaxNode): number {
  switch (node.kind) {
    case "logical":
    case "binary":
      return precedenceOf(node.operator);
    case "in":
      return precedenceOf("in");
    case "unary":
      return UNARY_PRECEDENCE;
    default:
      return PATH_PRECEDENCE;
  }
}

function printBare(node: SyntaxNode): string {
  switch (node.kind) {
    case "literal":
      return printLiteral(node.literal);
    case "null":
      return "null";
    case "list":
      return `[${printItems(node.items)}]`;
    case "json":
      return node.text;
    case "alias":
    case "variable":
      return node.name;
    case "these":
      return `$these/${String(node.method)}`;
    case "root":
      return "$root";
    case "member":
      return printSegment(node.source, node.name);
    case "cast":
      return printSegment(node.source, node.typeName);
    case "count":
      return printSegment(node.source, "$count");
    case "key":
      return `${print(node.source)}(${printArguments(node.key.parts)})`;
    case "call":
      return printSegment(node.source, `${node.name}(${printArguments(node.arguments)})`);
    case "lambda":
      return printSegment(node.source, `${node.operator}(${printPredicate(node.variable, node.predicate)})`);
    case "unary":
      return printUnary(node.operator, node.operand);
    case "binary": {
      const precedence = precedenceOf(node.operator);
      return `${printNode(node.left, precedence)} ${node.operator} ${printNode(node.right, precedence + 1)}`;
    }
    case "logical": {
      const precedence = precedenceOf(node.operator) + 1;
      return node.operands.map((operand) => printNode(operand, precedence)).join(` ${node.operator} `);
    }
    case "in":
      return `${printNode(node.operand, precedenceOf("in"))} in ${printInList(node.list)}`;
  }
}

function printSegment(source: SyntaxNode | null, segment: string): string {
  return source === null ? segment : `${print(source)}/${segment}`;
}

function printItems(items: readonly SyntaxNode[]): string {
  return items.map(print).join(",");
}

function printArguments(parts: readonly ArgumentSyntax[]): string {
  return parts.map(({ name, value }) => (name === null ? print(value) : `${name}=${print(value)}`)).join(",");
}

function printPredicate(variable: string | null, predicate: SyntaxNode | null): string {
  return variable === null || predicate === null ? "" : `${variable}:${print(predicate)}`;
}

/** A blank separates the minus sign from a number, so that it does not become part of the number. */
function printUnary(operator: "not" | "negate", operand: SyntaxNode): string {
  const text = printNode(operand, UNARY_PRECEDENCE);
  if (operator === "not") return `not ${text}`;
  return /^(?:\d|INF)/u.test(text) ? `- ${text}` : `-${text}`;
}

/** A list of literals after `in` is in parentheses; an empty list can only be JSON. */
function printInList(list: SyntaxNode): string {
  return list.kind === "list" && list.items.length > 0 ? `(${printItems(list.items)})` : print(list);
}

/**
 * Writes a literal with the prefix, quotes or suffix of its type.
 * @see ABNF rule primitiveLiteral
 */
export function printLiteral(literal: Literal): string {
  const { type, text } = literal;
  switch (type) {
    case "Edm.String":
      return quote(text);
    case "Edm.Duration":
      return `duration${quote(text)}`;
    case "Edm.Binary":
      return `binary${quote(text)}`;
    case "enum":
    case "geo":
      return `${literal.typeName ?? ""}${quote(text)}`;
    case "Edm.Int64":
      return `${text}L`;
    case "Edm.Decimal":
      return text.includes(".") ? text : `${text}m`;
    case "Edm.Double":
      return /^-?[\d.]+$/u.test(text) ? `${text}d` : text;
    case "Edm.Single":
      return /\d$/u.test(text) ? `${text}f` : text;
    case "Edm.Boolean":
    case "Edm.Byte":
    case "Edm.SByte":
    case "Edm.Int16":
    case "Edm.Int32":
    case "Edm.Guid":
    case "Edm.Date":
    case "Edm.TimeOfDay":
    case "Edm.DateTimeOffset":
      return text;
  }
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
