import { sql } from "kysely";
import type { OrderByItem } from "../../query/clauses.ts";
import type { PlaceKind, PlaceOrder } from "../../query/place.ts";
import type { MarkColumn, RowColumn, RowShape } from "../../query/row-shape.ts";
import { planOf, type PlansByField } from "../columns/table-columns.ts";
import type { DialectSyntax, DialectValues } from "../forms/dialect-profile.ts";
import { bindSlot } from "../statement/parameter-slot.ts";
import { type Mark, type Sql, type SqlForm, toOrdered } from "../statement/sql-form.ts";
import { bareOperand, type Translator } from "../statement/sql-operand.ts";

/** One term of an order as the database sorts by it. */
interface SortedTerm {
  readonly sql: Sql;
  /** The same value in `order by`. */
  readonly inOrder: Sql;
  readonly form: SqlForm;
  readonly descending: boolean;
  readonly isNullable: boolean;
  /** Whether it may be null although the order does not provide for that. */
  readonly isSuspect: boolean;
  /** The selected expression of the mark: the sorted value, or the cell that is only compared in another way. */
  readonly cell: Sql;
  /** Whether the database sorts by the cell itself. */
  readonly isBare: boolean;
}

/** Translates one term of an order; null if it is the same for all rows. */
export function sortTerm({ expression, descending }: OrderByItem, translator: Translator): SortedTerm | null {
  const translated = translator.operand(expression);
  if (translated.kind !== "row") return null;
  // By the cells themselves, so that an index can serve the order.
  const operand = bareOperand(translated, translated.form.sortable);
  const { sortable, ordered, gathered } = operand.form;
  const sorted = toOrdered(operand);
  const isNullable = operand.nulls !== "never" || sortable?.mayBeNull === true;
  const isBare = ordered === undefined && (sortable === undefined || sortable.keepsCells === true);
  return {
    ...sorted,
    inOrder: gathered?.(operand.sql) ?? sorted.sql,
    descending,
    isNullable,
    isSuspect: !isNullable && operand.isSuspect === true,
    cell: isBare ? operand.sql : sorted.sql,
    isBare,
  };
}

/**
 * Translates the condition of the rows after a row: compares the sorted values of each row with the sorted values of that row. An
 * index serves its bound: `d >= ? and (d > ? or id > ?)`. Null is first in ascending order.
 */
export function translateAfter(
  { order, isNull }: PlaceKind,
  translator: Translator,
  { unexpectedNulls }: Pick<DialectSyntax, "unexpectedNulls">,
): Sql {
  let tied: Sql | null = null;
  // The last term breaks the ties of all others.
  for (const [index, item] of [...order.terms.entries()].toReversed()) {
    const term = sortTerm(item, translator);
    if (term === null) continue;
    if (isNull[index] === true) {
      tied = behindNull(term, tied);
      continue;
    }
    const { descending, isNullable, isSuspect } = term;
    const nullsFollow = isNullable ? descending : isSuspect && unexpectedNulls.areLast(descending);
    const behind = behindValue(term, bindMark(index, term.form), tied);
    tied = nullsFollow ? sql`(${term.sql} is null or ${behind})` : behind;
  }
  return tied ?? sql`1 = 0`;
}

function bindMark(index: number, { place }: SqlForm): Sql {
  const slot = bindSlot(({ after }) => after[index] ?? null);
  return place?.(slot) ?? slot;
}

/** @param tied the condition of the rows that follow among those with an equal value; null: none */
function behindNull({ sql: sorted, descending }: SortedTerm, tied: Sql | null): Sql {
  if (descending) return tied === null ? sql`1 = 0` : sql`(${sorted} is null and ${tied})`;
  return tied === null ? sql`${sorted} is not null` : sql`(${sorted} is not null or ${tied})`;
}

function behindValue({ sql: sorted, descending }: SortedTerm, mark: Sql, tied: Sql | null): Sql {
  const strict = descending ? sql`${sorted} < ${mark}` : sql`${sorted} > ${mark}`;
  const loose = descending ? sql`${sorted} <= ${mark}` : sql`${sorted} >= ${mark}`;
  return tied === null ? strict : sql`(${loose} and (${strict} or ${tied}))`;
}

/** The cells of a statement that contain the sorted values of its rows. */
interface MarkedCells {
  readonly order: PlaceOrder;
  readonly translator: Translator;
  readonly values: DialectValues;
  readonly plans: PlansByField;
  /** The selected columns, whose cells may contain the same values. */
  readonly columns: RowShape["columns"];
}

/** Selects the marks of an order. @param add adds a cell, and returns its index */
export function selectMarks(
  { order, translator, values, plans, columns }: MarkedCells,
  add: (cell: Sql, mark: Mark) => number,
): readonly MarkColumn[] {
  return Object.freeze(
    order.terms.map((item): MarkColumn => {
      const term = sortTerm(item, translator);
      if (term === null) return CONSTANT;
      const mark = markOf(term, values);
      const known = term.isBare ? selectedIndex(item, mark, plans, columns) : undefined;
      return toMarkColumn(known ?? add(term.cell, mark), term, mark);
    }),
  );
}

const CONSTANT: MarkColumn = Object.freeze({ index: null, toMark: () => null });

/** Returns how the marks of a term are selected and read. */
export function markOf({ form }: SortedTerm, values: DialectValues): Mark {
  return form.mark ?? values.mark;
}

/** Makes the mark of a term in a cell. A null is expected only where the order and its conditions provide for it. */
export function toMarkColumn(index: number, { isNullable }: SortedTerm, { read }: Mark): MarkColumn {
  const none = isNullable ? null : undefined;
  return Object.freeze<MarkColumn>({
    index,
    toMark: (cell) => (cell === null || cell === undefined ? none : read(cell)),
  });
}

/** Returns the index of a selected column whose cell is the mark; undefined without such a column. */
function selectedIndex(
  { expression }: OrderByItem,
  { toSelected }: Mark,
  plans: PlansByField,
  columns: RowShape["columns"],
): number | undefined {
  if (expression.kind !== "property" || expression.source.kind !== "it") return undefined;
  const column: RowColumn | undefined = columns.get(expression.property);
  // A cell that cannot be read may become null.
  if (column?.kind !== "scalar" || column.unreadable !== undefined) return undefined;
  const plan = planOf(expression.property, plans);
  return plan.kind === "scalar" && plan.format.toSelected === toSelected ? column.index : undefined;
}
