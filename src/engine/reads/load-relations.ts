import { protocolError } from "../../base/errors/odata-error.ts";
import { chain, type Maybe, isPromiseLike, inTurn } from "../../base/maybe.ts";
import { keptPerForeign } from "../../base/memo.ts";
import type { Context } from "../../definition/context.ts";
import { logWarning } from "../../definition/model/request-fields.ts";
import type { ComplexType, EntityType, NavigationProperty, StructuralProperty } from "../../edm/model.ts";
import type { PrimitiveValue } from "../../edm/value-codec.ts";
import type { SelectedProperty } from "../../language/query/clauses.ts";
import type { RootExpression } from "../../language/query/expression.ts";
import {
  mentionsOf,
  type NavigationMention,
  type QueryClauses,
  type RootMention,
} from "../../language/query/mentions.ts";
import { canonicalEntity, rowReader, wholeEntity, toRow } from "../entities/canonical-entity.ts";
import { startAll } from "../entities/concurrency.ts";
import { findByKey } from "../entities/entity-key.ts";
import { answeredEntity, isIterable } from "../entities/handler-answer.ts";
import { definitionOf, serviceOf } from "../entities/reader.ts";
import { declaredFieldOf, fieldOf } from "../memory/compile-property.ts";
import { isEntity, relatedTable, type RelatedByEntity, type RelatedObject } from "../memory/evaluation.ts";
import type { ExpandStep } from "../plan/plan-expand.ts";
import { pathWays, type RelatedWay, targetWay } from "../plan/plan-related.ts";
import { ServiceContext } from "../rules/row-access.ts";
import { cannotFollow, type LoadRun, countEntities } from "./load-run.ts";
import { openSet } from "./open-set.ts";
import { perEntity } from "./parent-keys.ts";
import { readByKey } from "./read-by-key.ts";
import { openJoined } from "./read-joined.ts";
import { readRelated, type AnswerReading, type RelatedReading } from "./read-related.ts";

/**
 * Loads the entities that the expressions of a query lead to, level by level: each navigation of a level is loaded once
 * for all of its distinct entities. Entities that were loaded before are not loaded again.
 * @param entities the entities to evaluate the expressions for, as the application's objects
 * @throws ODataError that a handler returned or threw, `UnsupportedQueryOption` for a navigation that nothing loads, and
 *   `InvalidQueryOption` above `maxResponseEntities`; TypeError for an invalid handler result
 * @see OData URL Conventions 4.0, sections 5.1.1.5, 5.1.1.14 and 5.1.1.15
 */
export function loadRelations(query: QueryClauses, entities: readonly object[], run: LoadRun): Maybe<undefined> {
  const mentions = mentionsOf(query);
  if (mentions === null) return undefined;
  const roots = mentions.roots.map((root) => () => loadFromRoot(root, run));
  return chain(startAll([...roots, () => loadBelow(mentions.navigations, [...new Set(entities)], run)]), nothing);
}

function nothing(): undefined {
  return undefined;
}

function loadFromRoot({ expression, below }: RootMention, run: LoadRun): Maybe<undefined> {
  return chain(loadRoot(expression, run), (entity) => {
    run.evaluation.relations.roots.set(expression, entity);
    return entity === null ? undefined : loadBelow(below, [entity], run);
  });
}

/**
 * Loads the entities that navigations lead to from loaded entities, and the levels below.
 * @param owners distinct
 * @throws as for loadRelations
 */
export function loadBelow(
  mentions: readonly NavigationMention[],
  owners: readonly object[],
  run: LoadRun,
): Maybe<undefined> {
  if (owners.length === 0 || mentions.length === 0) return undefined;
  return chain(
    startAll(mentions.map((mention) => () => inTurn(run.turn, owners.length, () => loadMention(mention, owners, run)))),
    nothing,
  );
}

function loadMention(mention: NavigationMention, owners: readonly object[], run: LoadRun): Maybe<undefined> {
  const table = relatedTable(run.evaluation.relations, mention);
  const missing = owners.filter((owner) => !table.has(owner));
  const loaded = missing.length === 0 ? [] : loadNavigation(mention, missing, run);
  return chain(loaded, (related) => {
    for (const [index, owner] of missing.entries()) {
      // Another path may have loaded the same entity meanwhile and continued from its result.
      if (!table.has(owner)) table.set(owner, related[index] ?? null);
    }
    return loadBelow(mention.below, mention.below.length === 0 ? [] : relatedTo(owners, table), run);
  });
}

