import { sql } from "kysely";
import { required } from "../../base/required.ts";
import type { StructuralProperty, EntitySet } from "../../edm/model.ts";
import type { FilterClause, OrderByItem, RoundingMode, SelectedProperty } from "../../language/query/clauses.ts";
import type { Expression } from "../../language/query/expression.ts";
import type { PlaceKind, PlaceOrder } from "../../language/query/place.ts";
import type { RowShape } from "../../language/query/row-shape.ts";
import type { JoinedNavigation } from "../../language/query/source.ts";
import { bindSlot, bindWithin, type Execution } from "../statement/parameter-slot.ts";
import type { FormedSql, Sql } from "../statement/sql-form.ts";
import type { Translator } from "../statement/sql-operand.ts";
import type { From } from "./base-query.ts";
import { unfoldOf } from "./constant-condition.ts";
import { sortTerm, translateAfter } from "./json-marks.ts";
import { outsideConditions, type PathScope, ROWS_ALIAS, relationScope } from "./path-scope.ts";
import {
  columnOperand,
  type Rows,
  type StatementState,
  aliases,
  type RowStatements,
  whereClause,
  Level,
  Relation,
} from "./relation.ts";
import { addCell, guarded, selectColumns, type Cells, selectJoined } from "./select-columns.ts";
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
  /** The row after which the page starts; absent: it starts with the first row. */
  readonly after?: PlaceKind | undefined;
  /** The order in which places of rows are wanted; absent: none. */
  readonly marked?: PlaceOrder | undefined;
  /** The query that counts the rows, as a last cell of each row; absent: none. */
  readonly total?: Sql | undefined;
}

/** A query of rows, and the shape of its rows. */
export interface RowQuery {
  readonly query: Sql;
  readonly rowShape: RowShape;
  /** The number of cells in a row. */
  readonly width: number;
}

/** Translates the query of a page. @param select adds the cells to select; its result becomes part of the query */
export function translateSelection<S extends object>(
  rows: Rows,
  statement: StatementState,
  { filter, orderBy, roundingMode, after, hasTop, hasSkip }: Omit<PageClauses, "selected" | "joined">,
  select: (scope: PathScope, cells: Cells, sorter: Translator) => S,
): S & Pick<RowQuery, "query" | "width"> {
  const { profile } = statement;
  const { syntax } = profile;
  const scope = rowScope(rows, statement);
  const context = { profile, scope, roundingMode };
  const translator = makeTranslator(context);
  const cells: Cells = [];
  const sorter = makeTranslator({ ...context, scope: outsideConditions(scope) });
  const selection = select(scope, cells, sorter);
  const following = after === undefined ? [] : [translateAfter(after, sorter, syntax)];
  const condition = whereAll([...scope.it.alive(statement), ...following], filterTest(filter, translator));
  if (hasTop && filter === null && after === undefined && rows.quoted !== undefined) statement.notes.isLimited = true;
  const order = orderClause(translateOrder(orderBy, sorter, statement));
  // An index has the keys in order.
  const isSorted = orderBy.length > 1 && !hasTop && hasSkip;
  const skipSorted = isSorted ? syntax.skipSorted : undefined;
  const limit = skipSorted ? sql`` : syntax.limit(hasTop ? TOP : null, hasSkip ? SKIP : null);
  // `from` comes last, because every other part may have added joins.
  const query = sql`${selectFrom(cells, scope)}${condition}${order}${limit}`;
  return { ...selection, query: skipSorted?.(query, SKIP) ?? query, width: cells.length };
}

/** Translates the query that counts the rows after the filter. */
export function translateTotal(
  rows: Rows,
  statement: StatementState,
  filter: FilterClause | null,
  roundingMode: RoundingMode,
): Sql {
  const { profile } = statement;
  const scope = rowScope(rows, statement);
  const translator = makeTranslator({ profile, scope, roundingMode });
  const alive = scope.it.alive(statement);
  // SQLite counts a whole table without its rows.
  const isWhole = filter === null && rows.hasRowIds === true;
  const condition = whereAll(isWhole ? [] : alive, filterTest(filter, translator));
  return sql`select count(*) from ${scope.level.from(scope.it.from)}${condition}`;
}

/**
 * Returns the total within the statement that counts the rows of a page: null if the page implies it, because it is the last
 * one. Databases then do not count.
 * @param total the query of the total
 */
export function unlessImplied(total: Sql, hasTop: boolean): Sql {
  const least = bindSlot(({ skip }) => (skip > 0 ? 1n : 0n));
  const most = bindSlot(({ top }) => (hasTop ? BigInt(top) - 1n : ENDLESS));
  return sql`case when count(*) not between ${least} and ${most} then (${total}) end`;
}

