import { keptPer } from "../base/memo.ts";
import type { ComplexType, EntityType, Property, EntitySet } from "../edm/model.ts";
import { PRIMITIVE_TYPES } from "../edm/primitive-type.ts";
import type { PathSource, PropertyExpression, VariableExpression } from "../query/expression.ts";
import { isPath } from "../query/walk-expression.ts";
import type { CountSyntax, MemberSyntax, SyntaxNode, VariableSyntax } from "../syntax/ast.ts";
import { bindNavigation, entitySetOf, refuseRootSet } from "./bind-navigation.ts";
import { invalidOption, misplacedOption, unsupportedOption, quotedName } from "./binding-error.ts";
import type { BindingScope } from "./binding-scope.ts";
import { allowedOf } from "./expression-context.ts";
import { type BoundOperand, type Operand, bound, collectionOf, describeOperand } from "./operand.ts";
import { type MemberTable, type NameRules, resolveMember } from "./resolve-member.ts";

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
  let operand = bindSource(source, scope);
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

function bindSegment(operand: BoundOperand, segment: MemberSyntax, scope: BindingScope): BoundOperand {
  const { name, position } = segment;
  const source = structured(operand, segment, scope);
  const names = namesBehind(source, position, scope);
  if (segment.source === null) refuseItemMember(names.table, segment, scope);
  const property = resolveMember(names.table, { name, position, isFirst: names.areOfEntity }, names.rules);
  if (property.kind === "NavigationProperty") return bindNavigation(source, property, position, scope);
  const expression: PropertyExpression = { kind: "property", source, property, type: property.type };
  return { kind: "bound", expression, type: property.type, isCollection: property.isCollection, position };
}

interface Names {
  readonly table: MemberTable<Property>;
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
  if (type.kind === "ComplexType") return { table, rules: { option, allowed: null }, areOfEntity: false };
  return {
    table,
    rules: { option, allowed: allowedOf(entitySet, scope, position), isHiding: true },
    areOfEntity: true,
  };
}

/**
 * Refuses a property of an item that is written without the range variable, unless the entity has a property of that name.
 * @throws ODataError `InvalidQueryOption`
 */
function refuseItemMember(table: MemberTable<Property>, { name, position }: MemberSyntax, scope: BindingScope): void {
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

function hasMember(table: MemberTable<Property>, name: string): boolean {
  return memberOf(table, name) !== undefined;
}

function memberOf({ members, membersIgnoringCase }: MemberTable<Property>, name: string): Property | undefined {
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

function it(scope: BindingScope, position: number): BoundOperand {
  const type = scope.entityType;
  return { kind: "bound", expression: { kind: "it", type }, type, isCollection: false, position };
}

/**
 * Returns the names that may follow an entity or a complex value in an expression. They include only the navigation
 * properties that the set declares, although the type may have more from other sets.
 * @param entitySet the set of the entity; null: none, so it has no navigations
 */
export function memberTable(type: EntityType | ComplexType, entitySet: EntitySet | null): MemberTable<Property> {
  if (type.kind === "ComplexType" || type.navigationProperties.length === 0) return type;
  return tableOf(entitySet ?? type);
}

/** By set; by type for entities without a set. */
const tableOf = keptPer((owner: EntitySet | EntityType): MemberTable<Property> => {
  const [type, navigations] =
    owner.kind === "EntitySet" ? [owner.entityType, owner.navigationProperties.values()] : [owner, []];
  const members = [...type.properties, ...navigations];
  return {
    name: type.name,
    members: new Map(members.map((member) => [member.name, member])),
    membersIgnoringCase: new Map(members.map((member) => [member.name.toLowerCase(), member])),
  };
});
