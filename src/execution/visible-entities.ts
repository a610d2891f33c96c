import { chain, type Maybe } from "../base/maybe.ts";
import type { Context } from "../definition/context.ts";
import type { EntitySetDefinition } from "../definition/service-definition.ts";
import type { EntitySet, EntityType } from "../edm/model.ts";
import { compiledFor } from "../memory/compiled-cache.ts";
import { asEntity, isObject } from "../memory/entity.ts";
import { Evaluation } from "../memory/evaluation.ts";
import { relatedTable } from "../memory/relations.ts";
import { planMentions } from "../plan/plan-mentions.ts";
import type { FilterClause } from "../query/clauses.ts";
import { mentionsOf, type NavigationMention } from "../query/mentions.ts";
import { canonicalEntity } from "./canonical-entity.ts";
import { orThrow } from "./handler-answer.ts";
import { loadRelations } from "./load-relations.ts";
import { type LoadRun, startLoads } from "./load-run.ts";
import { lacksRequired } from "./required-values.ts";
import { serviceOf } from "./resolve-sources.ts";
import { clausesOf, conditionOf } from "./row-restriction.ts";
import { trustedContext } from "./trusted-context.ts";

/** Says whether the user of a request sees an entity. */
export type IsVisible = (entity: unknown) => boolean;

/** Sees all. */
const SEES_ALL: IsVisible = () => true;
const SEES_NOTHING: IsVisible = () => false;

/**
 * Those of the entities of a set that the user of a request sees. Where the rule looks at the entities alone they are
 * looked at as they are run over; what is no object is passed on, for whoever writes it to refuse.
 * @param entities the application's objects
 * @returns the entities themselves where all are seen
 * @throws what the rule threw; ODataError and TypeError as for loadRelations, where the rule leads to other sets
 */
export function visibleEntities(
  entitySet: EntitySet,
  entities: Iterable<unknown>,
  context: Context,
): Maybe<Iterable<unknown>> {
  const set = guardedSet(entitySet, context);
  return set === null ? entities : visibleIn([set], entities, context);
}

/** Whether the user of a request sees an entity of a set. @throws as for visibleEntities */
export function isVisible(entitySet: EntitySet, entity: unknown, context: Context): Maybe<boolean> {
  const set = guardedSet(entitySet, context);
  if (set === null) return true;
  return chain(visibility(set, [entity], context), (sees) => sees(entity));
}

/**
 * Those of entities of no certain set that the user of a request sees: every set that keeps rows of their type back
 * must show them.
 * @throws as for visibleEntities
 */
export function visibleOfType(
  entityType: EntityType,
  entities: Iterable<unknown>,
  context: Context,
): Maybe<Iterable<unknown>> {
  const sets = [...serviceOf(context).entitySets.values()].filter(
    ({ entitySet, restriction }) => restriction !== undefined && entitySet.entityType === entityType,
  );
  return sets.length === 0 ? entities : visibleIn(sets, entities, context);
}

/**
 * The entity of a set with a key, whole and in canonical form, as far as the user of a request sees it.
 * @param key in the application's form
 * @returns null where there is none, or it is hidden
 * @throws ODataError that the handler returned or threw; TypeError for an entity with values that are none of its type;
 *   Error for a set that reads none by its key
 */
export function findEntity(entitySet: EntitySet, key: unknown, context: Context): Maybe<object | null> {
  const { name, entityType } = entitySet;
  const { getByKey } = serviceOf(context).entitySets.get(name)?.handlers ?? {};
  if (getByKey === undefined) throw new Error(`${name} reads no entities by their keys.`);
  return chain(getByKey(key, context), (answer) => {
    const entity = orThrow(answer);
    if (entity === null || entity === undefined) return null;
    return canonicalEntity(entityType, asEntity(entity, entityType));
  });
}

/**
 * What tells of entities of a set whether the user of a request sees them: what the rule leads to is loaded for all of
 * them at once.
 * @param entities those that will be asked about
 * @returns null where all are seen
 * @throws as for visibleEntities
 */
export function visibilityOf(
  entitySet: EntitySet | null,
  entities: () => Iterable<unknown>,
  context: Context,
): Maybe<IsVisible | null> {
  const set = entitySet === null ? null : guardedSet(entitySet, context);
  if (set === null || conditionOf(set, context) === "all") return null;
  return visibility(set, leadsOn(set, context) ? entities() : [], context);
}

