import { sql } from "kysely";
import { keeper } from "../../base/memo.ts";
import { required } from "../../base/required.ts";
import type { ExpandedNavigation } from "../../query/clauses.ts";
import type { JoinedShape, Row, RowColumn, RowShape } from "../../query/row-shape.ts";
import type { JoinedNavigation } from "../../query/source.ts";
import type { Sql } from "../statement/sql-form.ts";
import { boundTexts } from "./held-texts.ts";
import { joinNavigation, joinRelated } from "./join-navigation.ts";
import { outsideConditions, relationScope } from "./path-scope.ts";
import { Level, Relation, type StatementScope } from "./relation.ts";
import { addCell, selectColumns, type Cells } from "./select-columns.ts";
import { makeTranslator } from "./translate-expression.ts";

/**
 * Joins single-valued expansions and adds the required cells of the related entities after those of their parents.
 * @returns the shapes of the related entities in a row; undefined for none
 */
export function selectJoined(
  joined: readonly JoinedNavigation[],
  parent: Relation,
  statement: StatementScope,
  cells: Cells,
): RowShape["joined"] {
  if (joined.length === 0) return undefined;
  const shapes = new Map<ExpandedNavigation, JoinedShape>();
  for (const each of joined) {
    const related = joinExpansion(each, parent, statement);
    const columns = selectColumns(each.selected, related, cells);
    const key = keyCell(related, columns, cells);
    const isPresent = (row: Row): boolean => row[key] !== null;
    shapes.set(
      each.expansion,
      Object.freeze(keeper({ columns, isPresent, joined: selectJoined(each.joined, related, statement, cells) })),
    );
  }
  return shapes;
}

function joinExpansion({ expansion, target }: JoinedNavigation, parent: Relation, statement: StatementScope): Relation {
  const { navigationProperty, entitySet, filter, roundingMode } = expansion;
  const navigation = { navigationProperty, entitySet, target };
  if (filter === null) return joinNavigation(parent, navigation, statement);
  return joinRelated(parent, navigation, statement, (related) => {
    // Joins of the condition need their own level, because the condition precedes later joins of the outer level.
    const level = new Level();
    const { alias, rows } = related;
    const it = new Relation({ alias, rows, level, isOptional: false, isQualified: true });
    const translator = makeTranslator({
      profile: statement.profile,
      // Several rows of the page may have the same related entity.
      scope: { ...outsideConditions(relationScope(it, statement)), each: null },
      roundingMode,
      texts: boundTexts(statement.profile, filter, []),
    });
    const condition = translator.condition(filter.expression, "filter");
    // MariaDB turns subqueries of such a condition into joins and then loses rows, unless the condition is an operand.
    return [sql`(${level.isJoined ? withJoins(condition, level, statement) : condition}) is true`];
  });
}

/** Wraps a condition with joins: they are attached to a row without values. */
function withJoins(condition: Sql, level: Level, statement: StatementScope): Sql {
  const row = sql`(select 1 as ${sql.id("one")}) as ${sql.id(statement.nextAlias())}`;
  return sql`exists (select 1 from ${level.from(row)} where ${condition})`;
}

/** Returns the index of a cell that is null only without a related entity: a cell of its key. */
function keyCell(related: Relation, columns: RowShape["columns"], cells: Cells): number {
  const fields = new Set(related.rows.key.map(({ field }) => field));
  for (const [{ field }, column] of columns) {
    if (fields.has(field) && isScalar(column)) return column.index;
  }
  return addCell(cells, required(related.keyColumns()[0], "An entity type without a key cannot be joined."));
}

function isScalar(column: RowColumn): column is Extract<RowColumn, { readonly kind: "scalar" }> {
  return column.kind === "scalar";
}
