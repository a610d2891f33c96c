import type { AuthorizationRequirement } from "../definition/authorization.ts";
import { refusal } from "../definition/refusal.ts";
import type { EntitySetDefinition } from "../definition/service-definition.ts";
import { keyPairsOf } from "../edm/key-holder.ts";
import type { NavigationProperty } from "../edm/model.ts";
import { chain } from "../execution/chain.ts";
import type { MaybeResult } from "../execution/handler-answer.ts";
import { actionOf, judgeEntity, requireRules } from "../execution/judge-rules.ts";
import { fieldOf } from "../memory/compile-property.ts";
import { isObject } from "../memory/entity.ts";
import { type AddressedEntity, loadForRule } from "./addressed-entity.ts";
import { actionAlong, definitionOf } from "./authorize.ts";
import type { Exchange } from "./exchange.ts";
import type { Navigation } from "./read-navigation.ts";

/** Where nested entities stand. */
interface NestingPlace {
  /** The path in the body, with a slash behind it; empty for the body itself. */
  readonly path: string;
  /** Whether nothing has asked the rules of the set of the entity itself. */
  readonly isOwnSkipped: boolean;
}

const BODY: NestingPlace = { path: "", isOwnSkipped: false };

/**
 * Requires that the user may create everything that is nested in a new entity: each set asks its rules for `create`.
 * @param entity what the create handler gets
 * @throws ODataError `Unauthorized`, `Forbidden`, target the path of the navigation; what a rule answered
 * @see docs/authorization.md
 */
export function authorizeNested(
  exchange: Exchange,
  set: EntitySetDefinition,
  entity: unknown,
  place: NestingPlace = BODY,
): MaybeResult<undefined> {
  if (!exchange.service.hasRules || !isObject(entity)) return undefined;
  return each([...set.entitySet.navigationProperties.values()], (navigation) => {
    const value: unknown = Object.hasOwn(entity, navigation.field) ? fieldOf(entity, navigation.field) : null;
    const items = (Array.isArray(value) ? value : [value]).filter(isObject);
    return items.length === 0 ? undefined : authorizeItems(exchange, set, navigation, items, place);
  });
}

function authorizeItems(
  exchange: Exchange,
  set: EntitySetDefinition,
  navigation: NavigationProperty,
  items: readonly object[],
  { path, isOwnSkipped }: NestingPlace,
): MaybeResult<undefined> {
  const { user, context, service } = exchange;
  const { entitySet, authorization, navigationAuthorization } = set;
  const { name, isCollection } = navigation;
  const target = path + name;
  const rules = navigationAuthorization.get(name);
  if (isOwnSkipped) requireRules(authorization.create, user, { action: actionOf("create", entitySet.name), target });
  const action = actionAlong("create", set, navigation);
  const pending = requireRules(rules?.target.create ?? [], user, { action, target });
  const below = service.definition.entitySets.get(entitySet.navigationPropertyBindings.get(name) ?? "");
  return each([...items.entries()], ([index, item]) =>
    chain(judgeEntity(pending, context, item), (passed) => {
      if (!passed) throw refusal(user, action, target);
      if (below === undefined) return undefined;
      const here = isCollection ? `${target}/${String(index)}/` : `${target}/`;
      return authorizeNested(exchange, below, item, { path: here, isOwnSkipped: rules?.asksTarget === false });
    }),
  );
}

/**
 * Judges the rules of the target set for `create` on an entity that is about to be created along a navigation.
 * @param given what the create handler gets
 * @param parent the entity of the URL, as far as it is loaded
 * @throws ODataError `Unauthorized`, `Forbidden`; what a handler or rule answered
 */
export function authorizeCreationAlong(
  exchange: Exchange,
  { entitySet, navigationProperty }: Navigation,
  { key, given, parent }: { readonly key: unknown; readonly given: unknown; readonly parent: AddressedEntity },
): MaybeResult<undefined> {
  const { user, service } = exchange;
  if (!service.hasRules) return undefined;
  const set = definitionOf(service.definition, entitySet.name);
  const { name } = navigationProperty;
  const action = actionAlong("create", set, navigationProperty);
  const pending = requireRules(set.navigationAuthorization.get(name)?.target.create ?? [], user, {
    action,
    target: name,
  });
  if (pending.length === 0) return undefined;
  return judgeCreated(exchange, pending, given, {
    parent: () => parent?.entity ?? loadForRule(exchange, { entitySet, key }),
    link: (entity) => linkedValues(set, navigationProperty, entity),
    refuse: () => refusal(user, action, name),
  });
}

interface Creation {
  readonly parent: () => MaybeResult<object | null>;
  /** The values that a new entity has from its parent. */
  readonly link: (parent: object) => object;
  readonly refuse: () => Error;
}

function judgeCreated(
  { context }: Exchange,
  rules: readonly AuthorizationRequirement[],
  given: unknown,
  { parent, link, refuse }: Creation,
): MaybeResult<undefined> {
  return chain(parent(), (owner) => {
    const entity = owner === null || !isObject(given) ? given : { ...given, ...link(owner) };
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

/** One after another, as far as each passes. */
function each<Item>(items: readonly Item[], work: (item: Item) => MaybeResult<undefined>): MaybeResult<undefined> {
  const [first, ...rest] = items;
  if (first === undefined) return undefined;
  return chain(work(first), () => each(rest, work));
}