/** The definition of a set that keeps rows back in this context; null: it keeps none. */
function guardedSet({ name }: EntitySet, context: Context): EntitySetDefinition | null {
  const set = serviceOf(context).entitySets.get(name);
  return set?.restriction === undefined ? null : set;
}

function visibleIn(
  sets: readonly EntitySetDefinition[],
  entities: Iterable<unknown>,
  context: Context,
): Maybe<Iterable<unknown>> {
  const conditions = sets.map((set) => conditionOf(set, context));
  if (conditions.includes("none")) return [];
  const asking = sets.filter((_set, index) => conditions[index] !== "all");
  const list = asking.some((set) => leadsOn(set, context)) ? [...entities] : entities;
  return asking.reduce<Maybe<Iterable<unknown>>>(
    (seen, set) => chain(seen, (rest) => keepVisible(set, rest, context)),
    list,
  );
}

function keepVisible(
  set: EntitySetDefinition,
  entities: Iterable<unknown>,
  context: Context,
): Maybe<Iterable<unknown>> {
  if (!leadsOn(set, context)) return chain(visibility(set, [], context), (sees) => whichMeet(entities, sees));
  const list = [...entities];
  return chain(visibility(set, list, context), (sees) => list.filter(sees));
}

/** What meets a condition, each time that it is run over. */
function whichMeet(entities: Iterable<unknown>, sees: IsVisible): Iterable<unknown> {
  return {
    *[Symbol.iterator]() {
      for (const entity of entities) {
        if (sees(entity)) yield entity;
      }
    },
  };
}

/** Whether the rule looks at other entities than those of its set. */
function leadsOn(set: EntitySetDefinition, context: Context): boolean {
  const condition = conditionOf(set, context);
  return typeof condition === "object" && mentionsOf(clausesOf(condition.filter)) !== null;
}

/** @param entities those that will be asked about, where the rule leads on from them */
function visibility(set: EntitySetDefinition, entities: Iterable<unknown>, context: Context): Maybe<IsVisible> {
  const condition = conditionOf(set, context);
  if (condition === "all") return SEES_ALL;
  if (condition === "none") return SEES_NOTHING;
  const evaluation = new Evaluation(condition.values);
  const meets = (filter: FilterClause | null): IsVisible => {
    if (filter === null) return SEES_ALL;
    const evaluate = compiledFor(filter, "spec-compliant");
    return (entity) => !isObject(entity) || evaluate(entity, evaluation) === true;
  };
  const { entityType } = set.entitySet;
  const isWhole: IsVisible = (entity) => !isObject(entity) || !lacksRequired(condition.filter, entity, entityType);
  const plan = planMentions(clausesOf(condition.filter));
  if (plan === null) {
    const meetsAll = meets(condition.filter);
    return (entity) => isWhole(entity) && meetsAll(entity);
  }
  // What the entity itself decides is asked first: for what is hidden by that, nothing is loaded.
  const meetsFirst = meets(plan.ownFilter);
  const meetsOwn: IsVisible = (entity) => isWhole(entity) && meetsFirst(entity);
  const meetsRest = meets(plan.filter?.filter ?? null);
  const objects = [...entities].filter(isObject).filter(meetsOwn);
  const run = startLoads(evaluation, trustedContext(context), `The row rule of ${set.entitySet.name}`);
  const navigations = mentionsOf(clausesOf(condition.filter))?.navigations ?? [];
  return chain(loadRelations(clausesOf(condition.filter), objects, run), () => (entity) => {
    return meetsOwn(entity) && isFollowed(entity, navigations, run) && meetsRest(entity);
  });
}

/** Whether everything that a rule leads to from an entity was loaded. */
function isFollowed(entity: unknown, navigations: readonly NavigationMention[], run: LoadRun): boolean {
  if (run.unfollowed.size === 0 || !isObject(entity)) return true;
  if (run.unfollowed.has(entity)) return false;
  // A rule goes along single-valued navigations alone.
  return navigations.every((mention) =>
    isFollowed(relatedTable(run.evaluation.relations, mention).get(entity), mention.below, run),
  );
}
