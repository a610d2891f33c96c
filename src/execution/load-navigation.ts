import { chain, type Maybe } from "../base/maybe.ts";
import type { Context } from "../definition/context.ts";
import type { NavigationHandlers } from "../definition/sets/handlers.ts";
import { isODataError } from "../errors/odata-error.ts";
import { declaredFieldOf } from "../memory/compile-property.ts";
import { isEntity } from "../memory/entity.ts";
import type { RelatedObject } from "../memory/relations.ts";
import type { NavigationMention } from "../query/mentions.ts";
import { batchLookup } from "./batch-answer.ts";
import { collectEntities, isIterable } from "./collect-entities.ts";
import { mapEach } from "./concurrency.ts";
import { type EntityKey, entityKeyReader } from "./entity-key.ts";
import { groupByKey, perEntity } from "./group-by-key.ts";
import { orThrow } from "./handler-answer.ts";
import { joinTarget } from "./join-target.ts";
import { cannotFollow, countLoaded, type LoadRun, noteUnfollowed } from "./load-run.ts";
import { serviceOf } from "./resolve-sources.ts";
import { guardedServiceOf } from "./trusted-context.ts";

/** What a navigation leads to, for each of the entities that it starts from. */
export type RelatedObjects = readonly RelatedObject[];

/**
 * Loads one navigation for all entities that it starts from. A batch handler is asked once; without one the target set
 * is read once, where a join says what is related; else a handler is called for each key; else what the handlers put
 * into the entities is what there is.
 * @param owners distinct, as the application's objects
 * @returns in the order of the owners
 * @throws as for loadRelations
 */
export function loadNavigation(
  mention: NavigationMention,
  owners: readonly object[],
  run: LoadRun,
): Maybe<RelatedObjects> {
  const { entitySet, navigationProperty } = mention;
  const definition = serviceOf(run.context).entitySets.get(entitySet.name);
  const { getBatch, get } = definition?.navigationHandlers.get(navigationProperty.name) ?? {};
  if (getBatch !== undefined) return loadByKey(mention, owners, (keys) => askBatch(mention, getBatch, keys, run));
  const loadEach = (of: readonly object[]): Maybe<RelatedObjects> => {
    if (get === undefined) return takeLoaded(mention, of, run);
    return loadByKey(mention, of, (keys) => askEach(mention, get, keys, run));
  };
  return chain(joinTarget(mention, owners, run), (joined) => {
    if (joined === null) return loadEach(owners);
    // One entity that does not tell what it is joined by is no reason not to know of the others.
    const others = owners.filter((_owner, index) => joined[index] === undefined);
    const loaded = others.length === 0 ? [] : loadEach(others);
    return chain(loaded, (related) => {
      const rest = related.values();
      return joined.map((each): RelatedObject => (each === undefined ? (rest.next().value ?? null) : each));
    });
  });
}

/** Asks by key, each once, and hands every owner what belongs to its own. */
function loadByKey(
  { entitySet }: NavigationMention,
  owners: readonly object[],
  ask: (keys: readonly EntityKey[]) => Maybe<RelatedObjects>,
): Maybe<RelatedObjects> {
  const readKey = entityKeyReader(entitySet.entityType, undefined);
  const grouped = groupByKey(owners, readKey);
  const keys = grouped.groups.map(({ key }) => key);
  return chain(ask(keys), (related) => perEntity(grouped, related, null));
}

function askBatch(
  mention: NavigationMention,
  getBatch: NonNullable<NavigationHandlers<Context>["getBatch"]>,
  keys: readonly EntityKey[],
  run: LoadRun,
): Maybe<RelatedObjects> {
  const values = keys.map(({ value }) => value);
  return chain(getBatch(values, run.context), (answer) => {
    const find = batchLookup(orThrow(answer), mention.entitySet.entityType, placeOf(mention));
    return mapEach(
      keys,
      (key) => toRelated(mention, find(key), run),
      () => run.context.signal,
    );
  });
}

function askEach(
  mention: NavigationMention,
  get: NonNullable<NavigationHandlers<Context>["get"]>,
  keys: readonly EntityKey[],
  run: LoadRun,
): Maybe<RelatedObjects> {
  return mapEach(
    keys,
    ({ value }) => chain(get(value, run.context), (answer) => toRelated(mention, answer, run)),
    () => run.context.signal,
  );
}

/** What a handler answered for one key, checked and counted. */
function toRelated(mention: NavigationMention, answer: unknown, run: LoadRun): Maybe<RelatedObject> {
  if (isODataError(answer)) throw answer;
  const { isCollection } = mention.navigationProperty;
  if (answer === null || answer === undefined) return isCollection ? [] : null;
  if (isCollection) {
    const collected = collectEntities(answer, `The handler of ${placeOf(mention)}`);
    return chain(collected, (entities) =>
      countList(
        mention,
        Array.from(entities, (each) => asRelated(mention, each)),
        run,
      ),
    );
  }
  countLoaded(run, 1, placeOf(mention));
  return asRelated(mention, answer);
}

function countList(mention: NavigationMention, entities: readonly object[], run: LoadRun): readonly object[] {
  countLoaded(run, entities.length, placeOf(mention));
  return entities;
}

function asRelated(mention: NavigationMention, value: unknown): object {
  if (isEntity(value)) return value;
  const message = `The handler of ${placeOf(mention)} returned a value that is no entity where one is expected.`;
  throw new TypeError(message);
}

/** What the handlers of the owners put into them; nothing at all is no answer, since null stands for none. */
function takeLoaded(mention: NavigationMention, owners: readonly object[], run: LoadRun): Maybe<RelatedObjects> {
  const { field, isCollection, name } = mention.navigationProperty;
  const values = owners.map((owner) => declaredFieldOf(owner, field));
  return chain(guardedServiceOf(run.context)?.visibleValues(mention, values, run.context) ?? values, (seen) =>
    seen.map((value, index) => {
      const related = isCollection ? loadedList(value) : loadedEntity(value);
      if (related !== undefined) return related;
      const owner = owners[index];
      if (!run.isRule || owner === undefined) {
        throw cannotFollow(run, name, "no handler loads it, and neither does the data source");
      }
      noteUnfollowed(run, owner, placeOf(mention));
      return null;
    }),
  );
}

function loadedList(value: unknown): readonly object[] | undefined {
  if (value === null) return [];
  if (!isIterable(value)) return undefined;
  const entities: readonly unknown[] = Array.isArray(value) ? value : [...value];
  return entities.every(isEntity) ? entities : undefined;
}

function loadedEntity(value: unknown): object | null | undefined {
  return value === null || isEntity(value) ? value : undefined;
}

function placeOf({ entitySet, navigationProperty }: NavigationMention): string {
  return `${entitySet.name}/${navigationProperty.name}`;
}
