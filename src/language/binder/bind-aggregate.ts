import { PRIMITIVE_TYPES } from "../../edm/primitive-type.ts";
import { typeName } from "../../edm/type-name.ts";
import { aggregateType } from "../query/aggregate-type.ts";
import type { Aggregate, AggregateMethod, FilterClause } from "../query/clauses.ts";
import type {
  CollectionPath,
  Expression,
  LambdaExpression,
  NavigationExpression,
  PropertyExpression,
  ScalarType,
} from "../query/expression.ts";
import { isPath, stepsOf } from "../query/walk-expression.ts";
import type { AggregateSyntax } from "../syntax/aggregate-parser.ts";
import type { MemberSyntax, SyntaxNode } from "../syntax/ast.ts";
import { scopeIn } from "./bind-expression.ts";
import { itemOf, toLambda } from "./bind-lambda.ts";
import { toType } from "./bind-literal.ts";
import { type BindingContext, type BindingScope, invalidOption, unsupportedOption } from "./binding-scope.ts";
import { pathText } from "./group-keys.ts";
import { facetsOf, madeProperty, type MadeProperty } from "./made-types.ts";
import { collectionOf, describeOperand, isScalar, isScalarType, type Operand, sortedType, typeOf } from "./operand.ts";

/** The operands of methods, for messages. */
const SUMMED = "numbers and Edm.Duration";
const ORDERED = "numbers, Edm.String, dates, times, Edm.Duration and enumerations without flags";

/**
 * Binds an item of `aggregate`.
 * @param index the position of its property in the type of the new rows
 * @param filter the condition of the rows that are aggregated; null: all
 * @throws ODataError `InvalidQueryOption` for a type that the method does not support, `UnsupportedQueryOption` for a total of
 *   a path to a single entity
 * @see OData Aggregation 4.0, section 3.2.1; docs/reference/apply.md
 */
export function bindAggregate(
  { expression: node, method, alias: { name } }: AggregateSyntax,
  index: number,
  filter: FilterClause | null,
  context: BindingContext,
): Aggregate {
  const made = (expression: Expression | null, property: Partial<MadeProperty> = {}): Aggregate => {
    const count = { name, type: COUNT, nullable: false, isCollection: false, facets: { scale: 0 } };
    const aggregate = { property: madeProperty({ ...count, ...property }, index), method, expression, filter };
    return Object.freeze(aggregate);
  };
  if (node === null) return made(null);
  const isCount = node.kind === "count";
  if (isCount && method !== "count") {
    const message = "the count of a collection takes no method. Write Lines/$count as Count.";
    throw unsupportedOption(context.option, node.position, message);
  }
  const { operand, toEach } = bindReach(isCount ? node.source : node, method, isCount, scopeIn(context));
  if (operand === null || method === "count") return made(toEach?.(null, COUNT) ?? null);
  const stated = isScalar(operand) ? typeOf(operand) : null;
  const given = stated && method !== "countdistinct" ? sortedType(stated) : stated;
  const result = given === null ? undefined : aggregateType(method, given);
  if (!isScalar(operand) || given === null || result === undefined) {
    const isValue = operand.kind !== "bound" || isScalarType(operand.type);
    const refuse = method === "countdistinct" && !isValue ? unsupportedOption : invalidOption;
    throw refuse(context.option, node.position, mismatch(method, operand));
  }
  const value = toType(operand, given, context);
  const expression = toEach?.(value, given) ?? value;
  if (method === "countdistinct") return made(expression);
  return made(expression, { type: result, nullable: true, facets: resultFacets(method, result, value) });
}

const COUNT = PRIMITIVE_TYPES["Edm.Decimal"];

