import { assertNever } from "../base/assert-never.ts";
import type { EntitySet, NavigationProperty, Model } from "../edm/model.ts";
import type { NavigationExpression, PathSource, RootExpression, ScalarType } from "../query/expression.ts";
import type { KeySyntax, MemberSyntax, SyntaxNode } from "../syntax/ast.ts";
import { keyExample, keyParts } from "./bind-key.ts";
import { bindLiteral, toType } from "./bind-literal.ts";
import { invalidOption, unsupportedOption, didYouMean, quotedName } from "./binding-error.ts";
import type { BindingScope } from "./binding-scope.ts";
import { allowedOf } from "./expression-context.ts";
import { type BoundOperand, isScalarType } from "./operand.ts";

/**
 * Binds the step along a navigation property: what it leads to must take part in the clause.
 * @param source what the step starts from: an entity of a set that declares the navigation property
 * @throws ODataError `UnsupportedQueryOption` when the target set has switched the clause off
 * @see OData URL Conventions 4.0, section 5.1.1.15
 */
export function bindNavigation(
  source: PathSource,
  navigationProperty: NavigationProperty,
  position: number,
  scope: BindingScope,
): BoundOperand {
  const entitySet = entitySetOf(source, scope);
  if (source.kind === "property" || entitySet === null) {
    throw new Error(`Nothing declares the navigation ${navigationProperty.name}.`);
  }
  const target = targetSetOf(navigationProperty, entitySet, scope.model);
  allowedOf(target, scope, position);
  const { entityType: type, isCollection } = navigationProperty;
  const expression: NavigationExpression = { kind: "navigation", source, navigationProperty, entitySet, target, type };
  return { kind: "bound", expression, type, isCollection, position };
}

/** The set that the entity at a place belongs to; null: none is declared, or the place holds a value. */
export function entitySetOf(source: PathSource, scope: BindingScope): EntitySet | null {
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
    default:
      return assertNever(source);
  }
}

/** Tells whether a key stands behind `$root/Set`. */
export function isRootKey({ source }: KeySyntax): boolean {
  return source.kind === "member" && source.source?.kind === "root";
}

/**
 * Binds `$root/Set(key)`: one entity, whatever the expression is evaluated for.
 * @throws ODataError `InvalidQueryOption` for an unknown set, and for what is no key of its type;
 *   `UnsupportedQueryOption` when the set has switched the clause off
 * @see OData URL Conventions 4.0, section 5.1.1.14
 */
export function bindRoot({ source, key }: KeySyntax, scope: BindingScope): BoundOperand {
  if (source.kind !== "member") throw new Error("A key behind $root stands behind a set.");
  const { name, position } = source;
  const entitySet = scope.model.entityContainer.entitySets.get(name);
  if (entitySet === undefined) throw unknownSet(source, scope);
  allowedOf(entitySet, scope, position);
  const { entityType: type } = entitySet;
  const resource = `$root/${name}`;
  const parts = keyParts(key, type, (problem) => {
    const message = `${problem} Write the key as ${keyExample(type, resource)}.`;
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

/** The parameter of a literal; undefined for anything else. */
function keyPart(node: SyntaxNode, type: ScalarType, scope: BindingScope): RootExpression["key"][number] | undefined {
  if (node.kind !== "literal") return undefined;
  const part = toType(bindLiteral(node, scope), type, scope);
  return part.kind === "parameter" ? part : undefined;
}

/**
 * Refuses a path that begins with a set itself: only its entities can be used, each by its key.
 * @throws ODataError `InvalidQueryOption` for an unknown set, else `UnsupportedQueryOption`
 */
export function refuseRootSet(set: MemberSyntax, scope: BindingScope): never {
  const { name, position } = set;
  const entitySet = scope.model.entityContainer.entitySets.get(name);
  if (entitySet === undefined) throw unknownSet(set, scope);
  const example = keyExample(entitySet.entityType, `$root/${name}`);
  const message = `Behind '$root' stands one entity by its key in ${scope.option}, such as ${example}/…, not a whole set.`;
  throw unsupportedOption(scope.option, position, message);
}

function unknownSet({ name, position }: MemberSyntax, scope: BindingScope): Error {
  const hint = didYouMean(name, scope.model.entityContainer.entitySets.keys());
  return invalidOption(scope.option, position, `There is no entity set ${quotedName(name)}.${hint}`);
}

/** The set that the entities behind a navigation property of a set belong to; null: none is declared. */
export function targetSetOf({ name }: NavigationProperty, entitySet: EntitySet, model: Model): EntitySet | null {
  const target = entitySet.navigationPropertyBindings.get(name);
  return target === undefined ? null : (model.entityContainer.entitySets.get(target) ?? null);
}
