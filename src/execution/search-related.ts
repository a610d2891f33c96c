import { chain, type Maybe } from "../base/maybe.ts";
import type { Context } from "../definition/context.ts";
import type { EntitySetHandlers } from "../definition/sets/handlers.ts";
import type { EntitySet } from "../edm/model.ts";
import { protocolError } from "../errors/odata-error.ts";
import { searchOfKeys } from "../plan/plan-expand.ts";
import type { TableNavigation } from "../plan/table-navigation.ts";
import type { SearchClause } from "../query/clauses.ts";
import type { QueryableSource } from "../query/source.ts";
import { isSource, orThrow } from "./handler-answer.ts";
import { type JoinedParent, relatedSource } from "./read-table-navigation.ts";
import { searchMatches } from "./search-matches.ts";

/** Finds the entities of a collection that match a search. */
export type SearchHandler = NonNullable<EntitySetHandlers<Context>["search"]>;

/** A search among related entities, which the set that they belong to answers. */
interface RelatedSearch {
  /** Of the target set: without one the binder has refused `$search`. */
  readonly search: SearchHandler | undefined;
  readonly clause: SearchClause;
}

/**
 * The related entities that the search of their own set finds, in the order in which they are.
 * @throws ODataError that the search handler returned or threw; TypeError for an answer of another form
 */
export function searchRelatedRows(
  related: Iterable<unknown>,
  target: EntitySet,
  { search, clause }: RelatedSearch,
  context: Context,
): Maybe<Iterable<unknown>> {
  if (search === undefined) throw new Error(`${target.name} cannot be searched.`);
  const planned = searchOfKeys({ search, clause }, target, "spec-compliant");
  return chain(searchMatches(planned, context), (isMatch) => [...related].filter(isMatch));
}

/**
 * The related entities that the search of their own set finds, where both are rows of one database.
 * @throws ODataError that the search handler returned or threw; `UnsupportedQueryOption` where it finds anything but
 *   rows of a database
 */
export function searchRelatedTable(
  table: TableNavigation,
  parent: JoinedParent,
  { search, clause }: RelatedSearch,
  context: Context,
): Maybe<QueryableSource> {
  const { name } = table.target;
  if (search === undefined) throw new Error(`${name} cannot be searched.`);
  return chain(search(clause, context), (answer) => {
    const found = orThrow(answer);
    if (isSource(found) && found.relational !== undefined) {
      return relatedSource(table, { ...parent, relational: found.relational });
    }
    throw protocolError(
      "UnsupportedQueryOption",
      `$search is not offered here: what the search of ${name} finds cannot be joined with other entities.`,
      { target: "$search" },
    );
  });
}
