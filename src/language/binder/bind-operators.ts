import { ODataError, protocolError } from "../../base/errors/odata-error.ts";
import { attempt } from "../../base/maybe.ts";
import { isWrittenInQuotes, fromComparedLiteral } from "../../edm/literal.ts";
import type { ComplexType, EntityType, EnumType } from "../../edm/model.ts";
import { PRIMITIVE_TYPES } from "../../edm/primitive-type.ts";
import { typeName } from "../../edm/type-name.ts";
import { InvalidValueError } from "../../edm/value-codec.ts";
import type {
  ArithmeticOperator,
  ComparisonOperator,
  Expression,
  ScalarType,
  VariableExpression,
} from "../query/expression.ts";
import type { BinarySyntax, InSyntax, SyntaxNode, MemberSyntax } from "../syntax/ast.ts";
import { itemOf, toLambda } from "./bind-lambda.ts";
import { toType } from "./bind-literal.ts";
import { invalidOption, quotedName, type BindingScope } from "./binding-scope.ts";
import {
  type Operand,
  type ScalarOperand,
  bound,
  describeOperand,
  isPrimitive,
  isScalar,
  sortedType,
  typeOf,
  type BoundOperand,
  collectionOf,
  type ArithmeticTypes,
  arithmeticTypes,
  comparisonType,
  decimalTypes,
} from "./operand.ts";

const BOOLEAN = PRIMITIVE_TYPES["Edm.Boolean"];
const NULL: Expression = Object.freeze({ kind: "null", type: null });

/**
 * Binds a comparison such as `left eq right`. Both operands are converted to one type.
 * @throws ODataError `InvalidQueryOption` for types that cannot be compared, and as for the operands
 * @see OData URL Conventions 4.0, section 5.1.1.1
 */
export function bindComparison(node: BinarySyntax, operator: ComparisonOperator, scope: BindingScope): Operand {
  const [left, right] = bindSides(node, scope);
  if (isScalar(left) && isScalar(right)) {
    const common = commonType(typed(left), typed(right));
    const isSorted = operator !== "eq" && operator !== "ne";
    const type = isSorted && common ? sortedType(common) : common;
    if (type !== undefined) {
      const sides = { left: atType(left, type, scope), right: atType(right, type, scope) };
      return bound({ kind: "comparison", operator, ...sides, operandType: type, type: BOOLEAN }, node.position);
    }
  }
  const complex = nullCheck(left, right) ?? nullCheck(right, left);
  if (complex !== undefined && (operator === "eq" || operator === "ne")) {
    const sides = { left: complex.expression, right: NULL };
    return bound({ kind: "comparison", operator, ...sides, operandType: complex.type, type: BOOLEAN }, node.position);
  }
  throw invalidOption(scope.option, node.position, incomparable(operator, left, right));
}

/** Converts an operand to the common type; null if all operands are null. */
function atType(operand: ScalarOperand, type: ScalarType | null, scope: BindingScope): Expression {
  return type === null ? NULL : toType(operand, type, scope);
}

/** Returns a complex value or a related entity that is compared with null, the only comparison it supports. */
function nullCheck(
  operand: Operand,
  other: Operand,
): { readonly expression: Expression; readonly type: ComplexType | EntityType } | undefined {
  if (operand.kind !== "bound" || operand.isCollection || other.kind !== "null") return undefined;
  const { expression, type } = operand;
  if (type.kind === "ComplexType") return { expression, type };
  const isLedTo = expression.kind === "navigation" || expression.kind === "root";
  return type.kind === "EntityType" && isLedTo ? { expression, type } : undefined;
}

function incomparable(operator: ComparisonOperator, left: Operand, right: Operand): string {
  const fault = `'${operator}' cannot compare ${describeOperand(left)} with ${describeOperand(right)}.`;
  const hint = literalAdvice(right, left) || literalAdvice(left, right);
  if (hint !== "") return fault + hint;
  const isCollection = [left, right].some((operand) => operand.kind === "bound" && operand.isCollection);
  if (isCollection) return `${fault} Compare '/$count' of the collection, or its items within 'any(…)' or 'all(…)'.`;
  const isStructured = [left, right].some((operand) => !isScalar(operand));
  return isStructured ? `${fault} Compare its properties one by one.` : fault;
}

