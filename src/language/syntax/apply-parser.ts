import { nearestName } from "../../base/errors/nearest-name.ts";
import type { ODataError } from "../../base/errors/odata-error.ts";
import { TOP_LEVELS } from "../../edm/top-levels.ts";
import { type AggregateSyntax, aggregateExample, methodLike, readAggregates, readThese } from "./aggregate-parser.ts";
import type { ApplyTokens } from "./apply-tokens.ts";
import type { AliasNameSyntax, ComputedSyntax, MemberSyntax, OrderByItemSyntax, SyntaxNode } from "./ast.ts";
import { isCanonicalFunction, refuseThese } from "./call-parser.ts";
import { readAlias, readComputed } from "./compute-parser.ts";
import { readExpression } from "./expression-parser.ts";
import {
  counted,
  expect,
  faultAt,
  lookAhead,
  openReader,
  take,
  type TokenCursor,
  unexpected,
  unsupportedAt,
} from "./expression-reader.ts";
import { readRelatives, readTopLevels, type RelativesSyntax, type TopLevelsSyntax } from "./hierarchy-parser.ts";
import { readOrderBy } from "./order-by-parser.ts";
import type { ParseContext } from "./parse-context.ts";
import { quoteText } from "./syntax-error.ts";
import type { Token } from "./token.ts";

/** A step of `$apply`; `position` is that of its name. */
export type ApplyStepSyntax =
  | { readonly kind: "identity" | "search"; readonly position: number }
  | { readonly kind: "filter"; readonly expression: SyntaxNode; readonly position: number }
  | { readonly kind: "orderby"; readonly items: readonly OrderByItemSyntax[]; readonly position: number }
  | LimitSyntax
  | { readonly kind: "compute"; readonly items: readonly ComputedSyntax[]; readonly position: number }
  | { readonly kind: "aggregate"; readonly items: readonly AggregateSyntax[]; readonly position: number }
  | GroupBySyntax
  | JoinSyntax
  | RelativesSyntax<ApplyStepSyntax>
  | TopLevelsSyntax
  | { readonly kind: "concat"; readonly branches: readonly (readonly ApplyStepSyntax[])[]; readonly position: number };

/** `top(5)`, `skip(5)`, or a step such as `topcount(5,Price)` and `topsum(100,Price)`. */
export interface LimitSyntax {
  readonly kind: LimitName;
  readonly count: SyntaxNode;
  /** The value that decides; null for `top` and `skip`. */
  readonly expression: SyntaxNode | null;
  readonly position: number;
}

/** `groupby((Name,Item/Name),aggregate(…))`. */
export interface GroupBySyntax {
  readonly kind: "groupby";
  readonly paths: readonly MemberSyntax[];
  /** The steps for each group; null without them. */
  readonly steps: readonly ApplyStepSyntax[] | null;
  readonly position: number;
}

/** `join(Lines as Line)` and `outerjoin(Lines as Line,steps)`. */
export interface JoinSyntax {
  readonly kind: "join" | "outerjoin";
  readonly path: MemberSyntax;
  readonly alias: AliasNameSyntax;
  /** The steps for the related entities of each row. */
  readonly steps: readonly ApplyStepSyntax[];
  readonly position: number;
}

type LimitName = "top" | "skip" | RankName;

/** The steps that keep the rows with the greatest or smallest values. */
export type RankName = `${"top" | "bottom"}${"count" | "sum" | "percent"}`;

/** A parsed `$apply`. */
export interface ApplySyntax {
  readonly steps: readonly ApplyStepSyntax[];
  /** The number of operators, names and values. */
  readonly nodes: number;
}

interface ApplyReader extends TokenCursor {
  steps: number;
}

const STEPS = [
  "identity",
  "filter",
  "search",
  "orderby",
  "top",
  "skip",
  "topcount",
  "bottomcount",
  "topsum",
  "bottomsum",
  "toppercent",
  "bottompercent",
  "compute",
  "aggregate",
  "groupby",
  "concat",
  "join",
  "outerjoin",
] as const;

/** The steps of sets with a hierarchy. */
const HIERARCHY_STEPS = ["ancestors", "descendants", TOP_LEVELS] as const;

type StepName = (typeof STEPS)[number] | (typeof HIERARCHY_STEPS)[number];

/** The transformations of the standard that the service does not support. @see OData Aggregation 4.0, section 3 */
const FURTHER_STEPS: ReadonlySet<string> = new Set("nest addnested expand from traverse rolluprecursive".split(" "));

/** The elements of `groupby` that the service does not support. @see OData Aggregation 4.0, section 3.2.3.2 */
const ROLLUPS: ReadonlySet<string> = new Set(["rollup", "rolluprecursive", "rollupnode"]);

