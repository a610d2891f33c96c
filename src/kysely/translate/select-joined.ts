import { sql } from "kysely";
import { keeper } from "../../base/memo.ts";
import type { ExpandedNavigation } from "../../query/clauses.ts";
import type { JoinedShape, Row, RowColumn, RowShape } from "../../query/row-shape.ts";
import type { JoinedNavigation } from "../../query/source.ts";
import type { Sql } from "../statement/sql-form.ts";
import { joinNavigation, joinRelated } from "./join-navigation.ts";
import { relationScope } from "./path-scope.ts";
import { Level, Relation, type StatementScope } from "./relation.ts";
import { addCell, selectColumns, type Cells } from "./select-columns.ts";
import { makeTranslator } from "./translate-expression.ts";

/**
 * Joins single-valued expansions, and selects what is needed of the related entities, behind the cells of their parents.
 * @returns how they stand in the rows; undefined for none
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
    // What the condition joins cannot stand at the level of the relation, for it is named before.
    const level = new Level();
    const { alias, rows } = related;
    const it = new Relation({ alias, rows, level, isOptional: false, isQualified: true });
    const translator = makeTranslator({
      profile: statement.profile,
      scope: relationScope(it, statement),
      roundingMode,
    });
    const condition = translator.condition(filter.expression, "filter");
    // MariaDB makes joins of the subqueries of such a condition, and then loses rows, unless it is an operand itself.
    return [sql`(${level.isJoined ? withJoins(condition, level, statement) : condition}) is true`];
  });
}

/** A condition with relations of its own, joined to a row without values. */
function withJoins(condition: Sql, level: Level, statement: StatementScope): Sql {
  const row = sql`(select 1 as ${sql.id("one")}) as ${sql.id(statement.nextAlias())}`;
  return sql`exists (select 1 from ${level.from(row)} where ${condition})`;
}

/** A cell that is null where there is no related entity alone: one of its key. */
function keyCell(related: Relation, columns: RowShape["columns"], cells: Cells): number {
  const fields = new Set(related.rows.key.map(({ field }) => field));
  for (const [{ field }, column] of columns) {
    if (fields.has(field) && isScalar(column)) return column.index;
  }
  const [first] = related.keyColumns();
  if (first === undefined) throw new Error("An entity type without a key cannot be joined.");
  return addCell(cells, first);
}

function isScalar(column: RowColumn): column is Extract<RowColumn, { readonly kind: "scalar" }> {
  return column.kind === "scalar";
}
