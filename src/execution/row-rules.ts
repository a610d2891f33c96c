import { keptPerForeign } from "../base/memo.ts";
import type { Context } from "../definition/context.ts";
import type { RowCondition } from "../definition/predicates/row-conditions.ts";
import type { EntitySetDefinition } from "../definition/service-definition.ts";
import type { EntitySet } from "../edm/model.ts";
import type { ConditionOf } from "../plan/row-rules.ts";
import { readContextOf, type Reader, serviceOf } from "./reader.ts";

/** The result or error of a rule for one request. */
type Verdict = { readonly said: RowCondition } | { readonly thrown: unknown };

/** By set. Kept outside of the context, which belongs to the application. */
const verdictsOf = keptPerForeign((_context: Context) => new Map<EntitySet, Verdict>());

/**
 * Returns the condition that the row rule of a set sets for the user of a request. The rule is called once per context;
 * see `readContextOf`.
 * @returns `all` for a set without a rule
 * @throws the error of the rule, each time
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

/** Returns the condition of a set's row rule for a reader. @throws as for conditionOf */
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
