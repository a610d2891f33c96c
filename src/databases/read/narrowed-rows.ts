import type { NavigationJoin } from "../../edm/model.ts";
import type { FilterClause } from "../../language/query/clauses.ts";
import type { SourcesBySet } from "../../language/query/source.ts";
import type { From } from "../translate/base-query.ts";
import { isRelated } from "../translate/related-rows.ts";
import type { RowStatements } from "../translate/relation.ts";
import { type Narrowing, narrowedFrom, ownCondition } from "../translate/translate-query.ts";
import type { StatementTarget } from "./proven-columns.ts";
import { statementsOf } from "./row-source.ts";

/** A condition of the service on the rows of a statement. */
export interface RowCondition extends Pick<Narrowing, "test" | "mentioned"> {
  /** Whether it contains a subquery. */
  readonly hasSubquery: boolean;
}

/** Returns the condition of rows that meet a filter. @param sources the sources of the sets that it navigates to */
export function meeting({ expression }: FilterClause, sources: SourcesBySet | undefined): RowCondition {
  const mentioned = statementsOf(sources);
  return { test: (scope) => ownCondition(expression, scope), mentioned, hasSubquery: mentioned.size > 0 };
}

/** Returns the condition of rows that are related to the parent whose join values are the key of the execution. */
export function relatedBy(join: NavigationJoin): RowCondition {
  return { test: (scope) => isRelated(join, scope), mentioned: new Map(), hasSubquery: join.kind === "link" };
}

/** Returns the rows of a table or query that meet a condition. @param base the statements over all rows */
export function narrowed(
  base: RowStatements,
  { profile, from: all }: Pick<StatementTarget, "profile" | "from">,
  { test, mentioned, hasSubquery }: RowCondition,
): From {
  const { joins } = profile.capabilities;
  const needsFence = profile.syntax.marksRows && !joins && (hasSubquery || all.needsFence === true);
  const seen = profile.syntax.marksRows && !needsFence ? `${all.seen ?? "odata"}_seen` : undefined;
  const { hidden } = all;
  return { ...narrowedFrom({ base, test, mentioned, seen, hidden, needsFence }), table: all.table };
}
