import { keptPer } from "../../base/memo.ts";
import { namedProperties } from "../../edm/hierarchy.ts";
import {
  type ComplexType,
  type EntityType,
  type ModelProperty,
  type EntitySet,
  type NavigationProperty,
  type Model,
  publishedSets,
} from "../../edm/model.ts";
import { PRIMITIVE_TYPES } from "../../edm/primitive-type.ts";
import type {
  PathSource,
  PropertyExpression,
  VariableExpression,
  NavigationExpression,
  RootExpression,
  ScalarType,
} from "../query/expression.ts";
import { isPath } from "../query/walk-expression.ts";
import type { CountSyntax, MemberSyntax, SyntaxNode, VariableSyntax, KeySyntax } from "../syntax/ast.ts";
import { keyExample, keyParts } from "./bind-key.ts";
import { bindLiteral, toParameter } from "./bind-literal.ts";
import { castOperand, setSeenAs } from "./bind-path-cast.ts";
import {
  invalidOption,
  misplacedOption,
  unsupportedOption,
  quotedName,
  didYouMean,
  type BindingScope,
  type RowNames,
  allowedOf,
} from "./binding-scope.ts";
import { type BoundOperand, type Operand, bound, collectionOf, describeOperand, isScalarType } from "./operand.ts";
import { type MemberTable, type NameRules, resolveMember } from "./resolve-member.ts";
import { computedOperand } from "./row-names.ts";

/** Most segments of one property path. */
const MAX_PATH_LENGTH = 100;

/**
 * Binds a path: `Name`, `Address/City`, `$it/Name`, `Customer/Country/Name`, `$root/Customers(1)/Name`.
 * @throws ODataError `InvalidQueryOption` for an unknown or disallowed name and for a path through a collection or a
 *   value without members; `UnsupportedQueryOption` for a navigation to a set that disables the clause
 * @see OData URL Conventions 4.0, sections 5.1.1.6.3 and 5.1.1.15
 */
export function bindMemberPath(node: MemberSyntax, scope: BindingScope): Operand {
  const { source, segments } = pathOf(node, scope);
  const [first] = segments;
  if (source?.kind === "root" && first !== undefined) refuseRootSet(first, scope);
  let operand =
    source?.kind === "cast" && first !== undefined ? bindPathCast(source, first, scope) : bindSource(source, scope);
  for (const segment of segments) operand = bindSegment(operand, segment, scope);
  return operand;
}

/**
 * Binds `$it` or a range variable. Of two variables with the same name, the inner one counts.
 * @throws ODataError `UnsupportedQueryOption` for an unknown name, and for `$it` within `$expand`
 * @see OData URL Conventions 4.0, sections 5.1.1.5 and 5.1.1.6.4
 */
export function bindVariable({ name, position }: VariableSyntax, scope: BindingScope): BoundOperand {
  if (name === "$it") {
    // Within `$expand` it is the entity of the resource path, not the related entity.
    if (scope.rows !== undefined && scope.rows.behind !== null) {
      const message = `'$it' is an entity of the set, which is not available behind ${scope.rows.behind}: write the name alone.`;
      throw unsupportedOption(scope.option, position, message);
    }
    if (scope.option !== "$expand") return it(scope, position);
    const advice = "to use the related entity, write its property without '$it/'";
    throw unsupportedOption(
      "$expand",
      position,
      `'$it', the entity that is expanded, is not supported here: ${advice}.`,
    );
  }
  const variable = scope.variables.findLast((candidate) => candidate.name === name);
  if (variable === undefined) {
    throw misplacedOption(scope.option, position, `The variable ${quotedName(name)} is not defined here.`);
  }
  const { expression } = variable;
  return { kind: "bound", expression, type: expression.type, isCollection: false, position };
}

/**
 * Binds `Tags/$count` and `Lines/$count`.
 * @throws ODataError `InvalidQueryOption` if it does not follow a collection, and as for the path before it
 * @see OData URL Conventions 4.0, section 5.1.1.6.3
 */
export function bindCount(node: CountSyntax, scope: BindingScope): Operand {
  const operand = scope.bind(node.source);
  const collection = collectionOf(operand);
  if (collection !== undefined) {
    return bound({ kind: "count", collection, type: PRIMITIVE_TYPES["Edm.Int64"] }, node.position);
  }
  const message = `'$count' must follow a collection, not ${describeOperand(operand)}.`;
  throw invalidOption(scope.option, node.position, message);
}

