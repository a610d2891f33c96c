import { sql } from "kysely";
import type { GroupStep, OrderByItem, ValueKey } from "../../language/query/clauses.ts";
import type { PlaceKind, PlaceOrder } from "../../language/query/place.ts";
import { bindSlot } from "../statement/parameter-slot.ts";
import { mayRepeatValues, toOrdered, type Sql } from "../statement/sql-form.ts";
import { type SortedTerm, sortTerm, translateAfter } from "./json-marks.ts";
import { translateValue, type ValueContext } from "./row-value.ts";
import type { GroupedRows } from "./translate-group.ts";
import { orderClause, type PageClauses } from "./translate-query.ts";

/** The page that is read of groups. A condition on groups comes before it. */
export type GroupPage = Pick<PageClauses, "filter" | "orderBy" | "after" | "hasTop">;

/** A term of the order of groups, for the rows that are grouped. */
interface RowTerm {
  readonly key: ValueKey;
  readonly item: OrderByItem;
  readonly term: SortedTerm;
  /** Whether a database sorts groups by the terms that it groups by. */
  readonly isGrouped: boolean;
}

/**
 * Returns the order of groups as that of their rows.
 * @returns null if it contains other values than keys, or values that groups do not have in the form of their rows
 */
export function rowTerms(
  { keys }: GroupStep,
  { orderBy }: GroupPage,
  context: ValueContext,
): readonly RowTerm[] | null {
  const terms: RowTerm[] = [];
  for (const { expression, descending } of orderBy) {
    if (expression.kind !== "property" || expression.source.kind !== "it") return null;
    const key = keys.find(({ property }) => property === expression.property);
    if (key?.kind !== "value") return null;
    const { format, unreadable, ...value } = translateValue(key.expression, key.property, context);
    const item = { expression: key.expression, descending };
    const term = sortTerm(item, context.translator);
    // Groups show cells that cannot be read as null.
    if (term === null || (unreadable !== undefined && format.readable !== undefined)) return null;
    if (term.form !== toOrdered({ ...value, form: format.form }).form) return null;
    const isGrouped = term.isBare && !mayRepeatValues(value.form) && value.form.gathered === undefined;
    terms.push({ key, item, term, isGrouped });
  }
  return terms;
}

/** Groups have null where a row has it, whether its column allows that or not. */
const FIRST_NULLS: Parameters<typeof translateAfter>[2] = {
  unexpectedNulls: { areLast: (descending) => descending },
};

/** Translates the condition of the rows whose groups follow a group. */
export function rowsAfter(terms: readonly RowTerm[], { order, isNull }: PlaceKind, { translator }: ValueContext): Sql {
  const ofRows: PlaceOrder = { terms: order.terms.map((term, index) => ({ ...term, ...terms[index]?.item })) };
  return translateAfter({ order: ofRows, isNull }, translator, FIRST_NULLS);
}

/** The number of groups up to the end of the page. */
const END: Sql = bindSlot(({ top, skip }) => BigInt(top) + BigInt(skip));

/**
 * Returns the order and the limit of the query that makes groups: with them an index of the keys serves a page, and the
 * database makes no group after it. Nothing if the groups have to be sorted by other terms.
 */
export function groupLimit(
  terms: readonly RowTerm[],
  { positionsOf }: Pick<GroupedRows, "positionsOf">,
  { profile: { syntax } }: ValueContext,
): Sql {
  if (terms.length === 0 || terms.some(({ isGrouped }) => !isGrouped)) return sql``;
  const first = terms.filter(({ key }, index) => terms.findIndex((each) => each.key === key) === index);
  const order = first.flatMap(({ key, term }) => {
    const isNullable = term.isNullable || term.isSuspect;
    const positions = positionsOf.get(key.property) ?? [];
    return positions.map((at) => syntax.orderTerm(sql.lit(at), term.descending, isNullable));
  });
  return sql`${orderClause(order)}${syntax.limit(END, null)}`;
}
