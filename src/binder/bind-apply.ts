import { keeper } from "../base/memo.ts";
import { required } from "../base/required.ts";
import type { EntitySet } from "../edm/model.ts";
import { PRIMITIVE_TYPES } from "../edm/primitive-type.ts";
import { aggregateType } from "../query/aggregate-type.ts";
import { allOf } from "../query/all-of.ts";
import type { Capabilities } from "../query/capabilities.ts";
import type { ApplyClause, FilterClause, LimitStep, OrderByItem, ReachedSum } from "../query/clauses.ts";
import type { Expression, ParameterExpression } from "../query/expression.ts";
import type { AggregateSyntax } from "../syntax/aggregate-parser.ts";
import {
  type ApplyStepSyntax,
  type ApplySyntax,
  type GroupBySyntax,
  type LimitSyntax,
  MAX_GROUPING_PATHS,
} from "../syntax/apply-parser.ts";
import type { SyntaxNode } from "../syntax/ast.ts";
import {
  type AppliedRows,
  checkAlias,
  rowsOf,
  toBranch,
  type Unreadable,
  totalOrder,
  withComputed,
  withGroups,
  withStep,
} from "./apply-rows.ts";
import { unionRows } from "./apply-union.ts";
import { bindAggregate } from "./bind-aggregate.ts";
import { bindCondition, bindOperand, bindOrder, bindSortKey } from "./bind-expression.ts";
import { toParameter } from "./bind-literal.ts";
import {
  type BindingContext,
  type ClauseName,
  type Copies,
  expressionContext,
  type ExpressionPlace,
  invalidOption,
  requireEnabled,
  unsupportedOption,
} from "./binding-scope.ts";
import { bindKeyPath, distinctPaths, type KeyPath, pathsIn, toGroupKeys } from "./group-keys.ts";

/** The set whose rows the steps apply to. */
export interface ApplyPlace extends Omit<ExpressionPlace, "entitySet"> {
  readonly entitySet: EntitySet;
  readonly capabilities: Capabilities;
  /** The properties that the user may not read; absent: none. */
  readonly unreadable?: Unreadable | undefined;
}

/** A bound `$apply`, with the rows that the other options of the request apply to. */
export interface BoundApply {
  readonly clause: ApplyClause;
  readonly rows: AppliedRows;
  /** The rows of each branch. */
  readonly branchRows: readonly AppliedRows[];
}

interface Work extends ApplyPlace {
  /** Whether the steps are at the beginning, so that they may search. */
  readonly isOutermost: boolean;
}

/**
 * Binds `$apply`: each step is bound over the type of the rows that the steps before it make.
 * @param copies counts the nodes of all expressions
 * @throws ODataError `InvalidQueryOption` for names, types and values that do not fit, with the position;
 *   `UnsupportedQueryOption` for constructs that the service does not support, and for clauses that a set disables
 * @see OData Aggregation 4.0, section 3; docs/reference/apply.md
 */
export function bindApply({ steps }: ApplySyntax, place: ApplyPlace, copies: Copies): BoundApply {
  const results = runSteps(steps, rowsOf(place.entityType, place.entitySet, copies, place.unreadable), {
    ...place,
    isOutermost: true,
  });
  const [first, ...others] = results.map(toBranch);
  const [rows] = results;
  if (first === undefined || rows === undefined) throw new Error("$apply has no branch.");
  const united = others.length === 0 ? rows : unionRows(results, steps.at(-1)?.position ?? 0);
  const { entityType } = united;
  return {
    clause: Object.freeze(keeper({ branches: [first, ...others] as const, entityType })),
    rows: united,
    branchRows: results,
  };
}

/** Returns the rows of each branch of the last `concat`; without it, of the only branch. */
function runSteps(steps: readonly ApplyStepSyntax[], start: AppliedRows, work: Work): readonly AppliedRows[] {
  let rows = start;
  for (const [index, step] of steps.entries()) {
    if (step.kind !== "concat") {
      rows = runStep(step, rows, work);
      continue;
    }
    const next = steps[index + 1];
    if (next !== undefined) {
      throw unsupportedOption(
        "$apply",
        next.position,
        `'${next.kind}' behind concat is not supported: write it in each part of concat.`,
      );
    }
    const input = rows;
    return step.branches.flatMap((branch) => runSteps(branch, input, { ...work, isOutermost: false }));
  }
  return [rows];
}

