import { protocolError } from "../../errors/odata-error.ts";
import type { FilterClause, OrderByItem } from "../../query/clauses.ts";
import type { Expression, PathSource } from "../../query/expression.ts";
import type { JoinedNavigation } from "../../query/source.ts";
import { childrenOf, isPath, stepsOf } from "../../query/walk-expression.ts";
import { isUnsupported } from "../dialects/database-fault.ts";

/** The parts of a query that a distributed database may refuse. */
export interface RefusableQuery {
  readonly filter?: FilterClause | null | undefined;
  readonly orderBy?: readonly OrderByItem[] | undefined;
  readonly joined?: readonly JoinedNavigation[] | undefined;
}

/**
 * Converts the error of a statement that the database does not support, as a distributed one may, to a fault of the query
 * options. Returns any other error unchanged, and this one for a query without anything that a database could refuse: then
 * the declaration is at fault.
 */
export function explainUnsupported(error: unknown, query: RefusableQuery, database: string): unknown {
  if (!isUnsupported(error)) return error;
  const faults = faultsOf(query);
  if (faults.length === 0) return error;
  const message = `${database} cannot evaluate ${faults.join(" or ")} over the tables of this set, as they are distributed. Omit it, or use properties of the entity itself.`;
  return protocolError("UnsupportedQueryOption", message, { cause: error });
}

function faultsOf({ filter, orderBy = [], joined = [] }: RefusableQuery): readonly string[] {
  const inFilter = filter === null || filter === undefined ? null : constructOf([filter.expression]);
  const inOrder = constructOf(orderBy.map(({ expression }) => expression));
  const [expanded] = joined;
  return [
    ...(inFilter === null ? [] : [`'${inFilter}' in $filter`]),
    ...(inOrder === null ? [] : [`'${inOrder}' in $orderby`]),
    ...(expanded === undefined ? [] : [`'${expanded.expansion.navigationProperty.name}' in $expand`]),
  ];
}

/** Returns the first part of some expressions that relates entities; otherwise the first function or operator; or null. */
function constructOf(expressions: readonly Expression[]): string | null {
  const all = expressions.flatMap(withParts);
  for (const expression of all) {
    const name = relationIn(expression);
    if (name !== null) return name;
  }
  for (const expression of all) {
    if (expression.kind === "call") return expression.name;
    if (expression.kind === "arithmetic") return expression.operator;
  }
  return null;
}

function withParts(expression: Expression): readonly Expression[] {
  return [expression, ...childrenOf(expression).flatMap(withParts)];
}

function relationIn(expression: Expression): string | null {
  if (expression.kind === "lambda") return `${pathOf(expression.collection)}/${expression.operator}`;
  if (expression.kind === "count") return `${pathOf(expression.collection)}/$count`;
  if (!isPath(expression)) return null;
  const { start, steps } = stepsOf(expression);
  const isRelated = start.kind === "root" || steps.some(({ kind }) => kind === "navigation");
  return isRelated ? pathOf(expression) : null;
}

function pathOf(path: PathSource): string {
  const { start, steps } = stepsOf(path);
  const names = steps.map((step) => (step.kind === "property" ? step.property.name : step.navigationProperty.name));
  return [...(start.kind === "root" ? [`$root/${start.entitySet.name}`] : []), ...names].join("/");
}
