import { chain, type Maybe } from "../base/maybe.ts";
import type { Context } from "../definition/context.ts";
import type { NavigationHandlers } from "../definition/sets/handlers.ts";
import { linkedPairsOf } from "../edm/key-holder.ts";
import type { EntitySet, NavigationProperty } from "../edm/model.ts";
import { isODataError } from "../errors/odata-error.ts";
import { isMap } from "./batch-answer.ts";
import { checkCreatedBelow, obeys } from "./check-written.ts";
import { collectEntities } from "./collect-entities.ts";
import { mapEach } from "./concurrency.ts";
import { orThrow } from "./handler-answer.ts";
import { serviceOf } from "./resolve-sources.ts";
import { wrapping } from "./restrict-source.ts";
import { visibleEntities } from "./visible-entities.ts";
import { visibleValues } from "./visible-values.ts";

/** A navigation into a set with a row rule. */
export interface GuardedNavigation {
  readonly navigationProperty: NavigationProperty;
  /** The set of the parents. */
  readonly entitySet: EntitySet;
  /** The set that the related entities belong to. */
  readonly target: EntitySet;
}

/**
 * The handlers of a navigation, without the related entities that the user of a request does not see. Links are written
 * by the handlers themselves: whoever calls them has looked up what they are about.
 */
export function restrictNavigation(
  navigation: GuardedNavigation,
  handlers: NavigationHandlers<Context>,
): NavigationHandlers<Context> {
  const { get, getBatch } = handlers;
  return Object.freeze({
    ...restrictCreation(navigation, handlers),
    ...(get === undefined ? {} : { get: restrictGet(navigation, get) }),
    ...(getBatch === undefined ? {} : { getBatch: restrictGetBatch(navigation, getBatch) }),
  });
}

/** The handlers of a navigation, of which the one that creates refuses what the user could not see then. */
export function restrictCreation(
  navigation: GuardedNavigation,
  handlers: NavigationHandlers<Context>,
): NavigationHandlers<Context> {
  const { create } = handlers;
  if (create === undefined || obeys(create)) return handlers;
  return Object.freeze({ ...handlers, create: restrictCreate(navigation, create) });
}

function restrictGet(
  navigation: GuardedNavigation,
  get: NonNullable<NavigationHandlers<Context>["get"]>,
): NavigationHandlers<Context>["get"] {
  const { target, navigationProperty } = navigation;
  const restricted = (key: unknown, context: Context): Maybe<unknown> =>
    chain(get(key, context), (answer) => {
      const related = orThrow(answer);
      if (related === null || related === undefined) return related;
      if (navigationProperty.isCollection) {
        return chain(collectEntities(related, `The handler of ${placeOf(navigation)}`), (entities) =>
          visibleEntities(target, entities, context),
        );
      }
      return chain(visibleValues(navigation, [related], context), ([seen]) => seen);
    });
  return Object.assign(restricted, wrapping(get, undefined));
}

function restrictGetBatch(
  navigation: GuardedNavigation,
  getBatch: NonNullable<NavigationHandlers<Context>["getBatch"]>,
): NavigationHandlers<Context>["getBatch"] {
  const restricted: NonNullable<NavigationHandlers<Context>["getBatch"]> = (keys, context) =>
    chain(getBatch(keys, context), (answer) => {
      const related: ReadonlyMap<unknown, unknown> = orThrow(answer);
      // What is no map is refused where it is looked into.
      return isMap(related) ? seenAmong(navigation, related, context) : related;
    });
  return Object.assign(restricted, wrapping(getBatch, undefined));
}

function seenAmong(
  navigation: GuardedNavigation,
  related: ReadonlyMap<unknown, unknown>,
  context: Context,
): Maybe<ReadonlyMap<unknown, unknown>> {
  const { isCollection } = navigation.navigationProperty;
  const collect = (value: unknown): Maybe<unknown> => {
    // An error stands for the key that it is answered for.
    if (!isCollection || value === null || value === undefined || isODataError(value)) return value;
    return collectEntities(value, `The handler of ${placeOf(navigation)}`);
  };
  const lists = mapEach([...related.values()], collect, () => context.signal);
  return chain(lists, (collected) => {
    const values = collected.map((value) => (isODataError(value) ? null : value));
    return chain(visibleValues(navigation, values, context), (seen) => {
      const pairs = Array.from(related.keys(), (key, index): readonly [unknown, unknown] => [
        key,
        isODataError(collected[index]) ? collected[index] : seen[index],
      ]);
      // An entry without entities would tell a parent that leads to hidden ones from one that leads to none.
      return new Map(pairs.filter(([, value]) => !isEmpty(value)));
    });
  });
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function restrictCreate(
  { target, entitySet, navigationProperty }: GuardedNavigation,
  create: NonNullable<NavigationHandlers<Context>["create"]>,
): NavigationHandlers<Context>["create"] {
  const nesting = { place: "", linked: linkedPairsOf(entitySet, navigationProperty) };
  const restricted: NonNullable<NavigationHandlers<Context>["create"]> = (key, entity, context) => {
    const set = serviceOf(context).entitySets.get(target.name);
    const isChecked = set !== undefined && typeof entity === "object" && entity !== null;
    return chain(isChecked ? checkCreatedBelow(set, entity, context, nesting) : undefined, () =>
      create(key, entity, context),
    );
  };
  return Object.assign(restricted, wrapping(create, undefined));
}

function placeOf({ entitySet, navigationProperty }: GuardedNavigation): string {
  return `${entitySet.name}/${navigationProperty.name}`;
}