/** More rows than a page has. */
const ENDLESS = BigInt(Number.MAX_SAFE_INTEGER);

/** The clauses of a read by key. */
interface KeyedClauses extends Pick<PageClauses, "selected" | "joined"> {
  /** The properties of the key, in its order. */
  readonly key: readonly StructuralProperty[];
}

/** Translates the query of one entity. The values of its key are the single key of the execution. */
export function translateByKey(
  rows: Rows,
  statement: StatementState,
  { key, selected, joined }: KeyedClauses,
): RowQuery {
  const scope = rowScope(rows, statement);
  const cells: Cells = [];
  const columns = selectColumns(selected, scope.it, cells);
  const rowShape = Object.freeze({ columns, joined: selectJoined(joined, scope.it, statement, cells) });
  const conditions = [...scope.it.alive(statement), ...keyTests(key, scope)];
  // Two rows with the same key would be a fault of the table; one of them is enough.
  const query = sql`${selectFrom(cells, scope)} where ${sql.join(conditions, sql` and `)} limit 1`;
  return { query, rowShape, width: cells.length };
}

/** The statements of the sets that a condition navigates to. */
export type MentionedStatements = ReadonlyMap<EntitySet, RowStatements>;

/** Rows that are restricted by a condition. */
export interface Narrowing {
  /** The statements over all rows. */
  readonly base: RowStatements;
  /** Translates the condition. */
  readonly test: (scope: PathScope) => Sql;
  readonly mentioned: MentionedStatements;
  /** The column that marks visible rows (see `From`). Rows that are narrowed twice have one column for each condition. */
  readonly seen: string | undefined;
  readonly needsFence: boolean;
  /** The used columns that `*` does not contain. */
  readonly hidden: readonly string[] | undefined;
}

/**
 * Makes the `from` of the rows that meet a condition: a derived table, which databases flatten, so that indexes serve it
 * anywhere. It has one value: the execution of the condition.
 */
export function narrowedFrom({ base, test, mentioned, seen, hidden, needsFence }: Narrowing): From {
  const as: From["as"] = (alias, entitySet, { profile, isLookup: isKeyed, isFenced = false, notes }) => {
    // Joined rows and rows of subqueries are looked up by values of other rows.
    const use = { profile, isLookup: isKeyed || alias !== ROWS_ALIAS, notes };
    const statement: StatementState = {
      ...use,
      isRelational: mentioned.size > 0,
      rowsOf: (wanted) => {
        const statements = mentioned.get(wanted);
        return required(statements, `The condition has no source for ${wanted.name}.`).rowsFor(wanted, use);
      },
      nextAlias: aliases(notes, alias),
      // An outer join may be in the statement around it.
      isBesideOuterJoin: true,
      onOuterJoin: () => {},
    };
    const narrowed = translateNarrowed(base.rowsFor(null, use), statement, { test, seen, hidden }, alias);
    const query = isFenced ? sql`${narrowed}${profile.syntax.limit(null, sql`0`)}` : narrowed;
    const bound = bindWithin(query, (execution) => executionOf(execution.base(entitySet)));
    return sql`(${bound}) as ${sql.id(alias)}`;
  };
  return Object.freeze<From>({ parameters: [], text: "some rows", seen, needsFence, isAlive: true, as });
}

/** @param values of a derived table that `narrowedFrom` made */
function executionOf([execution]: readonly unknown[]): Execution {
  // Readers of narrowed rows always have this single value.
  return execution as Execution;
}

/** Translates the query of complete rows that meet a condition, for use as a derived table with the same alias. */
function translateNarrowed(
  rows: Rows,
  statement: StatementState,
  { test: makeTest, seen, hidden = [] }: Pick<Narrowing, "test" | "seen" | "hidden">,
  alias: string,
): Sql {
  const scope = rowScope(rows, statement, alias);
  const test = makeTest(scope);
  const all = scope.level.isJoined ? sql`${sql.id(alias)}.*` : sql`*`;
  const marks = seen === undefined ? sql`` : sql`, ${markOf(rows, scope, test)} as ${sql.id(seen)}`;
  const added = hidden.map((name) => sql`, ${scope.it.column(name)} as ${sql.id(name)}`);
  return sql`select ${all}${sql.join(added, sql``)}${marks} from ${scope.level.from(scope.it.from)}${whereAll(scope.it.alive(statement), test)}`;
}

