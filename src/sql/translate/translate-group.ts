import { sql } from "kysely";
import { PRIMITIVE_TYPES, type PrimitiveType } from "../../edm/primitive-type.ts";
import type { Aggregate, FilterClause, GroupKey, GroupStep } from "../../query/clauses.ts";
import { averageScale } from "../../query/aggregates.ts";
import type { ColumnPlan, PlansByField } from "../columns/table-columns.ts";
import { summedKind } from "../forms/aggregate-syntax.ts";
import { toOrdered, type FormedSql, type Sql } from "../statement/sql-form.ts";
import { addCell, cellName, type Cells } from "./select-columns.ts";
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
import { translateStructuredNull } from "./translate-property.ts";

/** The parts of a query of groups. */
interface GroupedRows {
  readonly cells: Cells;
  /** The positions of the cells by which rows are grouped. */
  readonly positions: readonly number[];
  readonly plans: PlansByField;
}

/**
 * Translates a step that makes one row of each group: its cells, and the cells that it groups by. They are named by position:
 * a database may not recognize that two expressions with the same values are equal.
 */
export function translateGroup({ keys, aggregates }: GroupStep, context: ValueContext): GroupedRows {
  const cells: Cells = [];
  const positions: number[] = [];
  const groups = keyPlans(keys, { cells, positions, context });
  const totals = aggregates.map((aggregate): readonly [string, ColumnPlan] => {
    const { sql: value, ...read } = translateAggregate(aggregate, context);
    const column = cellName(addCell(cells, value));
    return [aggregate.property.field, planOfValue(read, aggregate.property, column)];
  });
  return { cells, positions, plans: new Map([...groups, ...totals]) };
}

interface KeyCells {
  readonly cells: Cells;
  readonly positions: number[];
  readonly context: ValueContext;
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
    const presence = cellName(addTerm(presenceOf(key.source, context)));
    const members = keyPlans(key.members, into);
    return Object.freeze({ kind: "complex", property, nullable: true, members, ignored: NO_PLANS, presence });
  }
  const value = translateValue(key.expression, property, context);
  const { term, cell } = groupedValue(value, scalarType(property));
  const { sortTerms } = value.form.sortable?.form ?? value.form;
  // A sort of groups compares no more of long values than an order does.
  const terms = sortTerms?.(term, property.facets.maxLength) ?? [term];
  const indexes = terms.map(addTerm);
  const isShown = cell === undefined && terms[0] === term;
  const shown = isShown ? indexes[0] : addCell(cells, sql`min(${cell ?? term})`);
  return planOfValue(value, property, cellName(shown ?? 0));
}

const NO_PLANS: PlansByField = new Map();

/** Selects a cell that is null exactly if an entity or complex value is. */
function presenceOf(source: Parameters<typeof translateStructuredNull>[0], { scope }: ValueContext): Sql {
  return sql`case when ${translateStructuredNull(source, scope, false)} then 1 end`;
}

/** Returns the terms that are equal for rows of the same group. */
export function partitionTerms(keys: readonly GroupKey[], context: ValueContext): readonly Sql[] {
  return keys.flatMap((key) => {
    if (key.kind === "structured") return [presenceOf(key.source, context), ...partitionTerms(key.members, context)];
    const value = translateValue(key.expression, key.property, context);
    return [groupedValue(value, scalarType(key.property)).term];
  });
}

function translateAggregate(
  { property, method, expression, filter }: Aggregate,
  context: ValueContext,
): Pick<RowValue, "sql" | "format" | "unreadable"> {
  const { values } = context.profile;
  const format = values.computedFormat(property);
  if (expression === null || method === "count") {
    return { sql: filter === null ? sql`count(*)` : sql`count(${filtered(sql`1`, filter, context)})`, format };
  }
  const operand = translateValue(expression, operandProperty({ property, method, expression, filter }), context);
  const { sql: value, form } = operand;
  const taken: FormedSql = { sql: filter === null ? value : filtered(value, filter, context), form };
  switch (method) {
    case "min":
    case "max":
      return { ...operand, sql: extreme(method, { ...operand, ...taken }, property.type, context) };
    case "countdistinct": {
      const { term } = groupedValue({ ...operand, ...taken }, scalarType(operandProperty({ property, method, expression, filter })));
      return { sql: sql`count(distinct ${term})`, format };
    }
    case "sum":
    case "average": {
      const type = expression.type;
      const summed = context.profile.aggregates.summed[summedKind(required)];
      return { sql: method === "sum" ? summed.sum(taken) : summed.average(taken, averageScale(expression)), format };
    }
  }
}