type PlainStep = Exclude<ApplyStepSyntax, { readonly kind: "concat" }>;

function runStep(step: PlainStep, rows: AppliedRows, work: Work): AppliedRows {
  switch (step.kind) {
    case "identity":
      return rows;
    case "search":
      checkSearch(step.position, rows, work);
      return rows;
    case "filter":
      return withStep(rows, { kind: "filter", filter: bindFilter(step, rows, work) });
    case "orderby":
      return { ...rows, orderBy: bindStepOrder(step, rows, work) };
    case "top":
    case "skip":
    case "topcount":
    case "bottomcount":
    case "topsum":
    case "bottomsum":
    case "toppercent":
    case "bottompercent":
      return limited(step, rows, [], work);
    case "compute":
      return computedBy(step, rows, work);
    case "aggregate":
      return aggregated(step.items, rows, [], null, work);
    case "groupby":
      return grouped(step, rows, [], work).rows;
  }
}

/** A search narrows the rows that a handler returns, so it precedes everything but conditions. */
function checkSearch(position: number, rows: AppliedRows, { isOutermost, capabilities }: Work): void {
  if (!isOutermost || rows.steps.some(({ kind }) => kind !== "filter")) {
    throw unsupportedOption("$apply", position, "'search' is supported only as the first step, or behind filter.");
  }
  if (capabilities.searchEnabled) return;
  throw unsupportedOption("$apply", position, "The query option $search is not enabled for this entity set.");
}

/** Returns the context of the expressions of a step. */
function contextOf(clause: ClauseName, rows: AppliedRows, work: Work): BindingContext {
  const { entityType, entitySet } = rows;
  return expressionContext(clause, { ...work, entityType, entitySet, rows }, "$apply");
}

function bindFilter(
  { expression, position }: { readonly expression: SyntaxNode; readonly position: number },
  rows: AppliedRows,
  work: Work,
): FilterClause {
  requireEnabled("filter", work.capabilities, "$apply", position);
  return Object.freeze(keeper({ expression: bindCondition(expression, contextOf("filter", rows, work)) }));
}

/** Sorting is stable, so a later order comes first. */
function bindStepOrder(
  { items, position }: Extract<ApplyStepSyntax, { readonly kind: "orderby" }>,
  rows: AppliedRows,
  work: Work,
): readonly OrderByItem[] {
  requireEnabled("orderBy", work.capabilities, "$apply", position);
  return [...bindOrder(items, contextOf("orderBy", rows, work)), ...rows.orderBy];
}

/** @param within the paths of the groups of which each is limited; empty: all rows are */
function limited(step: LimitSyntax, rows: AppliedRows, within: readonly KeyPath[], work: Work): AppliedRows {
  const { kind, expression, position } = step;
  const context = contextOf("orderBy", rows, work);
  const isRanked = kind !== "top" && kind !== "skip";
  // A group that loses all of its rows would be lost to the steps behind.
  const least = isRanked || (kind === "top" && within.length > 0) ? 1 : 0;
  let { orderBy } = rows;
  if (expression !== null) {
    requireEnabled("orderBy", work.capabilities, "$apply", position);
    orderBy = [keeper({ expression: bindSortKey(expression, context), descending: kind.startsWith("top") })];
  }
  const reach = isCounted(step) ? undefined : bindReached(step, orderBy[0], context);
  const count = reach === undefined ? bindRowCount(step, least, context) : null;
  const limit: RowLimit = {
    kind: "limit",
    orderBy: totalOrder(rows, orderBy),
    skip: kind === "skip" ? count : null,
    top: kind === "skip" ? null : count,
    partition: toGroupKeys(within),
    reach,
  };
  const skipped = kind === "top" && within.length === 0 ? skippedBefore(rows, limit) : null;
  const kept = skipped ?? withStep(rows, limit);
  return isRanked ? { ...kept, orderBy: [] } : kept;
}

