import { chain, type Maybe } from "../base/maybe.ts";
import { keeper } from "../base/memo.ts";
import type { Context } from "../definition/context.ts";
import type { EntitySetDefinition, ServiceDefinition } from "../definition/service-definition.ts";
import { guardedReferencesOf } from "../definition/sets/guarded-reference.ts";
import { frozenMap } from "../edm/frozen-map.ts";
import type { EntitySet, EntityType } from "../edm/model.ts";
import { compiledFor } from "../memory/compile-expression.ts";
import { declaredFieldOf } from "../memory/compile-property.ts";
import { isObject } from "../memory/entity.ts";
import { Evaluation } from "../memory/evaluation.ts";
import { relatedTable } from "../memory/relations.ts";
import { planMentions } from "../plan/plan-mentions.ts";
import { clausesOf, requiredProperties } from "../plan/row-rules.ts";
import type { FilterClause } from "../query/clauses.ts";
import { mentionsOf, type NavigationMention } from "../query/mentions.ts";
import { isIterable } from "./handler-answer.ts";
import { loadRelations } from "./load-relations.ts";
import { type LoadRun, startRuleLoads } from "./load-run.ts";
import { getEntity } from "./read-by-key.ts";
import { type Gate, type GuardedDefinition, type Reader, readerOf, serviceOf } from "./reader.ts";
import { restrictionOf } from "./resolve-sources.ts";
import { conditionOf } from "./row-rules.ts";

/** Tells whether the user of a request sees an entity. */
export type IsVisible = (entity: unknown) => boolean;

const SEES_ALL: IsVisible = () => true;
const SEES_NOTHING: IsVisible = () => false;

/**
 * Returns a service that keeps to the row rules of its sets: with the gate for what handlers hand over, and with what
 * the writes of databases check in their transactions.
 * @returns the service itself where no set has a row rule
 * @see docs/guides/authorization.md
 */
export function withRowRules(declared: ServiceDefinition): ServiceDefinition {
  const sets = [...declared.entitySets];
  if (sets.every(([, { rows }]) => rows === null)) return declared;
  const guardedSets = sets.flatMap(([, { rows, entitySet }]) => (rows === null ? [] : [entitySet]));
  const guarded = keeper<GuardedDefinition>({
    ...declared,
    entitySets: frozenMap(
      sets.map(([name, set]) => {
        const guardedReferences = guardedReferencesOf(set.entitySet, guardedSets);
        if (set.rows === null) return [name, Object.freeze({ ...set, guardedReferences })];
        const getSeen = (key: unknown, context: Context) => getEntity(set.entitySet, key, readerOf(context));
        return [
          name,
          Object.freeze<EntitySetDefinition>({
            ...set,
            guardedReferences,
            restriction: (context) => restrictionOf(set, context),
            ...(set.handlers.getByKey === undefined ? {} : { getSeen }),
          }),
        ];
      }),
    ),
    gate: GATE,
    warned: new Set<string>(),
  });
  return Object.freeze(guarded);
}

/** Where a rule looks at the entities alone, they are judged as they are read, each time that they are read. */
const GATE: Gate = Object.freeze<Gate>({
  keep: (entitySet, entities, context) => {
    const set = guardedSet(entitySet, context);
    return set === null ? entities : keepVisible([set], entities, context);
  },
  sees: (entitySet, entity, context) =>
    chain(
      visibilityOf(entitySet, () => [entity], context),
      (sees) => sees === null || sees(entity),
    ),
  keepValues: ({ target, navigationProperty }, values, context) => {
    const { isCollection } = navigationProperty;
    if (target === null || values.length === 0) return values;
    // A list may run but once: the rule reads it twice.
    const lists = (): readonly unknown[] => (isCollection ? values.map(toArray) : values);
    let taken: readonly unknown[] | undefined;
    const entities = (): readonly unknown[] => (isCollection ? (taken ??= lists()).flat() : values);
    return chain(visibilityOf(target, entities, context), (sees) => {
      if (sees === null) return taken ?? values;
      return (taken ?? lists()).map((value) => visibleValue(value, isCollection, sees));
    });
  },
});

