import { chain, type Maybe } from "../base/maybe.ts";
import { keeper, keptPer } from "../base/memo.ts";
import type { Context } from "../definition/context.ts";
import type { RowCondition } from "../definition/rules/row-conditions.ts";
import type { EntitySetDefinition } from "../definition/service-definition.ts";
import type { EntitySet } from "../edm/model.ts";
import { PRIMITIVE_TYPES } from "../edm/primitive-type.ts";
import type { FilterClause, OrderByItem } from "../query/clauses.ts";
import type { Expression } from "../query/expression.ts";
import { mentionsOf, type QueryClauses } from "../query/mentions.ts";
import type { RowRestriction } from "../query/source.ts";
import { resolveSources } from "./resolve-sources.ts";
import { originOf, trustedContext } from "./trusted-context.ts";

/** What is known of the rule of a set, for one request. */
interface Verdict {
  /** What the rule said, or threw. */
  readonly condition: { readonly said: RowCondition } | { readonly thrown: unknown };
  restriction?: Maybe<RowRestriction | null>;
}

const verdicts = new WeakMap<Context, Map<EntitySet, Verdict>>();

const BOOLEAN = PRIMITIVE_TYPES["Edm.Boolean"];
const NO_ORDER: readonly OrderByItem[] = Object.freeze([]);

/** The condition that no row meets, in a form that every database takes. */
export const NO_ROW: FilterClause = Object.freeze(
  keeper<FilterClause>({
    expression: {
      kind: "comparison",
      operator: "eq",
      left: { kind: "literal", value: false, type: BOOLEAN } satisfies Expression,
      right: { kind: "literal", value: true, type: BOOLEAN } satisfies Expression,
      operandType: BOOLEAN,
      type: BOOLEAN,
    },
  }),
);

const NO_ROW_SEEN: RowRestriction = Object.freeze({ filter: NO_ROW, values: Object.freeze([]), sources: new Map() });

/**
 * What the row rule of a set says of the user of a request. The rule is called once per request.
 * @returns `all` for a set without a rule
 * @throws what the rule threw, each time
 * @see specification, Authentication (row rules)
 */
export function conditionOf(set: Pick<EntitySetDefinition, "entitySet" | "rows">, context: Context): RowCondition {
  if (set.rows === null) return "all";
  const { condition } = verdictOf(set, context);
  if ("thrown" in condition) throw condition.thrown;
  return condition.said;
}

/**
 * What keeps the rows of a set back from the user of a request, for a source of a database.
 * @returns null where the user sees all rows; the same object for a request each time
 * @throws what the rule threw, and what a `queryable` handler of a set did that the rule leads to
 */
export function restrictionOf(
  set: Pick<EntitySetDefinition, "entitySet" | "rows">,
  context: Context,
): Maybe<RowRestriction | null> {
  const condition = conditionOf(set, context);
  if (condition === "all") return null;
  if (condition === "none") return NO_ROW_SEEN;
  const verdict = verdictOf(set, context);
  const { filter, values } = condition;
  verdict.restriction ??= chain(
    resolveSources(mentionsOf(clausesOf(filter))?.entitySets ?? [], trustedContext(context)),
    (sources): RowRestriction => Object.freeze({ filter, values, sources }),
  );
  return verdict.restriction;
}

/** The condition of a rule as a query: the same object for a filter each time. */
export const clausesOf: (filter: FilterClause) => QueryClauses = keptPer((filter) =>
  Object.freeze(keeper({ filter, orderBy: NO_ORDER })),
);

function verdictOf({ entitySet, rows }: Pick<EntitySetDefinition, "entitySet" | "rows">, context: Context): Verdict {
  const origin = originOf(context);
  let bySet = verdicts.get(origin);
  if (bySet === undefined) verdicts.set(origin, (bySet = new Map<EntitySet, Verdict>()));
  let verdict = bySet.get(entitySet);
  if (verdict === undefined) {
    verdict = { condition: ask(() => rows?.conditionFor(origin.user) ?? "all") };
    bySet.set(entitySet, verdict);
  }
  return verdict;
}

function ask(rule: () => RowCondition): Verdict["condition"] {
  try {
    return { said: rule() };
  } catch (error) {
    return { thrown: error };
  }
}
