import { sql } from "kysely";
import type { OrderByItem } from "../../language/query/clauses.ts";
import type { PlaceOrder, PlaceTerm, PlaceKind } from "../../language/query/place.ts";
import type { MarkColumn, RowShape, RowColumn } from "../../language/query/row-shape.ts";
import type { JsonMembers } from "../../language/query/source.ts";
import { JSON_PAGE, type JsonSyntax } from "../columns/json-syntax.ts";
import { planOf, type PlansByField } from "../columns/table-columns.ts";
import type { DialectSyntax } from "../forms/dialect-syntax.ts";
import type { DialectValues } from "../forms/dialect-values.ts";
import { bindSlot } from "../statement/parameter-slot.ts";
import { type Sql, type Mark, type SqlForm, toGathered, toOrdered } from "../statement/sql-form.ts";
import { type Translator, bareOperand } from "../statement/sql-operand.ts";
import type { Relation, StatementState } from "./relation.ts";
import { addCell, cellName, type Cells } from "./select-columns.ts";

/** The marks of a page: cells of its row, or members of the last object, in the forms of their cells. */
export type JsonMarks =
  | { readonly kind: "cells"; readonly columns: readonly MarkColumn[] }
  | { readonly kind: "members"; readonly terms: readonly MarkMember[] };

/** One term of an order, in an object. */
export interface MarkMember extends Pick<MarkColumn, "toMark"> {
  readonly name: string;
}

/** The marks of a page, and the cells that they add to its row. */
interface MarkedPage {
  readonly marks: JsonMarks | undefined;
  readonly cells: readonly Sql[];
}

/** No place is wanted. */
const NO_MARKS: MarkedPage = Object.freeze({ marks: undefined, cells: [] });

/** The parts of a statement of JSON that its marks need. */
interface MarkWriting {
  readonly syntax: JsonSyntax;
  readonly statement: StatementState;
  /** Whether the page has no expansions. */
  readonly isPlain: boolean;
}

/** The rows of a page, within the derived table of its objects. */
interface MarkedRows {
  readonly it: Relation;
  readonly cells: Cells;
  readonly sorter: Translator;
  /** The index of the first cell that is added to the row of the page. */
  readonly first: number;
}

/** Returns the marks of a page; null if rows provide them more cheaply. */
export function markRow(
  order: PlaceOrder | undefined,
  json: JsonMembers,
  { syntax, statement, isPlain }: MarkWriting,
  { it, cells, sorter, first }: MarkedRows,
): MarkedPage | null {
  if (order === undefined) return NO_MARKS;
  const { values } = statement.profile;
  const { plans } = it.rows;
  const terms = syntax.keepsCells ? order.terms.map((term) => markMember(term, json, plans, sorter, values)) : [];
  const members = terms.filter((term) => term !== null);
  if (members.length === order.terms.length) return { marks: { kind: "members", terms: members }, cells: [] };
  // An array of all marks costs more than it saves, unless the page has expansions.
  if (isPlain) return null;
  const added: Sql[] = [];
  const columns = selectMarks({ order, translator: sorter, values, plans, columns: NO_COLUMNS }, (sorted, mark) => {
    const cell = sql.id(JSON_PAGE, cellName(addCell(cells, sorted)));
    added.push(syntax.markAt(mark.toSelected(cell), MARKED_ROW));
    return first + added.length - 1;
  });
  return { marks: { kind: "cells", columns }, cells: added };
}

const NO_COLUMNS: RowShape["columns"] = new Map();

const MARKED_ROW: Sql = bindSlot(({ markedRow }) => BigInt(markedRow));

/** Returns the member whose JSON is that of the cell that the database sorts by; null without such a member. */
function markMember(
  item: PlaceTerm,
  { selected }: JsonMembers,
  plans: PlansByField,
  sorter: Translator,
  values: DialectValues,
): MarkMember | null {
  const { expression } = item;
  if (expression.kind !== "property" || expression.source.kind !== "it") return null;
  const { property } = expression;
  const plan = planOf(property, plans);
  // JSON has the shortest digits of a double, which its cell may not be.
  if (plan.kind !== "scalar" || plan.format.json === undefined || plan.format.json.isDouble === true) return null;
  if (!selected.some((each) => each.property === property)) return null;
  const term = sortTerm(item, sorter);
  if (term === null || !term.isBare) return null;
  const { toMark } = toMarkColumn(0, term, markOf(term, values));
  return { name: property.name, toMark };
}

/** One term of an order as the database sorts by it. */
export interface SortedTerm {
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
  const { sortable, ordered } = operand.form;
  const sorted = toOrdered(operand);
  const isNullable = operand.nulls !== "never" || sortable?.mayBeNull === true;
  const isBare = ordered === undefined && (sortable === undefined || sortable.keepsCells === true);
  return {
    ...sorted,
    inOrder: toGathered(operand).sql,
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
  { unexpectedNulls }: { readonly unexpectedNulls: Pick<DialectSyntax["unexpectedNulls"], "areLast"> },
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
function markOf({ form }: SortedTerm, values: DialectValues): Mark {
  return form.mark ?? values.mark;
}

/** Makes the mark of a term in a cell. A null is expected only where the order and its conditions provide for it. */
function toMarkColumn(index: number, { isNullable }: SortedTerm, { read }: Mark): MarkColumn {
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
  // A cell that cannot be read may become null, which is not a place in an order without nulls.
  if (column?.kind !== "scalar" || (column.unreadable !== undefined && expression.property.nullable)) return undefined;
  const plan = planOf(expression.property, plans);
  return plan.kind === "scalar" && plan.format.toSelected === toSelected ? column.index : undefined;
}