/** Returns the names of a path from the left, and the node before the first name. Long paths do not nest calls. */
function pathOf(
  node: MemberSyntax,
  scope: BindingScope,
): { readonly source: SyntaxNode | null; readonly segments: readonly MemberSyntax[] } {
  const segments: MemberSyntax[] = [node];
  let source = node.source;
  while (source?.kind === "member") {
    segments.push(source);
    source = source.source;
    if (segments.length > MAX_PATH_LENGTH) {
      throw invalidOption(
        scope.option,
        node.position,
        `A path may have at most ${MAX_PATH_LENGTH} segments: shorten it.`,
      );
    }
  }
  return { source, segments: segments.toReversed() };
}

function bindSource(source: SyntaxNode | null, scope: BindingScope): BoundOperand {
  if (source === null) return it(scope, 0);
  const operand = scope.bind(source);
  if (operand.kind === "bound") return operand;
  throw invalidOption(
    scope.option,
    source.position,
    `A path must begin with a property, not with ${describeOperand(operand)}.`,
  );
}

type CastSyntax = SyntaxNode & { readonly kind: "cast" };

/** Binds the casts at the beginning of a path, such as `Ns.Dog` of `Ns.Dog/Barks`. @param next the name behind them */
function bindPathCast(node: CastSyntax, next: MemberSyntax, scope: BindingScope): BoundOperand {
  const casts: CastSyntax[] = [node];
  let { source } = node;
  for (; source?.kind === "cast"; { source } = source) casts.unshift(source);
  return castOperand(bindSource(source, scope), casts, next.name, scope);
}

function bindSegment(operand: BoundOperand, segment: MemberSyntax, scope: BindingScope): BoundOperand {
  const { name, position } = segment;
  const source = structured(operand, segment, scope);
  const computed = source.kind === "it" ? computedOperand(segment, scope) : undefined;
  if (computed !== undefined) return computed;
  const joined = source.kind === "it" ? scope.rows?.joined.get(name) : undefined;
  if (joined !== undefined) return bindNavigation(source, joined, position, scope);
  const names = namesBehind(source, position, scope);
  if (segment.source === null) refuseItemMember(names.table, segment, scope);
  const property = resolveMember(names.table, { name, position, isFirst: names.areOfEntity }, names.rules);
  if (property.kind === "NavigationProperty") return bindNavigation(source, property, position, scope);
  if (property.virtual !== undefined) throw virtualProperty(property.name, position, scope);
  const expression: PropertyExpression = { kind: "property", source, property, type: property.type };
  return { kind: "bound", expression, type: property.type, isCollection: property.isCollection, position };
}

/** The values of virtual properties follow from no query: a mask would reveal the stored value. */
function virtualProperty(name: string, position: number, { option }: BindingScope): Error {
  const message = `The property '${name}' is computed by the service for each response, so ${option} cannot use it.`;
  return invalidOption(option, position, message);
}

interface Names {
  readonly table: MemberTable<ModelProperty>;
  readonly rules: NameRules;
  /** Whether they are properties of an entity, to which allowlists apply; otherwise they are members of a value. */
  readonly areOfEntity: boolean;
}

/** The allowlists of a set apply to its entities in every expression, also in those of other sets. */
function namesBehind(source: StructuredSource, position: number, scope: BindingScope): Names {
  const { type } = source;
  const entitySet = entitySetOf(source, scope);
  const table = memberTable(type, entitySet);
  const { option } = scope;
  if (source.kind === "it") return { table, rules: scope, areOfEntity: true };
  const owner = type.kind === "ComplexType" ? scope.rows?.origins.get(type) : entitySet;
  const rows = membersOfRows(scope.rows);
  if (owner === undefined) return { table, rules: { option, allowed: null, rows }, areOfEntity: false };
  return {
    table,
    rules: { option, allowed: allowedOf(owner, scope, position), isHiding: true, rows },
    areOfEntity: true,
  };
}

const NO_NAMES: RowNames["computed"] = new Map();

/** Returns the names of rows for messages about members of their values. */
function membersOfRows(rows: RowNames | undefined): RowNames | undefined {
  return rows === undefined || rows.behind === null ? undefined : { ...rows, computed: NO_NAMES };
}

/**
 * Refuses a property of an item that is written without the range variable, unless the entity has a property of that name.
 * @throws ODataError `InvalidQueryOption`
 */