/** The words of other languages, with the steps of OData. */
const OTHER_STEPS: ReadonlyMap<string, (typeof STEPS)[number]> = new Map([
  ["group", "groupby"],
  ["distinct", "groupby"],
  ["where", "filter"],
  ["having", "filter"],
  ["order", "orderby"],
  ["sort", "orderby"],
  ["limit", "top"],
  ["take", "top"],
  ["offset", "skip"],
  ["union", "concat"],
  ["select", "groupby"],
]);

/** Deepest nesting of steps in `groupby` and `concat`. @see docs/reference/limits.md */
const MAX_NESTING = 5;
/** Most paths of one `groupby`. @see docs/reference/limits.md */
export const MAX_GROUPING_PATHS = 10;

/**
 * Parses `$apply`. A limit on the nesting of steps bounds the recursion.
 * @throws ODataError 400 with position, what was found and what was expected; `UnsupportedQueryOption` for steps of the
 *   standard that the service does not support
 * @see OData Aggregation 4.0, section 3; docs/reference/apply.md
 */
export function parseApply({ list }: ApplyTokens, context: ParseContext): ApplySyntax {
  const reader: ApplyReader = { ...openReader(list, context, readExpression), steps: 0 };
  const steps = readSteps(reader, 0);
  if (reader.token.kind !== "end") throw unexpected(reader, "a slash and the next step, or the end");
  return { steps, nodes: reader.nodes };
}

function readSteps(reader: ApplyReader, depth: number): readonly ApplyStepSyntax[] {
  const steps: ApplyStepSyntax[] = [];
  for (;;) {
    steps.push(readStep(reader, depth));
    if (reader.token.kind !== "/") return steps;
    take(reader);
  }
}

function readStep(reader: ApplyReader, depth: number): ApplyStepSyntax {
  const { token } = reader;
  const { position } = token;
  if (token.kind !== "name") throw unexpected(reader, "a step, such as filter(…), groupby((…)) or aggregate(…)");
  const name = [...STEPS, ...HIERARCHY_STEPS].find((each) => each === token.text);
  if (name === undefined) throw noStep(reader);
  const { maxApplySteps } = reader.context.limits;
  reader.steps += 1;
  if (reader.steps > maxApplySteps) {
    throw faultAt(reader, token, `there are more than ${maxApplySteps} steps: send several requests.`);
  }
  if (depth > MAX_NESTING) {
    throw faultAt(
      reader,
      token,
      `steps nest deeper than ${MAX_NESTING} levels: use fewer of groupby and concat in one another.`,
    );
  }
  take(reader);
  if (name === "identity") return { kind: name, position };
  expect(reader, "(", `"(" after ${token.text}`);
  const step = readContent(reader, name, position, depth);
  expect(reader, ")", ENDS[name] ?? 'an operator or ")"');
  return step;
}

/** The text that may follow at the end of a step, for messages; absent: it ends in an expression. */
const ENDS: Readonly<Record<string, string | undefined>> = {
  search: '")" after the text of the search',
  concat: 'a slash, a comma or ")"',
  join: 'a comma and a step, or ")"',
  outerjoin: 'a comma and a step, or ")"',
  ancestors: 'a slash, a comma or ")"',
  descendants: 'a slash, a comma or ")"',
  [TOP_LEVELS]: 'a comma or ")"',
};

/** Reads the content of the parentheses of a step. */
function readContent(
  reader: ApplyReader,
  name: Exclude<StepName, "identity">,
  position: number,
  depth: number,
): ApplyStepSyntax {
  switch (name) {
    case "search":
      return { kind: name, position };
    case "filter":
      return { kind: name, expression: withThese(reader, () => readExpression(reader)), position };
    case "orderby":
      return { kind: name, items: readOrderBy(reader, ")"), position };
    case "top":
    case "skip":
      return { kind: name, count: readExpression(reader), expression: null, position };
    case "topcount":
    case "bottomcount":
    case "topsum":
    case "bottomsum":
    case "toppercent":
    case "bottompercent": {
      const count = readExpression(reader);
      expect(reader, ",", `a comma and the value that decides, as in ${name}(5,Price)`);
      return { kind: name, count, expression: readExpression(reader), position };
    }
    case "compute":
      return { kind: name, items: withThese(reader, () => readComputed(reader, ")")), position };
    case "aggregate":
      return { kind: name, items: readAggregates(reader), position };
    case "groupby":
      return readGroupBy(reader, position, depth);
    case "concat":
      return { kind: name, branches: readBranches(reader, depth), position };
    case "join":
    case "outerjoin": {
      const path = readPath(reader);
      const alias = readAlias(reader, "as and a name, as in join(Lines as Line)");
      const steps = skipComma(reader) ? readSteps(reader, depth + 1) : [];
      return { kind: name, path, alias, steps, position };
    }
    case "ancestors":
    case "descendants":
      return readRelatives(reader, name, position, () => readSteps(reader, depth + 1));
    case TOP_LEVELS:
      return readTopLevels(reader, position);
  }
}

/** Reads expressions that may use totals of the rows. */
function withThese<Result>(reader: ApplyReader, read: () => Result): Result {
  reader.readThese = readThese;
  const result = read();
  reader.readThese = null;
  return result;
}

