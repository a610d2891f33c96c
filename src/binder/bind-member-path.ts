import type { ComplexType, EntityType, ValueType } from "../edm/model.ts";
import { PRIMITIVE_TYPES } from "../edm/primitive-type.ts";
import type { Expression, PathSource, PropertyExpression } from "../query/expression.ts";
import type { CountSyntax, MemberSyntax, SyntaxNode, VariableSyntax } from "../syntax/ast.ts";
import { invalidOption, unsupportedOption } from "./binding-error.ts";
import type { BindingScope } from "./binding-scope.ts";
import { quotedName } from "./did-you-mean.ts";
import { type BoundOperand, type Operand, bound, collectionOf, describeOperand } from "./operand.ts";
import { resolveMember } from "./resolve-member.ts";

/** Most segments of one property path. */
const MAX_PATH_LENGTH = 100;

/**
 * Binds a property path: `Name`, `Address/City`, `$it/Name`.
 * @throws ODataError `InvalidQueryOption` for an unknown or disallowed name and for a path through something without
 *   members; `UnsupportedQueryOption` for a navigation property
 * @see OData URL Conventions 4.0, section 5.1.1.6.3
 */
export function bindMemberPath(node: MemberSyntax, scope: BindingScope): Operand {
  const { source, segments } = pathOf(node, scope);
  let operand = bindSource(source, scope);
  for (const segment of segments) operand = bindSegment(operand, segment, scope);
  return operand;
}

/**
 * Binds `$it`, or a range variable: of two with one name, the inner one.
 * @see OData URL Conventions 4.0, sections 5.1.1.5 and 5.1.1.6.4
 */
export function bindVariable({ name, position }: VariableSyntax, scope: BindingScope): BoundOperand {
  if (name === "$it") return it(scope, position);
  const variable = scope.variables.findLast((candidate) => candidate.name === name);
  if (variable === undefined) {
    throw unsupportedOption(scope.option, position, `The variable ${quotedName(name)} is not known here.`);
  }
  const { expression } = variable;
  return { kind: "bound", expression, type: expression.type, isCollection: false, position };
}

/** Binds `Tags/$count`. @see OData URL Conventions 4.0, section 5.1.1.6.3 */
export function bindCount(node: CountSyntax, scope: BindingScope): Operand {
  const operand = scope.bind(node.source);
  const collection = collectionOf(operand);
  if (collection !== undefined) {
    return bound({ kind: "count", collection, type: PRIMITIVE_TYPES["Edm.Int64"] }, node.position);
  }
  const message = `'$count' follows a collection, not ${describeOperand(operand)}.`;
  throw invalidOption(scope.option, node.position, message);
}

/** The names of a path from the left, and what stands before the first of them. Long paths do not nest calls. */
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
      throw invalidOption(scope.option, node.position, `A path has at most ${MAX_PATH_LENGTH} segments.`);
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
    `A path begins with a property, not with ${describeOperand(operand)}.`,
  );
}

function bindSegment(operand: BoundOperand, segment: MemberSyntax, scope: BindingScope): BoundOperand {
  const { name, position } = segment;
  const { source, type } = structured(operand, segment, scope);
  // The paths of a range variable begin with a collection, which has been looked at itself.
  const isFirst = source.kind === "it";
  if (segment.source === null) refuseItemMember(type, segment, scope);
  const property = resolveMember(type, { name, position, isFirst }, scope);
  if (property.kind === "NavigationProperty") {
    const message = `Paths through the navigation property '${property.name}' are not offered in ${scope.option}.`;
    throw unsupportedOption(scope.option, position, message);
  }
  const expression: PropertyExpression = { kind: "property", source, property, type: property.type };
  return { kind: "bound", expression, type: property.type, isCollection: property.isCollection, position };
}

/**
 * Refuses the name of an item's property without the item, which the name of no property of the entity explains.
 * @throws ODataError `InvalidQueryOption`
 */
function refuseItemMember(type: EntityType | ComplexType, { name, position }: MemberSyntax, scope: BindingScope): void {
  if (scope.variables.length === 0 || hasMember(type, name)) return;
  const owner = scope.variables.findLast(({ expression }) => hasMember(expression.type, name));
  if (owner === undefined) return;
  const message = `'${type.name}' has no property ${quotedName(name)}. Of an item it is ${quotedName(`${String(owner.name)}/${name}`)}.`;
  throw invalidOption(scope.option, position, message);
}

function hasMember(type: EntityType | ValueType, name: string): boolean {
  if (type.kind !== "EntityType" && type.kind !== "ComplexType") return false;
  return type.members.has(name) || type.membersIgnoringCase.has(name.toLowerCase());
}

/** What a name can follow: an entity or a complex value. */
function structured(
  operand: BoundOperand,
  segment: MemberSyntax,
  scope: BindingScope,
): { readonly source: PathSource; readonly type: EntityType | ComplexType } {
  const { expression, type, isCollection } = operand;
  if (isCollection) {
    const message = `'/${segment.name}' cannot follow a collection: only '$count', 'any(…)' and 'all(…)' can.`;
    throw invalidOption(scope.option, segment.position, message);
  }
  if ((type.kind === "EntityType" || type.kind === "ComplexType") && isPathSource(expression)) {
    return { source: expression, type };
  }
  const message = `${quotedName(segment.name)} cannot follow ${describeOperand(operand)}, which has no properties.`;
  throw invalidOption(scope.option, segment.position, message);
}

function isPathSource(expression: Expression): expression is PathSource {
  return expression.kind === "it" || expression.kind === "variable" || expression.kind === "property";
}

function it(scope: BindingScope, position: number): BoundOperand {
  const type = scope.entityType;
  return { kind: "bound", expression: { kind: "it", type }, type, isCollection: false, position };
}