function refuseItemMember(
  table: MemberTable<ModelProperty>,
  { name, position }: MemberSyntax,
  scope: BindingScope,
): void {
  if (scope.variables.length === 0 || hasMember(table, name)) return;
  const owner = scope.variables.findLast(({ expression }) => {
    return isStructured(expression) && offers(namesBehind(expression, position, scope), name);
  });
  if (owner === undefined) return;
  const message = `'${table.name}' has no property ${quotedName(name)}. For the item, write ${quotedName(`${String(owner.name)}/${name}`)}.`;
  throw invalidOption(scope.option, position, message);
}

function offers({ table, rules }: Names, name: string): boolean {
  const member = memberOf(table, name);
  return member !== undefined && (rules.allowed === null || rules.allowed.has(member.name));
}

function hasMember(table: MemberTable<ModelProperty>, name: string): boolean {
  return memberOf(table, name) !== undefined;
}

function memberOf(
  { members, membersIgnoringCase }: MemberTable<ModelProperty>,
  name: string,
): ModelProperty | undefined {
  return members.get(name) ?? membersIgnoringCase.get(name.toLowerCase());
}

/** A part of a path that a name can follow: an entity or a complex value. */
type StructuredSource = PathSource & { readonly type: EntityType | ComplexType };

function structured(operand: BoundOperand, segment: MemberSyntax, scope: BindingScope): StructuredSource {
  const { expression, isCollection } = operand;
  if (isCollection) {
    const message = `'/${segment.name}' cannot follow a collection: only '$count', 'any(…)' and 'all(…)' can.`;
    throw invalidOption(scope.option, segment.position, message);
  }
  if (isPath(expression) && isStructured(expression)) return expression;
  const message = `${quotedName(segment.name)} cannot follow ${describeOperand(operand)}, which has no properties.`;
  throw invalidOption(scope.option, segment.position, message);
}

function isStructured(source: PathSource | VariableExpression): source is StructuredSource {
  return source.type.kind === "EntityType" || source.type.kind === "ComplexType";
}

/** Returns the entity or row itself. */
export function it(scope: BindingScope, position: number): BoundOperand {
  const type = scope.entityType;
  return { kind: "bound", expression: { kind: "it", type }, type, isCollection: false, position };
}

/**
 * Returns the names that may follow an entity or a complex value in an expression. They include only the navigation
 * properties that the set declares, although the type may have more from other sets.
 * @param entitySet the set of the entity; null: none, so it has no navigations
 */
function memberTable(type: EntityType | ComplexType, entitySet: EntitySet | null): MemberTable<ModelProperty> {
  if (type.kind === "ComplexType" || type.navigationProperties.length === 0) return type;
  return tableOf(entitySet ?? type);
}

/** By set; by type for entities without a set. */
const tableOf = keptPer((owner: EntitySet | EntityType): MemberTable<ModelProperty> => {
  const [type, navigations] =
    owner.kind === "EntitySet" ? [owner.entityType, owner.navigationProperties.values()] : [owner, []];
  const members = [...namedProperties(type), ...navigations];
  return {
    name: type.name,
    members: new Map(members.map((member) => [member.name, member])),
    membersIgnoringCase: new Map(members.map((member) => [member.name.toLowerCase(), member])),
  };
});

/**
 * Binds a navigation property in a path.
 * @param source an entity of a set that declares the navigation property
 * @throws ODataError `UnsupportedQueryOption` if the target set disables the clause
 * @see OData URL Conventions 4.0, section 5.1.1.15
 */
function bindNavigation(
  source: PathSource,
  navigationProperty: NavigationProperty,
  position: number,
  scope: BindingScope,
): BoundOperand {
  const entitySet = entitySetOf(source, scope);
  if (source.kind === "property" || entitySet === null) {
    throw new Error(`No entity set declares the navigation ${navigationProperty.name}.`);
  }
  scope.guard?.follow({ entitySet, navigationProperty });
  const isMade = navigationProperty.entityType.key.length === 0 && navigationProperty.origin !== undefined;
  const target = isMade ? null : targetSetOf(navigationProperty, entitySet, scope.model);
  allowedOf(isMade ? entitySet : target, scope, position);
  const { entityType: type, isCollection } = navigationProperty;
  const expression: NavigationExpression = { kind: "navigation", source, navigationProperty, entitySet, target, type };
  return { kind: "bound", expression, type, isCollection, position };
}