type RowLimit = Omit<LimitStep, "inputType">;

/** Makes one limit of a top right behind a skip. @returns null behind any other step */
function skippedBefore(rows: AppliedRows, limit: RowLimit): AppliedRows | null {
  const last = rows.steps.at(-1);
  const isSkip = last?.kind === "limit" && last.top === null && last.partition.length === 0;
  // An orderby would have added terms.
  if (!isSkip || last.orderBy.length !== limit.orderBy.length) return null;
  return withStep({ ...rows, steps: rows.steps.slice(0, -1) }, { ...limit, skip: last.skip });
}

/** Whether a limit is a number of rows, and not a sum of their values. */
function isCounted({ kind }: LimitSyntax): boolean {
  return kind === "top" || kind === "skip" || kind.endsWith("count");
}

/** Binds the sum that ends the rows to keep. @throws ODataError `InvalidQueryOption` for anything but numbers */
function bindReached(step: LimitSyntax, term: OrderByItem | undefined, context: BindingContext): ReachedSum {
  const { kind, count, position } = step;
  const sorted = required(term, "A sum needs values.").expression;
  const { type } = sorted;
  const summed = type?.kind === "PrimitiveType" ? aggregateType("sum", type) : undefined;
  if (type?.kind !== "PrimitiveType" || summed === undefined || summed.name === "Edm.Duration") {
    throw invalidOption("$apply", position, `'${kind}' takes a value that is a number, as in ${kind}(5,Price).`);
  }
  const target = PRIMITIVE_TYPES[summed.name === "Edm.Double" ? "Edm.Double" : "Edm.Decimal"];
  const limit = bindOperand(count, context);
  if (
    limit.kind !== "literal" ||
    aggregateType("sum", limit.type) === undefined ||
    limit.type.name === "Edm.Duration"
  ) {
    throw invalidOption("$apply", count.position, `'${kind}' takes a number, as in ${kind}(5,Price).`);
  }
  const expression: Expression = type === target ? sorted : { kind: "convert", operand: sorted, type: target };
  return Object.freeze({
    expression,
    target: toParameter(limit, target, context),
    isPercent: kind.endsWith("percent"),
  });
}

function bindRowCount({ kind, count }: LimitSyntax, least: 0 | 1, context: BindingContext): ParameterExpression {
  const type = count.kind === "literal" ? count.literal.type : null;
  if (count.kind !== "literal" || (type !== "Edm.Int32" && type !== "Edm.Int64")) {
    const example = kind === "top" || kind === "skip" ? `${kind}(5)` : `${kind}(5,Price)`;
    throw invalidOption("$apply", count.position, `'${kind}' takes a whole number, as in ${example}.`);
  }
  const int64 = PRIMITIVE_TYPES["Edm.Int64"];
  return toParameter(
    { kind: "literal", syntax: count, type: int64, position: count.position },
    int64,
    context,
    false,
    least,
  );
}

function computedBy(
  { items, position }: Extract<ApplyStepSyntax, { readonly kind: "compute" }>,
  rows: AppliedRows,
  work: Work,
): AppliedRows {
  requireEnabled("compute", work.capabilities, "$apply", position);
  return withComputed(items, rows, contextOf("compute", rows, work));
}

/**
 * Aggregates all rows, or each group.
 * @param condition that of the rows that are aggregated; null: all
 */
function aggregated(
  items: readonly AggregateSyntax[],
  rows: AppliedRows,
  within: readonly KeyPath[],
  condition: FilterClause | null,
  work: Work,
): AppliedRows {
  const context = contextOf("aggregate", rows, work);
  const taken = new Set(within.map(({ names: [name = ""] }) => name));
  const made = items.map((item) => {
    const { expression, alias, position } = item;
    if (expression === null && !work.capabilities.countEnabled) {
      throw unsupportedOption("$apply", position, "The query option $count is not enabled for this entity set.");
    }
    const bound = bindAggregate(item, taken.size, condition, context);
    checkAlias(alias, rows, taken, "$apply", replacedBy(expression, bound.aggregate.expression, rows));
    taken.add(alias.name);
    return bound;
  });
  return withGroups(rows, within, made, within.length === 0 ? "aggregate" : "groupby");
}

