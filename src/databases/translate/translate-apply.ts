import { sql } from "kysely";
import { protocolError } from "../../base/errors/odata-error.ts";
import { PRIMITIVE_TYPES } from "../../edm/primitive-type.ts";
import type {
  ApplyBranch,
  FilterClause,
  GroupKey,
  GroupStep,
  LimitStep,
  RoundingMode,
} from "../../language/query/clauses.ts";
import type { Expression } from "../../language/query/expression.ts";
import type { ReachStep } from "../../language/query/hierarchy-clauses.ts";
import { everyColumn } from "../columns/table-columns.ts";
import { bindSlot, type Execution } from "../statement/parameter-slot.ts";
import type { Sql } from "../statement/sql-form.ts";
import type { Translator } from "../statement/sql-operand.ts";
import { type GroupPage, groupLimit, rowsAfter, rowTerms } from "./group-pages.ts";
import { joinItemsOf } from "./join-items.ts";
import { outsideConditions, type PathScope } from "./path-scope.ts";
import type { Relation, Rows, StatementState } from "./relation.ts";
import type { ValueContext } from "./row-value.ts";
import { addCell, cellName, type Cells } from "./select-columns.ts";
import { makeTranslator } from "./translate-expression.ts";
import { type GroupContext, type GroupedRows, partitionTerms, translateGroup } from "./translate-group.ts";
import { reachedTest } from "./translate-hierarchy.ts";
import { filterTest, orderClause, rowScope, translateOrder, whereAll } from "./translate-query.ts";

/** The rows after some steps. Only rows that meet the condition belong to the result. */
export interface AppliedRows {
  readonly rows: Rows;
  readonly filter: FilterClause | null;
}

/** The query of one step. */
interface StepQuery {
  readonly scope: PathScope;
  readonly context: ValueContext;
  /** Makes the translator of values within a scope. */
  readonly translatorOf: (scope: PathScope) => Translator;
  /** Makes the condition of the rows that the step receives, with a blank before it; nothing for all rows. */
  readonly where: (further: readonly Sql[]) => Sql;
}

/** The names of derived columns and tables. */
const NUMBER = "odata_number";
const NUMBERED = "odata_numbered";
const VALUES = "odata_values";

/**
 * Applies the steps of a branch: each limit and each grouping becomes a derived table, whose rows the next step reads. Conditions
 * become those of the next step.
 * @param page the page that is read of the rows; absent: all of them
 */
export function applyBranch(
  rows: Rows,
  statement: StatementState,
  { steps }: ApplyBranch,
  roundingMode: RoundingMode,
  page?: GroupPage,
): AppliedRows {
  const last = steps.findLastIndex(({ kind }) => kind !== "filter");
  return steps.reduce<AppliedRows>(
    (applied, step, index) => {
      if (step.kind === "filter") return { rows: applied.rows, filter: bothFilters(applied.filter, step.filter) };
      if (step.kind === "reach") {
        return {
          rows: { ...reachedRows(applied, step, statement, roundingMode), alias: `step${String(index + 1)}` },
          filter: null,
        };
      }
      if (step.kind !== "limit" && step.kind !== "group") throw foundInMemory("Rows of such steps");
      const made =
        step.kind === "limit"
          ? limitedRows(applied, step, statement, roundingMode)
          : groupedRows(applied, step, statement, {
              roundingMode,
              page: index === last ? page : undefined,
              isLimited: page?.hasTop === true && page.filter === null && last === steps.length - 1,
            });
      // A plan of SQLite distinguishes tables by their aliases.
      return { rows: { ...made, alias: `step${String(index + 1)}` }, filter: null };
    },
    { rows, filter: null },
  );
}

/** Makes the error after which the caller applies the steps itself. */
function foundInMemory(rows: string): Error {
  return protocolError("UnsupportedQueryOption", `${rows} are found in memory.`, { target: "$apply" });
}

/** Returns the condition that both conditions are met. */
export function bothFilters(first: FilterClause | null, second: FilterClause | null): FilterClause | null {
  if (first === null || second === null) return first ?? second;
  const operands = [first.expression, second.expression];
  return { expression: { kind: "logical", operator: "and", operands, type: PRIMITIVE_TYPES["Edm.Boolean"] } };
}

