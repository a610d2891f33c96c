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

/** What a page is made of, apart from the values of one request. */
export interface PageClauses {
  readonly filter: FilterClause | null;
  readonly orderBy: readonly OrderByItem[];
  readonly selected: readonly SelectedProperty[];
  readonly joined: readonly JoinedNavigation[];
  readonly roundingMode: RoundingMode;
  readonly hasTop: boolean;
  readonly hasSkip: boolean;
}

/** A query of rows, and how they are read. */
export interface RowQuery {
  readonly query: Sql;
  readonly rowShape: RowShape;
  /** Cells of a row. */
  readonly width: number;
}

/** The query of a page: filter, then order, then skip and top. */
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
  // The joins last: all that stands around them may have added to them.
  const query = sql`${selectFrom(cells, scope)}${condition}${order}${limit}`;
  return { query, rowShape, width: cells.length };
}

/** The query of the number of rows after the filter. */
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

/** What a read by key is made of. */
export interface KeyedClauses extends Pick<PageClauses, "selected" | "joined"> {
  /** The properties of the key, in its order. */
  readonly key: readonly StructuralProperty[];
}

/** The query of one entity; the values of its key are those of the one key of the execution. */
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
  // Two rows of one key would be a fault of the table, but no reason to read on.
  const query = sql`${selectFrom(cells, scope)} where ${sql.join(conditions, sql` and `)} limit 1`;
  return { query, rowShape, width: cells.length };
}

/** Which rows are there, and the name of the column that tells so, if any. */
export interface NarrowedClauses {
  readonly condition: Expression;
  readonly seen: string | undefined;
}

/** The query of whole rows that meet a condition, to stand as a derived table of the same name in others. */
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

/** Whether a row is one of those that meet a condition, and of those among which they are looked for. */
function markOf({ seen }: Rows, { it }: PathScope, test: Sql): Sql {
  return seen === undefined ? sql`(${test})` : sql`(${it.column(seen)} and (${test}))`;
}

/** The query that tells whether the row of a key meets a condition; the key is the one of the execution. */
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

/** A condition that no client asked for. */
function ownCondition(condition: Expression, scope: PathScope): Sql {
  const { profile } = scope.statement;
  return makeTranslator({ profile, scope, roundingMode: "spec-compliant" }).condition(condition, "filter");
}

/** The places of `top` and `skip`. */
export const TOP: Sql = bindSlot((execution) => BigInt(execution.top));
export const SKIP: Sql = bindSlot((execution) => BigInt(execution.skip));

/** What stands for an order; nothing for none. */
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