function readGroupBy(reader: ApplyReader, position: number, depth: number): GroupBySyntax {
  refuseRollup(reader);
  expect(reader, "(", 'a second "(": the paths have their own parentheses, as in groupby((Name),aggregate(…))');
  const paths: MemberSyntax[] = [];
  do {
    if (paths.length >= MAX_GROUPING_PATHS) {
      throw faultAt(reader, reader.token, `groupby takes at most ${MAX_GROUPING_PATHS} paths: remove the last ones.`);
    }
    paths.push(readPath(reader));
  } while (skipComma(reader));
  expect(reader, ")", 'a comma or ")" after a path');
  if (!skipComma(reader)) {
    if (reader.token.kind !== ")") throw unexpected(reader, 'a comma and a step, or ")"');
    return { kind: "groupby", paths, steps: null, position };
  }
  return { kind: "groupby", paths, steps: readSteps(reader, depth + 1), position };
}

function refuseRollup(reader: ApplyReader): void {
  const { token } = reader;
  if (!ROLLUPS.has(token.text) || lookAhead(reader, 1).kind !== "(") return;
  throw unsupported(reader, token, token.text);
}

/** Reads a path of names, which grouping takes instead of an expression. */
function readPath(reader: ApplyReader): MemberSyntax {
  const { token } = reader;
  refuseRollup(reader);
  let node: MemberSyntax | null = null;
  do {
    const { kind, text: name, position } = reader.token;
    refuseThese(reader);
    if (kind !== "name" || name.startsWith("$")) throw unexpected(reader, "the name of a property");
    take(reader);
    node = counted(reader, { kind: "member", source: node, name, position }, node === null ? 1 : reader.height + 1);
  } while (skip(reader, "/"));
  if (reader.token.kind !== "(" && reader.token.kind !== "operator") return node;
  const { name } = node;
  const isCall = reader.token.kind === "(" && isCanonicalFunction(name);
  const [call, alias] = isCall ? [name, name[0]?.toUpperCase() + name.slice(1)] : ["year", "Year"];
  const operand = isCall ? lookAhead(reader, 1) : null;
  const argument = operand?.kind === "name" && lookAhead(reader, 2).kind === ")" ? operand.text : "At";
  const advice = `give the value a name first, as in compute(${call}(${argument}) as ${alias})/groupby((${alias}))`;
  throw faultAt(reader, token, `groupby takes paths of properties and no expressions: ${advice}.`);
}

function readBranches(reader: ApplyReader, depth: number): readonly (readonly ApplyStepSyntax[])[] {
  const branches: (readonly ApplyStepSyntax[])[] = [];
  do branches.push(readSteps(reader, depth + 1));
  while (skipComma(reader));
  if (branches.length === 1 && reader.token.kind === ")") {
    throw unexpected(reader, "a comma and a second sequence of steps: concat(steps,steps)");
  }
  return branches;
}

function skip(reader: TokenCursor, kind: "/" | ","): boolean {
  if (reader.token.kind !== kind) return false;
  take(reader);
  return true;
}

function skipComma(reader: TokenCursor): boolean {
  return skip(reader, ",");
}

/** Makes the error of a name that is not a step of the service. */
function noStep(reader: ApplyReader): ODataError {
  const { token } = reader;
  const { text } = token;
  const lower = text.toLowerCase();
  if (FURTHER_STEPS.has(lower)) return unsupported(reader, token, lower);
  if (lower === "rollup") {
    return unsupportedAt(
      reader,
      token,
      "rollup is not supported. It belongs to the paths of groupby, as in groupby((rollup(City,Name))).",
    );
  }
  if (text.includes(".")) {
    return unsupportedAt(
      reader,
      token,
      `the function ${quoteText(text)} cannot be a step: functions of services are not supported in $apply.`,
    );
  }
  const bare = lower.startsWith("$") ? lower.slice(1) : lower;
  if (STEPS.some((name) => name === bare)) {
    return faultAt(
      reader,
      token,
      `${quoteText(text)} is not a step. Write ${bare}: the names of steps are in lower case.`,
    );
  }
  return faultAt(reader, token, `${quoteText(text)} is not a step of $apply. ${adviceFor(bare, reader)}`);
}

function adviceFor(name: string, reader: ApplyReader): string {
  if (name === "count") return "Write aggregate($count as Count).";
  const method = methodLike(name);
  if (method !== null) return `Write aggregate(${aggregateExample(reader, method)}).`;
  const nearest = OTHER_STEPS.get(name) ?? nearestName(name, STEPS);
  return nearest === null ? `The steps are ${STEPS.join(", ")}.` : `Write ${nearest}.`;
}

function unsupported(reader: TokenCursor, token: Token, name: string): ODataError {
  return unsupportedAt(reader, token, `${name} is not supported. The steps are ${STEPS.join(", ")}.`);
}
