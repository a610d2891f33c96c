import { sql } from "kysely";
import type { PlaceOrder, PlaceTerm } from "../../query/place.ts";
import type { MarkColumn, RowShape } from "../../query/row-shape.ts";
import type { JsonMembers } from "../../query/source.ts";
import { JSON_PAGE, type JsonSyntax } from "../columns/json-syntax.ts";
import { planOf, type PlansByField } from "../columns/table-columns.ts";
import type { DialectValues } from "../forms/dialect-profile.ts";
import { bindSlot } from "../statement/parameter-slot.ts";
import type { Sql } from "../statement/sql-form.ts";
import type { Translator } from "../statement/sql-operand.ts";
import type { Relation, StatementState } from "./relation.ts";
import { addCell, cellName, type Cells } from "./select-columns.ts";
import { markOf, selectMarks, sortTerm, toMarkColumn } from "./sorted-term.ts";

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
export const NO_MARKS: MarkedPage = Object.freeze({ marks: undefined, cells: [] });

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
