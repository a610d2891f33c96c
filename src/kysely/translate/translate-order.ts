import type { OrderByItem } from "../../query/clauses.ts";
import type { DialectSyntax } from "../dialects/dialect-profile.ts";
import { toOrdered, type Sql } from "../statement/sql-form.ts";
import type { Translator } from "../statement/sql-operand.ts";

/**
 * Translates an order, each term by the value of its expression: null first ascending, last descending. A term that is
 * the same for all rows is left out.
 * @see decisions, Reading; OData Protocol 4.0, section 11.2.5.2
 */
export function translateOrder(
  orderBy: readonly OrderByItem[],
  translator: Translator,
  syntax: DialectSyntax,
): readonly Sql[] {
  return orderBy.flatMap(({ expression, descending }) => {
    const operand = translator.operand(expression);
    if (operand.kind !== "row") return [];
    return [syntax.orderTerm(toOrdered(operand), descending, operand.nulls !== "never")];
  });
}