function queryOf({ rows, filter }: AppliedRows, statement: StatementState, roundingMode: RoundingMode): StepQuery {
  const { profile } = statement;
  const scope = rowScope(rows, statement);
  const test = filterTest(filter, makeTranslator({ profile, scope, roundingMode }));
  const outside = outsideConditions(scope);
  const translatorOf = (within: PathScope): Translator => makeTranslator({ profile, scope: within, roundingMode });
  const context = { profile, scope: outside, translator: translatorOf(outside) };
  const where: StepQuery["where"] = (further) => whereAll([...scope.it.alive(statement), ...further], test);
  return { scope, context, translatorOf, where };
}

interface GroupUse {
  readonly roundingMode: RoundingMode;
  /** Undefined if further steps need all groups. */
  readonly page: GroupPage | undefined;
  /** Whether it has all groups up to its end: no condition leaves out groups. */
  readonly isLimited: boolean;
}

function groupedRows(
  applied: AppliedRows,
  step: GroupStep,
  statement: StatementState,
  { roundingMode, page, isLimited }: GroupUse,
): Rows {
  const { valuesFirst } = statement.profile.values.aggregates;
  const make = (isPlaced: boolean): Pick<GroupedRows, "plans" | "sorts"> & { readonly query: Sql } => {
    const { scope, context, translatorOf, where } = queryOf(applied, statement, roundingMode);
    // Several machines make groups together.
    const terms = page && context.profile.capabilities.joins ? rowTerms(step, page, context) : null;
    const following = terms && page?.after ? [rowsAfter(terms, page.after, context)] : [];
    const items = joinItemsOf(step.aggregates, context.scope, translatorOf);
    const values: Cells = [];
    const place: GroupContext["place"] = (value, expression) => {
      if (!isPlaced) return value;
      const column = sql.id(VALUES, cellName(addCell(values, value)));
      return isComputed(expression) && expression?.type === DECIMAL
        ? (valuesFirst?.decimal?.(column) ?? column)
        : column;
    };
    const { cells, positions, ...made } = translateGroup(step, { ...context, ...items, place });
    const group = positions.length === 0 ? sql`` : sql` group by ${sql.join(positions.map((at) => sql.lit(at)))}`;
    const limit = terms && isLimited ? groupLimit(terms, made, context) : sql``;
    const condition = where(following);
    const from = sql`${scope.level.from(scope.it.from)}${condition}`;
    const listed = values.length === 0 ? sql`1` : sql.join(values);
    const distinct = valuesFirst?.when === "sorts" && ignoresRepetition(step) ? sql`distinct ` : sql``;
    const input = isPlaced
      ? sql`(select ${distinct}${listed} from ${from}${valuesFirst?.end}) as ${sql.id(VALUES)}`
      : from;
    return { ...made, query: sql`select ${sql.join(cells)} from ${input}${group}${limit}` };
  };
  const first = make(valuesFirst?.when === "computes" && computes(step));
  const { query, plans } = valuesFirst?.when === "sorts" && first.sorts ? make(true) : first;
  return {
    from: (alias) => sql`(${query}) as ${sql.id(alias)}`,
    plans,
    absent: NOTHING,
    isProven: () => false,
    labelsOf: () => undefined,
    key: [],
    comparisonOf: () => undefined,
    placement: applied.rows.placement.gathered,
  };
}

/**
 * Whether totals are the same of distinct cells, which several machines find first. Columns may compare
 * texts by other rules than the totals do, such as without the case of letters.
 */
function ignoresRepetition({ aggregates, keys }: GroupStep): boolean {
  const isExact = (type: Expression["type"] | undefined): boolean =>
    type?.kind === "PrimitiveType" && type.name !== "Edm.String";
  return (
    aggregates.every(
      ({ method, expression }) =>
        method !== "count" && method !== "sum" && method !== "average" && isExact(expression?.type),
    ) && keys.every((key) => key.kind !== "structured" && isExact(key.expression.type))
  );
}

const NOTHING: ReadonlySet<string> = new Set();

