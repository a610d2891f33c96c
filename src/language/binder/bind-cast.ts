import { isCastable, isWider } from "../../edm/cast.ts";
import type { ComplexType, EntityType, EnumType, Model } from "../../edm/model.ts";
import { PRIMITIVE_TYPES, type PrimitiveType } from "../../edm/primitive-type.ts";
import { typeName } from "../../edm/type-name.ts";
import { counted, makesText } from "../query/computed-text.ts";
import type { CallExpression, Expression, ScalarType } from "../query/expression.ts";
import { typeTest } from "../query/type-test.ts";
import { childrenOf, isPath } from "../query/walk-expression.ts";
import type { CallSyntax, SyntaxNode } from "../syntax/ast.ts";
import { toType } from "./bind-literal.ts";
import { it } from "./bind-member-path.ts";
import { type BindingScope, didYouMean, invalidOption, quotedName, unsupportedOption } from "./binding-scope.ts";
import {
  type BoundOperand,
  type Operand,
  type ScalarOperand,
  bound,
  describeOperand,
  isPrimitive,
  isScalar,
} from "./operand.ts";

type NamedType = PrimitiveType | EnumType | ComplexType | EntityType;

/** A call of `cast` or `isof`: the bound value, and the type. */
interface TypeCall {
  readonly name: "cast" | "isof";
  readonly operand: Operand;
  readonly type: NamedType;
  /** Whether the call names the type alone, so that the operand is the entity. */
  readonly isOfEntity: boolean;
  readonly position: number;
}

/** The most casts within one another: a database may compute each of them twice. */
const MAX_NESTED = 8;

/**
 * Binds `cast(value,type)`, `isof(value,type)`, `cast(type)` and `isof(type)`. `isof` is true if the value is not null and the
 * cast does not fail. The name of the type may be in quotes.
 * @throws ODataError `InvalidQueryOption` for a call without a type, for an unknown type and a value of several parts;
 *   `UnsupportedQueryOption` for a cast that no value passes
 * @see OData URL Conventions 4.01, sections 5.1.1.10.1 and 5.1.1.10.2; docs/reference/filter.md, Casts
 */
export function bindCast(node: CallSyntax, name: TypeCall["name"], scope: BindingScope): Operand {
  const [first, second, ...others] = node.arguments;
  if (first === undefined || others.length > 0) {
    const message = `'${name}' takes a value and a type, not ${String(node.arguments.length)} arguments: ${name}(Price,Edm.String).`;
    throw invalidOption(scope.option, node.position, message);
  }
  const type = typeOfNode((second ?? first).value, name, scope);
  const operand = second === undefined ? it(scope, node.position) : scope.bind(first.value);
  const call: TypeCall = { name, operand, type, isOfEntity: second === undefined, position: node.position };
  return bindStructured(call, scope) ?? bindScalar(call, scope);
}

/** Finds the type that an argument names. */
function typeOfNode(node: SyntaxNode, name: string, { option, model }: BindingScope): NamedType {
  if (node.kind !== "cast" || node.source !== null) {
    const message = `The last argument of '${name}' is the qualified name of a type: ${name}(Price,Edm.String).`;
    throw invalidOption(option, node.position, message);
  }
  const { typeName: wanted, position } = node;
  const found = typesOf(model).find((type) => typeName(type) === wanted);
  if (found !== undefined) return found;
  const message = `There is no type ${quotedName(wanted)}.${didYouMean(wanted, typesOf(model).map(typeName))}`;
  throw invalidOption(option, position, message);
}

function typesOf({ entityTypes, complexTypes, enumTypes }: Model): readonly NamedType[] {
  return [...Object.values(PRIMITIVE_TYPES), ...enumTypes.values(), ...complexTypes.values(), ...entityTypes.values()];
}

/** Binds a call with an entity, a complex value or a collection; undefined for any other value. */
function bindStructured(call: TypeCall, scope: BindingScope): Operand | undefined {
  const { name, operand, type, isOfEntity, position } = call;
  if (operand.kind !== "bound" || isScalar(operand)) return undefined;
  if (operand.isCollection) {
    const advice = `use '${name}' within 'any(…)' or 'all(…)'`;
    throw invalidOption(
      scope.option,
      position,
      `'${name}' takes one value, not ${describeOperand(operand)}: ${advice}.`,
    );
  }
  const { expression } = operand;
  if (name === "isof" && operand.type.kind === "EntityType" && type.kind === "EntityType" && isPath(expression)) {
    const isNarrower = operand.type !== type && isDerived(type, operand.type);
    if (isNarrower) return bound(typeTest(expression, type), position);
  }
  const isOfBase = name === "isof" && isDerived(operand.type, type);
  if (operand.type !== type && !isOfBase) {
    const whole = isOfEntity ? "the entity" : "its value";
    const message = `'${name}' cannot convert ${typeName(operand.type)} to ${typeName(type)}: it supports properties with a single value, and ${whole} only as ${typeName(operand.type)}.`;
    throw unsupportedOption(scope.option, position, message);
  }
  if (name === "cast") return operand;
  const isPresent = type.kind === "EntityType" && (expression.kind === "it" || expression.kind === "variable");
  return isPresent ? truth(true, position) : isNotNull(expression, type, position);
}

