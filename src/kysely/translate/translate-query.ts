import { sql } from "kysely";
import { keeper } from "../../base/memo.ts";
import type { StructuralProperty } from "../../edm/model.ts";
import type { FilterClause, OrderByItem, RoundingMode, SelectedProperty } from "../../query/clauses.ts";
import type { Expression } from "../../query/expression.ts";
import type { RowShape } from "../../query/row-shape.ts";
import type { JoinedNavigation } from "../../query/source.ts";
import type { DialectSyntax } from "../dialects/dialect-profile.ts";
import { bindSlot } from "../statement/parameter-slot.ts";
import { type Sql, toOrdered } from "../statement/sql-form.ts";
import type { Translator } from "../statement/sql-operand.ts";
import { rowScope, type PathScope } from "./path-scope.ts";
import { columnOperand, type Rows, type StatementScope } from "./relation.ts";
import { addCell, selectColumns, type Cells } from "./select-columns.ts";
import { selectJoined } from "./select-joined.ts";
import { equalsConstant } from "./translate-comparison.ts";
import { makeTranslator } from "./translate-expression.ts";

/** The clauses of a page, without the values of a request. */
export interface PageClauses {
  readonly filter: FilterClause | null;
  readonly orderBy: readonly OrderByItem[];
  readonly selected: readonly SelectedProperty[];
  readonly joined: readonly JoinedNavigation[];
  readonly roundingMode: RoundingMode;
  readonly hasTop: boolean;
  readonly hasSkip: boolean;
}

/** A query of rows, and the shape of its rows. */
export interface RowQuery {
  readonly query: Sql;
  readonly rowShape: RowShape;
  /** The number of cells in a row. */
  readonly width: number;
}

/** Translates the query of a page: filter, then order, then skip and top. */
export function translatePage(rows: Rows, statement: StatementScope, clauses: PageClauses): RowQuery {
  const { filter, orderBy, selected, joined, roundingMode, hasTop, hasSkip } = clauses;
  const { syntax } = statement.profile;
  const scope = rowScope(rows, statement);
  const translator = makeTranslator({ profile: statement.profile, scope, roundingMode });
  const cells: Cells = [];
  const columns = selectColumns(selected, scope.it, cells);
  const rowShape = Object.freeze(keeper({ columns, joined: selectJoined(joined, scope.it, statement, cells) }));
  const condition = where(filter, translator);
  const order = orderClause(translateOrder(orderBy, translator, syntax));
  const limit = syntax.limit(hasTop ? TOP : null, hasSkip ? SKIP : null);
  // `from` comes last, because every other part may have added joins.
  const query = sql`${selectFrom(cells, scope)}${condition}${order}${limit}`;
  return { query, rowShape, width: cells.length };
}

/** Translates the query that counts the rows after the filter. */
export function translateTotal(
  rows: Rows,
  statement: StatementScope,
  filter: FilterClause | null,
  roundingMode: RoundingMode,
): Sql {
  const scope = rowScope(rows, statement);
  const condition = where(filter, makeTranslator({ profile: statement.profile, scope, roundingMode }));
  return sql`select count(*) from ${scope.level.from(scope.it.from)}${condition}`;
}

/** The clauses of a read by key. */
export interface KeyedClauses extends Pick<PageClauses, "selected" | "joined"> {
  /** The properties of the key, in its order. */
  readonly key: readonly StructuralProperty[];
}

/** Translates the query of one entity. The values of its key are the single key of the execution. */
export function translateByKey(
  rows: Rows,
  statement: StatementScope,
  { key, selected, joined }: KeyedClauses,
): RowQuery {
  const scope = rowScope(rows, statement);
  const cells: Cells = [];
  const columns = selectColumns(selected, scope.it, cells);
  const rowShape = Object.freeze(keeper({ columns, joined: selectJoined(joined, scope.it, statement, cells) }));
  const conditions = keyTests(key, scope);
  // Two rows with the same key would be a fault of the table; one of them is enough.
  const query = sql`${selectFrom(cells, scope)} where ${sql.join(conditions, sql` and `)} limit 1`;
  return { query, rowShape, width: cells.length };
}

/** The condition of visible rows, and the name of the column that marks them, if any. */
export interface NarrowedClauses {
  readonly condition: Expression;
  readonly seen: string | undefined;
}

/** Translates the query of complete rows that meet a condition, for use as a derived table with the same alias. */
export function translateNarrowed(
  rows: Rows,
  statement: StatementScope,
  { condition, seen }: NarrowedClauses,
  alias: string,
): Sql {
  const scope = rowScope(rows, statement, alias);
  const test = ownCondition(condition, scope);
  const all = scope.level.isJoined ? sql`${sql.id(alias)}.*` : sql`*`;
  const marks = seen === undefined ? sql`` : sql`, ${markOf(rows, scope, test)} as ${sql.id(seen)}`;
  return sql`select ${all}${marks} from ${scope.level.from(scope.it.from)} where ${test}`;
}

/** Returns the test that a row meets the condition and belongs to the base rows. */
function markOf({ seen }: Rows, { it }: PathScope, test: Sql): Sql {
  return seen === undefined ? sql`(${test})` : sql`(${it.column(seen)} and (${test}))`;
}

/** Translates the query that checks whether the row with the key of the execution meets a condition. */
export function translateTest(
  rows: Rows,
  statement: StatementScope,
  key: readonly StructuralProperty[],
  condition: Expression,
): Sql {
  const scope = rowScope(rows, statement);
  const cells: Cells = [];
  addCell(cells, sql`1`);
  const tests = keyTests(key, scope);
  const test = ownCondition(condition, scope);
  return sql`${selectFrom(cells, scope)} where ${sql.join(tests, sql` and `)} and (${test}) limit 1`;
}

function keyTests(key: readonly StructuralProperty[], { it }: PathScope): readonly Sql[] {
  return key.map((property, index) => equalsConstant(columnOperand(property, it), { kind: "key", index }, "filter"));
}

/** Translates a condition of the service, not of the client. */
function ownCondition(condition: Expression, scope: PathScope): Sql {
  const { profile } = scope.statement;
  return makeTranslator({ profile, scope, roundingMode: "spec-compliant" }).condition(condition, "filter");
}

/** The placeholders of `top` and `skip`. */
export const TOP: Sql = bindSlot((execution) => BigInt(execution.top));
export const SKIP: Sql = bindSlot((execution) => BigInt(execution.skip));

/** Returns the `order by` clause; nothing for no terms. */
export function orderClause(terms: readonly Sql[]): Sql {
  return terms.length === 0 ? sql`` : sql` order by ${sql.join(terms)}`;
}

function selectFrom(cells: Cells, { level, it }: PathScope): Sql {
  const from = level.from(it.from);
  return cells.length === 0 ? sql`select null from ${from}` : sql`select ${sql.join(cells)} from ${from}`;
}

function where(filter: FilterClause | null, translator: Translator): Sql {
  return filter === null ? sql`` : sql` where ${translator.condition(filter.expression, "filter")}`;
}

/**
 * Translates an order. Null sorts first ascending and last descending. Constant terms are omitted.
 * @see OData Protocol 4.0, section 11.2.5.2
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
