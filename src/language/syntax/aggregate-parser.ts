import { nearestName } from "../../base/errors/nearest-name.ts";
import type { ODataError } from "../../base/errors/odata-error.ts";
import type { AliasNameSyntax, SyntaxNode, TotalSyntax } from "./ast.ts";
import { isWord, isWordIgnoringCase, readAlias } from "./compute-parser.ts";
import { readExpression } from "./expression-parser.ts";
import {
  counted,
  enter,
  expect,
  faultAt,
  leave,
  lookAhead,
  take,
  type TokenCursor,
  unexpected,
  unsupportedAt,
} from "./expression-reader.ts";
import { quoteText } from "./syntax-error.ts";

/** One item of `aggregate`: `Price with sum as Total`, `$count as Count` or `Lines/$count as Count`. */
export interface AggregateSyntax extends TotalSyntax {
  readonly alias: AliasNameSyntax;
}

const METHODS = ["sum", "min", "max", "average", "countdistinct"] as const;

/** The names of methods elsewhere, with those of OData. */
const OTHER_METHODS: ReadonlyMap<string, (typeof METHODS)[number]> = new Map([
  ["avg", "average"],
  ["mean", "average"],
  ["distinct", "countdistinct"],
  ["distinctcount", "countdistinct"],
  ["minimum", "min"],
  ["maximum", "max"],
  ["total", "sum"],
]);

/** Most values of one `aggregate`. @see docs/reference/limits.md */
const MAX_AGGREGATES = 20;

/**
 * Reads the items of `aggregate` up to the closing parenthesis.
 * @throws ODataError 400 with position, what was found and what was expected; `UnsupportedQueryOption` for constructs of
 *   the standard that the service does not support
 * @see OData Aggregation 4.0, section 3.2.1
 */
export function readAggregates(reader: TokenCursor): readonly AggregateSyntax[] {
  const items: AggregateSyntax[] = [];
  for (;;) {
    if (items.length >= MAX_AGGREGATES) {
      throw faultAt(reader, reader.token, `aggregate takes at most ${MAX_AGGREGATES} values: remove the last ones.`);
    }
    items.push(readAggregate(reader));
    if (reader.token.kind === ")") return items;
    if (reader.token.kind !== ",") throw unexpected(reader, 'a comma or ")"');
    take(reader);
  }
}

function readAggregate(reader: TokenCursor): AggregateSyntax {
  const total = readTotal(reader);
  const expected = total.expression === null ? "$count as Count" : "Price with sum as Total";
  return { ...total, alias: readAlias(reader, `as and a name, as in ${expected}`) };
}

/** Reads an item without its alias. */
function readTotal(reader: TokenCursor): TotalSyntax {
  const { position } = reader.token;
  if (isWord(reader.token, "$count")) {
    take(reader);
    if (isWordIgnoringCase(reader.token, "with")) {
      throw faultAt(reader, reader.token, "$count has no method: write $count as Count.");
    }
    return { expression: null, method: "count", position };
  }
  refuseCall(reader);
  const expression = readExpression(reader);
  const isCount = expression.kind === "count" && !isWord(reader.token, "with");
  const method = isCount ? "count" : readMethod(reader, expression);
  if (isWord(reader.token, "from")) {
    throw unsupportedAt(reader, reader.token, "from is not supported: write groupby and a second aggregate.");
  }
  return { expression, method, position };
}

/**
 * Reads `$these/aggregate(Price with sum)` or `$these/$count`. Clients may write an alias, which nothing can refer to.
 * @throws ODataError 400 as readAggregates
 * @see OData Aggregation 4.0, section 3.6
 */
