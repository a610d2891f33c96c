import { chain, type Maybe } from "../base/maybe.ts";
import type { Context } from "../definition/context.ts";
import { refusalOfUnseen } from "../definition/rules/refusal.ts";
import type { VaryingRowCondition } from "../definition/rules/row-conditions.ts";
import type { EntitySetDefinition } from "../definition/service-definition.ts";
import type { GetByKeyHandler, RestrictedHandler } from "../definition/sets/handlers.ts";
import { linkedPairsOf } from "../edm/key-holder.ts";
import type { EntitySet, NavigationProperty, StructuralProperty } from "../edm/model.ts";
import { type ODataError, protocolError } from "../errors/odata-error.ts";
import { declaredFieldOf, fieldOf } from "../memory/compile-property.ts";
import { isObject } from "../memory/entity.ts";
import { Evaluation } from "../memory/evaluation.ts";
import { canBeTrue, type PartialEntity } from "../memory/possible-truth.ts";
import { relatedTable } from "../memory/relations.ts";
import { parentProperties } from "../plan/plan-related.ts";
import { mentionsOf, type NavigationMention } from "../query/mentions.ts";
import { checkReferences, type Nesting } from "./check-references.ts";
import { startAll } from "./concurrency.ts";
import { findOrMissing } from "./find-or-missing.ts";
import { joinTarget } from "./join-target.ts";
import { loadBelow } from "./load-relations.ts";
import { type LoadRun, startLoads } from "./load-run.ts";
import { serviceOf } from "./resolve-sources.ts";
import { clausesOf, conditionOf } from "./row-restriction.ts";
import { trustedContext } from "./trusted-context.ts";

/** An entity as it will be, as far as it is known. */
interface WrittenEntity {
  readonly entity: object;
  /** Whether a property is known; what the server computes is not before it does. */
  readonly isKnown: (property: StructuralProperty) => boolean;
  /** Whether it is written already, so that handlers along its navigations tell how it is. */
  readonly isSaved?: boolean;
}

/**
 * Refuses to write an entity that the user of a request could not see then, as far as what is known of it tells. What
 * the handler fills in, and what it does not load, is left to the handler.
 * @param entity as it will be, by the application's fields; a member that is undefined is not known
 * @throws ODataError `Forbidden`, `Unauthorized` without a user; what the rule threw; what handlers did, of sets that the rule leads to
 * @see specification, Authentication (row rules)
 */
export function checkWritten(set: EntitySetDefinition, entity: object, context: Context): Maybe<undefined> {
  return checkEntity(set, { entity, isKnown: (property) => isStated(entity, property) }, context);
}

/**
 * Whether the user of a request may see an entity that a handler saved, as far as what it returned of it tells. Handlers
 * that obey row rules within their own statements have told it already.
 * @param handler that returned it
 * @throws as for checkWritten
 */
export function isSavedSeen(entitySet: EntitySet, entity: unknown, handler: object, context: Context): Maybe<boolean> {
  const set = serviceOf(context).entitySets.get(entitySet.name);
  if (set?.restriction === undefined || obeys(handler) || !isObject(entity)) return true;
  const condition = conditionOf(set, context);
  if (typeof condition === "string") return condition === "all";
  const isKnown = ({ field }: StructuralProperty): boolean => declaredFieldOf(entity, field) !== undefined;
  return meets(entitySet, condition, { entity, isKnown, isSaved: true }, context);
}

/** Whether a handler keeps to the rules within its own statements. */
export function obeys(handler: object): boolean {
  // Any handler may say so; most say nothing.
  return (handler as RestrictedHandler).obeysRestriction === true;
}

function checkEntity(set: EntitySetDefinition, written: WrittenEntity, context: Context): Maybe<undefined> {
  const condition = conditionOf(set, context);
  if (condition === "all") return undefined;
  if (condition === "none") throw refusalOfUnseen(context.user, set.entitySet);
  return chain(meets(set.entitySet, condition, written, context), (isSeen): undefined => {
    if (!isSeen) throw refusalOfUnseen(context.user, set.entitySet);
  });
}

/** Whether the user may see an entity, as far as what is known of it tells. */
function meets(
  entitySet: EntitySet,
  { filter, values }: VaryingRowCondition,
  written: WrittenEntity,
  context: Context,
): Maybe<boolean> {
  const evaluation = new Evaluation(values);
  const navigations = mentionsOf(clausesOf(filter))?.navigations ?? [];
  const run = startLoads(evaluation, trustedContext(context), `The row rule of ${entitySet.name}`);
  const loaded = new Set<NavigationProperty>();
  const loads = navigations.map((mention) => () => loadKnown(mention, written, run, loaded));
  const isKnown: PartialEntity["isKnown"] = (step) => {
    if (step.kind === "property") return written.isKnown(step.property);
    return step.kind === "navigation" && loaded.has(step.navigationProperty);
  };
  return chain(startAll(loads), () => {
    if (run.unfollowed.size > 0) return written.isSaved !== true;
    return canBeTrue(filter, { entity: written.entity, evaluation, isKnown });
  });
}

/**
 * Loads what a navigation will lead to, where the entity says it: until it is saved, what handlers know of is how it was
 * before.
 */