const DECIMAL = PRIMITIVE_TYPES["Edm.Decimal"];

function isComputed(expression: Expression | null): boolean {
  return expression !== null && expression.kind !== "property";
}

/** Whether a step computes values of each row that are not properties of it. */
function computes({ keys, aggregates }: GroupStep): boolean {
  const hasComputed = (key: GroupKey): boolean =>
    key.kind === "value" ? isComputed(key.expression) : key.members.some(hasComputed);
  return keys.some(hasComputed) || aggregates.some((each) => each.filter !== null || isComputed(each.expression));
}

/** Limits rows in a derived table with the columns of the rows. */
function limitedRows(
  applied: AppliedRows,
  step: LimitStep,
  statement: StatementState,
  roundingMode: RoundingMode,
): Rows {
  const { orderBy, partition, top, skip, reach } = step;
  if (reach !== undefined) {
    throw foundInMemory("Rows up to a sum");
  }
  const { scope, context, where: whereOf } = queryOf(applied, statement, roundingMode);
  const where = whereOf([]);
  const { syntax } = statement.profile;
  const { it, level } = scope;
  const { names, columns } = columnsOf(it);
  const order = orderClause(translateOrder(orderBy, context.translator, statement));
  const query = ((): Sql => {
    if (partition.length === 0) {
      const limit = syntax.limit(top && bindCount(top), skip && bindCount(skip));
      return sql`select ${sql.join(columns)} from ${level.from(it.from)}${where}${order}${limit}`;
    }
    const parts = sql.join(partitionTerms(partition, context));
    const number = sql`row_number() over (partition by ${parts}${order}) as ${sql.id(NUMBER)}`;
    const all = sql`select ${sql.join([...columns, number])} from ${level.from(it.from)}${where}`;
    const tests = [
      ...(skip === null ? [] : [sql`${sql.id(NUMBER)} > ${bindCount(skip)}`]),
      ...(top === null ? [] : [sql`${sql.id(NUMBER)} <= ${skip === null ? bindCount(top) : bindCount(skip, top)}`]),
    ];
    const kept = sql.join(names.map((name) => sql`${sql.id(name)}`));
    return sql`select ${kept} from (${all}) as ${sql.id(NUMBERED)}${whereAll(tests, null)}`;
  })();
  return derivedRows(it.rows, query);
}

/** Keeps the nodes that a step of a hierarchy needs, in a derived table with the columns of the rows. */
function reachedRows(
  applied: AppliedRows,
  step: ReachStep,
  statement: StatementState,
  roundingMode: RoundingMode,
): Rows {
  const { scope, where } = queryOf(applied, statement, roundingMode);
  const { it, level } = scope;
  const test = reachedTest(it, step, applied.rows, statement, roundingMode);
  const { columns } = columnsOf(it);
  return derivedRows(it.rows, sql`select ${sql.join(columns)} from ${level.from(it.from)}${where([test])}`);
}

/** The columns of a relation, with their names. */
function columnsOf(it: Relation): { readonly names: readonly string[]; readonly columns: readonly Sql[] } {
  const names = [...new Set(everyColumn(it.rows.plans, it.rows.absent))];
  return { names, columns: names.map((name) => sql`${it.column(name)} as ${sql.id(name)}`) };
}

/** Returns the rows of a query that selects the columns of other rows. */
function derivedRows(
  { plans, absent, isProven, labelsOf, isExact, key, comparisonOf, placement }: Rows,
  query: Sql,
): Rows {
  const from: Rows["from"] = (alias) => sql`(${query}) as ${sql.id(alias)}`;
  return { from, plans, absent, isProven, labelsOf, isExact, key, comparisonOf, placement: placement.gathered };
}

/** The number of rows of a limit. */
type RowCount = NonNullable<LimitStep["top"]>;

/** Binds the sum of some numbers of rows. */
function bindCount(...counts: readonly RowCount[]): Sql {
  return bindSlot((execution) => counts.reduce((sum, count) => sum + valueOf(count, execution), 0n));
}

function valueOf(count: RowCount, { values }: Execution): bigint {
  return BigInt(String(count.kind === "literal" ? count.value : values[count.index]));
}
