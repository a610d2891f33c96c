import type { EntitySet } from "../../edm/model.ts";
import type { Capabilities } from "../query/capabilities.ts";
import type { Aggregate, FilterClause } from "../query/clauses.ts";
import type { AggregateSyntax } from "../syntax/aggregate-parser.ts";
import type { ApplyStepSyntax } from "../syntax/apply-parser.ts";
import type { TheseSyntax, TotalSyntax } from "../syntax/ast.ts";
import { type AppliedRows, type Unreadable, withStep } from "./apply-rows.ts";
import { bindAggregate } from "./bind-aggregate.ts";
import {
  type BindingContext,
  type ClauseName,
  expressionContext,
  type ExpressionPlace,
  unsupportedOption,
} from "./binding-scope.ts";
import { type KeyPath, pathText, toGroupKeys } from "./group-keys.ts";

/** The set whose rows the steps apply to. */
export interface ApplyPlace extends Omit<ExpressionPlace, "entitySet"> {
  readonly entitySet: EntitySet;
  readonly capabilities: Capabilities;
  /** The properties that the user may not read; absent: none. */
  readonly unreadable?: Unreadable | undefined;
}

/** The place of the steps that are bound. */
export interface Work extends ApplyPlace {
  /** Whether the steps are at the beginning, so that they may search. */
  readonly isOutermost: boolean;
  /** All steps of the request. */
  readonly steps: readonly ApplyStepSyntax[];
}

/** Returns the context of the expressions of a step. */
export function contextOf(clause: ClauseName, rows: AppliedRows, work: Work): BindingContext {
  const { entityType, entitySet } = rows;
  return expressionContext(clause, { ...work, entityType, entitySet, rows }, "$apply");
}

/** The rows that a step receives. */
export interface Received {
  readonly rows: AppliedRows;
  /** The paths of their groups; empty: all rows are one group. */
  readonly within: readonly KeyPath[];
  /** The condition of the rows that belong to them; null: all. */
  readonly condition: FilterClause | null;
}

/**
 * Binds expressions that may use totals of the rows that the step receives.
 * @returns the rows with these totals, and the result of `bind`
 * @see OData Aggregation 4.0, section 3.6.1
 */
export function bindWithTotals<Result>(
  clause: ClauseName,
  { rows, within, condition }: Received,
  work: Work,
  bind: (context: BindingContext) => Result,
): { readonly rows: AppliedRows; readonly result: Result } {
  const aggregates: Aggregate[] = [];
  const these: BindingContext["these"] = (node) => {
    const total = totalOf(node, work);
    requireCount(total, work);
    // The sign keeps the name from those of properties and aliases.
    const alias = { name: `$these${rows.steps.length}_${aggregates.length}`, position: node.position };
    const aggregate = bindAggregate(
      { ...total, alias },
      aggregates.length,
      condition,
      contextOf("aggregate", rows, work),
    );
    aggregates.push(aggregate);
    const { property } = aggregate;
    const { type } = property;
    const expression = { kind: "property", source: { kind: "it", type: rows.entityType }, property, type } as const;
    return { kind: "bound", expression, type, isCollection: false, position: node.position };
  };
  const result = bind({ ...contextOf(clause, rows, work), these });
  if (aggregates.length === 0) return { rows, result };
  return { rows: withStep(rows, { kind: "totals", keys: toGroupKeys(within), aggregates }), result };
}

/**
 * Returns the total that `$these` refers to: clients name an aggregate by its alias as if the service declared it.
 * @throws ODataError `UnsupportedQueryOption` for a name that no aggregate of the request has, or different ones
 */
function totalOf({ expression, method, position }: TheseSyntax, { steps }: Work): TotalSyntax {
  if (method !== null) return { expression, method, position };
  const name = expression?.kind === "member" ? expression.name : "";
  const found = aggregatesIn(steps).filter(({ alias }) => alias.name === name);
  const totals = new Map(found.map((each) => [`${each.method} ${operandText(each)}`, each]));
  const [total] = totals.values();
  if (total !== undefined && totals.size === 1) return total;
  const message = `custom aggregates are not supported. Write ${name} with sum.`;
  throw unsupportedOption("$apply", expression?.position, message);
}

function operandText({ expression, position }: TotalSyntax): string {
  return expression?.kind === "member" ? pathText(expression) : String(position);
}

function aggregatesIn(steps: readonly ApplyStepSyntax[]): readonly AggregateSyntax[] {
  return steps.flatMap((step) => {
    if (step.kind === "aggregate") return step.items;
    if (step.kind === "concat") return step.branches.flatMap(aggregatesIn);
    if (step.kind === "join" || step.kind === "outerjoin") return aggregatesIn(step.steps);
    return step.kind === "groupby" ? aggregatesIn(step.steps ?? []) : [];
  });
}

/** Requires that a set enables `$count` for a number of rows. @throws ODataError `UnsupportedQueryOption` */
export function requireCount({ expression, position }: TotalSyntax, { capabilities }: Work): void {
  if (expression !== null || capabilities.countEnabled) return;
  throw unsupportedOption("$apply", position, "The query option $count is not enabled for this entity set.");
}
