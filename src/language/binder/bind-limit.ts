import { required } from "../../base/required.ts";
import { PRIMITIVE_TYPES } from "../../edm/primitive-type.ts";
import { aggregateType } from "../query/aggregate-type.ts";
import type { LimitStep, OrderByItem, ReachedSum } from "../query/clauses.ts";
import type { Expression, ParameterExpression } from "../query/expression.ts";
import type { LimitSyntax } from "../syntax/apply-parser.ts";
import { type AppliedRows, totalOrder, withStep } from "./apply-rows.ts";
import { bindOperand, bindSortKey } from "./bind-expression.ts";
import { toParameter } from "./bind-literal.ts";
import { type BindingContext, invalidOption, requireEnabled } from "./binding-scope.ts";
import { type KeyPath, toGroupKeys } from "./group-keys.ts";
import { contextOf, type Work } from "./step-context.ts";

/**
 * Binds a step that keeps some rows of an order.
 * @param within the paths of the groups of which each is limited; empty: all rows are
 * @throws ODataError as bindApply
 * @see OData Aggregation 4.0, section 3.3
 */
export function limited(step: LimitSyntax, rows: AppliedRows, within: readonly KeyPath[], work: Work): AppliedRows {
  const { kind, expression, position } = step;
  const context = contextOf("orderBy", rows, work);
  const isRanked = kind !== "top" && kind !== "skip";
  // The steps after it would not see a group that loses all of its rows.
  const least = isRanked || (kind === "top" && within.length > 0) ? 1 : 0;
  let { orderBy } = rows;
  if (expression !== null) {
    requireEnabled("orderBy", work.capabilities, "$apply", position);
    orderBy = [{ expression: bindSortKey(expression, context), descending: kind.startsWith("top") }];
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

/** Makes one limit of a skip and a top right after it. @returns null after any other step */
function skippedBefore(rows: AppliedRows, limit: RowLimit): AppliedRows | null {
  const last = rows.steps.at(-1);
  const isSkip = last?.kind === "limit" && last.top === null && last.partition.length === 0;
  // An orderby would have added terms.
  if (!isSkip || last.orderBy.length !== limit.orderBy.length) return null;
  return withStep({ ...rows, steps: rows.steps.slice(0, -1) }, { ...limit, skip: last.skip });
}

/** Whether a limit is a number of rows, and not a sum of their values. */
export function isCounted({ kind }: LimitSyntax): boolean {
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
