import type { ODataError } from "../../base/errors/odata-error.ts";
import { isFunctionName } from "../../edm/canonical-functions.ts";
import { PRIMITIVE_TYPES } from "../../edm/primitive-type.ts";
import type { OrderByItem } from "../query/clauses.ts";
import type { Expression } from "../query/expression.ts";
import type {
  BinarySyntax,
  CastCallSyntax,
  InSyntax,
  LogicalSyntax,
  OrderByItemSyntax,
  SyntaxNode,
  UnarySyntax,
} from "../syntax/ast.ts";
import type { BinaryOperator } from "../syntax/token.ts";
import { bindCall } from "./bind-call.ts";
import { bindLambda, bindBoolean, isCondition } from "./bind-lambda.ts";
import { bindLiteral, toType } from "./bind-literal.ts";
import { bindCount, bindMemberPath, bindVariable, bindRoot, isRootKey } from "./bind-member-path.ts";
import { bindArithmetic, bindComparison, bindHas, bindIn } from "./bind-operators.ts";
import { refusedCast } from "./bind-path-cast.ts";
import {
  invalidOption,
  isModelName,
  quotedName,
  unsupportedOption,
  type BindingContext,
  type BindingScope,
  type RangeVariable,
} from "./binding-scope.ts";
import { type Operand, bound, describeOperand, isScalar, sortedType, typeOf, negationType } from "./operand.ts";

const BOOLEAN = PRIMITIVE_TYPES["Edm.Boolean"];

const COMPARISONS: ReadonlySet<BinaryOperator> = new Set(["eq", "ne", "gt", "ge", "lt", "le"]);

/** Deepest nesting that is bound: more than the parser accepts, and far below the limit of the stack. */
const MAX_DEPTH = 400;

/**
 * Binds the expression of `$filter`, which must be Boolean.
 * @throws ODataError `InvalidQueryOption` for names, types and literals that do not fit, with the position;
 *   `UnsupportedQueryOption` for constructs that are not supported
 * @see OData URL Conventions 4.0, section 5.1.1
 */
export function bindCondition(node: SyntaxNode, context: BindingContext): Expression {
  return bindBoolean(node, scopeOf(context, [], { depth: 0 }));
}

/**
 * Binds the expression of one `$orderby` item, which must be a single value.
 * @throws ODataError as for bindCondition
 * @see OData URL Conventions 4.0, section 5.1.4
 */
export function bindSortKey(node: SyntaxNode, context: BindingContext): Expression {
  const scope = scopeOf(context, [], { depth: 0 });
  const operand = scope.bind(node);
  const type = isScalar(operand) ? typeOf(operand) : null;
  if (type !== null && isScalar(operand)) return toType(operand, sortedType(type), scope);
  const message = `Entities cannot be ordered by ${describeOperand(operand)}: name a property with a single value.`;
  throw invalidOption(context.option, node.position, message);
}

/**
 * Binds an expression of any type.
 * @throws ODataError as for bindCondition
 */
export function bindOperand(node: SyntaxNode, context: BindingContext): Operand {
  return scopeIn(context).bind(node);
}

/** Makes the scope of a whole expression. */
export function scopeIn(context: BindingContext): BindingScope {
  return scopeOf(context, [], { depth: 0 });
}

/** Binds the items of `$orderby`. @throws ODataError as for bindSortKey */
export function bindOrder(items: readonly OrderByItemSyntax[], context: BindingContext): readonly OrderByItem[] {
  return items.map(({ expression, descending }) => ({ expression: bindSortKey(expression, context), descending }));
}

/** Makes a scope that counts the levels of the tree before each descent, including those in lambda operators. */
function scopeOf(
  context: BindingContext,
  variables: readonly RangeVariable[],
  levels: { depth: number },
): BindingScope {
  const scope: BindingScope = {
    ...context,
    variables,
    within: (variable) => scopeOf(context, [...variables, variable], levels),
    bind: (node) => {
      levels.depth += 1;
      if (levels.depth > MAX_DEPTH) {
        throw invalidOption(
          context.option,
          node.position,
          `An expression nests at most ${MAX_DEPTH} levels: use fewer nested operations.`,
        );
      }
      const operand = bindNode(node, scope);
      levels.depth -= 1;
      return operand;
    },
  };
  return scope;
}

function bindNode(node: SyntaxNode, scope: BindingScope): Operand {
  switch (node.kind) {
    case "literal":
      return bindLiteral(node, scope);
    case "null":
    case "alias":
      return { kind: "null", position: node.position };
    case "member":
      return bindMemberPath(node, scope);
    case "variable":
      return bindVariable(node, scope);
    case "count":
      return bindCount(node, scope);
    case "call":
      return bindCall(node, scope);
    case "unary":
      return node.operator === "not" ? bindNot(node, scope) : bindNegation(node, scope);
    case "binary":
      return bindAfterNot(node, node.left, bindBinary, scope);
    case "logical":
      return bindLogical(node, scope);
    case "in":
      return bindAfterNot(node, node.operand, bindIn, scope);
    case "lambda":
      return bindLambda(node, scope);
    case "these":
      if (scope.these !== undefined) return scope.these(node);
      throw unsupportedOption(scope.option, node.position, "$these is supported in filter and compute only.");
    case "root":
      throw invalidOption(
        scope.option,
        node.position,
        "'$root' must be followed by an entity set: $root/Set(key)/Property.",
      );
    case "key":
      if (isRootKey(node)) return bindRoot(node, scope);
      if (node.source.kind === "cast") throw refusedCall(node.source, scope);
      scope.bind(node.source);
      throw unsupportedOption(scope.option, node.position, `Keys are not supported in ${scope.option}.`);
    case "cast":
      throw refusedCast(node.typeName, { ...scope, position: node.position });
    case "list":
      throw invalidOption(scope.option, node.position, "A list is allowed only after 'in'.");
    case "json":
      throw invalidOption(
        scope.option,
        node.position,
        "A JSON value is allowed only as an argument of a declared function.",
      );
  }
}