/** Returns the name of the property that is an operand by itself, which the alias may repeat; null for other operands. */
function replacedBy(node: SyntaxNode | null, operand: Expression | null, rows: AppliedRows): string | null {
  if (node?.kind !== "member" || node.source !== null || rows.computed.has(node.name)) return null;
  return operand?.kind === "property" ? operand.property.name : null;
}

/** The rows of groups. */
interface GroupedRows {
  readonly rows: AppliedRows;
  /** The step by which a group may have lost all of its rows; null: none. */
  readonly lossy: ApplyStepSyntax["kind"] | null;
}

/** @param within the paths of the groups in which the rows are grouped; empty: all rows are */
function grouped(
  { paths, steps }: GroupBySyntax,
  rows: AppliedRows,
  within: readonly KeyPath[],
  work: Work,
): GroupedRows {
  const context = contextOf("groupBy", rows, work);
  const found = distinctPaths([...within, ...paths.map((path) => bindKeyPath(path, context))]);
  if (found.length > MAX_GROUPING_PATHS) {
    const position = paths[0]?.position;
    throw invalidOption("$apply", position, `Rows can be grouped by at most ${MAX_GROUPING_PATHS} paths: remove some.`);
  }
  if (steps === null) return { rows: withGroups(rows, found, [], "groupby"), lossy: null };
  const result = runWithin(steps, rows, found, work);
  // The order within the groups is not that of the groups.
  const orderBy = result.rows.keys === rows.keys ? rows.orderBy : [];
  return { ...result, rows: { ...result.rows, orderBy } };
}

/** Runs the steps of `groupby` in each group. */
function runWithin(
  steps: readonly ApplyStepSyntax[],
  start: AppliedRows,
  paths: readonly KeyPath[],
  work: Work,
): GroupedRows {
  let rows = start;
  let lossy: GroupedRows["lossy"] = null;
  /** Conditions that an aggregate right behind them takes over, so that it keeps groups without such rows. */
  let conditions: readonly FilterClause[] = [];
  const keys = (): readonly KeyPath[] => (rows.keys === start.keys ? paths : pathsIn(rows.entityType, paths));
  const keep = (): void => {
    for (const filter of conditions) rows = withStep(rows, { kind: "filter", filter });
    if (conditions.length > 0) lossy ??= "filter";
    conditions = [];
  };
  for (const step of steps) {
    switch (step.kind) {
      case "filter":
        conditions = [...conditions, bindFilter(step, rows, work)];
        break;
      case "aggregate":
        if (lossy !== null) throw lostGroups(step.position, lossy);
        rows = aggregated(step.items, rows, keys(), allOf(conditions.map(({ expression }) => expression)), work);
        conditions = [];
        break;
      case "groupby": {
        keep();
        const result = grouped(step, rows, keys(), work);
        rows = result.rows;
        lossy ??= result.lossy;
        break;
      }
      case "top":
      case "skip":
      case "topcount":
      case "bottomcount":
      case "topsum":
      case "bottomsum":
      case "toppercent":
      case "bottompercent":
        keep();
        rows = limited(step, rows, keys(), work);
        // A group may lose all of its rows, if all values are null.
        if (step.kind === "skip" || !isCounted(step)) lossy ??= step.kind;
        break;
      case "search":
      case "concat":
        throw unsupportedOption("$apply", step.position, `'${step.kind}' within groupby is not supported.`);
      default:
        rows = runStep(step, rows, work);
    }
  }
  keep();
  return { rows, lossy };
}

function lostGroups(position: number, step: ApplyStepSyntax["kind"]): Error {
  const advice = step === "filter" ? "write filter right before aggregate, or before groupby" : `remove ${step}`;
  const message = `'aggregate' within groupby is not supported behind '${step}' and further steps, by which a group may lose all of its rows: ${advice}.`;
  return unsupportedOption("$apply", position, message);
}
