import { chain, type Maybe } from "../../base/maybe.ts";
import { mapEach, oneByOne } from "../entities/concurrency.ts";
import type { EntityKey } from "../entities/entity-key.ts";
import { answeredRelated, answeredValue, batchLookup, isIterable } from "../entities/handler-answer.ts";
import { type Gate, gateOf, type Reader } from "../entities/reader.ts";
import type { HandlerWay, PathStep } from "../plan/plan-related.ts";
import { ServiceContext } from "../rules/row-access.ts";

/** A navigation whose handler is called. */
export interface AskedNavigation extends PathStep {
  /** Set and navigation property, for messages: `Countries/Cities`. */
  readonly place: string;
}

/**
 * Calls the handler of a navigation for keys.
 * @param take gets the related entities for each key as they arrive, without entities that the reader does not see: an iterable
 * for a collection, otherwise an entity; null or undefined without any
 * @throws ODataError that the handler returned or threw; TypeError for an invalid result
 */
export function askByKey<Asked extends { readonly key: EntityKey }, T>(
  way: HandlerWay,
  asked: readonly Asked[],
  navigation: AskedNavigation,
  take: (related: unknown, asked: Asked) => Maybe<T>,
  reader: Reader,
): Maybe<readonly T[]> {
  const { entitySet, navigationProperty, target, place } = navigation;
  const context = ServiceContext.ofSet(entitySet, reader.context);
  const gate = gateOf(target, reader);
  const convert = (answer: unknown): Maybe<unknown> => answeredRelated(answer, navigationProperty, place, reader);
  if (way.kind === "each") {
    const ask = ({ key }: Asked): Maybe<unknown> => {
      const related = chain(way.get(key.value, context), convert);
      return gate === null ? related : chain(related, (one) => keepOne(navigation, one, gate, reader));
    };
    return eachGroup(asked, (one) => chain(ask(one), (related) => take(related, one)), reader);
  }
  const askPart = (part: readonly Asked[]): Maybe<readonly T[]> => {
    const keys = part.map(({ key }) => key.value);
    return chain(way.getBatch(keys, context), (answer) => {
      const find = batchLookup(answeredValue(answer), entitySet.entityType, place);
      const related = ({ key }: Asked): Maybe<unknown> => convert(find(key));
      if (gate === null) return eachGroup(part, (one) => chain(related(one), (each) => take(each, one)), reader);
      return chain(eachGroup(part, related, reader), (all) =>
        chain(keepAll(navigation, all, gate, reader), (seen) =>
          eachGroup([...part.entries()], ([index, one]) => take(seen[index], one), reader),
        ),
      );
    });
  };
  if (asked.length <= MAX_BATCH) return askPart(asked);
  const parts = Array.from({ length: Math.ceil(asked.length / MAX_BATCH) }, (_, at) =>
    asked.slice(at * MAX_BATCH, (at + 1) * MAX_BATCH),
  );
  const taken: T[] = [];
  const asking = oneByOne(parts, (part) => chain(askPart(part), (found) => void taken.push(...found)));
  return chain(asking, () => taken);
}

/** The most keys of one call of `getBatch`: statements of databases have a limited number of values. */
const MAX_BATCH = 1000;

/** Calls a function for each item until the request is aborted. */
export function eachGroup<Item, T>(
  items: readonly Item[],
  call: (item: Item) => Maybe<T>,
  { context, turn }: Reader,
): Maybe<readonly T[]> {
  return mapEach(items, call, () => context.signal, turn);
}

function keepOne(navigation: AskedNavigation, related: unknown, gate: Gate, { context }: Reader): Maybe<unknown> {
  const { target, navigationProperty } = navigation;
  if (related === null || related === undefined) return related;
  if (navigationProperty.isCollection && isIterable(related) && target !== null) {
    return gate.keep(target, related, context);
  }
  return chain(gate.keepValues(navigation, [related], context), ([seen]) => seen);
}

/** Checks the related entities of all keys together, so that the entities that a rule depends on are loaded once. */
function keepAll(
  navigation: AskedNavigation,
  related: readonly unknown[],
  gate: Gate,
  { context }: Reader,
): Maybe<readonly unknown[]> {
  return chain(gate.keepValues(navigation, related, context), (seen) =>
    // A parent whose related entities are all hidden must look like a parent without related entities.
    seen.map((kept) => (Array.isArray(kept) && kept.length === 0 ? undefined : kept)),
  );
}
