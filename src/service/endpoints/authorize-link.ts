import type { ODataError } from "../../base/errors/odata-error.ts";
import type { Maybe } from "../../base/maybe.ts";
import type { User } from "../../definition/context.ts";
import type { EntitySetDefinition } from "../../definition/model/service-definition.ts";
import {
  type AuthorizationRequirement,
  type Category,
  needsResource,
  refusal,
} from "../../definition/sets/authorization.ts";
import { type KeyHolder, keyHolderOf } from "../../edm/key-holder.ts";
import type { EntitySet, NavigationProperty } from "../../edm/model.ts";
import { entityKeyReader } from "../../engine/entities/entity-key.ts";
import { definitionIn } from "../../engine/entities/reader.ts";
import { actionAlong, requireRules, navigationRules } from "../../engine/rules/judge-rules.ts";
import type { AddressedNavigation, BoundNavigation } from "./addressed-navigation.ts";
import { judgeByKey } from "./current-entity.ts";
import type { Execution } from "./execution.ts";
import { readOne } from "./read-navigation.ts";
import type { ServiceRuntime } from "./service-runtime.ts";

/** Returns the categories of the target set that writing a link needs, which depend on the side of the foreign key. */
export function linkCategories(holder: KeyHolder): readonly Category[] {
  return holder === "related" ? ["read", "update"] : ["read"];
}

/** A link to write. */
interface WrittenLink {
  /** The navigation from the entity in which the link starts. */
  readonly navigation: BoundNavigation;
  /** The key of the related entity; undefined where the request removes any link. */
  readonly related: unknown;
  /** Whether the request adds the link; else it removes the link. */
  readonly isAdded: boolean;
  /** Makes the error for a related entity that is missing or hidden. */
  readonly missing: () => ODataError;
  /** The target of a refusal: the member of the body that states the link; absent: the navigation. */
  readonly target?: string | undefined;
}

/** Whether the rules along a navigation depend on the entity that a written link leads to. */
export function judgesLinks(service: ServiceRuntime, { entitySet, navigationProperty }: AddressedNavigation): boolean {
  if (!service.hasRules) return false;
  const set = definitionIn(service.definition, entitySet);
  return rulesAlong(set, { entitySet, navigationProperty }).some(needsResource);
}

function rulesAlong(
  set: EntitySetDefinition,
  { entitySet, navigationProperty }: Pick<AddressedNavigation, "entitySet" | "navigationProperty">,
): readonly AuthorizationRequirement[] {
  const { target } = navigationRules(set, navigationProperty);
  return linkCategories(keyHolderOf(entitySet, navigationProperty)).flatMap((category) => target[category]);
}

/**
 * Checks the rules of the entities that a written link changes or shows: the related entity, and the replaced
 * one. Rules that do not depend on entities were checked before.
 * @throws ODataError `Unauthorized`, `Forbidden`; the error of `missing`, of a handler or rule
 * @see docs/guides/authorization.md
 */
export function authorizeLink(execution: Execution, link: WrittenLink): Maybe<void> {
  return judgesLinks(execution.service, link.navigation) ? judgeLink(execution, link) : undefined;
}

async function judgeLink(execution: Execution, link: WrittenLink): Promise<void> {
  const { navigation, related, isAdded, target = navigation.navigationProperty.name } = link;
  const set = definitionIn(execution.service.definition, navigation.entitySet);
  const holder = keyHolderOf(navigation.entitySet, navigation.navigationProperty);
  const rules = pendingAlong(execution, set, navigation, { categories: linkCategories(holder), target });
  const { origin } = navigation.runtime;
  if (origin.kind !== "EntitySet") return;
  const replaces = isAdded && !navigation.navigationProperty.isCollection;
  if (related !== undefined) {
    const refuse = (): ODataError => refusalOfLink(execution, navigation, target);
    await judgeByKey(execution, { entitySet: origin, key: related }, rules, { missing: link.missing, refuse });
  }
  if (related === undefined || replaces) await judgeReplaced(execution, set, origin, { ...link, target });
}

/** The rules of the target set that a link asks, and the target of a refusal. */
interface AskedAlong {
  readonly categories: readonly Category[];
  readonly target: string;
}

/**
 * Requires the rules of some categories of the target set of a navigation.
 * @returns those that only the related entity can decide
 * @throws ODataError `Unauthorized`, `Forbidden`, which names the category
 */
export function requireAlong(
  user: User | null,
  set: EntitySetDefinition,
  navigation: NavigationProperty,
  { categories, target }: AskedAlong,
): readonly AuthorizationRequirement[] {
  const { target: along } = navigationRules(set, navigation);
  return categories.flatMap((category) =>
    requireRules(along[category], user, { action: actionAlong(category, set, navigation), target }),
  );
}

function pendingAlong(
  { access: { user } }: Execution,
  set: EntitySetDefinition,
  { navigationProperty }: AddressedNavigation,
  asked: AskedAlong,
): readonly AuthorizationRequirement[] {
  return requireAlong(user, set, navigationProperty, asked);
}

function refusalOfLink({ access: { user } }: Execution, { runtime }: AddressedNavigation, target: string): ODataError {
  return refusal(user, `link this entity of ${runtime.origin.name}`, target);
}

/** Checks the entity whose link a single-valued navigation loses. Its row changes if it contains the foreign key. */
async function judgeReplaced(
  execution: Execution,
  set: EntitySetDefinition,
  origin: EntitySet,
  { navigation, related, target = navigation.navigationProperty.name }: WrittenLink,
): Promise<void> {
  const holder = keyHolderOf(navigation.entitySet, navigation.navigationProperty);
  const replacing: readonly Category[] = holder === "related" ? ["update"] : [];
  const categories = related === undefined ? linkCategories(holder) : replacing;
  const rules = pendingAlong(execution, set, navigation, { categories, target });
  const found = rules.length === 0 ? null : await readOne(execution, navigation, null);
  if (found === null) return;
  const { value } = entityKeyReader(origin.entityType, found.rowShape)(found.entity);
  // An entity that is missing by now is no longer linked.
  const judged = { missing: () => null, refuse: () => refusalOfLink(execution, navigation, target) };
  await judgeByKey(execution, { entitySet: origin, key: value }, rules, judged);
}
