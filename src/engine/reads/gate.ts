import { chain, type Maybe, inTurns, type Turn } from "../../base/maybe.ts";
import { type Context, seesAllRows } from "../../definition/context.ts";
import { logWarning } from "../../definition/model/request-fields.ts";
import type { EntitySetDefinition } from "../../definition/model/service-definition.ts";
import type { GuardedReference, RowRuleChecks } from "../../definition/sets/authorization.ts";
import { keyIn } from "../../edm/literal.ts";
import type { EntitySet, EntityType, StructuralProperty } from "../../edm/model.ts";
import type { FilterClause } from "../../language/query/clauses.ts";
import { mentionsOf, type NavigationMention } from "../../language/query/mentions.ts";
import { canonicalEntity } from "../entities/canonical-entity.ts";
import { isIterable } from "../entities/handler-answer.ts";
import { definitionOf, type Gate, type Reader, serviceOf } from "../entities/reader.ts";
import { compiledFor } from "../memory/compile-expression.ts";
import { asEntity, isObject, Evaluation, relatedTable } from "../memory/evaluation.ts";
import { givenFieldOf } from "../memory/missing-value.ts";
import { FilteredRows, visitRows } from "../memory/visit-rows.ts";
import { planMentions } from "../plan/plan-collection.ts";
import { clausesOf, requiredProperties } from "../plan/row-rules.ts";
import { conditionOf, ServiceContext } from "../rules/row-access.ts";
import { loadReferred, loadRelations } from "./load-relations.ts";
import { type LoadRun, startLoads, startRuleLoads } from "./load-run.ts";
import { findOrMissing, getEntity } from "./read-by-key.ts";
import { restrictionOf } from "./resolve-sources.ts";

/** Returns whether the user of a request sees an entity. */
type IsVisible = (entity: unknown) => boolean;

const SEES_ALL: IsVisible = () => true;

/** A rule that depends on the entities alone is evaluated lazily, each time the entities are iterated. */
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
    // An iterable may run only once, but the rule reads it twice.
    const lists = (): readonly unknown[] => (isCollection ? values.map(toArray) : values);
    let taken: readonly unknown[] | undefined;
    const entities = (): readonly unknown[] => (isCollection ? (taken ??= lists()).flat() : values);
    return chain(visibilityOf(target, entities, context), (sees) => {
      if (sees === null) return taken ?? values;
      return (taken ?? lists()).map((value) => visibleValue(value, isCollection, sees));
    });
  },
});

/** Returns the reader of a context. @param turn the time of the present piece of work */
export function readerOf(
  context: Context,
  turn?: Turn,
  { shown, bytes, together }: Pick<Reader, "shown" | "bytes" | "together"> = {},
): Reader {
  const gate = seesAllRows(context) || serviceOf(context).rowRules === null ? null : GATE;
  return turn === undefined ? { context, gate } : { context, gate, turn, shown, bytes, together };
}

/** The checks of the row rules of a service, for writes that make them in their own transaction. */
export const ROW_RULES: RowRuleChecks = Object.freeze<RowRuleChecks>({
  restrictionOf,
  findSeen: (entitySet, key, context) => getEntity(entitySet, key, readerOf(context)),
  seesReferred: (reference, values, context) => seesReferred(reference, values, readerOf(context)),
});

/**
 * Whether the user sees the entity that a foreign key refers to; true where no handler reads it.
 * @param values the foreign key, by the fields of that entity
 * @throws any error of a handler except 404
 */
export function seesReferred(
  { entitySet, target, navigationProperty, pairs }: GuardedReference,
  values: Readonly<Record<string, unknown>>,
  reader: Reader,
): Maybe<boolean> {
  const { entityType } = target;
  if (definitionOf(target, reader.context).handlers.getByKey === undefined) {
    const mention = { navigationProperty, entitySet, target, ignored: [], below: [] };
    const option = `The foreign key of ${entitySet.name}/${navigationProperty.name}`;
    const entity = Object.fromEntries(pairs.map(({ property, related }) => [property.field, values[related.field]]));
    const found = loadReferred(mention, entity, startLoads(new Evaluation([]), reader, option));
    return chain(found, (related) => related !== null);
  }
  return chain(findOrMissing(target, keyIn(entityType, values), reader), (found) => {
    if (!isObject(found)) return false;
    const beside = pairs.filter(({ related }) => !entityType.key.includes(related));
    if (beside.length === 0) return true;
    const entity = canonicalEntity(entityType, asEntity(found, entityType));
    return beside.every(({ related: { field } }) => Reflect.get(entity, field) === values[field]);
  });
}

function toArray(value: unknown): unknown {
  return isIterable(value) && !Array.isArray(value) ? [...value] : value;
}

/** Removes hidden entities from a value. A value of another form stays unchanged, so that it is rejected later. */
function visibleValue(value: unknown, isCollection: boolean, sees: IsVisible): unknown {
  // A list in place of a single entity is rejected later, so its items are not checked.
  if (Array.isArray(value)) return isCollection ? value.filter(sees) : value;
  // A value that cannot be checked counts as not loaded.
  if (isCollection) return value === null ? null : undefined;
  if (value === undefined) return undefined;
  return sees(value) ? value : null;
}

/**
 * Returns the entities of a type that the user sees: every set with a row rule for that type must show them.
 * @throws the error of a rule; ODataError and TypeError as for loadRelations, where a rule follows navigations
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
 * Returns the function that decides whether the user sees an entity of a set. The entities that the rule depends on are
 * loaded for all of them at once.
 * @param entities the entities to be checked
 * @returns null where the user sees all of them
 * @throws as for visibleOfType
 */