function loadKnown(
  mention: NavigationMention,
  { entity, isKnown, isSaved }: WrittenEntity,
  run: LoadRun,
  loaded: Set<NavigationProperty>,
): Maybe<undefined> {
  const { entitySet, navigationProperty } = mention;
  const set = serviceOf(run.context).entitySets.get(entitySet.name);
  const { get, getBatch } = set?.navigationHandlers.get(navigationProperty.name) ?? {};
  if (isSaved === true && (get ?? getBatch) !== undefined && entitySet.entityType.key.every(isKnown)) {
    return chain(loadBelow([mention], [entity], run), (): undefined => {
      loaded.add(navigationProperty);
    });
  }
  const join = entitySet.navigationJoins.get(navigationProperty.name);
  if (join?.kind !== "direct" || !parentProperties(join).every(isKnown)) return undefined;
  return chain(joinTarget(mention, [entity], run), (related) => {
    const [single] = related ?? [];
    if (single === undefined || Array.isArray(single)) return undefined;
    relatedTable(run.evaluation.relations, mention).set(entity, single);
    loaded.add(navigationProperty);
    return single === null ? undefined : loadBelow(mention.below, [single], run);
  });
}

function isStated(entity: object, { field, computed }: StructuralProperty): boolean {
  return !computed && declaredFieldOf(entity, field) !== undefined;
}

/**
 * Refuses to create what is nested in an entity where the user of a request could not see it then.
 * @param entity as given to the handler
 * @throws as for checkWritten and checkKey
 */
export function checkNested(
  entitySet: EntitySet,
  entity: object,
  context: Context,
  place: string = "",
): Maybe<undefined> {
  const { entitySets } = serviceOf(context);
  const checks = [...entitySet.navigationProperties.values()].flatMap((property) => {
    const target = entitySets.get(entitySet.navigationPropertyBindings.get(property.name) ?? "");
    const value: unknown = Object.hasOwn(entity, property.field) ? fieldOf(entity, property.field) : null;
    const items: readonly unknown[] = Array.isArray(value) ? value : [value];
    if (target === undefined) return [];
    return items.flatMap((item, index) => {
      const here = `${place}${property.name}/${property.isCollection ? `${String(index)}/` : ""}`;
      const nesting = { place: here, linked: linkedPairsOf(entitySet, property) };
      return isObject(item) ? [() => checkCreatedBelow(target, item, context, nesting)] : [];
    });
  });
  return checks.length === 0 ? undefined : chain(startAll(checks), nothing);
}

/**
 * Refuses to create an entity, with what is nested in it, where the user of a request could not see it then, or where a
 * key that the client chose is that of an entity which the user does not see.
 * @param entity as given to the handler
 * @throws ODataError `Conflict`; as for checkWritten
 */
export function checkCreated(set: EntitySetDefinition, entity: object, context: Context): Maybe<undefined> {
  if (conditionOf(set, context) === "none") throw refusalOfUnseen(context.user, set.entitySet);
  // Before the rule looks along them: hidden and missing entities look alike.
  return chain(checkReferences(set, entity, context), () =>
    chain(checkWritten(set, entity, context), () => checkCreation(set, entity, context)),
  );
}

/**
 * As `checkCreated`, for an entity that is created along a navigation: what is null may follow from the entity that it is
 * related to, which the handler then fills in.
 */
export function checkCreatedBelow(
  set: EntitySetDefinition,
  entity: object,
  context: Context,
  nesting: Nesting,
): Maybe<undefined> {
  if (conditionOf(set, context) === "none") throw refusalOfUnseen(context.user, set.entitySet);
  const isKnown = (property: StructuralProperty): boolean =>
    isStated(entity, property) && fieldOf(entity, property.field) !== null;
  return chain(checkReferences(set, entity, context, nesting), () =>
    chain(checkEntity(set, { entity, isKnown }, context), () => checkCreation(set, entity, context, nesting.place)),
  );
}

function checkCreation(
  set: EntitySetDefinition,
  entity: object,
  context: Context,
  place: string = "",
): Maybe<undefined> {
  return chain(checkNested(set.entitySet, entity, context, place), () => checkKey(set, entity, context));
}

/** Keeps a handler from writing over what the user does not see. */
function checkKey(set: EntitySetDefinition, entity: object, context: Context): Maybe<undefined> {
  const { key: properties } = set.entitySet.entityType;
  if (set.restriction === undefined || !properties.every((property) => isStated(entity, property))) return undefined;
  const parts = properties.map(({ field }) => [field, fieldOf(entity, field)] as const);
  const key = parts.length === 1 ? parts[0]?.[1] : Object.freeze(Object.fromEntries(parts));
  return chain(isHidden(set, key, context), (hidden): undefined => {
    if (hidden) throw keyTaken(set.entitySet);
  });
}

/**
 * Whether there is an entity with a key which the user of a request does not see; false where the set reads none by its
 * key.
 * @throws what the handler returned or threw
 */
export function isHidden({ entitySet, handlers }: EntitySetDefinition, key: unknown, context: Context): Maybe<boolean> {
  const trusted = trustedContext(context);
  const { getByKey } = handlers;
  const { getByKey: getAny } = serviceOf(trusted).entitySets.get(entitySet.name)?.handlers ?? {};
  if (getByKey === undefined || getAny === undefined) return false;
  return chain(exists(getByKey, key, context), (isSeen) => (isSeen ? false : exists(getAny, key, trusted)));
}

function exists(getByKey: GetByKeyHandler<Context>, key: unknown, context: Context): Maybe<boolean> {
  return chain(findOrMissing(getByKey, key, context), (entity) => entity !== null);
}

/** The error for a key that is taken, whoever sees by what. */
export function keyTaken({ name }: EntitySet): ODataError {
  return protocolError("Conflict", `An entity of ${name} has this key already.`);
}

function nothing(): undefined {
  return undefined;
}