/**
 * Binds arithmetic such as `left add right`. `divby` is `div` whose integers become Decimals.
 * @throws ODataError `InvalidQueryOption` for types that the operator does not support, and as for the operands
 * @see OData URL Conventions 4.0, section 5.1.1.2
 */
export function bindArithmetic(node: BinarySyntax, symbol: ArithmeticOperator | "divby", scope: BindingScope): Operand {
  const left = scope.bind(node.left);
  const right = scope.bind(node.right);
  const operator = symbol === "divby" ? "div" : symbol;
  const typesOf = symbol === "divby" ? decimalTypes : arithmeticTypes;
  const found = isScalar(left) && isScalar(right) ? typesWithNull(operator, typesOf, left, right) : undefined;
  if (found === undefined || !isScalar(left) || !isScalar(right)) {
    const message = `'${symbol}' cannot take ${describeOperand(left)} and ${describeOperand(right)}.`;
    throw invalidOption(scope.option, node.position, message);
  }
  const [first, second] = found.isSwapped ? [right, left] : [left, right];
  const isDivision = operator === "div" || operator === "mod";
  const refuseZero = isDivision && !isPrimitive(found.right, "Edm.Double") && !isPrimitive(found.right, "Edm.Single");
  const expression: Expression = {
    kind: "arithmetic",
    operator,
    left: toType(first, found.left, scope),
    right: toType(second, found.right, scope, refuseZero),
    type: found.result,
  };
  return bound(expression, node.position);
}

