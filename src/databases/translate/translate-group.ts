import { sql } from "kysely";
import { assertNever } from "../../base/required.ts";
import type { StructuralProperty } from "../../edm/model.ts";
import { PRIMITIVE_TYPES } from "../../edm/primitive-type.ts";
import { averageScale } from "../../language/query/average-scale.ts";
import type { Aggregate, FilterClause, GroupKey, GroupStep } from "../../language/query/clauses.ts";
import { type EachExpression, isEach, itemOperand } from "../../language/query/each-item.ts";
import type { ConvertExpression, Expression, ScalarType } from "../../language/query/expression.ts";
import type { ColumnPlan, PlansByField } from "../columns/table-columns.ts";
import { summedKind } from "../forms/aggregate-syntax.ts";
import type { Database } from "../forms/database.ts";
import { toComparable, toOrdered, type Sql } from "../statement/sql-form.ts";
import {
  groupedValue,
  isDouble,
  planOfValue,
  scalarType,
  translateValue,
  withoutNegativeZero,
  type RowValue,
  type ValueContext,
} from "./row-value.ts";
import { addCell, cellName, type Cells } from "./select-columns.ts";
import { translateStructuredNull } from "./translate-property.ts";

/** The parts of a statement that translate the values of groups. */
export interface GroupContext extends ValueContext {
  /** Returns a value where it is grouped: itself, or a column of a table in which it is computed before. */
  readonly place: (value: Sql, expression: Expression | null) => Sql;
  /** Returns the context of the items of an operand, which are joined to the rows. */
  readonly joinItems: (expression: EachExpression) => ItemContext;
  /** The condition of the rows that are not repeated for items; null: none is. */
  readonly isRow: Sql | null;
}

/** The parts of a statement that translate the values of items. */
export interface ItemContext extends ValueContext {
  /** The condition that an item exists. */
  readonly isItem: Sql;
}

/** The parts of a query of groups. */
export interface GroupedRows {
  readonly cells: Cells;
  /** The positions of the cells by which rows are grouped. */
  readonly positions: readonly number[];
  /** The positions of the cells of each key with a single value. */
  readonly positionsOf: ReadonlyMap<StructuralProperty, readonly number[]>;
  readonly plans: PlansByField;
  /** Whether an aggregate sorts or distinguishes the values of a group. */
  readonly sorts: boolean;
}

/**
 * Translates a step that makes one row of each group: its cells, and the cells that it groups by. They are named by position:
 * a database may not recognize that two expressions with the same values are equal.
 */
export function translateGroup({ keys, aggregates }: GroupStep, context: GroupContext): GroupedRows {
  // A group is found for each row, and each aggregate is updated.
  context.scope.statement.notes.operation(undefined, 1 + aggregates.length);
  const cells: Cells = [];
  const positions: number[] = [];
  const positionsOf = new Map<StructuralProperty, readonly number[]>();
  const groups = keyPlans(keys, { cells, positions, positionsOf, context });
  let sorts = false;
  const totals = aggregates.map((aggregate): readonly [string, ColumnPlan] => {
    const { sql: value, ...read } = translateAggregate(aggregate, context);
    sorts ||= read.isSorted === true;
    const column = cellName(addCell(cells, value));
    return [aggregate.property.field, planOfValue(read, aggregate.property, column)];
  });
  return { cells, positions, positionsOf, plans: new Map([...groups, ...totals]), sorts };
}

interface KeyCells {
  readonly cells: Cells;
  readonly positions: number[];
  readonly positionsOf: Map<StructuralProperty, readonly number[]>;
  readonly context: GroupContext;
}

function keyPlans(keys: readonly GroupKey[], into: KeyCells): PlansByField {
  return new Map(keys.map((key) => [key.property.field, keyPlan(key, into)]));
}

