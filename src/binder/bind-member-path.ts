import type { ComplexType, EntityType } from "../edm/model.ts";
import { PRIMITIVE_TYPES } from "../edm/primitive-type.ts";
import type { ItExpression, PropertyExpression } from "../query/expression.ts";
import type { CountSyntax, MemberSyntax, SyntaxNode, VariableSyntax } from "../syntax/ast.ts";
import { invalidOption, unsupportedOption } from "./binding-error.ts";
import type { BindingScope } from "./binding-scope.ts";
import { quotedName } from "./did-you-mean.ts";
import { type BoundOperand, type Operand, bound, describeOperand } from "./operand.ts";
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
  for (const segment of segments) operand = bindSegment(operand, segment, segment === segments[0], scope);
  return operand;
}

/** Binds `$it`. */
export function bindVariable(node: VariableSyntax, scope: BindingScope): BoundOperand {
  if (node.name !== "$it") {
    throw unsupportedOption(scope.option, node.position, `The variable ${quotedName(node.name)} is not known here.`);
  }
  return it(scope, node.position);
}

/** Binds `Tags/$count`. @see OData URL Conventions 4.0, section 5.1.1.6.3 */
export function bindCount(node: CountSyntax, scope: BindingScope): Operand {
  const operand = scope.bind(node.source);
  if (operand.kind === "bound" && operand.isCollection && operand.expression.kind === "property") {
    return bound({ kind: "count", collection: operand.expression, type: PRIMITIVE_TYPES["Edm.Int64"] }, node.position);
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

function bindSegment(
  operand: BoundOperand,
  segment: MemberSyntax,
  isFirst: boolean,
  scope: BindingScope,
): BoundOperand {
  const { name, position } = segment;
  const { source, type } = structured(operand, segment, scope);
  const property = resolveMember(type, { name, position, isFirst }, scope);
  if (property.kind === "NavigationProperty") {
    const message = `Paths through the navigation property '${property.name}' are not offered in ${scope.option}.`;
    throw unsupportedOption(scope.option, position, message);
  }
  const expression: PropertyExpression = { kind: "property", source, property, type: property.type };
  return { kind: "bound", expression, type: property.type, isCollection: property.isCollection, position };
}

/** What a name can follow: an entity or a complex value. */
function structured(
  operand: BoundOperand,
  segment: MemberSyntax,
  scope: BindingScope,
): { readonly source: ItExpression | PropertyExpression; readonly type: EntityType | ComplexType } {
  const { expression, type, isCollection } = operand;
  if (isCollection) {
    const message = `'/${segment.name}' cannot follow a collection: only '$count' can.`;
    throw invalidOption(scope.option, segment.position, message);
  }
  const isStructured = type.kind === "EntityType" || type.kind === "ComplexType";
  if (isStructured && (expression.kind === "it" || expression.kind === "property")) return { source: expression, type };
  const message = `${quotedName(segment.name)} cannot follow ${describeOperand(operand)}, which has no properties.`;
  throw invalidOption(scope.option, segment.position, message);
}

function it(scope: BindingScope, position: number): BoundOperand {
  const type = scope.entityType;
  return { kind: "bound", expression: { kind: "it", type }, type, isCollection: false, position };
}
