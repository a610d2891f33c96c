import { sql } from "kysely";
import type { StructuralProperty } from "../edm/model.ts";
import type { FilterClause, OrderByItem, RoundingMode, SelectedProperty } from "../query/clauses.ts";
import type { DialectProfile } from "./dialect-profile.ts";
import { bindSlot } from "./parameter-slot.ts";
import { rowScope } from "./path-scope.ts";
import { selectColumns, type SelectedColumns } from "./select-columns.ts";
import type { Sql } from "./sql-form.ts";
import type { Translator } from "./sql-operand.ts";
import type { PlansByField } from "./table-columns.ts";
import { equalsConstant } from "./translate-comparison.ts";
import { makeTranslator } from "./translate-expression.ts";
import { translateOrder } from "./translate-order.ts";
import { translateColumn } from "./translate-property.ts";

/** The rows that are read, and the columns of their type. */
export interface Rows {
  readonly from: Sql;
  readonly plans: PlansByField;
  readonly profile: DialectProfile;
}

/** What a page is made of, apart from the values of one request. */
export interface PageClauses {
  readonly filter: FilterClause | null;
  readonly orderBy: readonly OrderByItem[];
  readonly selected: readonly SelectedProperty[];
  readonly roundingMode: RoundingMode;
  readonly hasTop: boolean;
  readonly hasSkip: boolean;
}

/** A query of rows, and how they are read. */
export interface RowQuery {
  readonly query: Sql;
  readonly columns: SelectedColumns;
}

/** The query of a page: filter, then order, then skip and top. */
export function translatePage(rows: Rows, clauses: PageClauses): RowQuery {
  const { filter, orderBy, selected, roundingMode, hasTop, hasSkip } = clauses;
  const translator = makeTranslator({ profile: rows.profile, scope: rowScope(rows.plans), roundingMode });
  const columns = selectColumns(selected, rows.plans);
  const terms = translateOrder(orderBy, translator);
  const order = terms.length === 0 ? sql`` : sql` order by ${sql.join(terms)}`;
  const query = sql`${selectFrom(columns, rows)}${where(filter, translator)}${order}${limit(hasTop, hasSkip)}`;
  return { query, columns };
}

/** The query of the number of rows after the filter. */
export function translateTotal(rows: Rows, filter: FilterClause | null, roundingMode: RoundingMode): Sql {
  const translator = makeTranslator({ profile: rows.profile, scope: rowScope(rows.plans), roundingMode });
  return sql`select count(*) from ${rows.from}${where(filter, translator)}`;
}

/** The query of one entity; the values of its key are the parameters, in the order of the type's key. */
export function translateByKey(
  rows: Rows,
  key: readonly StructuralProperty[],
  selected: readonly SelectedProperty[],
): RowQuery {
  const columns = selectColumns(selected, rows.plans);
  const conditions = key.map((property, index) => {
    const operand = translateColumn(property, rowScope(rows.plans));
    return equalsConstant(operand, { kind: "parameter", index }, "filter");
  });
  // Two rows of one key would be a fault of the table, but no reason to read on.
  return { query: sql`${selectFrom(columns, rows)} where ${sql.join(conditions, sql` and `)} limit 1`, columns };
}

function selectFrom({ expressions }: SelectedColumns, { from }: Rows): Sql {
  return expressions.length === 0 ? sql`select null from ${from}` : sql`select ${sql.join(expressions)} from ${from}`;
}

function where(filter: FilterClause | null, translator: Translator): Sql {
  return filter === null ? sql`` : sql` where ${translator.condition(filter.expression, "filter")}`;
}

function limit(hasTop: boolean, hasSkip: boolean): Sql {
  const top = bindSlot((execution) => BigInt(execution.top));
  const skip = bindSlot((execution) => BigInt(execution.skip));
  if (hasTop) return hasSkip ? sql` limit ${top} offset ${skip}` : sql` limit ${top}`;
  // SQLite knows no offset without a limit; a negative one is none.
  return hasSkip ? sql` limit -1 offset ${skip}` : sql``;
}