function keyPlan(key: GroupKey, into: KeyCells): ColumnPlan {
  const { cells, positions, context } = into;
  const addTerm = (term: Sql): number => {
    const index = addCell(cells, term);
    positions.push(index + 1);
    return index;
  };
  const { property } = key;
  if (key.kind === "structured") {
    const presence = cellName(addTerm(context.place(presenceOf(key.source, context), null)));
    const members = keyPlans(key.members, into);
    return Object.freeze({ kind: "complex", property, nullable: true, members, ignored: NO_PLANS, presence });
  }
  const computed = translateValue(key.expression, property, context);
  const value = { ...computed, sql: context.place(computed.sql, key.expression) };
  const { term, cell } = groupedValue(value, scalarType(property), context.profile);
  const terms = sortedTerms(term, value, property, context);
  const indexes = terms.map(addTerm);
  into.positionsOf.set(
    property,
    indexes.map((index) => index + 1),
  );
  // A single term is the value itself.
  const isShown = cell === undefined && terms.length === 1;
  const shown = isShown ? indexes[0] : addCell(cells, sql`min(${cell ?? term})`);
  return planOfValue(value, property, cellName(shown ?? 0));
}

const NO_PLANS: PlansByField = new Map();

/** Selects a cell that is null exactly if an entity or complex value is. */
function presenceOf(source: Parameters<typeof translateStructuredNull>[0], { scope }: ValueContext): Sql {
  return sql`case when ${translateStructuredNull(source, scope, false)} then 1 end`;
}

/** Returns the terms that distinguish all values where a database sorts rows to group them, as in an order. */
function sortedTerms(
  term: Sql,
  { form }: RowValue,
  { type, facets }: StructuralProperty,
  { scope }: ValueContext,
): readonly Sql[] {
  const terms = (form.sortable?.form ?? form).sortTerms?.(term, facets.maxLength);
  // Beside long values, a text takes as much memory as they do.
  if (terms !== undefined || type.kind === "EnumType" || STORED_AS_TEXT.has(type.name)) {
    scope.statement.notes.longSorts += 1;
  }
  return terms ?? [term];
}

/** Types whose values are compared as the texts that they may be stored as. */
const STORED_AS_TEXT: ReadonlySet<string> = new Set(["Edm.Boolean", "Edm.Guid"]);

/** Returns the terms that are equal for rows of the same group. */
export function partitionTerms(keys: readonly GroupKey[], context: ValueContext): readonly Sql[] {
  return keys.flatMap((key) => {
    if (key.kind === "structured") return [presenceOf(key.source, context), ...partitionTerms(key.members, context)];
    const value = translateValue(key.expression, key.property, context);
    return sortedTerms(
      groupedValue(value, scalarType(key.property), context.profile).term,
      value,
      key.property,
      context,
    );
  });
}

interface AggregateValue extends Pick<RowValue, "sql" | "format" | "unreadable"> {
  /** Whether it is the cell with the first key of an order, or distinguishes computed values: machines cannot merge them. */
  readonly isSorted?: boolean;
}

/** An aggregate with an operand. */
type Aggregated = Aggregate & { readonly expression: NonNullable<Aggregate["expression"]> };

function translateAggregate(aggregate: Aggregate, context: GroupContext): AggregateValue {
  const { property, filter, expression } = aggregate;
  const items = isEach(expression) ? context.joinItems(expression) : null;
  const operand = itemOperand(expression);
  const isCounted = items?.isItem ?? context.isRow;
  const met = filter === null ? null : metCondition(filter, context);
  const test = met === null || isCounted === null ? (met ?? isCounted) : sql`(${met}) and ${isCounted}`;
  const where = (value: Sql): Sql => (test === null ? value : sql`case when ${test} then ${value} end`);
  if (operand !== null) {
    return translateAggregated({ ...aggregate, expression: operand }, { ...context, ...items }, where);
  }
  return countOf(test === null ? sql`*` : context.place(where(sql`1`), null), property, context);
}

const INT64 = PRIMITIVE_TYPES["Edm.Int64"];
/** A count is a whole number, which is shown as a Decimal. */
const TO_DECIMAL: ConvertExpression = {
  kind: "convert",
  operand: { kind: "null", type: INT64 },
  type: PRIMITIVE_TYPES["Edm.Decimal"],
};

