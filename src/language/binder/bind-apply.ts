import { required } from "../../base/required.ts";
import { allOf } from "../query/all-of.ts";
import type { ApplyClause, FilterClause, OrderByItem } from "../query/clauses.ts";
import type { Expression } from "../query/expression.ts";
import type { AggregateSyntax } from "../syntax/aggregate-parser.ts";
import {
  type ApplyStepSyntax,
  type ApplySyntax,
  type GroupBySyntax,
  MAX_GROUPING_PATHS,
} from "../syntax/apply-parser.ts";
import type { SyntaxNode } from "../syntax/ast.ts";
import { type AppliedRows, checkAlias, rowsOf, toBranch, withComputed, withGroups, withStep } from "./apply-rows.ts";
import { unionRows } from "./apply-union.ts";
import { bindAggregate } from "./bind-aggregate.ts";
import { bindCondition, bindOrder } from "./bind-expression.ts";
import { withRelatives, withTopLevels } from "./bind-hierarchy.ts";
import { withJoin } from "./bind-join.ts";
import { isCounted, limited } from "./bind-limit.ts";
import { type Copies, invalidOption, requireEnabled, unsupportedOption } from "./binding-scope.ts";
import { bindKeyPath, distinctPaths, type KeyPath, pathsIn } from "./group-keys.ts";
import { type ApplyPlace, bindWithTotals, contextOf, type Received, requireCount, type Work } from "./step-context.ts";

/** A bound `$apply`, with the rows that the other options of the request apply to. */
export interface BoundApply {
  readonly clause: ApplyClause;
  readonly rows: AppliedRows;
  /** The rows of each branch. */
  readonly branchRows: readonly AppliedRows[];
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
    steps,
  });
  const [first, ...others] = results.map(toBranch);
  const [rows] = results;
  if (first === undefined || rows === undefined) throw new Error("$apply has no branch.");
  const united = others.length === 0 ? rows : unionRows(results, steps.at(-1)?.position ?? 0);
  const { entityType } = united;
  return {
    clause: Object.freeze({ branches: [first, ...others] as const, entityType }),
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
    if (index < steps.length - 1) {
      rows = concatenated(step, rows, work);
      continue;
    }
    return branchesOf(step, rows, work);
  }
  return [rows];
}

type ConcatSyntax = Extract<ApplyStepSyntax, { readonly kind: "concat" }>;

function branchesOf({ branches }: ConcatSyntax, rows: AppliedRows, work: Work): readonly AppliedRows[] {
  return branches.flatMap((branch) => runSteps(branch, rows, { ...work, isOutermost: false }));
}

/** Makes one step of a concat that others follow. */
function concatenated(step: ConcatSyntax, rows: AppliedRows, work: Work): AppliedRows {
  const results = branchesOf(step, { ...rows, steps: [] }, work);
  const united = unionRows(results, step.position);
  const { entityType } = united;
  const [first, ...others] = results.map(toBranch);
  const branches = [required(first, "concat has no branch."), ...others] as const;
  const { steps } = withStep(rows, { kind: "concat", branches, entityType });
  return { ...united, steps, isListed: true };
}

type PlainStep = Exclude<ApplyStepSyntax, { readonly kind: "concat" }>;

function runStep(step: PlainStep, rows: AppliedRows, work: Work): AppliedRows {
  switch (step.kind) {
    case "identity":
      return rows;
    case "search":
      checkSearch(step.position, rows, work);
      return rows;
    case "filter": {
      const { rows: filtered, filter } = bindFilter(step, { rows, within: [], condition: null }, work);
      return withStep(filtered, { kind: "filter", filter });
    }
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
      return computedBy(step, { rows, within: [], condition: null }, work);
    case "join":
    case "outerjoin":
      return withJoin(step, rows, work, (start, inner) => runSteps(step.steps, start, inner));
    case "ancestors":
    case "descendants":
      return withRelatives(step, rows, work, (each) => {
        const context = contextOf("filter", rows, work);
        requireEnabled("filter", work.capabilities, "$apply", each.position);
        return { expression: bindCondition(each.expression, context) };
      });
    case "topLevels":
      return withTopLevels(step, rows, work);
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

function bindFilter(
  { expression, position }: { readonly expression: SyntaxNode; readonly position: number },
  received: Received,
  work: Work,
): { readonly rows: AppliedRows; readonly filter: FilterClause } {
  requireEnabled("filter", work.capabilities, "$apply", position);
  const { rows, result } = bindWithTotals("filter", received, work, (context) => bindCondition(expression, context));
  return { rows, filter: Object.freeze({ expression: result }) };
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

function computedBy(
  { items, position }: Extract<ApplyStepSyntax, { readonly kind: "compute" }>,
  received: Received,
  work: Work,
): AppliedRows {
  requireEnabled("compute", work.capabilities, "$apply", position);
  const { rows, result } = bindWithTotals("compute", received, work, (context) =>
    withComputed(items, received.rows, context),
  );
  return { ...rows, computed: result.computed };
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
    const { expression, alias } = item;
    requireCount(item, work);
    const bound = bindAggregate(item, taken.size, condition, context);
    checkAlias(alias, rows, taken, "$apply", replacedBy(expression, bound.expression, rows));
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

const OUTSIDE_GROUPS = ["search", "concat", "join", "outerjoin", "ancestors", "descendants", "topLevels"] as const;

/** Whether a step may apply to each group. */
function isWithinGroups(
  step: ApplyStepSyntax,
): step is Exclude<ApplyStepSyntax, { readonly kind: (typeof OUTSIDE_GROUPS)[number] }> {
  return OUTSIDE_GROUPS.every((kind) => kind !== step.kind);
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
  /** Conditions that an aggregate right after them takes over, so that it keeps groups without such rows. */
  let conditions: readonly FilterClause[] = [];
  const keys = (): readonly KeyPath[] => (rows.keys === start.keys ? paths : pathsIn(rows.entityType, paths));
  const pending = (): FilterClause | null => allOf(conditions.map(({ expression }) => expression));
  const keep = (): void => {
    for (const filter of conditions) rows = withStep(rows, { kind: "filter", filter });
    if (conditions.length > 0) lossy ??= "filter";
    conditions = [];
  };
  for (const step of steps) {
    if (!isWithinGroups(step)) {
      throw unsupportedOption("$apply", step.position, `'${step.kind}' within groupby is not supported.`);
    }
    if ("count" in step) {
      keep();
      rows = limited(step, rows, keys(), work);
      // A group may lose all of its rows, if all values are null.
      if (step.kind === "skip" || !isCounted(step)) lossy ??= step.kind;
      continue;
    }
    switch (step.kind) {
      case "filter": {
        const found = bindFilter(step, { rows, within: keys(), condition: pending() }, work);
        ({ rows } = found);
        conditions = [...conditions, found.filter];
        break;
      }
      case "compute":
        rows = computedBy(step, { rows, within: keys(), condition: pending() }, work);
        break;
      case "aggregate":
        if (lossy !== null) throw lostGroups(step.position, lossy);
        rows = aggregated(step.items, rows, keys(), pending(), work);
        conditions = [];
        break;
      case "groupby": {
        keep();
        const result = grouped(step, rows, keys(), work);
        rows = result.rows;
        lossy ??= result.lossy;
        break;
      }
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
