import { keeper } from "../base/memo.ts";
import { PRIMITIVE_TYPES } from "../edm/primitive-type.ts";
import { aggregateType } from "../query/aggregate-type.ts";
import { averageScale } from "../query/average-scale.ts";
import type { Aggregate, AggregateMethod, FilterClause } from "../query/clauses.ts";
import type { Expression, ScalarType } from "../query/expression.ts";
import { isPath, stepsOf } from "../query/walk-expression.ts";
import type { AggregateSyntax } from "../syntax/aggregate-parser.ts";
import type { MemberSyntax, SyntaxNode } from "../syntax/ast.ts";
import { bindOperand } from "./bind-expression.ts";
import { toType } from "./bind-literal.ts";
import { type BindingContext, invalidOption, unsupportedOption } from "./binding-scope.ts";
import { pathText } from "./group-keys.ts";
import { facetsOf, madeProperty, type MadeProperty } from "./made-types.ts";
import { describeOperand, isScalar, type Operand, typeName, typeOf } from "./operand.ts";

/** An aggregate, with the growth factor of its texts. */
export interface BoundAggregate {
  readonly aggregate: Aggregate;
  readonly growth: number;
}

/** The operands of methods, for messages. */
const SUMMED = "numbers and Edm.Duration";
const ORDERED = "numbers, Edm.String, dates, times, Edm.Duration and enumerations without flags";

/**
 * Binds an item of `aggregate`.
 * @param index the position of its property in the type of the new rows
 * @param filter the condition of the rows that are aggregated; null: all
 * @throws ODataError `InvalidQueryOption` for a type that the method does not support, `UnsupportedQueryOption` for a path
 *   along a navigation
 * @see OData Aggregation 4.0, section 3.2.1; docs/reference/apply.md
 */
export function bindAggregate(
  { expression: node, method, alias: { name } }: AggregateSyntax,
  index: number,
  filter: FilterClause | null,
  context: BindingContext,
): BoundAggregate {
  const made = (expression: Expression | null, property: Partial<MadeProperty> = {}, growth = 1): BoundAggregate => {
    const count = { name, type: COUNT, nullable: false, isCollection: false, facets: { scale: 0 } };
    const aggregate = { property: madeProperty({ ...count, ...property }, index), method, expression, filter };
    return { aggregate: Object.freeze(keeper(aggregate)), growth };
  };
  if (node === null || method === "count") return made(null);
  refuseReach(node, method, context);
  const operand = bindOperand(node, context);
  const given = isScalar(operand) ? typeOf(operand) : null;
  const result = given === null ? undefined : aggregateType(method, given);
  if (!isScalar(operand) || given === null || result === undefined) {
    throw invalidOption(context.option, node.position, mismatch(method, operand));
  }
  const expression = toType(operand, given, context);
  if (method === "countdistinct") return made(expression);
  const growth = operand.kind === "bound" ? operand.growth : undefined;
  return made(expression, { type: result, nullable: true, facets: resultFacets(method, result, expression) }, growth);
}

const COUNT = PRIMITIVE_TYPES["Edm.Decimal"];

function resultFacets(method: AggregateMethod, result: ScalarType, expression: Expression): MadeProperty["facets"] {
  const facets = facetsOf(expression);
  if (method === "min" || method === "max") return facets;
  if (result === PRIMITIVE_TYPES["Edm.Duration"]) return { precision: 12 };
  if (result !== PRIMITIVE_TYPES["Edm.Decimal"]) return {};
  if (method === "average") return { scale: averageScale({ expression }) };
  return expression.kind === "property" && expression.type === result ? { scale: facets.scale } : {};
}

function mismatch(method: AggregateMethod, operand: Operand): string {
  const adds = method === "sum" || method === "average";
  const ordered = adds ? SUMMED : ORDERED;
  const fault = `'${method}' cannot take ${describeOperand(operand)}: it takes ${method === "countdistinct" ? "single values" : ordered}.`;
  if (operand.kind === "null" || !isScalar(operand)) return fault;
  const isOrdered = adds && aggregateType("min", operand.type) !== undefined;
  return `${fault} Write ${isOrdered ? "min, max or countdistinct" : "countdistinct"}.`;
}

/**
 * Refuses a path that follows a navigation: by the standard it aggregates each related entity once, however many rows
 * lead to it.
 */
function refuseReach(node: SyntaxNode, method: AggregateMethod, context: BindingContext): void {
  const { option } = context;
  if (node.kind === "count") {
    throw unsupportedOption(option, node.position, "aggregates along collections are not supported.");
  }
  if (node.kind !== "member" || node.source === null) return;
  const parts = prefixesOf(node);
  const position = parts[0]?.position ?? node.position;
  for (const part of parts) {
    const operand = bindOperand(part, context);
    if (operand.kind !== "bound" || !operand.isCollection || part === node) continue;
    const message = `${pathText(node)} leads along the collection ${pathText(part)}: aggregates along collections are not supported.`;
    throw unsupportedOption(option, position, message);
  }
  const operand = bindOperand(node, context);
  if (operand.kind !== "bound" || !isPath(operand.expression)) return;
  if (!stepsOf(operand.expression).steps.some(({ kind }) => kind === "navigation")) return;
  const path = pathText(node);
  const isNumber =
    isScalar(operand) &&
    operand.type.kind === "PrimitiveType" &&
    aggregateType("sum", operand.type) !== undefined &&
    operand.type !== PRIMITIVE_TYPES["Edm.Duration"];
  const advice = isNumber
    ? `write ${path} mul 1 with ${method}`
    : `write compute(${path} as Value)/aggregate(Value with ${method} as Alias)`;
  const type = isScalar(operand) ? ` (${typeName(operand.type)})` : "";
  const message = `${path}${type} would be aggregated once for each related entity, not once for each row, which is not supported. For one value of each row, ${advice}.`;
  throw unsupportedOption(option, position, message);
}

/** Returns a path and the paths to its beginnings, the shortest first. */
function prefixesOf(node: MemberSyntax): readonly MemberSyntax[] {
  const parts: MemberSyntax[] = [];
  for (let part: SyntaxNode | null = node; part?.kind === "member"; part = part.source) parts.unshift(part);
  return parts;
}