/** Null gets the type of the other operand if the operator supports it, else another supported type. */
function typesWithNull(
  operator: ArithmeticOperator,
  typesOf: typeof arithmeticTypes,
  left: ScalarOperand,
  right: ScalarOperand,
): ArithmeticTypes | undefined {
  const leftType = typeOf(left);
  const rightType = typeOf(right);
  if (leftType !== null && rightType !== null) return typesOf(operator, leftType, rightType);
  const integer = PRIMITIVE_TYPES["Edm.Int64"];
  const other = leftType ?? rightType ?? integer;
  for (const candidate of [other, PRIMITIVE_TYPES["Edm.Duration"], integer]) {
    const found = typesOf(operator, leftType ?? candidate, rightType ?? candidate);
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * Binds `operand has flags`.
 * @throws ODataError `InvalidQueryOption` for anything but an enumeration and its members, and as for the operands
 * @see OData URL Conventions 4.0, section 5.1.1.1.10
 */
export function bindHas(node: BinarySyntax, scope: BindingScope): Operand {
  const operand = scope.bind(node.left);
  const flags = bindBeside(node.right, operand, scope);
  if (isScalar(operand) && isScalar(flags) && operand.kind === "bound" && isEnumeration(operand)) {
    const type = commonType(typed(operand), typed(flags));
    if (type === operand.type) {
      const expression = operand.expression;
      return bound(
        { kind: "has", operand: expression, flags: toType(flags, type, scope), type: BOOLEAN },
        node.position,
      );
    }
    const fault = `'has' cannot look for ${describeOperand(flags)} in ${typeName(operand.type)}.`;
    const message = fault + literalAdvice(flags, operand);
    throw invalidOption(scope.option, node.position, message);
  }
  const message = `'has' must follow a property of an enumeration type, not ${describeOperand(operand)}.`;
  throw invalidOption(scope.option, node.position, message);
}

function isEnumeration({ type }: BoundOperand): boolean {
  return type.kind === "EnumType" && type.isText !== true;
}

/**
 * Binds `operand in (…)`. The operand and all items are converted to one type. A collection may follow `in`, too.
 * @throws ODataError `InvalidQueryOption` for types that cannot be compared, and as for the operands
 * @see OData URL Conventions 4.01, section 5.1.1.1.12
 */
export function bindIn(node: InSyntax, scope: BindingScope): Operand {
  const operand = scope.bind(node.operand);
  if (isPath(node.list)) return bindInCollection(operand, node.list, node.position, scope);
  const list = listItems(node.list, scope).map((item) => scope.bind(item));
  if (!isScalar(operand)) {
    const message = `'in' takes one value on its left, not ${describeOperand(operand)}.`;
    throw invalidOption(scope.option, node.position, message);
  }
  let common = typed(operand);
  const items = list.map((item): ScalarOperand => {
    const type = isScalar(item) ? commonType(common, typed(item)) : undefined;
    if (type === undefined || !isScalar(item)) {
      const message = `'in' cannot compare ${describeOperand(operand)} with ${describeOperand(item)}.${literalAdvice(item, operand)}`;
      throw invalidOption(scope.option, item.position, message);
    }
    common = { type, isLiteral: common.isLiteral && item.kind !== "bound" };
    return item;
  });
  const { type } = common;
  const expression: Expression = {
    kind: "in",
    operand: atType(operand, type, scope),
    items: items.map((item) => atType(item, type, scope)),
    type: BOOLEAN,
  };
  return bound(expression, node.position);
}

/** Returns whether a node may be the path of a collection. Unsupported kinds fail when they are bound. */
function isPath({ kind }: SyntaxNode): boolean {
  return (
    kind === "member" || kind === "variable" || kind === "root" || kind === "cast" || kind === "key" || kind === "call"
  );
}

function listItems(list: SyntaxNode, scope: BindingScope): readonly SyntaxNode[] {
  if (list.kind === "list") return list.items;
  if (list.kind === "alias") {
    const message = `The parameter alias '${list.name}' has no value: add ${list.name}=[…] to the query.`;
    throw invalidOption(scope.option, list.position, message);
  }
  const message = "'in' takes a list of values in parentheses, such as (1,2,3).";
  throw invalidOption(scope.option, list.position, message);
}

function typed(operand: ScalarOperand): TypedOperand {
  return { type: typeOf(operand), isLiteral: operand.kind === "literal" };
}

/**
 * Binds `operand in Tags`, which means `Tags/any(t:operand eq t)`.
 * @param operand the bound left operand
 * @param list the path of the collection
 * @throws ODataError `InvalidQueryOption` for any other path, and if the operand cannot be compared with the items
 * @see OData URL Conventions 4.01, section 5.1.1.1.12
 */
function bindInCollection(operand: Operand, list: SyntaxNode, position: number, scope: BindingScope): Operand {
  const right = bindBeside(list, operand, scope);
  const collection = collectionOf(right);
  if (collection === undefined) {
    const message = `'in' takes a collection or a list of values such as (1,2,3), not ${describeOperand(right)}.`;
    throw invalidOption(scope.option, list.position, message);
  }
  const variable = itemOf(collection, scope);
  const item = toOperand(variable, list.position);
  const given = isScalar(operand) ? { type: typeOf(operand), isLiteral: operand.kind === "literal" } : undefined;
  const type =
    given === undefined || !isScalar(item) ? undefined : commonType(given, { type: typeOf(item), isLiteral: false });
  if (type === undefined || type === null || !isScalar(operand) || !isScalar(item)) {
    const fault = `'in' cannot look for ${describeOperand(operand)} in ${describeOperand(right)}.`;
    throw invalidOption(scope.option, position, fault + literalAdvice(operand, item));
  }
  const sides = { left: toType(operand, type, scope), right: toType(item, type, scope) };
  const boolean = PRIMITIVE_TYPES["Edm.Boolean"];
  const predicate = { kind: "comparison", operator: "eq", ...sides, operandType: type, type: boolean } as const;
  return bound(toLambda({ operator: "any", collection, depth: variable.depth, predicate }), position);
}

function toOperand(expression: VariableExpression, position: number): BoundOperand {
  return { kind: "bound", expression, type: expression.type, isCollection: false, position };
}

/** The facts about an operand that decide on the common type. */
interface TypedOperand {
  /** Null for the literal null, which fits any type. */
  readonly type: ScalarType | null;
  /** A string literal may contain an enumeration member or a Guid; other strings may not. */
  readonly isLiteral: boolean;
}

/**
 * Returns the type in which two operands are compared: null for two nulls, undefined if they cannot be compared.
 */
function commonType(left: TypedOperand, right: TypedOperand): ScalarType | null | undefined {
  if (left.type === null || right.type === null) return left.type ?? right.type;
  if (isQuotedValue(left, right.type)) return right.type;
  if (isQuotedValue(right, left.type)) return left.type;
  if (left.isLiteral && isSameEnum(left.type, right.type)) return right.type;
  if (right.isLiteral && isSameEnum(right.type, left.type)) return left.type;
  return comparisonType(left.type, right.type);
}

/** An enumeration may be published as texts in one set and not in another. Its literals fit both. */
function isSameEnum(left: ScalarType, right: ScalarType): boolean {
  return left.kind === "EnumType" && right.kind === "EnumType" && left.qualifiedName === right.qualifiedName;
}

function isQuotedValue(operand: TypedOperand, type: ScalarType): boolean {
  return operand.isLiteral && isPrimitive(operand.type, "Edm.String") && isWrittenInQuotes(type);
}

/**
 * Returns a sentence, with a leading blank, that corrects a literal which does not fit the other operand.
 * @returns an empty string if the operand is not a literal, or the other operand has no scalar type
 */
function literalAdvice(operand: Operand, beside: Operand): string {
  if (operand.kind !== "literal") return "";
  const type = isScalar(beside) ? typeOf(beside) : null;
  if (type === null) return "";
  const value = attempt(() => fromComparedLiteral(operand.syntax.literal, type), InvalidValueError);
  return value instanceof InvalidValueError ? ` ${value.message}` : "";
}

/** Most members that a message lists. */
const MAX_LISTED_MEMBERS = 5;

/**
 * Binds both operands of a comparison. Either may be a value that lacks its quotes.
 * @throws ODataError as for the operands, with advice for such a value
 * @see docs/reference/filter.md
 */
function bindSides({ left, right }: BinarySyntax, scope: BindingScope): readonly [Operand, Operand] {
  const first = isName(left) ? attempt(() => scope.bind(left), ODataError) : scope.bind(left);
  if (!(first instanceof ODataError)) return [first, bindBeside(right, first, scope)];
  if (!isName(left)) throw first;
  const second = attempt(() => scope.bind(right), ODataError);
  throw second instanceof ODataError ? first : unquoted(left, first, second, scope);
}

/**
 * Binds one of two operands. A single unknown name compared with a text or an enumeration may be a value without quotes.
 * @throws ODataError as for the operand, with advice for such a value
 * @see docs/reference/filter.md
 */
function bindBeside(node: SyntaxNode, beside: Operand, scope: BindingScope): Operand {
  if (!isName(node)) return scope.bind(node);
  const operand = attempt(() => scope.bind(node), ODataError);
  if (operand instanceof ODataError) throw unquoted(node, operand, beside, scope);
  return operand;
}

function isName(node: SyntaxNode): node is MemberSyntax {
  return node.kind === "member" && node.source === null;
}

/** Returns the error of a name that cannot be bound: with the value in quotes, if the other operand accepts one. */
function unquoted(
  { name, position }: MemberSyntax,
  fault: ODataError,
  beside: Operand,
  scope: BindingScope,
): ODataError {
  // Beside a literal, the name is meant to be a property.
  if (beside.kind !== "bound") return fault;
  const type = isScalar(beside) ? typeOf(beside) : null;
  if (type?.kind === "EnumType") {
    const member = memberLike(type, name);
    if (member === undefined) return withAdvice(fault, `Put a member in quotes: ${listedMembers(type)}`);
    const message = `${quotedName(name)} is no property. Put the member in quotes: '${member}'.`;
    return invalidOption(scope.option, position, message);
  }
  const isText = type !== null && isPrimitive(type, "Edm.String");
  return isText ? withAdvice(fault, `To compare with a text, write ${quotedName(name)}.`) : fault;
}

function withAdvice({ message, target }: ODataError, advice: string): ODataError {
  return protocolError("InvalidQueryOption", `${message} ${advice}`, { target });
}

/** Returns the first members, in quotes, as the end of a sentence. */
function listedMembers({ members }: EnumType): string {
  const names = [...members.keys()].map((name) => `'${name}'`);
  return names.slice(0, MAX_LISTED_MEMBERS).join(", ") + (names.length > MAX_LISTED_MEMBERS ? ", …" : ".");
}

function memberLike({ members }: EnumType, name: string): string | undefined {
  const folded = name.toLowerCase();
  return [...members.keys()].find((member) => member.toLowerCase() === folded);
}