/** Loads the entities that a navigation leads to. @returns in the order of the owners; undefined where nothing loads them */
export function loadNavigation(
  mention: NavigationMention,
  owners: readonly object[],
  run: LoadRun,
): Maybe<readonly (RelatedObject | undefined)[]> {
  const { entitySet, navigationProperty } = mention;
  const { navigationHandlers } = definitionOf(entitySet, run.context);
  return loadBy(pathWays(mention, navigationHandlers.get(navigationProperty.name) ?? {}), mention, owners, run);
}

/**
 * Loads the entity that a foreign key refers to. Until the entity is saved, its handlers return the entities that it was
 * related to before.
 * @returns undefined where the target set cannot be read by the join, or the foreign key is unknown
 * @throws as for loadRelations
 */
export function loadReferred(
  mention: NavigationMention,
  entity: object,
  run: LoadRun,
): Maybe<RelatedObject | undefined> {
  const way = targetWay(mention);
  return way === null ? undefined : chain(loadBy([way], mention, [entity], run), ([related]) => related);
}

function loadBy(
  ways: readonly RelatedWay[],
  mention: NavigationMention,
  owners: readonly object[],
  run: LoadRun,
): Maybe<readonly (RelatedObject | undefined)[]> {
  const parents = { entities: owners, rowShape: undefined, entityType: mention.entitySet.entityType };
  const navigation = { ...mention, ways, place: placeOf(mention) };
  return chain(readRelated(parents, navigation, readingOf(mention, run), run), (found) =>
    perEntity<RelatedObject | undefined>(found, found.found, undefined),
  );
}

function readingOf(mention: NavigationMention, run: LoadRun): RelatedReading<RelatedObject> {
  const { isCollection } = mention.navigationProperty;
  const place = placeOf(mention);
  const count = (entities: number): void => countLoaded(run, entities, place);
  const answers: AnswerReading<RelatedObject> = {
    prepare: null,
    take: (related) => {
      if (isCollection) {
        const entities = Array.from(isIterable(related) ? related : [], (each) => answeredEntity(each, place));
        count(entities.length);
        return entities;
      }
      if (!isEntity(related)) return null;
      count(1);
      return related;
    },
    loaded: {
      pick: (owners) => owners.map((owner) => pickLoaded(mention, owner as object)),
      take: (value, _weight, owner) => takeLoaded(mention, value, owner as object, run),
    },
  };
  return {
    answers: () => answers,
    openTarget: (way) =>
      chain(openJoined(mention, way, run, count), (read) => {
        if (read === null) return null;
        return (groups) =>
          chain(read(groups), (lists) => ({ found: isCollection ? lists : lists.map(([single]) => single ?? null) }));
      }),
    none: isCollection ? [] : null,
    mayLackKey: true,
  };
}

function pickLoaded({ navigationProperty }: NavigationMention, owner: object): LoadedValue["value"] {
  return loadedValue(navigationProperty, declaredFieldOf(owner, navigationProperty.field)).value;
}

/**
 * Returns the related entities that a handler loaded into an entity. Undefined means not loaded; null means no related
 * entity.
 */
function takeLoaded(mention: NavigationMention, value: unknown, owner: object, run: LoadRun): RelatedObject {
  const { isCollection, name } = mention.navigationProperty;
  if (Array.isArray(value)) return value.filter(isEntity);
  if (value === null) return isCollection ? [] : null;
  if (isEntity(value)) return value;
  if (!run.isRule) throw cannotFollow(run, name, "no handler loads it, and neither does the data source");
  noteUnfollowed(run, owner, placeOf(mention));
  return null;
}

function placeOf({ entitySet, navigationProperty }: NavigationMention): string {
  return `${entitySet.name}/${navigationProperty.name}`;
}

/** Returns the distinct related entities of owners. Owners share their lists, so each list is read once. */
function relatedTo(owners: readonly object[], table: RelatedByEntity): readonly object[] {
  const seen = new Set<RelatedObject>();
  const entities = new Set<object>();
  for (const owner of owners) {
    const related = table.get(owner) ?? null;
    if (related === null || seen.has(related)) continue;
    seen.add(related);
    if (!isList(related)) {
      entities.add(related);
      continue;
    }
    for (const entity of related) entities.add(entity);
  }
  return [...entities];
}

