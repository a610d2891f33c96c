import { sql } from "kysely";
import { PRIMITIVE_TYPES } from "../../edm/primitive-type.ts";
import type { NavigationExpression } from "../../query/expression.ts";
import { longSort } from "../statement/long-sort.ts";
import type { Sql } from "../statement/sql-form.ts";
import type { RowOperand } from "../statement/sql-operand.ts";
import { isEntityPresent } from "./find-path.ts";
import { endOfList, listed } from "./join-navigation.ts";
import type { PathScope } from "./path-scope.ts";
import { itemTests, readsAllAtOnce, relatedItems, selectItems, type RelatedItems } from "./related-items.ts";
import { joinOuter, type StatementScope } from "./relation.ts";

/** Translates the number of related entities; null if the source entity is missing. */
export function countRelated(navigation: NavigationExpression, scope: PathScope): RowOperand {
  const { statement } = scope;
  const { syntax, values } = statement.profile;
  const items = relatedItems(navigation, scope);
  const { source } = items;
  // Counted again for each of the rows that share them, the related entities would cost more than a list.
  const isCountedEach = items.isLocal && !items.isShared;
  const count =
    !isCountedEach && readsAllAtOnce(items, statement)
      ? syntax.ifNull(joinedCount(navigation, items, statement), sql`0`)
      : sql`(${selectItems(sql`count(*)`, items, itemTests(items), [])})`;
  const form = values.canonicalForm(PRIMITIVE_TYPES["Edm.Int64"]);
  if (!source.isOptional) return { kind: "row", sql: count, form, nulls: "never" };
  const value = syntax.choose(isEntityPresent(source), count, sql`null`);
  return { kind: "row", sql: value, form, nulls: "computed" };
}

/** Joins the counts of all entities, grouped by entity; null for none. They are joined once, however often they are used. */
function joinedCount(
  { navigationProperty }: NavigationExpression,
  items: RelatedItems,
  statement: StatementScope,
): Sql {
  const { counted, level } = items.source;
  const known = counted.get(navigationProperty);
  if (known !== undefined) return known;
  const alias = statement.nextAlias();
  const pairs = items.pairs.map(([inner, outer], index) => ({
    cells: listed(inner, outer),
    name: sql.id(`k${String(index)}`),
    joined: sql.id(alias, `k${String(index)}`),
  }));
  const values = sql.join(pairs.map(({ cells: [inner], name }) => sql`${inner} as ${name}`));
  const grouped = selectItems(sql`${values}, count(*) as ${sql.id("n")}`, items, [], []);
  // By position: an expression with bound values would differ from itself.
  const positions = sql.join(pairs.map((_pair, index) => sql.lit(index + 1)));
  const group = statement.profile.syntax.sortingLong === undefined ? positions : longSort(positions);
  const on = sql.join(
    pairs.map(({ cells: [, outer], joined }) => sql`${joined} = ${outer}`),
    sql` and `,
  );
  // Each machine counts what is related to its own rows.
  const end = items.isPlaced ? sql`` : endOfList(statement.profile);
  joinOuter(level, statement, () => sql`(${grouped} group by ${group}${end}) as ${sql.id(alias)} on ${on}`);
  const count = sql`${sql.id(alias, "n")}`;
  counted.set(navigationProperty, count);
  return count;
}