function toArray(value: unknown): unknown {
  return isIterable(value) && !Array.isArray(value) ? [...value] : value;
}

/** A value of another form stays as it is, for others to refuse. */
function visibleValue(value: unknown, isCollection: boolean, sees: IsVisible): unknown {
  // Nobody judged the items of a list in the place of an entity: it is refused later.
  if (Array.isArray(value)) return isCollection ? value.filter(sees) : value;
  // A value that cannot be judged counts as not loaded.
  if (isCollection) return value === null ? null : undefined;
  if (value === undefined) return undefined;
  return sees(value) ? value : null;
}

/**
 * Keeps those of entities of no certain set that the user sees: every set with a rule for their type must show them.
 * @throws what a rule threw; ODataError and TypeError as for loadRelations, where a rule leads to other sets
 */
export function visibleOfType(
  entityType: EntityType,
  entities: Iterable<unknown>,
  { context, gate }: Reader,
): Maybe<Iterable<unknown>> {
  const sets = [...serviceOf(context).entitySets.values()].filter(
    ({ entitySet, rows }) => rows !== null && entitySet.entityType === entityType,
  );
  return gate === null || sets.length === 0 ? entities : keepVisible(sets, entities, context);
}

/**
 * Makes what tells of entities of a set whether the user sees them: what the rule leads to is loaded for all of them at
 * once.
 * @param entities those that will be asked about
 * @returns null where all are seen
 * @throws as for visibleOfType
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

/** The definition of a set with a row rule; null: the set has none. */
function guardedSet({ name }: EntitySet, context: Context): EntitySetDefinition | null {
  const set = serviceOf(context).entitySets.get(name);
  return set === undefined || set.rows === null ? null : set;
}

/** A value that is no object is passed on, for whoever writes it to refuse. */
function keepVisible(
  sets: readonly EntitySetDefinition[],
  entities: Iterable<unknown>,
  context: Context,
): Maybe<Iterable<unknown>> {
  const conditions = sets.map((set) => conditionOf(set, context));
  if (conditions.includes("none")) return [];
  const asking = sets.filter((_set, index) => conditions[index] !== "all");
  const list = asking.some((set) => leadsOn(set, context)) ? [...entities] : entities;
  return asking.reduce<Maybe<Iterable<unknown>>>(
    (seen, set) =>
      chain(seen, (rest) => {
        if (!leadsOn(set, context)) return chain(visibility(set, [], context), (sees) => whichMeet(rest, sees));
        const whole = [...rest];
        return chain(visibility(set, whole, context), (sees) => whole.filter(sees));
      }),
    list,
  );
}

/** The entities that meet a condition, each time that they are read. */
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
  const { filter } = condition;
  const evaluation = new Evaluation(condition.values);
  const meets = (clause: FilterClause | null): IsVisible => {
    if (clause === null) return SEES_ALL;
    const evaluate = compiledFor(clause, "spec-compliant");
    return (entity) => !isObject(entity) || evaluate(entity, evaluation) === true;
  };
  const { ignoredProperties } = set.entitySet.entityType;
  const required =
    ignoredProperties.length === 0
      ? ignoredProperties
      : requiredProperties(filter).filter((property) => ignoredProperties.includes(property));
  const isWhole: IsVisible = (entity) =>
    !isObject(entity) || required.every(({ field }) => declaredFieldOf(entity, field) !== undefined);
  const plan = planMentions(clausesOf(filter));
  if (plan === null) {
    const meetsAll = meets(filter);
    return (entity) => isWhole(entity) && meetsAll(entity);
  }
  // The entity itself is judged first: for an entity that is hidden by itself, nothing is loaded.
  const meetsFirst = meets(plan.ownFilter);
  const meetsOwn: IsVisible = (entity) => isWhole(entity) && meetsFirst(entity);
  const meetsRest = meets(plan.filter?.filter ?? null);
  const objects = [...entities].filter(isObject).filter(meetsOwn);
  const run = startRuleLoads(evaluation, set.entitySet, context);
  const navigations = mentionsOf(clausesOf(filter))?.navigations ?? [];
  return chain(loadRelations(clausesOf(filter), objects, run), () => (entity) => {
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
