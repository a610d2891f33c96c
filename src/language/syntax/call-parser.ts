import { nearestName } from "../../base/errors/nearest-name.ts";
import type { ODataError } from "../../base/errors/odata-error.ts";
import { FUNCTION_SIGNATURES } from "../../edm/canonical-functions.ts";
import type {
  ArgumentSyntax,
  CallSyntax,
  KeyPartSyntax,
  KeyPredicateSyntax,
  LambdaSyntax,
  ListSyntax,
  LiteralSyntax,
  NullSyntax,
  AliasSyntax,
  SyntaxNode,
} from "./ast.ts";
import {
  counted,
  enter,
  expect,
  type TokenCursor,
  faultAt,
  leave,
  lookAhead,
  take,
  unexpected,
  unsupportedAt,
} from "./expression-reader.ts";
import { quoteText } from "./syntax-error.ts";
import type { Token } from "./token.ts";

/** The canonical functions of OData 4.0, with those that are not supported. @see OData URL Conventions 4.0, section 5.1.1.4; ABNF rule methodCallExpr */
const CANONICAL_FUNCTIONS: ReadonlySet<string> = new Set([
  ...Object.keys(FUNCTION_SIGNATURES),
  "geo.distance",
  "geo.length",
  "geo.intersects",
]);

/** Functions of other versions, with their replacements in OData 4.0. */
const OTHER_FUNCTIONS: ReadonlyMap<string, string> = new Map([
  ["substringof", "Write contains(text,part)."],
  ["replace", "OData 4.0 has no equivalent."],
  ["matchespattern", "Write contains, startswith or endswith."],
  ["hassubset", "OData 4.0 has no equivalent."],
  ["hassubsequence", "OData 4.0 has no equivalent."],
  ["case", "OData 4.0 has no equivalent."],
  ["any", "It follows a collection, as in Items/any(i:i/Price gt 5)."],
  ["all", "It follows a collection, as in Items/all(i:i/Price gt 5)."],
]);

/** The functions of OData Aggregation 4.0, which the service does not support; those of hierarchies mostly have a namespace. */
const AGGREGATION_FUNCTIONS: ReadonlySet<string> = new Set(
  "aggregate isdefined isnode isroot isleaf isancestor isdescendant issibling rollupnode".split(" "),
);

const HIERARCHY_ARGUMENTS: ReadonlySet<string> = new Set(["HierarchyNodes", "HierarchyQualifier", "Node"]);

/** Returns whether a name, in any letter case, is a canonical function. */
export function isCanonicalFunction(name: string): boolean {
  return CANONICAL_FUNCTIONS.has(name.toLowerCase());
}

/**
 * Reads a call of a canonical function: `name(a,b)`.
 * @throws ODataError 400 with position, what was found and what was expected
 * @see ABNF rules methodCallExpr, boolMethodCallExpr, isofExpr, castExpr
 */
export function readCanonicalCall(reader: TokenCursor): CallSyntax {
  const { text, position } = take(reader);
  const parts = readArguments(reader);
  const named = parts.find((part) => part.name !== null);
  const name = text.toLowerCase();
  if (named !== undefined) {
    throw faultAt(reader, named.value, `the arguments of ${name} have no names: write eq to compare.`);
  }
  return counted(reader, { kind: "call", source: null, name, arguments: parts, position }, reader.height + 1);
}

/**
 * Reads a call of a function by its qualified name, with named arguments: `Ns.Name(p=1)`.
 * @param source the binding parameter; null for `$it` and for an unbound function
 * @throws ODataError 400 with position, what was found and what was expected
 * @see ABNF rules boundFunctionExpr, functionExprParameters
 */
