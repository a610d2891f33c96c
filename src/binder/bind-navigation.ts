import type { EntitySet, NavigationProperty, Model } from "../edm/model.ts";
import type { NavigationExpression, PathSource, RootExpression, ScalarType } from "../query/expression.ts";
import type { KeySyntax, MemberSyntax, SyntaxNode } from "../syntax/ast.ts";
import { keyExample, keyParts } from "./bind-key.ts";
import { bindLiteral, toParameter } from "./bind-literal.ts";
import { invalidOption, unsupportedOption, didYouMean, quotedName } from "./binding-error.ts";
import type { BindingScope } from "./binding-scope.ts";
import { allowedOf } from "./expression-context.ts";
import { type BoundOperand, isScalarType } from "./operand.ts";

/**
 * Binds a navigation property in a path.
 * @param source an entity of a set that declares the navigation property
 * @throws ODataError `UnsupportedQueryOption` if the target set disables the clause
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
    throw new Error(`No entity set declares the navigation ${navigationProperty.name}.`);
  }
  scope.guard?.follow({ entitySet, navigationProperty });
  const target = targetSetOf(navigationProperty, entitySet, scope.model);
  allowedOf(target, scope, position);
  const { entityType: type, isCollection } = navigationProperty;
  const expression: NavigationExpression = { kind: "navigation", source, navigationProperty, entitySet, target, type };
  return { kind: "bound", expression, type, isCollection, position };
}

/** Returns the set of the entity that a path leads to; null for a value, and if no set is declared. */
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
  const entitySet = scope.model.entityContainer.entitySets.get(name);
  if (entitySet === undefined) throw unknownSet(source, scope);
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
export function refuseRootSet(set: MemberSyntax, scope: BindingScope): never {
  const { name, position } = set;
  const entitySet = scope.model.entityContainer.entitySets.get(name);
  if (entitySet === undefined) throw unknownSet(set, scope);
  scope.guard?.enter(entitySet, scope.option);
  const example = keyExample(entitySet.entityType, `$root/${name}`);
  const message = `In ${scope.option}, '$root' must be followed by one entity with its key, such as ${example}/…, not by a whole set.`;
  throw unsupportedOption(scope.option, position, message);
}

function unknownSet({ name, position }: MemberSyntax, scope: BindingScope): Error {
  const hint = didYouMean(name, scope.model.entityContainer.entitySets.keys());
  return invalidOption(scope.option, position, `Unknown entity set ${quotedName(name)}.${hint}`);
}

/** Returns the target set of a navigation property of a set; null: none is declared. */
export function targetSetOf({ name }: NavigationProperty, entitySet: EntitySet, model: Model): EntitySet | null {
  const target = entitySet.navigationPropertyBindings.get(name) ?? "";
  return model.entityContainer.entitySets.get(target) ?? null;
}
