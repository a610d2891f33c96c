import type { PrimitiveValue } from "../../edm/value-codec.ts";
import type {
  Expression,
  LiteralExpression,
  NavigationExpression,
  ParameterExpression,
  PathSource,
  PropertyExpression,
} from "./expression.ts";

/**
 * Returns the direct parts of an expression in the order in which they are written: for a path its source, for
 * `$root/Set(key)` the values of the key.
 */
export function childrenOf(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case "parameter":
    case "literal":
    case "null":
    case "it":
    case "variable":
      return NONE;
    case "root":
      return expression.key;
    case "navigation":
    case "property":
      return [expression.source];
    case "count":
      return [expression.collection];
    case "lambda":
      return expression.predicate === null ? [expression.collection] : [expression.collection, expression.predicate];
    case "comparison":
    case "arithmetic":
      return [expression.left, expression.right];
    case "logical":
      return expression.operands;
    case "not":
    case "negate":
    case "convert":
      return [expression.operand];
    case "call":
      return expression.arguments;
    case "in":
      return [expression.operand, ...expression.items];
    case "has":
      return [expression.operand, expression.flags];
  }
}

const NONE: readonly Expression[] = Object.freeze([]);

/**
 * Returns an expression with each of its children replaced by a function, in the order of `childrenOf`.
 * @param replace returns a path for a path, a parameter or literal for a value of a key, and an expression of the same
 *   type for any other child
 * @throws Error if it returns another kind for a path or a key
 */
export function mapChildren(expression: Expression, replace: (child: Expression) => Expression): Expression {
  switch (expression.kind) {
    case "parameter":
    case "literal":
    case "null":
    case "it":
    case "variable":
      return expression;
    case "root":
      return { ...expression, key: expression.key.map((part) => asKeyValue(replace(part))) };
    case "navigation":
      return { ...expression, source: asEntityPath(replace(expression.source)) };
    case "property":
      return { ...expression, source: asPath(replace(expression.source)) };
    case "count":
      return { ...expression, collection: asCollection(replace(expression.collection)) };
    case "lambda": {
      const collection = asCollection(replace(expression.collection));
      return { ...expression, collection, predicate: expression.predicate && replace(expression.predicate) };
    }
    case "comparison":
    case "arithmetic":
      return { ...expression, left: replace(expression.left), right: replace(expression.right) };
    case "logical":
      return { ...expression, operands: expression.operands.map(replace) };
    case "not":
    case "negate":
    case "convert":
      return { ...expression, operand: replace(expression.operand) };
    case "call":
      return { ...expression, arguments: expression.arguments.map(replace) };
    case "in":
      return { ...expression, operand: replace(expression.operand), items: expression.items.map(replace) };
    case "has":
      return { ...expression, operand: replace(expression.operand), flags: replace(expression.flags) };
  }
}

/** Returns whether an expression is a path: an entity, a related entity, or a property. */
export function isPath(expression: Expression): expression is PathSource {
  switch (expression.kind) {
    case "it":
    case "variable":
    case "root":
    case "navigation":
    case "property":
      return true;
    default:
      return false;
  }
}

/** A path of a query: the entity or item from which it starts, and its properties and navigations in their order. */
interface PathSteps {
  readonly start: Exclude<PathSource, PropertyExpression | NavigationExpression>;
  readonly steps: ReadonlyArray<PropertyExpression | NavigationExpression>;
}

/** Splits a path into its start and its steps. */
export function stepsOf(path: PathSource): PathSteps {
  const steps: (PropertyExpression | NavigationExpression)[] = [];
  let start = path;
  while (start.kind === "property" || start.kind === "navigation") {
    steps.unshift(start);
    start = start.source;
  }
  return { start, steps };
}

function asPath(expression: Expression): PathSource {
  if (isPath(expression)) return expression;
  throw new Error(`A path cannot start from an expression of kind ${expression.kind}.`);
}

function asEntityPath(expression: Expression): Exclude<PathSource, { readonly kind: "property" }> {
  if (isPath(expression) && expression.kind !== "property") return expression;
  throw new Error(`A navigation cannot start from an expression of kind ${expression.kind}.`);
}

function asCollection(expression: Expression): Extract<PathSource, { readonly kind: "property" | "navigation" }> {
  if (expression.kind === "property" || expression.kind === "navigation") return expression;
  throw new Error(`An expression of kind ${expression.kind} is not a collection.`);
}

function asKeyValue(expression: Expression): ParameterExpression | LiteralExpression {
  if (expression.kind === "parameter" || expression.kind === "literal") return expression;
  throw new Error(`An expression of kind ${expression.kind} cannot be a key value.`);
}

/**
 * Replaces the parameters of an expression by literals, for expressions that the application receives.
 * @param expression a bound expression, whose depth the parser limits
 * @param values the values of the parameters, by index
 */
export function fillParameters(expression: Expression, values: readonly PrimitiveValue[]): Expression {
  if (expression.kind === "parameter") return fillParameter(expression, values);
  return mapChildren(expression, (child) => fillParameters(child, values));
}

function fillParameter({ index, type }: ParameterExpression, values: readonly PrimitiveValue[]): LiteralExpression {
  const value = values[index];
  if (value === undefined) throw new Error(`Parameter ${String(index)} has no value.`);
  return { kind: "literal", value, type };
}
