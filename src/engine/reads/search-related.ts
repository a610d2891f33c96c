import { protocolError } from "../../base/errors/odata-error.ts";
import { chain, type Maybe } from "../../base/maybe.ts";
import type { EntitySet } from "../../edm/model.ts";
import type { Page, QueryableSource } from "../../language/query/source.ts";
import { entityKeyReader } from "../entities/entity-key.ts";
import { collectEntities, isSource, answeredValue, openedSource } from "../entities/handler-answer.ts";
import { readScope, timeoutOf, type Reader } from "../entities/reader.ts";
import type { ExpandSearch } from "../plan/plan-expand.ts";
import { conditionFor, ServiceContext } from "../rules/row-access.ts";
import { restrictSource } from "./resolve-sources.ts";

/** A search and its handler. */
type Search = Pick<ExpandSearch, "search" | "clause">;

/**
 * Calls the search handler of a set.
 * @returns the source or the entities that it found, without hidden entities
 * @throws ODataError that the handler returned or threw; TypeError for an invalid handler result; the error of
 *   the row rule
 */
export function runSearch(
  { search, clause }: Search,
  entitySet: EntitySet,
  reader: Reader,
): Maybe<QueryableSource | Iterable<unknown>> {
  const { context, gate } = reader;
  // If the rule throws, the handler must not be called.
  conditionFor(entitySet, reader);
  const own = ServiceContext.ofSet(entitySet, context);
  return chain(search(clause, own), (answer): Maybe<QueryableSource | Iterable<unknown>> => {
    const found = answeredValue(answer);
    if (isSource(found)) {
      return chain(openedSource(found, own), (source) => restrictSource(entitySet, source, reader));
    }
    return chain(
      collectEntities(found, "The search handler", reader),
      (rows) => gate?.keep(entitySet, rows, context) ?? rows,
    );
  });
}

/** Returns whether the search found a related entity. */
export type IsMatch = (entity: unknown) => boolean;

/**
 * Calls the search handler of a target set once, and returns the function that compares related entities by key.
 * @throws ODataError that the handler returned or threw; TypeError for an invalid handler result
 * @see OData Protocol 4.0, section 11.2.4.2.1
 */
export function searchMatches(planned: ExpandSearch, reader: Reader): Maybe<IsMatch> {
  const { query } = planned;
  const { entityType, entitySet } = query.shape;
  const page = chain(runSearch(planned, entitySet, reader), (found): Maybe<Page> => {
    if (!isSource(found)) return { entities: [...found] };
    return found.read({ ...query, ...readScope(reader), timeout: timeoutOf(reader.context) });
  });
  return chain(page, ({ entities, rowShape }) => {
    const readFound = entityKeyReader(entityType, rowShape);
    const identities = new Set(entities.map((entity) => readFound(entity).identity));
    const readRelated = entityKeyReader(entityType, undefined);
    return (entity: unknown) => identities.has(readRelated(entity).identity);
  });
}

/** The variable parts of the error message. */
interface SearchRefusal {
  readonly option: string;
  readonly where: string;
  readonly what: string;
}

/**
 * Calls the search handler of a target set whose rows are joined to their parents.
 * @returns the rows that it found
 * @throws ODataError that the handler returned or threw; `UnsupportedQueryOption` for results from outside that
 *   database
 */
export function searchedSource(
  search: Search,
  target: EntitySet,
  { option, where, what }: SearchRefusal,
  reader: Reader,
): Maybe<QueryableSource> {
  return chain(runSearch(search, target, reader), (found) => {
    if (isSource(found) && found.relational !== undefined) return found;
    throw protocolError(
      "UnsupportedQueryOption",
      `$search is not supported ${where}: the results of ${what} cannot be joined with other entities.`,
      { target: option },
    );
  });
}
