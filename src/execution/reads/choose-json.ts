import { chain, type Maybe, recover } from "../../base/maybe.ts";
import { findUnjoined } from "../../plan/join-expansions.ts";
import { setsOfJson } from "../../plan/plan-json.ts";
import { mentionsOf } from "../../query/mentions.ts";
import type { JsonMembers, QueryableSource, RelationalSource, SourcesBySet } from "../../query/source.ts";
import type { Reader } from "../entities/reader.ts";
import { resolveSources } from "./resolve-sources.ts";

/** A page that its source may write as JSON, expansions included. */
export interface ChosenJson {
  readonly json: JsonMembers;
  /** The sources of all expansions, and of the sets that their expressions mention; undefined without expansions. */
  readonly sources: SourcesBySet | undefined;
}

/**
 * Returns whether one statement can write the entities of a page with all expansions as JSON.
 * @param json the members of the entities; undefined if the response needs rows
 * @returns null if not. An error, such as that of a `queryable` handler, is left to the read of the rows, which may not need
 *   that set.
 */
export function chooseJson(
  json: JsonMembers | undefined,
  { relational }: QueryableSource,
  reader: Reader,
): Maybe<ChosenJson | null> {
  if (json === undefined) return null;
  if (json.expanded.length === 0) return { json, sources: undefined };
  if (relational === undefined || (relational.joinsExpansions ?? true) !== true) return null;
  return recover(
    () =>
      chain(resolveSources(setsOfJson(json), reader), (sources) =>
        canJoin(json, relational, sources) ? { json, sources } : null,
      ),
    () => null,
  );
}

function canJoin({ expanded }: JsonMembers, relational: RelationalSource, sources: SourcesBySet): boolean {
  return expanded.every(({ target, expansion, members }) => {
    const source = sources.get(target);
    if (source === undefined || !relational.joins(source)) return false;
    const mentions = mentionsOf(expansion);
    const isJoined = mentions === null || findUnjoined({ mentions, relational, sources }) === null;
    return isJoined && (members === null || canJoin(members, relational, sources));
  });
}