/** Returns the test that a row meets the condition and belongs to the base rows. */
function markOf({ seen }: Rows, { it }: PathScope, test: Sql): Sql {
  return seen === undefined ? sql`(${test})` : sql`(${it.column(seen)} and (${test}))`;
}

/** Translates the query that checks whether the row with the key of the execution meets a condition. */
export function translateTest(
  rows: Rows,
  statement: StatementState,
  key: readonly StructuralProperty[],
  condition: Expression,
  count: number = 1,
): Sql {
  const scope = rowScope(rows, statement);
  const cells: Cells = [];
  addCell(cells, sql`1`);
  const keys = Array.from({ length: count }, (_, row) => keyTests(key, scope, row * key.length));
  const isOneOf = count === 1 ? (keys[0] ?? []) : [sql`(${sql.join(keys.map(allOf), sql` or `)})`];
  const tests = [...scope.it.alive(statement), ...isOneOf, sql`(${ownCondition(condition, scope)})`];
  return sql`${selectFrom(cells, scope)}${whereClause(tests)} limit ${sql.lit(count)}`;
}

function allOf(tests: readonly Sql[]): Sql {
  return sql`(${sql.join(tests, sql` and `)})`;
}

/** @param from the index of the first value of the key in the key of the execution */
function keyTests(key: readonly StructuralProperty[], { it, statement }: PathScope, from = 0): readonly Sql[] {
  const unfold = unfoldOf(statement);
  return key.map((property, index) => {
    return equalsConstant(columnOperand(property, it), { kind: "key", index: from + index }, "filter", unfold);
  });
}

/** Translates a condition of the service, not of the client. */
export function ownCondition(condition: Expression, scope: PathScope): Sql {
  const { profile } = scope.statement;
  return makeTranslator({ profile, scope, roundingMode: "spec-compliant" }).condition(condition, "filter");
}

/** The placeholders of `top` and `skip`. */
export const TOP: Sql = bindSlot((execution) => BigInt(execution.top), true);
export const SKIP: Sql = bindSlot((execution) => BigInt(execution.skip), true);

/** Returns the `order by` clause; nothing for no terms. */
export function orderClause(terms: readonly Sql[]): Sql {
  return terms.length === 0 ? sql`` : sql` order by ${sql.join(terms)}`;
}

function selectFrom(cells: Cells, { level, it, statement: { profile } }: PathScope): Sql {
  const from = level.from(it.from);
  return cells.length === 0
    ? sql`select null from ${from}`
    : sql`select ${sql.join(guarded(cells, profile))} from ${from}`;
}

/** Translates a filter as a condition; null for none. */
export function filterTest(filter: FilterClause | null, translator: Translator): Sql | null {
  return filter === null ? null : translator.condition(filter.expression, "filter");
}

/**
 * Translates an order. Null sorts first ascending and last descending. Constant terms are omitted.
 * @see OData Protocol 4.0, section 11.2.5.2
 */
export function translateOrder(
  orderBy: readonly OrderByItem[],
  translator: Translator,
  statement: OrderedStatement,
): readonly Sql[] {
  return orderBy.flatMap((item) => {
    const term = sortTerm(item, translator);
    if (term === null) return [];
    return orderTerms({ sql: term.inOrder, form: term.form }, item, term.isNullable, statement);
  });
}

/** A statement that sorts rows. */
type OrderedStatement = Pick<StatementState, "notes" | "profile">;

/** Translates a sorted value as the terms that order it. */
export function orderTerms(
  { sql: sorted, form }: FormedSql,
  { expression, descending }: OrderByItem,
  isNullable: boolean,
  { notes, profile }: OrderedStatement,
): readonly Sql[] {
  const maxLength = expression.kind === "property" ? expression.property.facets.maxLength : undefined;
  if (form.sortTerms !== undefined) notes.longSorts += 1;
  const terms = form.sortTerms?.(sorted, maxLength) ?? [sorted];
  return terms.map((each) => profile.syntax.orderTerm(each, descending, isNullable));
}

/** Makes the scope of a whole statement over rows. */
export function rowScope(rows: Rows, statement: StatementState, alias: string = rows.alias ?? ROWS_ALIAS): PathScope {
  const level = new Level();
  const isQualified = statement.isRelational;
  const it = new Relation({ alias, rows, level, isOptional: false, isQualified, hasCells: true });
  return relationScope(it, statement);
}

/** Returns the `where` of some conditions, and of a last condition that may be a disjunction; null for none. */
export function whereAll(conditions: readonly Sql[], last: Sql | null): Sql {
  if (last === null) return whereClause(conditions);
  return whereClause(conditions.length === 0 ? [last] : [...conditions, sql`(${last})`]);
}
