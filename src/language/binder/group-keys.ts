import { required } from "../../base/required.ts";
import type { ComplexType, EntitySet, EntityType } from "../../edm/model.ts";
import { PRIMITIVE_TYPES } from "../../edm/primitive-type.ts";
import type { GroupKey, OrderByItem } from "../query/clauses.ts";
import type { Expression, PathSource, PropertyExpression } from "../query/expression.ts";
import { isPath, stepsOf } from "../query/walk-expression.ts";
import type { MemberSyntax } from "../syntax/ast.ts";
import { bindOperand } from "./bind-expression.ts";
import { type BindingContext, invalidOption, isModelName, unsupportedOption } from "./binding-scope.ts";
import { facetsOf, madeComplexType, madeMember, madeProperty, type MadeProperty } from "./made-types.ts";
import { describeOperand, isScalar } from "./operand.ts";

/** A path by which rows are grouped. */
export interface KeyPath {
  /** The names in the made rows, at least one. */
  readonly names: readonly string[];
  /** The entities and complex values that the path leads through: one less than names. */
  readonly sources: readonly KeySource[];
  readonly expression: Expression;
  /** The made property of the last name. */
  readonly leaf: MadeProperty;
  /** Whether it is a computed value, and no path of declared properties. */
  readonly isComputed: boolean;
}

interface KeySource {
  readonly expression: PathSource;
  readonly type: EntityType | ComplexType;
  /** The set of the entity; null if none is declared; undefined for a complex value. */
  readonly origin: EntitySet | null | undefined;
}

/**
 * Binds a path of `groupby`.
 * @throws ODataError `InvalidQueryOption`, `UnsupportedQueryOption` for anything but a path to a single value
 * @see OData Aggregation 4.0, section 3.2.3.1
 */
export function bindKeyPath(node: MemberSyntax, context: BindingContext): KeyPath {
  const { option, rows, model } = context;
  if (
    pathText(node)
      .split("/")
      .some((name) => isModelName(name, model))
  ) {
    throw unsupportedOption(option, node.position, "Type casts are not supported in $apply.");
  }
  const operand = bindOperand(node, context);
  if (operand.kind !== "bound" || !isScalar(operand)) {
    const isStructured = operand.kind === "bound" && !operand.isCollection;
    const refuse = isStructured ? unsupportedOption : invalidOption;
    const advice = isStructured ? ` Name its properties: ${pathText(node)}/…` : "";
    const message = `groupby takes paths to single values, not ${describeOperand(operand)}.${advice}`;
    throw refuse(option, node.position, message);
  }
  const { expression, type } = operand;
  const leaf = { name: node.name, type, nullable: true, isCollection: false, facets: facetsOf(expression) };
  const isComputed = node.source === null && rows?.computed.has(node.name) === true;
  if (isComputed || !isPath(expression)) {
    return { names: [node.name], sources: [], expression, leaf, isComputed: true };
  }
  const { steps } = stepsOf(expression);
  const names = steps.map((step) => (step.kind === "property" ? step.property.name : step.navigationProperty.name));
  const sources = steps.slice(0, -1).map((step): KeySource => {
    if (step.kind === "navigation") return { expression: step, type: step.type, origin: step.target };
    const { property } = step;
    if (property.type.kind !== "ComplexType") throw new Error(`${property.name} has no members.`);
    return { expression: step, type: property.type, origin: rows?.origins.get(property.type) };
  });
  const last = steps.at(-1);
  const nullable = sources.length > 0 || last?.kind !== "property" || last.property.nullable;
  const name = required(names.at(-1), "A path has no steps.");
  return { names, sources, expression, leaf: { ...leaf, name, nullable }, isComputed: false };
}

/** Writes a path as requests do. */
export function pathText({ source, name }: MemberSyntax): string {
  if (source === null) return name;
  const start = source.kind === "variable" ? source.name : "$it";
  return `${source.kind === "member" ? pathText(source) : start}/${name}`;
}

/** Returns the paths without repetitions. */
export function distinctPaths(paths: readonly KeyPath[]): readonly KeyPath[] {
  return [...new Map(paths.toReversed().map((path) => [path.names.join("/"), path])).values()].toReversed();
}

/** Returns the keys of paths: paths that begin with the same entity or complex value are members of one key. */
export function toGroupKeys(
  paths: readonly KeyPath[],
  origins: Map<ComplexType, EntitySet | null> = new Map(),
  level: number = 0,
): readonly GroupKey[] {
  const byName = new Map<string, KeyPath[]>();
  for (const path of paths) {
    const name = path.names[level] ?? "";
    byName.set(name, [...(byName.get(name) ?? []), path]);
  }
  const keys = [...byName].map(([name, below], index): GroupKey => {
    const { expression, leaf, sources } = required(below[0], "A key has no path.");
    const source = sources[level];
    if (source === undefined) {
      return Object.freeze({ kind: "value", property: madeProperty(leaf, index), expression });
    }
    const members = toGroupKeys(below, origins, level + 1);
    const type = madeComplexType(
      source.type,
      members.map(({ property }) => property),
    );
    if (source.origin !== undefined) origins.set(type, source.origin);
    const property = madeProperty({ name, type, nullable: true, isCollection: false, facets: {} }, index);
    return Object.freeze({ kind: "structured", property, source: source.expression, members });
  });
  return Object.freeze(keys);
}

/** Returns paths as they are in the rows of a type that a step has made. */
export function pathsIn(type: EntityType, paths: readonly KeyPath[]): readonly KeyPath[] {
  return paths.map((path) => {
    let owner: EntityType | ComplexType = type;
    let source: PathSource = { kind: "it", type };
    const expressions = path.names.map((name): PropertyExpression => {
      const property = madeMember(owner, name);
      if (property.type.kind === "ComplexType") owner = property.type;
      const expression: PropertyExpression = { kind: "property", source, property, type: property.type };
      source = expression;
      return expression;
    });
    const sources = path.sources.map((given, index): KeySource => ({
      ...given,
      expression: required(expressions[index], "A path has no such part."),
    }));
    return { ...path, sources, expression: source };
  });
}

/**
 * Returns the order of rows by their keys: ascending, nulls first. A row without an entity comes before a row whose entity
 * has null values.
 */
export function orderByKeys(keys: readonly GroupKey[], source: PathSource): readonly OrderByItem[] {
  return keys.flatMap(({ property, ...key }): readonly OrderByItem[] => {
    const expression: PropertyExpression = { kind: "property", source, property, type: property.type };
    if (key.kind === "value" || property.type.kind !== "ComplexType") return [ascending(expression)];
    const isPresent: Expression = {
      kind: "comparison",
      operator: "ne",
      left: expression,
      right: { kind: "null", type: null },
      operandType: property.type,
      type: PRIMITIVE_TYPES["Edm.Boolean"],
    };
    return [ascending(isPresent), ...orderByKeys(key.members, expression)];
  });
}

/** Makes a term of an order. */
export function ascending(expression: Expression): OrderByItem {
  return { expression, descending: false };
}