export function readThese(reader: TokenCursor): SyntaxNode {
  const { position } = take(reader);
  expect(reader, "/", "a slash and aggregate(…) or $count after $these");
  if (isWord(reader.token, "$count")) {
    take(reader);
    return counted(reader, { kind: "these", expression: null, method: "count", position }, 1);
  }
  if (!isWord(reader.token, "aggregate")) throw unexpected(reader, "aggregate(…) or $count after $these/");
  enter(reader);
  take(reader);
  expect(reader, "(", '"(" after aggregate');
  reader.readThese = null;
  const isAlias = reader.token.kind === "name" && lookAhead(reader, 1).kind === ")";
  const total = isAlias && !isWord(reader.token, "$count") ? null : readTotal(reader);
  const expression = total === null ? reader.readExpression(reader) : total.expression;
  const method = total?.method ?? null;
  reader.readThese = readThese;
  if (isWord(reader.token, "as")) readAlias(reader, "as");
  expect(reader, ")", 'an operator or ")"');
  leave(reader);
  return counted(reader, { kind: "these", expression, method, position }, reader.height + 1);
}

/** Refuses `sum(Price)`, as SQL has it, and `count` without its sign. */
function refuseCall(reader: TokenCursor): void {
  const { token } = reader;
  const lower = token.text.toLowerCase();
  const next = lookAhead(reader, 1);
  if (token.kind !== "name") return;
  if (/^\$?count$/u.test(lower) && (next.kind === "(" || isWord(next, "as"))) {
    throw faultAt(reader, token, `${quoteText(token.text)} is not an aggregate. Write $count as Count.`);
  }
  const method = methodLike(lower);
  if (method === null || next.kind !== "(") return;
  throw faultAt(
    reader,
    token,
    `${quoteText(token.text)} is not a function. Write ${aggregateExample(reader, method)}.`,
  );
}

/** Writes an item for a call such as `sum(Price)`, whose name is the next token. */
export function aggregateExample(reader: TokenCursor, method: string): string {
  const operand = lookAhead(reader, 2);
  const name = operand.kind === "name" && lookAhead(reader, 3).kind === ")" ? operand.text : "Price";
  return `${name} with ${method} as Alias`;
}

/** Returns the method that a name in lower case means; null for none. */
export function methodLike(lower: string): (typeof METHODS)[number] | null {
  return METHODS.find((each) => each === lower) ?? OTHER_METHODS.get(lower) ?? null;
}

/** Reads `with` and a method. */
function readMethod(reader: TokenCursor, operand: SyntaxNode): (typeof METHODS)[number] {
  const { token } = reader;
  if (!isWord(token, "with")) {
    if (isWordIgnoringCase(token, "with")) throw faultAt(reader, token, "write with in lower case.");
    const isWhole = token.kind === ")" || token.kind === "," || isWord(token, "as");
    if (!isWhole || operand.kind !== "member") {
      throw unexpected(reader, "an operator, or with and a method, such as with sum");
    }
    const message = `custom aggregates are not supported. Write ${operand.name} with sum as Alias.`;
    throw unsupportedAt(reader, operand, message);
  }
  take(reader);
  const { kind, text } = reader.token;
  if (kind !== "name") throw unexpected(reader, `a method: ${METHODS.join(", ")}`);
  const method = METHODS.find((each) => each === text);
  if (method === undefined) throw noMethod(reader, text);
  take(reader);
  return method;
}

function noMethod(reader: TokenCursor, text: string): ODataError {
  const list = `The methods are ${METHODS.join(", ")}.`;
  if (text.includes(".")) {
    return unsupportedAt(reader, reader.token, `the method ${quoteText(text)} is not supported. ${list}`);
  }
  const fault = `${quoteText(text)} is not a method.`;
  const lower = text.toLowerCase();
  if (/^\$?count$/u.test(lower)) {
    return faultAt(reader, reader.token, `${fault} Write $count as Count, without an expression.`);
  }
  const nearest = methodLike(lower) ?? nearestName(lower, METHODS);
  return faultAt(reader, reader.token, `${fault} ${nearest === null ? list : `Write ${nearest}.`}`);
}
