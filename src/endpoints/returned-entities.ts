import { chain, type Maybe } from "../base/maybe.ts";
import type { EntitySet, EntityType } from "../edm/model.ts";
import { type ODataError, protocolError } from "../errors/odata-error.ts";
import { visibleOfType } from "../execution/gate.ts";
import { collectEntities } from "../execution/handler-answer.ts";
import type { Exchange } from "./exchange.ts";

/** The type and set of the entities that the handler of an operation returned. */
export interface ReturnedEntities {
  readonly entityType: EntityType;
  /** The set of the entities; null: unknown, so every set of their type must show them. */
  readonly own: EntitySet | null;
  /** The name of the operation. */
  readonly name: string;
}

/** Whether a rule may hide some of the entities. */
export function mayBeHidden(exchange: Exchange, { entityType, own }: ReturnedEntities): boolean {
  return [...exchange.service.definition.entitySets.values()].some(
    ({ entitySet, rows }) => rows !== null && (own === null ? entitySet.entityType === entityType : entitySet === own),
  );
}

/**
 * Returns the entities that an operation returned, without hidden ones. An endless iterable is cut off. Hidden entities
 * do not count, so that no limit reveals them.
 * @param result the value that the handler returned: a list or an async iterable
 * @throws TypeError for a value that is not a list; ODataError that the handler threw while its entities were read,
 * `InvalidQueryOption` for more entities than a response may contain; the error of a rule
 * @see docs/guides/authorization.md
 */
export function seenEntities(
  exchange: Exchange,
  returned: ReturnedEntities,
  result: unknown,
): Maybe<readonly unknown[]> {
  return chain(collectEntities(result, `The handler of ${returned.name}`, exchange.reader), (entities) =>
    chain(visible(exchange, returned, entities), (seen) => take(seen, exchange.maxEntities)),
  );
}

/** Whether the user sees the one entity that an operation returned. @throws the error of a rule */
export function isSeen(exchange: Exchange, returned: ReturnedEntities, entity: unknown): Maybe<boolean> {
  return chain(visible(exchange, returned, [entity]), (seen) => [...seen].length > 0);
}

function visible(
  { reader }: Exchange,
  { own, entityType }: ReturnedEntities,
  entities: Iterable<unknown>,
): Maybe<Iterable<unknown>> {
  if (own === null) return visibleOfType(entityType, entities, reader);
  return reader.gate?.keep(own, entities, reader.context) ?? entities;
}

/** Returns the entities as a list; an endless iterable is cut off. */
function take(entities: Iterable<unknown>, most: number | null): readonly unknown[] {
  const taken: unknown[] = [];
  for (const entity of entities) {
    if (most !== null && taken.length >= most) throw tooMany(most);
    taken.push(entity);
  }
  return taken;
}

function tooMany(most: number): ODataError {
  return protocolError(
    "InvalidQueryOption",
    `The response would contain more than ${String(most)} entities: narrow it with the parameters of the operation.`,
  );
}