export function visibilityOf(
  entitySet: EntitySet | null,
  entities: () => Iterable<unknown>,
  context: Context,
): Maybe<IsVisible | null> {
  const set = entitySet === null ? null : guardedSet(entitySet, context);
  return set === null || conditionOf(set, context) === "all" ? null : visibility(set, entities, context);
}

/** Returns the definition of a set with a row rule; null for a set without one. */
function guardedSet({ name }: EntitySet, context: Context): EntitySetDefinition | null {
  const set = serviceOf(context).entitySets.get(name);
  return set === undefined || set.rows === null ? null : set;
}

/** Returns the visible entities. A value that is not an object is kept, so that the writer rejects it. */
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
        // A rule on the entities alone needs no list of them, so they are read lazily.
        const whole = leadsOn(set, context) ? [...rest] : null;
        const visible = visibility(set, () => whole ?? [], context);
        return chain(visible, (sees) => new FilteredRows(whole ?? rest, sees));
      }),
    list,
  );
}

/** Whether the row rule of a set depends on entities of other sets for the user of a reader. @throws the error of the rule */
export function ruleFollowsNavigations(entitySet: EntitySet, { context, gate }: Reader): boolean {
  const set = gate === null ? null : guardedSet(entitySet, context);
  return set !== null && leadsOn(set, context);
}

/** Whether the rule depends on entities of other sets. */
function leadsOn(set: EntitySetDefinition, context: Context): boolean {
  const condition = conditionOf(set, context);
  return typeof condition === "object" && mentionsOf(clausesOf(condition.filter)) !== null;
}

/** @param entities the entities to be checked, where the rule follows navigations */
function visibility(set: EntitySetDefinition, entities: () => Iterable<unknown>, context: Context): Maybe<IsVisible> {
  const condition = conditionOf(set, context);
  if (typeof condition === "string") return () => condition === "all";
  const { filter } = condition;
  const evaluation = new Evaluation(condition.values);
  const meets = (clause: FilterClause | null): IsVisible => {
    if (clause === null) return SEES_ALL;
    const evaluate = compiledFor(clause, "spec-compliant");
    return (entity) => !isObject(entity) || evaluate(entity, evaluation) === true;
  };
  const required = requiredProperties(filter);
  const isWhole: IsVisible = (entity) =>
    !isObject(entity) || hasAll(entity, required, { set, of: set.entitySet }, context);
  const plan = planMentions(clausesOf(filter));
  if (plan === null) {
    const meetsAll = meets(filter);
    return (entity) => isWhole(entity) && meetsAll(entity);
  }
  // The entity's own properties are checked first: nothing is loaded for an entity that they hide.
  const meetsFirst = meets(plan.ownFilter);
  const meetsOwn: IsVisible = (entity) => isWhole(entity) && meetsFirst(entity);
  const meetsRest = meets(plan.filter?.filter ?? null);
  const objects: object[] = [];
  const add = (entity: unknown): boolean => {
    if (isObject(entity) && meetsOwn(entity)) objects.push(entity);
    return true;
  };
  const run = startRuleLoads(evaluation, set.entitySet, context);
  const navigations = mentionsOf(clausesOf(filter))?.navigations ?? [];
  const loaded = chain(
    inTurns((pace) => visitRows(entities(), add, pace, evaluation), run.turn),
    () => loadRelations(clausesOf(filter), objects, run),
  );
  return chain(loaded, () => (entity) => {
    return (
      meetsOwn(entity) &&
      isFollowed(entity, navigations, run) &&
      isWholeAlong(entity, navigations, set, run) &&
      meetsRest(entity)
    );
  });
}

/** The set of a row rule, and the set of the entities whose properties the rule needs. */
interface RuleNeed {
  readonly set: EntitySetDefinition;
  readonly of: Pick<EntitySet, "name">;
}

/**
 * Whether a handler returned all ignored properties that a row rule needs. A warning is logged once per property: an error
 * would reveal the hidden row to the client.
 */
function hasAll(
  entity: object,
  required: readonly StructuralProperty[],
  { set, of }: RuleNeed,
  context: Context,
): boolean {
  const missing = required.find(({ field }) => givenFieldOf(entity, field) === undefined);
  if (missing === undefined) return true;
  const message = `The row rule of ${set.entitySet.name} uses '${of.name}/${missing.field}', but for some entities the handlers return no value of this ignored property. These entities are hidden.`;
  if (ServiceContext.accessOf(context).isFirst(message)) {
    logWarning(serviceOf(context), context, message, { set: of.name, property: missing.field });
  }
  return false;
}

/** Whether the handlers along the navigations of a rule returned all ignored properties that the rule needs. */
function isWholeAlong(
  entity: unknown,
  navigations: readonly NavigationMention[],
  set: EntitySetDefinition,
  run: LoadRun,
): boolean {
  if (!isObject(entity)) return true;
  return navigations.every((mention) => {
    const related = relatedTable(run.evaluation.relations, mention).get(entity);
    if (!isObject(related)) return true;
    const of = mention.target ?? { name: mention.navigationProperty.entityType.name };
    const required = mention.ignored.filter(({ nullable }) => !nullable);
    return hasAll(related, required, { set, of }, run.context) && isWholeAlong(related, mention.below, set, run);
  });
}

/** Whether all related entities that a rule uses were loaded for an entity. */
function isFollowed(entity: unknown, navigations: readonly NavigationMention[], run: LoadRun): boolean {
  if (run.unfollowed.size === 0 || !isObject(entity)) return true;
  if (run.unfollowed.has(entity)) return false;
  // Rules follow only single-valued navigations.
  return navigations.every((mention) =>
    isFollowed(relatedTable(run.evaluation.relations, mention).get(entity), mention.below, run),
  );
}
