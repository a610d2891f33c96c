import { chain, type Maybe } from "../base/maybe.ts";
import { type AuthorizationRequirement, type Category, needsResource } from "../definition/rules/authorization.ts";
import { refusal } from "../definition/rules/refusal.ts";
import type { EntitySetDefinition } from "../definition/service-definition.ts";
import { type KeyHolder, keyHolderOf } from "../edm/key-holder.ts";
import type { EntitySet } from "../edm/model.ts";
import type { ODataError } from "../errors/odata-error.ts";
import { entityKeyReader } from "../execution/entity-key.ts";
import { actionAlong, requireRules } from "../execution/judge-rules.ts";
import { judgeByKey } from "./addressed-entity.ts";
import { definitionOf } from "./authorize.ts";
import type { Exchange } from "./exchange.ts";
import { type Navigation, readOne } from "./read-navigation.ts";

/** What writing a link along a navigation does with the target set, by who holds the foreign key. */
export function linkCategories(holder: KeyHolder): readonly Category[] {
  return holder === "related" ? ["read", "update"] : ["read"];
}

/** A link to write. */
export interface WrittenLink {
  readonly navigation: Navigation;
  /** The key of the entity that the link starts from. */
  readonly key: unknown;
  /** The key of the related entity; undefined where the request removes whichever link there is. */
  readonly related: unknown;
  /** Whether the request adds the link; else it removes the link. */
  readonly isAdded: boolean;
  /** Makes the error for a related entity that is missing or hidden. */
  readonly missing: () => ODataError;
}

/** Whether the rules along a navigation need to know which entity a written link leads to. */
export function judgesLinks({ service }: Exchange, { entitySet, navigationProperty }: Navigation): boolean {
  if (!service.hasRules) return false;
  const set = definitionOf(service.definition, entitySet.name);
  return rulesAlong(set, { entitySet, navigationProperty }).some(needsResource);
}

/** What a link asks of the related entity that it leads to. */
function rulesAlong(
  { navigationAuthorization }: EntitySetDefinition,
  { entitySet, navigationProperty }: Pick<Navigation, "entitySet" | "navigationProperty">,
): readonly AuthorizationRequirement[] {
  const target = navigationAuthorization.get(navigationProperty.name)?.target;
  if (target === undefined) return [];
  return linkCategories(keyHolderOf(entitySet, navigationProperty)).flatMap((category) => target[category]);
}

/**
 * Judges the entities that writing a link changes or shows: the related one, and the one whose place it takes. Rules that
 * need no entity were judged by the path.
 * @throws ODataError `Unauthorized`, `Forbidden`; what `missing` makes; what a handler or rule returned
 * @see docs/guides/authorization.md
 */
export function authorizeLink(exchange: Exchange, link: WrittenLink): Maybe<undefined> {
  const { navigation, related, isAdded } = link;
  if (!judgesLinks(exchange, navigation)) return undefined;
  const set = definitionOf(exchange.service.definition, navigation.entitySet.name);
  const rules = pendingAlong(exchange, set, navigation, rulesAlong(set, navigation));
  const { origin } = navigation.runtime;
  if (origin.kind !== "EntitySet") return undefined;
  const replaces = isAdded && !navigation.navigationProperty.isCollection;
  const named = related === undefined ? undefined : judgeNamed(exchange, origin, link, rules);
  return chain(named, () =>
    related === undefined || replaces ? judgeReplaced(exchange, set, origin, link) : undefined,
  );
}

function pendingAlong(
  { user }: Exchange,
  set: EntitySetDefinition,
  { navigationProperty }: Navigation,
  rules: readonly AuthorizationRequirement[],
): readonly AuthorizationRequirement[] {
  const { name } = navigationProperty;
  return requireRules(rules, user, { action: actionAlong("update", set, navigationProperty), target: name });
}

function judgeNamed(
  exchange: Exchange,
  origin: EntitySet,
  { navigation, related, missing }: WrittenLink,
  rules: readonly AuthorizationRequirement[],
): Maybe<undefined> {
  const refuse = (): ODataError => refusalOfLink(exchange, navigation);
  return judgeByKey(exchange, { entitySet: origin, key: related }, rules, { missing, refuse });
}

function refusalOfLink({ user }: Exchange, { navigationProperty, runtime }: Navigation): ODataError {
  return refusal(user, `link this entity of ${runtime.origin.name}`, navigationProperty.name);
}

/** The entity at a single-valued navigation: its link goes, for which its row changes where that holds the key. */
function judgeReplaced(
  exchange: Exchange,
  set: EntitySetDefinition,
  origin: EntitySet,
  { navigation, key, related }: WrittenLink,
): Maybe<undefined> {
  const { name } = navigation.navigationProperty;
  const target = set.navigationAuthorization.get(name)?.target;
  const isChanged = keyHolderOf(navigation.entitySet, navigation.navigationProperty) === "related";
  const replacedRules = isChanged ? (target?.update ?? []) : [];
  const asked = related === undefined ? rulesAlong(set, navigation) : replacedRules;
  const rules = pendingAlong(exchange, set, navigation, asked);
  if (rules.length === 0) return undefined;
  return chain(readOne(exchange, navigation, key, null), (found) => {
    if (found === null) return undefined;
    const { value } = entityKeyReader(origin.entityType, found.rowShape)(found.entity);
    // What is gone meanwhile is no more linked.
    const judged = { missing: () => null, refuse: () => refusalOfLink(exchange, navigation) };
    return judgeByKey(exchange, { entitySet: origin, key: value }, rules, judged);
  });
}
