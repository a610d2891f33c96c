import type { ArgumentSyntax, SyntaxNode } from "../../../src/language/syntax/ast.ts";
import { printLiteral } from "./print.ts";

/** Writes a syntax tree as a short text with every node in parentheses, without positions, for tables. */
export function sketch(node: SyntaxNode | null): string {
  if (node === null) return "-";
  switch (node.kind) {
    case "literal":
      return printLiteral(node.literal);
    case "null":
      return "null";
    case "list":
      return `[${node.items.map(sketch).join(" ")}]`;
    case "json":
      return `json:${node.text}`;
    case "alias":
      return `alias:${node.name}`;
    case "member":
      return node.source === null ? node.name : `(member ${sketch(node.source)} ${node.name})`;
    case "variable":
      return `var:${node.name}`;
    case "these":
      return `(these ${String(node.method)} ${sketch(node.expression)})`;
    case "root":
      return "root";
    case "key":
      return `(key ${sketch(node.source)} ${sketchArguments(node.key.parts)})`;
    case "cast":
      return `(cast ${sketch(node.source)} ${node.typeName})`;
    case "count":
      return `(count ${sketch(node.source)})`;
    case "lambda":
      return `(${node.operator} ${sketch(node.source)} ${node.variable ?? "-"} ${sketch(node.predicate)})`;
    case "call":
      return `(call ${sketch(node.source)} ${[node.name, sketchArguments(node.arguments)].filter(Boolean).join(" ")})`;
    case "unary":
      return `(${node.operator} ${sketch(node.operand)})`;
    case "binary":
      return `(${node.operator} ${sketch(node.left)} ${sketch(node.right)})`;
    case "logical":
      return `(${node.operator} ${node.operands.map(sketch).join(" ")})`;
    case "in":
      return `(in ${sketch(node.operand)} ${sketch(node.list)})`;
  }
}

function sketchArguments(parts: readonly ArgumentSyntax[]): string {
  return parts.map(({ name, value }) => (name === null ? sketch(value) : `${name}=${sketch(value)}`)).join(" ");
}
