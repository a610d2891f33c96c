import { chain, type Maybe } from "../base/maybe.ts";
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
import { mentionsOf, type QueryClauses } from "../query/mentions.ts";
import type { QueryableSource, RelationalSource, SourcesBySet } from "../query/source.ts";
import { cannotFollow } from "./load-run.ts";
import type { Reader } from "./reader.ts";
import { resolveSources } from "./resolve-sources.ts";

/** What of a level of expansions is read along with its parents, and where that is. */
export interface ChosenJoins {
  readonly joined: JoinedSteps;
  /** The sources of the sets that are joined, and of those that expressions in between mention. */
  readonly sources: SourcesBySet;
}

const NOTHING: ChosenJoins = Object.freeze({ joined: NO_JOINS, sources: new Map() });

/**
 * Chooses the expansions that one statement reads along with the entities of a source: single ones, whose sources the
 * statement can join, to any depth.
 * @param plan the expansions of those entities; null: none
 * @throws ODataError that a `queryable` handler returned or threw
 */
export function chooseJoins(plan: ExpandPlan | null, source: QueryableSource, reader: Reader): Maybe<ChosenJoins> {
  const { relational } = source;
  if (plan === null || relational === undefined || relational.joinsExpansions === false) return NOTHING;
  const candidates = joinCandidates(plan);
  if (candidates.length === 0) return NOTHING;
  return chain(resolveSources(candidates, reader), (resolved) => {
    // An expansion that is not joined may mention what no database holds: the statement must not be asked for it.
    const sources = new Map([...resolved].filter(([, each]) => relational.joins(each)));
    const canJoin: CanJoin = ({ related, expansion }) => {
      const target = related === null ? undefined : sources.get(related.target);
      return target !== undefined && canTranslate(expansion, relational, sources);
    };
    return { joined: joinSteps(plan, canJoin), sources };
  });
}

/** Whether the source can answer all that the expressions of a query mention. */
function canTranslate(query: QueryClauses, relational: RelationalSource, sources: SourcesBySet): boolean {
  const mentions = mentionsOf(query);
  return mentions === null || findUnjoined({ mentions, relational, sources }) === null;
}

/**
 * Refuses expressions that lead to where their source cannot go.
 * @param option the option that they are in
 * @param place the set or expansion that they belong to
 * @throws ODataError `UnsupportedQueryOption`, naming the navigation property or `$root/Set`
 */
export function refuseUnjoined(translation: Translation, option: string, place: string): void {
  const unjoined = findUnjoined(translation);
  if (unjoined === null) return;
  throw cannotFollow({ option }, unjoined.path, `the data source of '${place}' cannot join ${unjoined.what}`);
}