/** Returns the set of the entity that a path leads to; null for a value, and if no set is declared. */
function entitySetOf(source: PathSource, scope: BindingScope): EntitySet | null {
  const entitySet = declaredSetOf(source, scope);
  if (entitySet === null || source.type.kind !== "EntityType" || source.type === entitySet.entityType) return entitySet;
  return setSeenAs(entitySet, source.type, scope.model);
}

function declaredSetOf(source: PathSource, scope: BindingScope): EntitySet | null {
  switch (source.kind) {
    case "it":
      return scope.entitySet;
    case "variable":
      return scope.variables[source.depth]?.entitySet ?? null;
    case "root":
      return source.entitySet;
    case "navigation":
      return source.target;
    case "property":
      return null;
  }
}

/** Returns whether a key follows `$root/Set`. */
export function isRootKey(node: KeySyntax): node is RootKeySyntax {
  return node.source.kind === "member" && node.source.source?.kind === "root";
}

/** `$root/Set(key)`. */
interface RootKeySyntax extends KeySyntax {
  readonly source: MemberSyntax;
}

/**
 * Binds `$root/Set(key)`: the same entity in each evaluation of the expression.
 * @throws ODataError `InvalidQueryOption` for an unknown set and an invalid key; `UnsupportedQueryOption` if the set
 *   disables the clause
 * @see OData URL Conventions 4.0, section 5.1.1.14
 */
export function bindRoot({ source, key }: RootKeySyntax, scope: BindingScope): BoundOperand {
  const { name, position } = source;
  const entitySet = rootSet(source, scope);
  scope.guard?.enter(entitySet, scope.option);
  allowedOf(entitySet, scope, position);
  const { entityType: type } = entitySet;
  const resource = `$root/${name}`;
  const parts = keyParts(key, type, (problem) => {
    const message = `${problem} Write a key such as ${keyExample(type, resource)}.`;
    return invalidOption(scope.option, key.position, message);
  });
  const values = parts.map(([property, node]): RootExpression["key"][number] => {
    const part = isScalarType(property.type) ? keyPart(node, property.type, scope) : undefined;
    if (part !== undefined) return part;
    const message = `'${property.name}' takes a literal, as in ${keyExample(type, resource)}.`;
    throw invalidOption(scope.option, node.position, message);
  });
  const expression: RootExpression = { kind: "root", entitySet, key: values, type };
  return { kind: "bound", expression, type, isCollection: false, position };
}

/** Returns the parameter of a literal; undefined for any other node. */
function keyPart(node: SyntaxNode, type: ScalarType, scope: BindingScope): RootExpression["key"][number] | undefined {
  if (node.kind !== "literal") return undefined;
  return toParameter(bindLiteral(node, scope), type, scope);
}

/**
 * Refuses a path that begins with a whole set. Only single entities of a set can be used, by their keys.
 * @throws ODataError `InvalidQueryOption` for an unknown set, else `UnsupportedQueryOption`
 */
function refuseRootSet(set: MemberSyntax, scope: BindingScope): never {
  const { name, position } = set;
  const entitySet = rootSet(set, scope);
  scope.guard?.enter(entitySet, scope.option);
  const example = keyExample(entitySet.entityType, `$root/${name}`);
  const message = `In ${scope.option}, '$root' must be followed by one entity with its key, such as ${example}/…, not by a whole set.`;
  throw unsupportedOption(scope.option, position, message);
}

/** Returns the set after `$root`. @throws ODataError for a singleton, and for an unknown set */
function rootSet({ name, position }: MemberSyntax, scope: BindingScope): EntitySet {
  const { entityContainer } = scope.model;
  if (entityContainer.singletons.has(name)) {
    const message = `In ${scope.option}, '$root' cannot be followed by the singleton ${quotedName(name)}, whose entity depends on the request.`;
    throw unsupportedOption(scope.option, position, message);
  }
  const entitySet = entityContainer.entitySets.get(name);
  if (entitySet !== undefined) return entitySet;
  const sets = publishedSets(entityContainer).map((each) => each.name);
  const hint = didYouMean(name, sets);
  throw invalidOption(scope.option, position, `Unknown entity set ${quotedName(name)}.${hint}`);
}

/** Returns the target set of a navigation property of a set; null: none is declared. */
export function targetSetOf(navigation: NavigationProperty, entitySet: EntitySet, model: Model): EntitySet | null {
  const { name } = navigation.origin ?? navigation;
  const target = entitySet.navigationPropertyBindings.get(name) ?? "";
  return model.entityContainer.entitySets.get(target) ?? null;
}
