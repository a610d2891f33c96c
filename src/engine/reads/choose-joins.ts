import { chain, type Maybe } from "../../base/maybe.ts";
import type { NavigationJoin } from "../../edm/model.ts";
import { computedIn, mentionsOf, type QueryClauses } from "../../language/query/mentions.ts";
import type { QueryableSource, RelationalSource, SourcesBySet } from "../../language/query/source.ts";
import type { Reader } from "../entities/reader.ts";
import {
  type CanJoin,
  findUnjoined,
  joinCandidates,
  type JoinedSteps,
  joinSteps,
  NO_JOINS,
  type Translation,
} from "../plan/join-expansions.ts";
import type { ExpandPlan } from "../plan/plan-expand.ts";
import { cannotFollow } from "./load-run.ts";
import { resolveSources } from "./resolve-sources.ts";

/** The part of a level of expansions that is read in one statement with its parents. */
export interface ChosenJoins {
  readonly joined: JoinedSteps;
  /** The sources of the joined sets, and of the sets that their expressions mention. */
  readonly sources: SourcesBySet;
}

const NOTHING: ChosenJoins = Object.freeze({ joined: NO_JOINS, sources: new Map() });

/**
 * Chooses the expansions that one statement reads along with the entities of a source: single-valued ones, at any depth,
 * whose sources the statement can join.
 * @param plan the expansions of the entities; null: none
 * @param along the join that the entities are read along; absent: they are a page of their set, or one entity
 * @throws ODataError that a `queryable` handler returned or threw
 */
export function chooseJoins(
  plan: ExpandPlan | null,
  source: QueryableSource,
  reader: Reader,
  along?: NavigationJoin,
): Maybe<ChosenJoins> {
  const { relational } = source;
  if (plan === null || relational === undefined) return NOTHING;
  const { joinsExpansions = true } = relational;
  // Rows that are found by links may be gathered from all machines.
  if (joinsExpansions === false || (joinsExpansions !== true && along?.kind === "link")) return NOTHING;
  const candidates = joinCandidates(plan);
  if (candidates.length === 0) return NOTHING;
  return chain(resolveSources(candidates, reader), (resolved) => {
    // Expansions that are not joined may use sets of no database: the statement must not get their sources.
    const sources = new Map([...resolved].filter(([, each]) => relational.joins(each)));
    const canJoin: CanJoin = ({ related, expansion }) => {
      const target = related === null ? undefined : sources.get(related.target);
      // Values are computed of objects.
      if (computedIn(expansion.selectExpand) !== null) return false;
      if (related === null || target === undefined || !canTranslate(expansion, relational, sources)) return false;
      if (typeof joinsExpansions !== "function") return joinsExpansions;
      // The condition of a join has no subqueries there.
      if (mentionsOf(expansion) !== null) return false;
      return joinsExpansions(related.join, sources.get(expansion.entitySet) ?? source, target);
    };
    const joined = joinSteps(plan, canJoin);
    return joined === NO_JOINS ? NOTHING : { joined, sources };
  });
}

/** Whether the source can translate all expressions of a query. */
function canTranslate(query: QueryClauses, relational: RelationalSource, sources: SourcesBySet): boolean {
  const mentions = mentionsOf(query);
  return mentions === null || findUnjoined({ mentions, relational, sources }) === null;
}

/**
 * Refuses expressions that use a set which their source cannot join.
 * @param option the option that contains the expressions
 * @param place the set or expansion of the expressions
 * @throws ODataError `UnsupportedQueryOption`, naming the navigation property or `$root/Set`
 */
export function refuseUnjoined(translation: Translation, option: string, place: string): void {
  const unjoined = findUnjoined(translation);
  if (unjoined === null) return;
  throw cannotFollow({ option }, unjoined.path, `the data source of '${place}' cannot join ${unjoined.what}`);
}