function isList(related: object | readonly object[]): related is readonly object[] {
  return Array.isArray(related);
}

/**
 * Loads the entity of `$root/Set(key)`.
 * @returns null when the set has no entity with the key
 * @throws ODataError that a handler returned or threw, and `UnsupportedQueryOption` for a set that cannot be read;
 *   TypeError for a result that is not an entity
 * @see OData URL Conventions 4.0, section 5.1.1.14
 */
function loadRoot(expression: RootExpression, run: LoadRun): Maybe<object | null> {
  const { entitySet } = expression;
  const key = keyOf(expression, run.evaluation.values);
  if (definitionOf(entitySet, run.context).handlers.getByKey !== undefined) return readRoot(expression, key, run);
  return chain(openSet(entitySet, { relational: false, list: "once" }, run), (rows) => {
    if (rows === null || rows.relational !== undefined) throw cannotRead(expression, run);
    return asRoot(expression, findByKey(rows.entities, entitySet.entityType, key), run);
  });
}

function readRoot(expression: RootExpression, key: unknown, run: LoadRun): Maybe<object | null> {
  const found = readByKey(expression.entitySet, key, run, () => wholeEntity(expression.entitySet));
  return chain(found, (answer) => {
    if (answer === null) return null;
    const { entity, rowShape } = answer;
    return asRoot(expression, rowShape === undefined ? entity : rowReader(rowShape)(toRow(entity)), run);
  });
}

/** Returns the key in the application's form. */
function keyOf({ key, type }: RootExpression, values: readonly PrimitiveValue[]): unknown {
  const parts = key.map((part) => (part.kind === "literal" ? part.value : values[part.index]));
  if (parts.length === 1) return parts[0];
  return Object.freeze(Object.fromEntries(type.key.map(({ field }, index) => [field, parts[index]] as const)));
}

function asRoot({ entitySet }: RootExpression, entity: unknown, run: LoadRun): object | null {
  if (entity === null || entity === undefined) return null;
  countLoaded(run, 1, `$root/${entitySet.name}`);
  if (typeof entity === "object" && !Array.isArray(entity)) return entity;
  throw new TypeError(`The getByKey handler of ${entitySet.name} returned a value that is not an entity.`);
}

function cannotRead({ entitySet }: RootExpression, { option }: LoadRun): Error {
  const message = `'$root/${entitySet.name}' is not supported in ${option}: the entity set cannot be read.`;
  return protocolError("UnsupportedQueryOption", message, { target: option });
}

/** The reason why a value is invalid, for the log. */
type Reason = string;

/** A value that a handler loaded into a navigation property. */
interface LoadedValue {
  /** An entity or a list of entities; null: no related entity; undefined: not loaded, or invalid. */
  readonly value: object | readonly object[] | null | undefined;
  /** Null for a valid value. */
  readonly reason: Reason | null;
}

/**
 * Checks a value that a handler loaded into a navigation property. Any iterable is a list.
 * @throws the error of an iterable
 */
export function loadedValue({ isCollection }: NavigationProperty, value: unknown): LoadedValue {
  if (value === undefined || value === null) return { value, reason: null };
  if (!isCollection) return isLoaded(value) ? { value, reason: null } : invalid(faultOf(value));
  if (!isIterable(value)) return invalid(isPromiseLike(value) ? PROMISE : "it is not a list of entities: use an array");
  const items = itemsOf(value);
  if (items.every(isLoaded)) return { value: items, reason: null };
  const index = items.findIndex((item) => !isLoaded(item));
  return invalid(`of item ${String(index)}: ${faultOf(items[index])}`);
}

const PROMISE: Reason = "it is a promise: await it";

function isLoaded(value: unknown): value is object {
  return isEntity(value) && !isIterable(value) && !isPromiseLike(value);
}

function faultOf(value: unknown): Reason {
  return isPromiseLike(value) ? PROMISE : "it is not an entity";
}

function invalid(reason: Reason): LoadedValue {
  return { value: undefined, reason };
}

