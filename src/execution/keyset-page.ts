import { chain, type Maybe } from "../base/maybe.ts";
import { compiledFor } from "../memory/compile-expression.ts";
import { asEntity } from "../memory/entity.ts";
import { Evaluation } from "../memory/evaluation.ts";
import type { KeysetValue } from "../plan/keyset-filter.ts";
import { type KeysetOrder, orderedProperties } from "../plan/keyset-order.ts";
import type { CollectionPlan, LastRow } from "../plan/plan-collection.ts";
import type { Row, RowColumn, RowShape } from "../query/row-shape.ts";
import type { Page, SourceQuery } from "../query/source.ts";
import { hasUnreadable } from "../query/unreadable-cells.ts";
import { lastValuesOf } from "../query/values-in-json.ts";
import { toRow, rowReader } from "./row-to-entity.ts";

/**
 * Reads a page. The total of a page that starts after a row counts more rows than its filter. A source that does not count
 * them with the page reads the total separately: both reads see the same instant.
 * @param query the query of the plan for a source
 * @param read reads from the one source of the request
 */
export function readCounted(
  plan: CollectionPlan,
  query: SourceQuery,
  read: (query: SourceQuery) => Maybe<Page>,
): Maybe<Page> {
  if (!query.count || (plan.keyset?.seek ?? null) === null) return read(query);
  const { shape, values } = plan.query;
  const state = new Evaluation(values);
  const total: SourceQuery = { ...query, values, filter: shape.filter, orderBy: [], skip: 0, top: 0, state };
  return chain(read({ ...query, count: false, countsAll: true, state }), (page) =>
    page.count === undefined ? chain(read(total), ({ count }): Page => ({ ...page, count })) : page,
  );
}

/**
 * Returns the last row of a page, after which the next page starts.
 * @param page the page, already cut
 * @returns undefined without keyset paging; null if the JSON does not contain the values of the row
 */
export function lastRowOf(plan: CollectionPlan, { entities, rowShape, json }: Page): LastRow | null | undefined {
  if (json === undefined) return readLastRow(plan, entities.at(-1), rowShape);
  if (plan.keyset === null) return undefined;
  const properties = plan.keyset.order === null ? null : orderedProperties(plan.keyset.order);
  if (properties === null) return { values: null, isRow: true };
  const values = lastValuesOf(json, properties);
  return values === null ? null : startAfter(values, true);
}

/** Databases have no NaN, so they order the row in another way than a computation in memory. */
function startAfter(values: readonly KeysetValue[], isRow: boolean): LastRow {
  return isRow && values.some((value) => Number.isNaN(value)) ? { values: null, isRow } : { values, isRow };
}

/**
 * Returns the last row of a page, after which the next page starts.
 * @param entity an entity, or a row where there is a row shape
 * @returns undefined without keyset paging
 */
export function readLastRow(
  plan: CollectionPlan,
  entity: unknown,
  rowShape: RowShape | undefined,
): LastRow | undefined {
  if (plan.keyset === null) return undefined;
  const isRow = rowShape !== undefined;
  const { order } = plan.keyset;
  // The database did not order the row by the null in place of an unreadable cell.
  if (order === null || hasUnreadable(entity)) return { values: null, isRow };
  const { entityType, roundingMode } = plan.query.shape;
  if (rowShape !== undefined && !tellsPlace(order, toRow(entity), rowShape.columns)) return { values: null, isRow };
  const object = rowShape === undefined ? asEntity(entity, entityType) : rowReader(rowShape)(toRow(entity));
  const evaluation = new Evaluation(plan.query.values);
  const values = order.terms.map((term) => compiledFor(term, roundingMode)(object, evaluation));
  return startAfter(values, isRow);
}

/** Whether the values of a row tell where it is in an order, so that the rows after it can be found. */
function tellsPlace(order: KeysetOrder, row: Row, columns: RowShape["columns"]): boolean {
  const isComputed = orderedProperties(order) === null;
  return order.properties.every((property) => columnTellsPlace(columns.get(property), row, isComputed));
}

function columnTellsPlace(column: RowColumn | undefined, row: Row, isComputed: boolean): boolean {
  switch (column?.kind) {
    case "scalar":
      return column.tellsPlace?.(row[column.index], isComputed) !== false;
    case "complex":
      return [...column.members.values()].every((member) => columnTellsPlace(member, row, isComputed));
    default:
      return true;
  }
}
