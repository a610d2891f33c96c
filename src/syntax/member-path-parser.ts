import type { CountSyntax, SyntaxNode } from "./ast.ts";
import {
  isCanonicalFunction,
  isKeyPredicateNext,
  readCanonicalCall,
  readKeyPredicate,
  readLambda,
  readQualifiedCall,
  unknownFunction,
} from "./call-parser.ts";
import { counted, type ExpressionReader, faultAt, lookAhead, take, unexpected } from "./expression-reader.ts";
import { quoteText } from "./syntax-error.ts";

/**
 * Reads an operand that begins with a name: a path of members, or a function call.
 * @throws ODataError 400 with position, what was found and what was expected
 * @see OData URL Conventions 4.0, section 5.1.1.15; ABNF rules firstMemberExpr, memberExpr, rootExpr, functionExpr
 */
export function readMemberPath(reader: ExpressionReader): SyntaxNode {
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
  return node.kind === "count" || node.kind === "lambda";
}

function readFirst(reader: ExpressionReader): SyntaxNode {
  const { text, position } = reader.token;
  if (text.startsWith("$")) return readDollarName(reader);
  const isBeforeParenthesis = lookAhead(reader, 1).kind === "(";
  if (isBeforeParenthesis && isCanonicalFunction(text)) return readCanonicalCall(reader);
  if (text.includes(".")) return readQualifiedName(reader, null);
  if (reader.variables.includes(text) && !isBeforeParenthesis) {
    take(reader);
    return counted(reader, { kind: "variable", name: text, position }, 1);
  }
  if (isBeforeParenthesis && !isKeyPredicateNext(reader)) throw unknownFunction(reader);
  take(reader);
  return readKeyBehind(reader, counted(reader, { kind: "member", source: null, name: text, position }, 1));
}

/** Reads `$it`, or `$root` before the required slash. */
function readDollarName(reader: ExpressionReader): SyntaxNode {
  const { text, position } = reader.token;
  if (text === "$it") {
    take(reader);
    return counted(reader, { kind: "variable", name: "$it", position }, 1);
  }
  if (text !== "$root") throw unexpected(reader, "a property, a literal, a function, $it or $root");
  take(reader);
  if (reader.token.kind !== "/") throw unexpected(reader, "a slash and an entity set or singleton after $root");
  return counted(reader, { kind: "root", position }, 1);
}

function readSegment(reader: ExpressionReader, source: SyntaxNode): SyntaxNode {
  const { text, position } = reader.token;
  if (reader.token.kind !== "name") throw unexpected(reader, "a name after the slash");
  if (text.includes(".")) return readQualifiedName(reader, source);
  if (text.startsWith("$")) return readCount(reader, source);
  if (lookAhead(reader, 1).kind === "(") {
    if (/^(?:any|all)$/iu.test(text)) return readLambda(reader, source);
    if (!isKeyPredicateNext(reader)) {
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
function readCount(reader: ExpressionReader, source: SyntaxNode): CountSyntax {
  if (reader.token.text !== "$count" || source.kind === "root") {
    throw unexpected(reader, source.kind === "root" ? "an entity set or singleton after $root/" : "a name or $count");
  }
  const { position } = take(reader);
  return counted(reader, { kind: "count", source, position }, reader.height + 1);
}

/** Reads a qualified name: a type cast, or the call of a function. @see ABNF rules qualifiedEntityTypeName, function */
function readQualifiedName(reader: ExpressionReader, source: SyntaxNode | null): SyntaxNode {
  const { text: typeName, position } = reader.token;
  if (lookAhead(reader, 1).kind === "(" && !isPositionalKeyNext(reader)) return readQualifiedCall(reader, source);
  const height = source === null ? 1 : reader.height + 1;
  take(reader);
  return readKeyBehind(reader, counted(reader, { kind: "cast", source, typeName, position }, height));
}

function isPositionalKeyNext(reader: ExpressionReader): boolean {
  return lookAhead(reader, 2).kind !== "name" && isKeyPredicateNext(reader);
}

function readKeyBehind(reader: ExpressionReader, source: SyntaxNode): SyntaxNode {
  if (reader.token.kind !== "(") return source;
  const { height } = reader;
  const { position } = reader.token;
  const key = readKeyPredicate(reader);
  return counted(reader, { kind: "key", source, key, position }, Math.max(height, reader.height) + 1);
}
