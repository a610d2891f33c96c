import { sql } from "kysely";
import type { NavigationExpression } from "../../query/expression.ts";
import type { Sql } from "../statement/sql-form.ts";
import type { RowOperand } from "../statement/sql-operand.ts";
import { findRelation } from "./find-path.ts";
import { equal, joinOf, linkColumn, linkTable, linkTest, targetOf } from "./join-navigation.ts";
import type { PathScope } from "./path-scope.ts";
import { addRelation, columnOperand, Level, whereClause, type Relation, type StatementScope } from "./relation.ts";

/** The related entities of a collection-valued navigation, for a subquery. */
export interface RelatedItems {
  /** The entities that the navigation starts from. */
  readonly source: Relation;
  readonly related: Relation;
  /** The start of the `from` clause. */
  readonly from: Sql;
  /** Columns of the subquery, each with the column of the source that must be equal. */
  readonly pairs: ReadonlyArray<readonly [inner: RowOperand, outer: RowOperand]>;
  /**
   * Whether several rows of the statement may have the same related entities. A correlated subquery reads them again for
   * each of these rows, so its cost is the product of rows and related entities.
   */
  readonly isShared: boolean;
}

/** Finds the related entities of a collection-valued navigation, and joins the navigations to their source. */
export function relatedItems(navigation: NavigationExpression, scope: PathScope): RelatedItems {
  const { statement } = scope;
  const source = findRelation(navigation.source, scope);
  const outer = source.qualified();
  const related = addRelation(statement.rowsOf(targetOf(navigation)), new Level(), statement.nextAlias());
  const join = joinOf(navigation);
  const properties =
    join.kind === "direct" ? join.pairs.map(({ property }) => property) : join.from.map(({ property }) => property);
  const isShared = source !== scope.each || !source.isIdentifiedBy(properties);
  if (join.kind === "direct") {
    const pairs = join.pairs.map(
      (pair) => [columnOperand(pair.related, related), columnOperand(pair.property, outer)] as const,
    );
    return { source, related, from: related.from, pairs, isShared };
  }
  const link = statement.nextAlias();
  const pairs = join.from.map((column) => {
    const operand = columnOperand(column.property, outer);
    return [linkColumn(column, link, statement.profile, operand.form), operand] as const;
  });
  const test = linkTest(join, link, related, statement.profile);
  const from = sql`${linkTable(join, link)} inner join ${related.from} on ${test}`;
  return { source, related, from, pairs, isShared };
}

/** Returns the tests that a related entity belongs to the source. */
export function itemTests({ pairs }: RelatedItems): readonly Sql[] {
  return pairs.map(([inner, outer]) => equal(inner, outer));
}

/** Selects from the related entities. */
export function selectItems(what: Sql, { from, related }: RelatedItems, conditions: readonly Sql[]): Sql {
  return sql`select ${what} from ${related.level.from(from)}${whereClause(conditions)}`;
}

/**
 * Whether a statement reads the related entities of all rows at once, grouped by row, instead of those of each row. This
 * prevents the product for shared entities, and costs one read of the related table. That is too much for a lookup of few
 * rows. Related entities of one row only are read once in either form, and an index on their foreign key then finds those
 * of the rows that other conditions leave.
 */
export function readsAllAtOnce({ isShared }: RelatedItems, { profile, isLookup }: StatementScope): boolean {
  return !profile.capabilities.correlatedSubqueries || (isShared && !isLookup);
}
