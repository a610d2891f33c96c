import { chain, type Maybe } from "../base/maybe.ts";
import type { Context } from "../definition/context.ts";
import type { ExpandSearch } from "../plan/plan-expand.ts";
import type { Page } from "../query/source.ts";
import { collectEntities } from "./collect-entities.ts";
import { entityKeyReader } from "./entity-key.ts";
import { isSource, orThrow } from "./handler-answer.ts";

/** Says whether a related entity is one that the search found. */
export type IsMatch = (entity: unknown) => boolean;

/**
 * Asks the search handler of a target set once, and tells by their keys which related entities it found.
 * @throws ODataError that the handler returned or threw; TypeError for an answer of another form
 * @see OData Protocol 4.0, section 11.2.4.2.1
 */
export function searchMatches({ search, clause, query }: ExpandSearch, context: Context): Maybe<IsMatch> {
  const { entityType } = query.shape;
  const page = chain(search(clause, context), (answer): Maybe<Page> => {
    const found = orThrow(answer);
    if (isSource(found)) return found.read({ ...query, signal: context.signal });
    return chain(collectEntities(found, "The search handler"), (rows) => ({ entities: [...rows] }));
  });
  return chain(page, ({ entities, rowShape }) => {
    const readFound = entityKeyReader(entityType, rowShape);
    const identities = new Set(entities.map((entity) => readFound(entity).identity));
    const readRelated = entityKeyReader(entityType, undefined);
    return (entity: unknown) => identities.has(readRelated(entity).identity);
  });
}