function itemsOf(list: Iterable<unknown>): readonly unknown[] {
  if (Array.isArray(list)) return list;
  const iterator: unknown = list[Symbol.iterator]();
  return iterator === list ? itemsOfIterator(list) : [...list];
}

/** An iterator can be read only once, but several options read the same value. */
const itemsOfIterator = keptPerForeign((list: Iterable<unknown>): readonly unknown[] => [...list]);

/**
 * Returns, for each parent, the value that its handler loaded into the navigation property of an expansion; undefined
 * where the value is absent or cannot be written. A skipped value is logged once per list of parents.
 * @see docs/reference/expand.md
 */
export function loadedValues(
  step: ExpandStep,
  parents: readonly unknown[],
  context: Context,
): readonly LoadedValue["value"][] {
  const { field } = step.expansion.navigationProperty;
  let first: Reason | null = null;
  const values = parents.map((parent) => {
    const { value, reason } = writableValue(step, isEntity(parent) ? declaredFieldOf(parent, field) : undefined);
    first ??= reason;
    return value;
  });
  if (first !== null) warn(step, first, context);
  return values;
}

/** Checks that a loaded value has all properties of the response. */
function writableValue({ expansion }: ExpandStep, loaded: unknown): LoadedValue {
  const { navigationProperty, target, selectExpand } = expansion;
  const { entityType, isCollection } = navigationProperty;
  let place = "";
  try {
    const found = loadedValue(navigationProperty, loaded);
    if (found.value === null || found.value === undefined) return found;
    for (const [index, item] of [found.value].flat().entries()) {
      if (isCollection) place = `of item ${String(index)}: `;
      const entity = canonicalEntity(entityType, item);
      const fault =
        missingOf(selectExpand.selected, entity) ?? missingOf(identifying(entityType, target?.etag), entity);
      if (fault !== null) return invalid(place + fault);
    }
    return found;
  } catch (error) {
    return invalid(place + (error instanceof Error ? error.message : "it cannot be read"));
  }
}

/** The properties that identify an entity, and its version. */
function identifying({ key }: EntityType, etag: readonly StructuralProperty[] = []): readonly SelectedProperty[] {
  return [...key, ...etag].map((property) => ({ property }));
}

function missingOf(selected: readonly SelectedProperty[], owner: object): Reason | null {
  for (const { property, nested } of selected) {
    const { name, type, nullable, isKey, isCollection } = property;
    const value = fieldOf(owner, property.field);
    if (value === null && (!nullable || isKey || isCollection)) return `'${name}' is missing`;
    if (type.kind !== "ComplexType" || value === null) continue;
    const items: readonly unknown[] = Array.isArray(value) ? value : [value];
    for (const item of items) {
      const fault = isEntity(item) ? missingOf(nested ?? membersOf(type), item) : null;
      if (fault !== null) return fault;
    }
  }
  return null;
}

function membersOf({ properties }: ComplexType): readonly SelectedProperty[] {
  return properties.map((property) => ({ property }));
}

function warn({ place }: ExpandStep, reason: Reason, context: Context): void {
  const message = `The expansion '${place}' is left out for some entities: ${reason}.`;
  logWarning(serviceOf(context), context, message, { navigation: place });
}

/**
 * Marks an entity as hidden because nothing loads the related entities that a row rule uses. A warning is logged once
 * per path. An error would reveal the hidden row to the client.
 */
function noteUnfollowed(run: LoadRun, owner: object, path: string): void {
  run.unfollowed.add(owner);
  if (!ServiceContext.accessOf(run.context).isFirst(path)) return;
  const message = `${run.option} follows '${path}', but for some entities no handler, join or loaded value provides the related entities. These entities are hidden.`;
  logWarning(serviceOf(run.context), run.context, message, { navigation: path });
}

/**
 * Counts the entities that a path leads to.
 * @param place set and navigation property, for the message
 * @throws ODataError `InvalidQueryOption` above `maxResponseEntities`
 * @see docs/reference/services.md
 */
function countLoaded(run: LoadRun, entities: number, place: string): void {
  countEntities(run, entities, () =>
    protocolError(
      "InvalidQueryOption",
      `${run.option} follows '${place}' to more than ${String(run.maxEntities)} entities: add a condition that matches fewer entities.`,
      { target: run.option },
    ),
  );
}