export function readQualifiedCall(reader: TokenCursor, source: SyntaxNode | null): CallSyntax {
  const sourceHeight = source === null ? 0 : reader.height;
  const { text: name, position } = take(reader);
  const parts = readArguments(reader);
  const unnamed = parts.find((part) => part.name === null);
  if (unnamed !== undefined) {
    throw faultAt(
      reader,
      unnamed.value,
      `the arguments of ${quoteText(name)} are written with their names: name=value.`,
    );
  }
  const height = Math.max(sourceHeight, reader.height) + 1;
  return counted(reader, { kind: "call", source, name, arguments: parts, position }, height);
}

/** Whether the argument after the next parenthesis is one of a function of hierarchies, and not of a key. */
export function isHierarchyNext(reader: TokenCursor): boolean {
  return HIERARCHY_ARGUMENTS.has(lookAhead(reader, 2).text) && lookAhead(reader, 3).kind === "=";
}

/** Refuses a function of OData Aggregation. @throws ODataError `UnsupportedQueryOption` */
export function refuseAggregation(reader: TokenCursor): void {
  const { token } = reader;
  if (!AGGREGATION_FUNCTIONS.has(token.text)) return;
  const advice = token.text === "aggregate" ? " Its place is a step of $apply, or behind $these/." : "";
  throw unsupportedAt(reader, token, `the function ${token.text} is not supported.${advice}`);
}

/** Refuses the collection that a step applies to. @throws ODataError `UnsupportedQueryOption` */
export function refuseThese(reader: TokenCursor): void {
  const { token } = reader;
  if (token.text !== "$these") return;
  throw unsupportedAt(
    reader,
    token,
    "$these is supported in filter and compute of $apply only, as in filter($these/aggregate(Price with sum) gt 5).",
  );
}

/** Makes the error of a function that OData 4.0 does not have. */
export function unknownFunction(reader: TokenCursor): ODataError {
  const { token } = reader;
  const nearest = nearestName(token.text, CANONICAL_FUNCTIONS);
  const advice =
    OTHER_FUNCTIONS.get(token.text.toLowerCase()) ??
    (nearest === null
      ? "Call a function of the service by its qualified name, as in Namespace.Name(p=1)."
      : `Write ${nearest}.`);
  return faultAt(reader, token, `${quoteText(token.text)} is not a function of OData 4.0. ${advice}`);
}

/**
 * Reads arguments in parentheses, named or not, and sets `height` of the reader to that of the highest argument.
 * @see ABNF rules functionExprParameters, keyPredicate
 */
function readArguments(reader: TokenCursor): readonly ArgumentSyntax[] {
  enter(reader);
  expect(reader, "(", '"("');
  const parts: ArgumentSyntax[] = [];
  let height = 0;
  if (reader.token.kind !== ")") {
    height = readParts(reader, parts);
  }
  expect(reader, ")", '"," or ")"');
  leave(reader);
  reader.height = height;
  return parts;
}

/** Reads `a,b` or `x=a,y=b` into `parts`, and returns the height of the highest. */
export function readParts(reader: TokenCursor, parts: ArgumentSyntax[]): number {
  let height = 0;
  for (;;) {
    let name: string | null = null;
    if (reader.token.kind === "name" && lookAhead(reader, 1).kind === "=") {
      name = take(reader).text;
      take(reader);
    }
    parts.push({ name, value: reader.readExpression(reader) });
    height = Math.max(height, reader.height);
    if (reader.token.kind !== ",") return height;
    take(reader);
  }
}

/**
 * Reads a key predicate in parentheses.
 * @throws ODataError 400 for a value that is neither a literal nor a parameter alias
 * @see ABNF rule keyPredicate
 */
export function readKeyPredicate(reader: TokenCursor): KeyPredicateSyntax {
  const { position } = reader.token;
  const parts: readonly KeyPartSyntax[] = readArguments(reader);
  for (const { name, value } of parts) {
    if (value.kind !== "literal" && value.kind !== "alias") {
      throw faultAt(reader, value, "a key value must be a literal or a parameter alias.");
    }
    if (name === null && parts.length > 1) {
      throw faultAt(reader, value, "the values of a composite key must be named: Name=value.");
    }
  }
  return { parts, position };
}