function countOf(counted: Sql, property: StructuralProperty, { profile }: ValueContext): AggregateValue {
  const { values } = profile;
  const number = {
    kind: "row",
    sql: sql`count(${counted})`,
    form: values.canonicalForm(INT64),
    nulls: "never",
  } as const;
  const { sql: value, form } = values.convert(TO_DECIMAL, number);
  return { sql: value, format: { ...values.computedFormat(property), form } };
}

function translateAggregated(
  { property, method, expression }: Aggregated,
  context: GroupContext,
  where: (value: Sql) => Sql,
): AggregateValue {
  const { profile } = context;
  const type = scalarTypeOf(expression) ?? scalarType(property);
  // Minimum and maximum are read as the operand is.
  const value = translateValue(expression, { ...property, type }, context);
  const operand = { ...value, sql: context.place(where(value.sql), expression) };
  switch (method) {
    case "min":
    case "max":
      return type.kind === "EnumType" && operand.form.comparable !== undefined
        ? { unreadable: value.unreadable, ...extremeMember(method, operand, property, profile) }
        : { ...value, ...extreme(method, operand, type, profile) };
    case "sum":
    case "average": {
      if (type.kind !== "PrimitiveType") throw new Error(`Values of ${type.name} have no sum.`);
      const { sum, average } = profile.values.aggregates.summed[summedKind(type)];
      const total = method === "sum" ? sum(operand) : average(operand, averageScale({ expression }));
      return { sql: total, format: profile.values.computedFormat(property) };
    }
    case "countdistinct": {
      const { term } = groupedValue(operand, type, profile);
      const isWhole = operand.sql === value.sql && expression.kind === "property" && expression.source.kind === "it";
      const isColumn = isWhole && (term === value.sql || isExactColumn(expression.property, context));
      return { ...countOf(sql`distinct ${term}`, property, context), isSorted: !isColumn };
    }
    case "count":
      return countOf(operand.sql, property, context);
    default:
      return assertNever(method);
  }
}

/** Whether a property is a column whose distinct cells are all that its values depend on: machines send these alone. */
function isExactColumn({ field, type }: StructuralProperty, { scope: { it } }: ValueContext): boolean {
  const plan = it.rows.plans.get(field);
  if (plan?.kind !== "scalar" || plan.expression !== undefined) return false;
  return it.rows.isExact?.(plan.column, NUMBERS.has(type.name)) === true;
}

/** The types whose equal numbers are one value, whatever the digits of their cells. */
const NUMBERS: ReadonlySet<string> = new Set(["Edm.Decimal", "Edm.Double", "Edm.Single"]);

/** Returns the type of an operand; undefined for the literal null. */
function scalarTypeOf({ type }: Aggregated["expression"]): ScalarType | undefined {
  return type?.kind === "PrimitiveType" || type?.kind === "EnumType" ? type : undefined;
}

/** The least or greatest value, in the form of its operand. */
function extreme(
  method: "min" | "max",
  value: RowValue,
  type: ScalarType,
  { values: { aggregates } }: Database,
): Pick<AggregateValue, "sql" | "isSorted"> {
  const { sortable, ordered, ranged } = value.form;
  const { sql: key } = toOrdered(value);
  // Only digits whose cells are bytes have separate ranges.
  const isLacking = ranged !== undefined && aggregates.lacksBytes === true;
  if (isLacking || ordered !== undefined || (sortable !== undefined && sortable.keepsCells !== true)) {
    return { sql: aggregates.cellOf[method](key, value.sql), isSorted: true };
  }
  return { sql: sql`${sql.raw(method)}(${isDouble(type) ? withoutNegativeZero(key) : key})` };
}

/** The least or greatest member of an enumeration, by its numeric value: machines merge numbers. */
function extremeMember(
  method: "min" | "max",
  value: RowValue,
  property: StructuralProperty,
  { values }: Database,
): AggregateValue {
  const { sql: number, form } = toComparable(value);
  return { sql: sql`${sql.raw(method)}(${number})`, format: { ...values.computedFormat(property), form } };
}

function metCondition(filter: FilterClause, { translator, profile }: ValueContext): Sql {
  // A database on several machines has no lists outside of `where`.
  const mode = profile.capabilities.joins ? "filter" : "exact";
  return translator.condition(filter.expression, mode);
}