/**
 * Binds a comparison that may begin with `not`. By its precedence, `not a eq b` is `(not a) eq b`. If `a` is not Boolean,
 * it is `not (a eq b)`, which many clients mean. `not not a eq b` follows the same rule.
 * @param left the left operand of the node
 * @see docs/reference/filter.md, Operators
 */
function bindAfterNot<Node extends BinarySyntax | InSyntax>(
  node: Node,
  left: SyntaxNode,
  bind: (node: Node, scope: BindingScope) => Operand,
  scope: BindingScope,
): Operand {
  const negation = isComparison(node) ? firstNot(left) : undefined;
  if (negation === undefined) return bind(node, scope);
  const nots = chainOf(negation);
  const operand = scope.bind((nots.at(-1) ?? negation).operand);
  const isNegated = isCondition(operand);
  const first = isNegated ? negatedBy(nots, toType(operand, BOOLEAN, scope), negation.position) : operand;
  const inner: BindingScope = { ...scope, bind: (part) => bindPart(part) };
  const bindPart = (part: SyntaxNode): Operand => {
    if (part === negation) return first;
    return part.kind === "binary" && firstNot(part) === negation ? bindBinary(part, inner) : scope.bind(part);
  };
  const bindings = bind(node, inner);
  return isNegated || !isCondition(bindings)
    ? bindings
    : negatedBy(nots, toType(bindings, BOOLEAN, scope), negation.position);
}

/** Returns the `not` that an operand begins with, outside of parentheses; undefined within another comparison. */
function firstNot(node: SyntaxNode): UnarySyntax | undefined {
  if (node.kind !== "unary" && node.kind !== "binary") return undefined;
  if (node.isEnclosed === true) return undefined;
  if (node.kind === "unary") return node.operator === "not" ? node : undefined;
  return isComparison(node) ? undefined : firstNot(node.left);
}

/** Returns a `not` and the `not` operators that follow it immediately, outermost first. */
function chainOf(first: UnarySyntax): readonly UnarySyntax[] {
  const nots = [first];
  for (let next = first.operand; next.kind === "unary" && next.operator === "not"; next = next.operand) {
    if (next.isEnclosed === true) break;
    nots.push(next);
  }
  return nots;
}

function negatedBy({ length }: readonly UnarySyntax[], condition: Expression, position: number): Operand {
  let operand = condition;
  for (let inner = 1; inner < length; inner += 1) operand = { kind: "not", operand, type: BOOLEAN };
  return negated(operand, position);
}

function isComparison(node: BinarySyntax | InSyntax): boolean {
  return node.kind === "in" || COMPARISONS.has(node.operator);
}

/** Refuses a name that is called like a method, such as `Name.contains('x')`. */
function refusedCall(cast: CastCallSyntax, scope: BindingScope): ODataError {
  const { typeName, position } = cast;
  const end = typeName.lastIndexOf(".");
  const name = typeName.slice(end + 1).toLowerCase();
  if (!isFunctionName(name) || isModelName(typeName, scope.model)) return refusedCast(typeName, { ...scope, position });
  const operand = quotedName(typeName.slice(0, end).replaceAll(".", "/")).slice(1, -1);
  const message = `There is no function ${quotedName(typeName)}. Write ${name}(${operand},…).`;
  return invalidOption(scope.option, position, message);
}

function bindBinary(node: BinarySyntax, scope: BindingScope): Operand {
  const { operator } = node;
  switch (operator) {
    case "eq":
    case "ne":
    case "gt":
    case "ge":
    case "lt":
    case "le":
      return bindComparison(node, operator, scope);
    case "add":
    case "sub":
    case "mul":
    case "div":
    case "divby":
    case "mod":
      return bindArithmetic(node, operator, scope);
    case "has":
      return bindHas(node, scope);
  }
}

/** @see OData URL Conventions 4.0, sections 5.1.1.1.7 to 5.1.1.1.9 */
function bindLogical(node: LogicalSyntax, scope: BindingScope): Operand {
  const operands = node.operands.map((operand) => bindBoolean(operand, scope, node.operator));
  return bound({ kind: "logical", operator: node.operator, operands, type: BOOLEAN }, node.position);
}

function bindNot(node: UnarySyntax, scope: BindingScope): Operand {
  return negated(bindBoolean(node.operand, scope, "not"), node.position);
}

function negated(operand: Expression, position: number): Operand {
  return bound({ kind: "not", operand, type: BOOLEAN }, position);
}

function bindNegation(node: UnarySyntax, scope: BindingScope): Operand {
  const operand = scope.bind(node.operand);
  const given = isScalar(operand) ? (typeOf(operand) ?? PRIMITIVE_TYPES["Edm.Int64"]) : null;
  const type = given === null ? undefined : negationType(given);
  if (type === undefined || !isScalar(operand)) {
    const message = `'-' must precede a number or a duration, not ${describeOperand(operand)}.`;
    throw invalidOption(scope.option, node.position, message);
  }
  return bound({ kind: "negate", operand: toType(operand, type, scope), type }, node.position);
}
