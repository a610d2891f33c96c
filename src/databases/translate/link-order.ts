import type { NavigationJoin } from "../../edm/model.ts";
import type { OrderByItem } from "../../language/query/clauses.ts";
import { toGathered, type Sql } from "../statement/sql-form.ts";
import type { Translator } from "../statement/sql-operand.ts";
import { linkColumn } from "./join-navigation.ts";
import type { Relation, StatementState } from "./relation.ts";
import { orderTerms, translateOrder } from "./translate-query.ts";

/** The related entities that an order is translated for. */
interface LinkedEntities {
  readonly join: NavigationJoin;
  /** The alias of the link table. */
  readonly link: string;
  readonly related: Pick<Relation, "rows">;
  readonly translator: Translator;
  readonly statement: StatementState;
}

/** Translates an order by columns of the link table where possible, so that only the required links are read. */
export function linkOrder(
  orderBy: readonly OrderByItem[],
  { join, link, related, translator, statement }: LinkedEntities,
): readonly Sql[] {
  return orderBy.flatMap((item) => {
    const { expression } = item;
    const column =
      join.kind === "link" && expression.kind === "property" && expression.source.kind === "it"
        ? join.to.find(({ property }) => property.field === expression.property.field)
        : undefined;
    // Columns that differ in letters may be equal.
    const isEqual = column !== undefined && related.rows.comparisonOf(column) === undefined;
    if (!isEqual) return translateOrder([item], translator, statement);
    // The join makes both columns equal, so neither is null.
    const linked = linkColumn(column, link, statement.profile);
    return orderTerms(toGathered(linked), item, false, statement);
  });
}