/** Whether an entity of a type may be of another one. */
function isDerived(type: NamedType, from: NamedType): boolean {
  if (type.kind !== "EntityType" || from.kind !== "EntityType") return false;
  return type.hierarchy !== undefined && from.hierarchy?.types.get(type.name)?.hierarchy === type.hierarchy;
}

/** Binds a call with a primitive or enumeration value, or null. */
function bindScalar({ name, operand, type, position }: TypeCall, scope: BindingScope): Operand {
  if (!isScalar(operand)) throw new Error("Structured values are bound before.");
  const isOf = name === "isof";
  if (operand.kind === "null") return isOf ? truth(false, position) : operand;
  const value = castValue(operand, type, position, scope);
  if (value !== undefined) return isOf ? isNotNull(value.expression, value.type, position) : value;
  // No value of one of these types is one of the other.
  if (isOf && operand.type.kind === "PrimitiveType" && type.kind === "PrimitiveType") return truth(false, position);
  const message = `'${name}' cannot convert ${typeName(operand.type)} to ${typeName(type)}.${adviceFor(operand.type, type)}`;
  throw unsupportedOption(scope.option, position, message);
}

/** Returns the cast of a value; undefined if the types do not allow it. */
function castValue(
  operand: Exclude<ScalarOperand, { readonly kind: "null" }>,
  target: NamedType,
  position: number,
  scope: BindingScope,
): (BoundOperand & { readonly type: ScalarType }) | undefined {
  const source = operand.type;
  if (source === target && operand.kind === "bound") return operand;
  if (target.kind === "ComplexType" || target.kind === "EntityType") return undefined;
  const converted = (): Expression => toType(operand, target, scope);
  const value = { kind: "bound", type: target, isCollection: false, position } as const;
  if (source === target) return { ...value, expression: converted() };
  if (target.kind === "EnumType") return undefined;
  if (source.kind === "EnumType") {
    // Flags have no single name.
    const hasName = isPrimitive(target, "Edm.String") && !source.isFlags && operand.kind === "bound";
    return hasName ? { ...value, expression: converted() } : undefined;
  }
  if (!isCastable(source, target)) return undefined;
  if (isWider(target, source)) return { ...value, expression: converted() };
  checkNesting(operand, position, scope);
  const call: CallExpression = {
    kind: "call",
    name: "cast",
    arguments: [toType(operand, source, scope)],
    type: target,
  };
  return { ...value, expression: makesText(call) ? counted(call, scope.texts) : call };
}

function checkNesting(operand: Operand, position: number, { option }: BindingScope): void {
  if (operand.kind !== "bound" || nestedCasts(operand.expression) < MAX_NESTED) return;
  throw invalidOption(option, position, `Casts nest at most ${String(MAX_NESTED)} levels: use fewer of them.`);
}

/** Counts the casts within one another. Operands nest few of them, because each is checked. */
function nestedCasts(expression: Expression): number {
  const within = childrenOf(expression).reduce((most, child) => Math.max(most, nestedCasts(child)), 0);
  return within + (expression.kind === "call" && expression.name === "cast" ? 1 : 0);
}

function isNotNull(expression: Expression, type: ScalarType | ComplexType | EntityType, position: number): Operand {
  const right: Expression = {
    kind: "null",
    type: type.kind === "ComplexType" || type.kind === "EntityType" ? null : type,
  };
  const boolean = PRIMITIVE_TYPES["Edm.Boolean"];
  return bound(
    { kind: "comparison", operator: "ne", left: expression, right, operandType: type, type: boolean },
    position,
  );
}

function truth(value: boolean, position: number): Operand {
  return bound({ kind: "literal", value, type: PRIMITIVE_TYPES["Edm.Boolean"] }, position);
}

/** What to write instead of a cast, by source and target. */
const ADVICE: ReadonlyMap<string, string> = new Map([
  ["Edm.Date Edm.DateTimeOffset", "Compare them directly: a Date is its midnight in UTC."],
  ["Edm.DateTimeOffset Edm.Date", "Write date(…)."],
  ["Edm.DateTimeOffset Edm.TimeOfDay", "Write time(…)."],
  ["Edm.Duration Edm.Decimal", "Write totalseconds(…)."],
  ["Edm.String Edm.Binary", "Write a literal such as binary'T0RhdGE'."],
]);

function adviceFor(source: ScalarType, type: NamedType): string {
  const advice = ADVICE.get(`${typeName(source)} ${typeName(type)}`);
  if (advice !== undefined) return ` ${advice}`;
  return source.kind === "PrimitiveType" ? " Cast it to Edm.String." : "";
}
