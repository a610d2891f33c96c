import { chain, type Maybe } from "../base/maybe.ts";
import type { EntityType } from "../edm/model.ts";
import { isODataError } from "../errors/odata-error.ts";
import type { PathStep, RelatedWay } from "../plan/plan-related.ts";
import { mapEach } from "./concurrency.ts";
import type { EntityKey } from "./entity-key.ts";
import { batchLookup, collectEntities, answeredValue } from "./handler-answer.ts";
import { type Gate, gateOf, type Reader } from "./reader.ts";

/** A handler of the navigation as a way to read it. */
export type HandlerWay = Extract<RelatedWay, { readonly kind: "batch" | "each" }>;

/** A navigation whose handler is called. */
export interface AskedNavigation extends Pick<PathStep, "navigationProperty" | "target"> {
  /** The type of the parents. */
  readonly entityType: EntityType;
  /** Set and navigation property, for messages. */
  readonly place: string;
}

/**
 * Calls the handler of a navigation for keys.
 * @param take gets each returned value as it arrives, without the entities that the reader does not see. It must throw
 *   an error that the handler returned
 * @throws ODataError that the handler returned or threw for all keys; TypeError for a batch that is not a Map
 */
export function askByKey<Asked extends { readonly key: EntityKey }, T>(
  way: HandlerWay,
  asked: readonly Asked[],
  navigation: AskedNavigation,
  take: (answer: unknown, asked: Asked) => Maybe<T>,
  reader: Reader,
): Maybe<readonly T[]> {
  const { context } = reader;
  const gate = gateOf(navigation.target, reader);
  if (way.kind === "each") {
    const ask = ({ key }: Asked): Maybe<unknown> => {
      const answer = way.get(key.value, context);
      return gate === null ? answer : chain(answer, (related) => keepAnswer(navigation, related, gate, reader));
    };
    return eachGroup(asked, (one) => chain(ask(one), (answer) => take(answer, one)), reader);
  }
  const keys = asked.map(({ key }) => key.value);
  return chain(way.getBatch(keys, context), (answer) => {
    const find = batchLookup(answeredValue(answer), navigation.entityType, navigation.place);
    if (gate === null) return eachGroup(asked, (one) => take(find(one.key), one), reader);
    const answers = asked.map(({ key }) => find(key));
    return chain(keepAnswers(navigation, answers, gate, reader), (seen) =>
      eachGroup([...asked.entries()], ([index, one]) => take(seen[index], one), reader),
    );
  });
}

/** Calls a function for each item until the request is aborted. */
export function eachGroup<Item, T>(
  items: readonly Item[],
  call: (item: Item) => Maybe<T>,
  { context }: Reader,
): Maybe<readonly T[]> {
  return mapEach(items, call, () => context.signal);
}

function keepAnswer(navigation: AskedNavigation, answer: unknown, gate: Gate, { context }: Reader): Maybe<unknown> {
  const { target, place, navigationProperty } = navigation;
  if (isODataError(answer) || answer === null || answer === undefined || target === null) return answer;
  if (!navigationProperty.isCollection) {
    return chain(gate.keepValues(navigation, [answer], context), ([seen]) => seen);
  }
  return chain(collectEntities(answer, `The handler of ${place}`), (entities) => gate.keep(target, entities, context));
}

/** Checks the related entities of all keys together, so that the entities that a rule depends on are loaded once. */
function keepAnswers(
  navigation: AskedNavigation,
  answers: readonly unknown[],
  gate: Gate,
  reader: Reader,
): Maybe<readonly unknown[]> {
  const { isCollection } = navigation.navigationProperty;
  const collect = (answer: unknown): Maybe<unknown> => {
    // A returned error belongs to its own key.
    if (!isCollection || answer === null || answer === undefined || isODataError(answer)) return answer;
    return collectEntities(answer, `The handler of ${navigation.place}`);
  };
  return chain(eachGroup(answers, collect, reader), (collected) => {
    const values = collected.map((value) => (isODataError(value) ? null : value));
    return chain(gate.keepValues(navigation, values, reader.context), (seen) =>
      collected.map((value, index) => {
        if (isODataError(value)) return value;
        // A parent whose related entities are all hidden must look like a parent without related entities.
        const kept = seen[index];
        return Array.isArray(kept) && kept.length === 0 ? undefined : kept;
      }),
    );
  });
}