function resultFacets(method: AggregateMethod, result: ScalarType, expression: Expression): MadeProperty["facets"] {
  const facets = facetsOf(expression);
  if (method === "min" || method === "max") return facets;
  if (result === PRIMITIVE_TYPES["Edm.Duration"]) return { precision: 12 };
  if (result !== PRIMITIVE_TYPES["Edm.Decimal"]) return {};
  // An average has as many digits as it needs.
  if (method === "average") return {};
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

/** The operand of an aggregate: a value of each row, or of each item of a collection. */
interface Reach {
  /** Null for `Lines/$count`. */
  readonly operand: Operand | null;
  /** Makes the expression of the values of all items; undefined for a value of each row. */
  readonly toEach?: ((value: Expression | null, type: ScalarType) => LambdaExpression) | undefined;
}

/** Most collections of one path. @see docs/reference/limits.md */
const MAX_COLLECTIONS = 3;

/** Binds an operand. @param isCount whether it is the path before `$count` */
function bindReach(path: SyntaxNode, method: AggregateMethod, isCount: boolean, scope: BindingScope): Reach {
  const { option, variables } = scope;
  for (const part of prefixesOf(path)) {
    const collection = itemsOf(scope.bind(part));
    if (collection === undefined) continue;
    if (part === path && !isCount) break;
    if (collection.kind === "property" || stepsOf(collection).start.kind === "root") {
      const message = `${pathText(part)} is no collection of related entities: its aggregates are not supported.`;
      throw unsupportedOption(option, part.position, message);
    }
    if (variables.length >= MAX_COLLECTIONS) {
      throw invalidOption(option, part.position, `A path may lead along at most ${MAX_COLLECTIONS} collections.`);
    }
    const item = itemOf(collection, scope);
    const inner = scope.within({ name: pathText(part), expression: item, entitySet: collection.target });
    const variable: SyntaxNode = { kind: "variable", name: pathText(part), position: part.position };
    if (part === path) checkCounted(collection, part, scope);
    const below = part === path ? ITEMS : bindReach(startAt(variable, part, path), method, isCount, inner);
    const { depth } = item;
    return {
      operand: below.operand,
      toEach: (value, type) =>
        toLambda(
          { operator: "each", collection, depth, predicate: below.toEach?.(value, type) ?? value },
          value === null ? COUNT : type,
        ),
    };
  }
  const operand = scope.bind(path);
  if (isCount) {
    const message = `$count of ${describeOperand(operand)}, which is no collection, is not supported in aggregate.`;
    throw unsupportedOption(option, path.position, message);
  }
  if (method === "sum" || method === "average") refuseReach(path, operand, method, option);
  return { operand };
}

/** Returns the collection whose items an aggregate takes: entities that `join` leads to may belong to several rows. */
function itemsOf(operand: Operand): CollectionPath | undefined {
  const { expression = null } = operand.kind === "bound" ? operand : {};
  const isJoined = expression?.kind === "navigation" && expression.navigationProperty.origin !== undefined;
  return isJoined && expression.target !== null ? expression : collectionOf(operand);
}

const ITEMS: Reach = Object.freeze({ operand: null });

function checkCounted({ target }: NavigationExpression, { position }: SyntaxNode, scope: BindingScope): void {
  if (scope.capabilitiesOf(target).countEnabled) return;
  const message = `The query option $count is not enabled for ${target?.name ?? "these entities"}.`;
  throw unsupportedOption(scope.option, position, message);
}

/**
 * Refuses a total of a path to a single entity: by the standard it takes each related entity once, however many rows lead to
 * it. Other methods return the same value either way.
 */
function refuseReach(node: SyntaxNode, operand: Operand, method: AggregateMethod, option: string): void {
  if (node.kind !== "member" || operand.kind !== "bound" || !isPath(operand.expression)) return;
  // A row that steps of a join have made belongs to one row.
  const isReached = ({ kind, type }: PropertyExpression | NavigationExpression): boolean =>
    kind === "navigation" && type.key.length > 0;
  if (!stepsOf(operand.expression).steps.some(isReached)) return;
  const path = pathText(node);
  const isNumber = isScalar(operand) && operand.type !== PRIMITIVE_TYPES["Edm.Duration"];
  const advice = isNumber
    ? ` For one value of each row, write ${path} mul 1 with ${method}.`
    : ` For one value of each row, write compute(${path} as Value)/aggregate(Value with ${method} as Alias).`;
  const type = isScalar(operand) ? ` (${typeName(operand.type)})` : "";
  const isOfRow = stepsOf(operand.expression).start.kind === "it";
  const message = `${path}${type} would be aggregated once for each related entity, not once for each row, which is not supported.${isOfRow ? advice : ""}`;
  throw unsupportedOption(option, prefixesOf(node)[0]?.position, message);
}

/** Returns a path and the paths to its beginnings, the shortest first. */
function prefixesOf(node: SyntaxNode): readonly MemberSyntax[] {
  const parts: MemberSyntax[] = [];
  for (let part: SyntaxNode | null = node; part?.kind === "member"; part = part.source) parts.unshift(part);
  return parts;
}

/** Returns a path with another start in the place of one of its beginnings. */
function startAt(start: SyntaxNode, beginning: SyntaxNode, path: SyntaxNode): SyntaxNode {
  if (path === beginning || path.kind !== "member" || path.source === null) return start;
  return { ...path, source: startAt(start, beginning, path.source) };
}
