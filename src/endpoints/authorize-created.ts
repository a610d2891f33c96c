import { chain, type Maybe } from "../base/maybe.ts";
import type { AuthorizationRequirement } from "../definition/rules/authorization.ts";
import { refusal } from "../definition/rules/refusal.ts";
import type { EntitySetDefinition } from "../definition/service-definition.ts";
import { keyPairsOf } from "../edm/key-holder.ts";
import type { NavigationProperty } from "../edm/model.ts";
import { actionAlong, judgeEntity, requireRules, navigationRules } from "../execution/judge-rules.ts";
import { definitionIn } from "../execution/reader.ts";
import { fieldOf } from "../memory/compile-property.ts";
import { type AddressedEntity, loadParent } from "./addressed-entity.ts";
import type { Exchange } from "./exchange.ts";
import type { Navigation } from "./read-navigation.ts";

/**
 * Checks the `create` rules of the target set for a new entity along a navigation.
 * @param given the argument of the create handler
 * @param parent the entity of the URL, as far as it is loaded
 * @throws ODataError `Unauthorized`, `Forbidden`; the error of a handler or rule
 */
export function authorizeCreationAlong(
  exchange: Exchange,
  { entitySet, navigationProperty }: Navigation,
  { key, given, parent }: { readonly key: unknown; readonly given: object; readonly parent: AddressedEntity },
): Maybe<undefined> {
  const { user, service } = exchange;
  if (!service.hasRules) return undefined;
  const set = definitionIn(service.definition, entitySet);
  const { name } = navigationProperty;
  const action = actionAlong("create", set, navigationProperty);
  const pending = requireRules(navigationRules(set, navigationProperty).target.create, user, {
    action,
    target: name,
  });
  if (pending.length === 0) return undefined;
  return judgeCreated(exchange, pending, given, {
    parent: () => parent?.entity ?? loadParent(exchange, { entitySet, key }),
    link: (entity) => linkedValues(set, navigationProperty, entity),
    refuse: () => refusal(user, action, name),
  });
}

interface Creation {
  readonly parent: () => Maybe<object | null>;
  /** Returns the values that a new entity takes from its parent. */
  readonly link: (parent: object) => object;
  readonly refuse: () => Error;
}

function judgeCreated(
  { context }: Exchange,
  rules: readonly AuthorizationRequirement[],
  given: object,
  { parent, link, refuse }: Creation,
): Maybe<undefined> {
  return chain(parent(), (owner) => {
    const entity = owner === null ? given : { ...given, ...link(owner) };
    return chain(judgeEntity(rules, context, entity), (passed): undefined => {
      if (!passed) throw refuse();
    });
  });
}

function linkedValues({ entitySet }: EntitySetDefinition, navigation: NavigationProperty, parent: object): object {
  const pairs = keyPairsOf(entitySet, navigation).flatMap(({ property, related }) => {
    const value = fieldOf(parent, property.field);
    return value === undefined ? [] : [[related.field, value] as const];
  });
  return Object.fromEntries(pairs);
}
