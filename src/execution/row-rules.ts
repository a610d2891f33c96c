import { keptPerForeign } from "../base/memo.ts";
import type { Context } from "../definition/context.ts";
import type { RowCondition } from "../definition/rules/row-conditions.ts";
import type { EntitySetDefinition } from "../definition/service-definition.ts";
import type { EntitySet } from "../edm/model.ts";
import type { ConditionOf } from "../plan/row-rules.ts";
import { readContextOf, type Reader, serviceOf } from "./reader.ts";

/** What a rule returned or threw for one request. */
type Verdict = { readonly said: RowCondition } | { readonly thrown: unknown };

/** By set. A context is in the hands of the application. */
const verdictsOf = keptPerForeign((_context: Context) => new Map<EntitySet, Verdict>());

/**
 * Returns what the row rule of a set says of the user of a request. The rule is called once per request.
 * @returns `all` for a set without a rule
 * @throws what the rule threw, each time
 * @see docs/guides/authorization.md
 */
export function conditionOf(
  { entitySet, rows }: Pick<EntitySetDefinition, "entitySet" | "rows">,
  context: Context,
): RowCondition {
  if (rows === null) return "all";
  const bySet = verdictsOf(readContextOf(context));
  let verdict = bySet.get(entitySet);
  if (verdict === undefined) bySet.set(entitySet, (verdict = ask(() => rows.conditionFor(context.user))));
  if ("thrown" in verdict) throw verdict.thrown;
  return verdict.said;
}

/** Returns what the row rule of a set says to a reader. @throws as conditionOf */
export function conditionFor({ name }: EntitySet, { context, gate }: Reader): RowCondition {
  const set = gate === null ? undefined : serviceOf(context).entitySets.get(name);
  return set === undefined ? "all" : conditionOf(set, context);
}

/** Returns `conditionFor` of one reader. */
export function conditionsFor(reader: Reader): ConditionOf {
  return (entitySet) => conditionFor(entitySet, reader);
}

function ask(rule: () => RowCondition): Verdict {
  try {
    return { said: rule() };
  } catch (error) {
    return { thrown: error };
  }
}
