import { keptPer } from "../../base/memo.ts";
import type { EntitySet } from "../../edm/model.ts";
import { PRIMITIVE_TYPES } from "../../edm/primitive-type.ts";
import type { FilterClause } from "../../language/query/clauses.ts";
import { typeTest } from "../../language/query/type-test.ts";
import type { RowRule } from "./authorization.ts";

/**
 * Makes the row rule of a set that shows the entities of another one as a derived type: entities of other types are hidden, so
 * every read and write treats them as missing. It applies to anonymous users, too, who see the rows of a set without a rule.
 * @param rule the rule of the other set; null without one
 * @see docs/guides/derived-types.md
 */
export function castRule(rule: RowRule | null, { entityType }: EntitySet): RowRule {
  const test = typeTest({ kind: "it", type: entityType }, entityType);
  const alone: FilterClause = Object.freeze({ expression: test });
  // The conditions of a rule are kept per structure, and so are those that contain them.
  const joined = keptPer(({ expression }: FilterClause): FilterClause => {
    const operands = [expression, test];
    const type = PRIMITIVE_TYPES["Edm.Boolean"];
    return Object.freeze<FilterClause>({ expression: { kind: "logical", operator: "and", operands, type } });
  });
  return Object.freeze<RowRule>({
    conditionFor: (user) => {
      const seen = rule === null ? "all" : rule.conditionFor(user);
      if (seen === "none") return seen;
      return seen === "all" ? { filter: alone, values: [] } : { filter: joined(seen.filter), values: seen.values };
    },
  });
}