/**
 * Reads `any(x:predicate)`, `any()` or `all(x:predicate)` after the path of a collection.
 * @throws ODataError 400 above `maxAnyAllDepth`
 * @see ABNF rules anyExpr, allExpr
 */
export function readLambda(reader: TokenCursor, source: SyntaxNode): LambdaSyntax {
  const sourceHeight = reader.height;
  const { text, position } = take(reader);
  const operator = text.toLowerCase() === "any" ? "any" : "all";
  checkAnyAllDepth(reader, { position });
  enter(reader);
  take(reader);
  let variable: string | null = null;
  let predicate: SyntaxNode | null = null;
  let height = 0;
  if (operator === "all" || reader.token.kind !== ")") {
    variable = readVariable(reader);
    reader.variables.push(variable);
    predicate = reader.readExpression(reader);
    reader.variables.pop();
    ({ height } = reader);
  }
  expect(reader, ")", 'an operator or ")"');
  leave(reader);
  const node: LambdaSyntax = { kind: "lambda", operator, source, variable, predicate, position };
  return counted(reader, node, Math.max(sourceHeight, height) + 1);
}

/**
 * Checks the nesting of lambda operators and of `in` with a collection: each level multiplies the inspected items.
 * @throws ODataError 400 above `maxAnyAllDepth`
 */
export function checkAnyAllDepth(reader: TokenCursor, place: { readonly position: number }): void {
  const { maxAnyAllDepth } = reader.context.limits;
  if (reader.variables.length < maxAnyAllDepth) return;
  throw faultAt(
    reader,
    place,
    `any, all and in with a collection are nested deeper than ${maxAnyAllDepth} levels: nest fewer of them, or send several requests.`,
  );
}

function readVariable(reader: TokenCursor): string {
  const { token } = reader;
  if (token.kind !== "name" || token.text.includes(".") || token.text.startsWith("$")) {
    throw unexpected(reader, "a range variable, as in any(x:x/Price gt 5)");
  }
  take(reader);
  expect(reader, ":", "a colon after the range variable, as in any(x:x/Price gt 5)");
  return token.text;
}

/** Returns whether the token after a parenthesis begins a list. An empty pair counts as a list, which is refused. */
export function startsList(token: Token): boolean {
  return isListItem(token) || token.kind === ")";
}

function isListItem(token: Token): boolean {
  return token.kind === "literal" || token.kind === "null" || token.kind === "alias";
}

/**
 * Reads literals between parentheses or brackets. They have a separate limit and do not count as nodes.
 * @throws ODataError 400 above `maxInListLength`, and for an item that is not a literal
 * @see ABNF rules listExpr, arrayOrObject
 */
export function readList(reader: TokenCursor): ListSyntax {
  const { maxInListLength } = reader.context.limits;
  const open = take(reader);
  const close = open.kind === "[" ? "]" : ")";
  const items: SyntaxNode[] = [];
  if (close === "]" && reader.token.kind === "]") {
    take(reader);
    return counted(reader, { kind: "list", items, position: open.position }, 2);
  }
  for (;;) {
    if (!isListItem(reader.token)) throw unexpected(reader, "a literal as an item of the list");
    if (items.length >= maxInListLength) {
      throw faultAt(
        reader,
        reader.token,
        `the list has more than ${maxInListLength} items: request the others separately.`,
      );
    }
    items.push(toLeaf(take(reader)));
    if (reader.token.kind !== ",") break;
    take(reader);
  }
  expect(reader, close, `"," or "${close}"`);
  return counted(reader, { kind: "list", items, position: open.position }, 2);
}

/** Makes the node of a literal, null or alias. */
export function toLeaf(token: Token): LiteralSyntax | NullSyntax | AliasSyntax {
  const { literal, index, position } = token;
  if (literal !== null) return { kind: "literal", index, literal, position };
  return token.kind === "alias" ? { kind: "alias", name: token.text, position } : { kind: "null", position };
}
