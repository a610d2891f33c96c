import { chain, type Maybe } from "../base/maybe.ts";
import { refusalOfUnseen } from "../definition/rules/refusal.ts";
import type { VaryingRowCondition } from "../definition/rules/row-conditions.ts";
import type { EntitySetDefinition } from "../definition/service-definition.ts";
import { obeysRestriction } from "../definition/sets/handlers.ts";
import { linkedPairsOf } from "../edm/key-holder.ts";
import type { EntitySet, NavigationProperty, StructuralProperty } from "../edm/model.ts";
import { type ODataError, protocolError } from "../errors/odata-error.ts";
import { canBeTrue, type PartialEntity } from "../memory/can-be-true.ts";
import { declaredFieldOf, fieldOf } from "../memory/compile-property.ts";
import { isObject } from "../memory/entity.ts";
import { Evaluation } from "../memory/evaluation.ts";
import { relatedTable } from "../memory/relations.ts";
import { parentProperties } from "../plan/plan-related.ts";
import { clausesOf } from "../plan/row-rules.ts";
import { mentionsOf, type NavigationMention } from "../query/mentions.ts";
import { checkReferences, type Nesting } from "./check-references.ts";
import { startAll } from "./concurrency.ts";
import { loadBelow, loadReferred } from "./load-relations.ts";
import { type LoadRun, startRuleLoads } from "./load-run.ts";
import { findOrMissing } from "./read-by-key.ts";
import { type Reader, serviceOf } from "./reader.ts";
import { conditionFor } from "./row-rules.ts";

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
export function checkWritten(set: EntitySetDefinition, entity: object, reader: Reader): Maybe<undefined> {
  return checkEntity(set, { entity, isKnown: (property) => isStated(entity, property) }, reader);
}

/**
 * Whether the user of a request may see an entity that a handler saved, as far as what it returned of it tells. Handlers
 * that obey row rules within their own statements have told it already.
 * @param handler that returned it
 * @throws as for checkWritten
 */
export function isSavedSeen(entitySet: EntitySet, entity: unknown, handler: object, reader: Reader): Maybe<boolean> {
  if (obeysRestriction(handler) || !isObject(entity)) return true;
  const condition = conditionFor(entitySet, reader);
  if (typeof condition === "string") return condition === "all";
  const isKnown = ({ field }: StructuralProperty): boolean => declaredFieldOf(entity, field) !== undefined;
  return meets(entitySet, condition, { entity, isKnown, isSaved: true }, reader);
}

function checkEntity(set: EntitySetDefinition, written: WrittenEntity, reader: Reader): Maybe<undefined> {
  const condition = conditionFor(set.entitySet, reader);
  if (condition === "all") return undefined;
  if (condition === "none") throw refusalOfUnseen(reader.context.user, set.entitySet);
  return chain(meets(set.entitySet, condition, written, reader), (isSeen): undefined => {
    if (!isSeen) throw refusalOfUnseen(reader.context.user, set.entitySet);
  });
}

/** Whether the user may see an entity, as far as what is known of it tells. */
function meets(
  entitySet: EntitySet,
  { filter, values }: VaryingRowCondition,
  written: WrittenEntity,
  reader: Reader,
): Maybe<boolean> {
  const evaluation = new Evaluation(values);
  const navigations = mentionsOf(clausesOf(filter))?.navigations ?? [];
  const run = startRuleLoads(evaluation, entitySet, reader.context);
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
  return chain(loadReferred(mention, entity, run), (single) => {
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
  reader: Reader,
  place: string = "",
): Maybe<undefined> {
  const { entitySets } = serviceOf(reader.context);
  const checks = [...entitySet.navigationProperties.values()].flatMap((property) => {
    const target = entitySets.get(entitySet.navigationPropertyBindings.get(property.name) ?? "");
    const value: unknown = Object.hasOwn(entity, property.field) ? fieldOf(entity, property.field) : null;
    const items: readonly unknown[] = Array.isArray(value) ? value : [value];
    if (target === undefined) return [];
    return items.flatMap((item, index) => {
      const here = `${place}${property.name}/${property.isCollection ? `${String(index)}/` : ""}`;
      const nesting = { place: here, linked: linkedPairsOf(entitySet, property) };
      return isObject(item) ? [() => checkCreatedBelow(target, item, reader, nesting)] : [];
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
export function checkCreated(set: EntitySetDefinition, entity: object, reader: Reader): Maybe<undefined> {
  if (conditionFor(set.entitySet, reader) === "none") throw refusalOfUnseen(reader.context.user, set.entitySet);
  // Before the rule looks along them: hidden and missing entities look alike.
  return chain(checkReferences(set, entity, reader), () =>
    chain(checkWritten(set, entity, reader), () => checkCreation(set, entity, reader)),
  );
}

/**
 * As `checkCreated`, for an entity that is created along a navigation: what is null may follow from the entity that it is
 * related to, which the handler then fills in.
 */
export function checkCreatedBelow(
  set: EntitySetDefinition,
  entity: object,
  reader: Reader,
  nesting: Nesting,
): Maybe<undefined> {
  if (conditionFor(set.entitySet, reader) === "none") throw refusalOfUnseen(reader.context.user, set.entitySet);
  const isKnown = (property: StructuralProperty): boolean =>
    isStated(entity, property) && fieldOf(entity, property.field) !== null;
  return chain(checkReferences(set, entity, reader, nesting), () =>
    chain(checkEntity(set, { entity, isKnown }, reader), () => checkCreation(set, entity, reader, nesting.place)),
  );
}

function checkCreation(set: EntitySetDefinition, entity: object, reader: Reader, place: string = ""): Maybe<undefined> {
  return chain(checkNested(set.entitySet, entity, reader, place), () => checkKey(set, entity, reader));
}

/** Keeps a handler from writing over what the user does not see. */
function checkKey(set: EntitySetDefinition, entity: object, reader: Reader): Maybe<undefined> {
  const { key: properties } = set.entitySet.entityType;
  if (set.rows === null || !properties.every((property) => isStated(entity, property))) return undefined;
  const parts = properties.map(({ field }) => [field, fieldOf(entity, field)] as const);
  const key = parts.length === 1 ? parts[0]?.[1] : Object.freeze(Object.fromEntries(parts));
  return chain(isHidden(set, key, reader), (hidden): undefined => {
    if (hidden) throw keyTaken(set.entitySet);
  });
}

/**
 * Whether there is an entity with a key which the user of a request does not see; false where the set reads none by its
 * key.
 * @throws what the handler returned or threw
 */
export function isHidden({ entitySet, handlers }: EntitySetDefinition, key: unknown, reader: Reader): Maybe<boolean> {
  if (handlers.getByKey === undefined) return false;
  return chain(findOrMissing(entitySet, key, reader), (seen) => {
    if (seen !== null) return false;
    return chain(findOrMissing(entitySet, key, { ...reader, gate: null }), (entity) => entity !== null);
  });
}

/** The error for a key that is taken, whoever sees by what. */
export function keyTaken({ name }: EntitySet): ODataError {
  return protocolError("Conflict", `An entity of ${name} has this key already.`);
}

function nothing(): undefined {
  return undefined;
}
