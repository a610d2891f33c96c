import { type PlaceValue, valuesOfRow } from "../../language/query/place.ts";
import type { Page, SourceQuery } from "../../language/query/source.ts";
import type { CollectionPart } from "../entities/handler-answer.ts";
import { compiledFor } from "../memory/compile-expression.ts";
import { asEntity, Evaluation } from "../memory/evaluation.ts";
import type { CollectionPlan, LastRow } from "../plan/plan-collection.ts";

/** The part of a query that determines where a page starts and ends. */
type PageBounds = Pick<SourceQuery, "after" | "marked" | "skip">;

/**
 * Returns the start of a page in its source, and the row that the next page may start after. A token of another kind of
 * source leaves the offset.
 * @param isRow whether the source returns rows of a database
 */
export function boundsOf({ keyset, skip, page }: CollectionPlan, isRow: boolean): PageBounds {
  if (keyset === null) return { skip };
  const { start, order, position } = keyset;
  const { size, linked } = page;
  const marked = isRow && linked && order !== null && size !== undefined ? { order, row: size - 1 } : undefined;
  if (start === null || start.isRow === isRow) return { after: start?.place, marked, skip };
  return { marked, skip: position };
}

/** Returns the function that finds the row before a next page, after some entities of a page that is already cut. */
export function lastFinder(plan: CollectionPlan, page: Page): CollectionPart["lastAt"] {
  if (plan.keyset === null) return undefined;
  return (length) => {
    if (page.rowShape !== undefined) return lastRowOf(plan, { ...page, entities: page.entities.slice(0, length) });
    return lastRowOf(plan, page.json === undefined ? { entities: page.entities.slice(0, length) } : page);
  };
}

/**
 * Returns the last row of a page, after which the next page starts.
 * @param page the page, already cut
 * @returns undefined without keyset paging
 */
function lastRowOf(plan: CollectionPlan, page: Page): LastRow | undefined {
  if (plan.keyset === null) return undefined;
  const { order } = plan.keyset;
  const { entities, rowShape, json } = page;
  const isRow = rowShape !== undefined || json !== undefined;
  if (order === null) return { values: null, isRow };
  if (isRow) return { values: lastValuesOf(page), isRow };
  const { entityType, roundingMode } = plan.query.shape;
  const object = asEntity(entities.at(-1), entityType);
  const evaluation = new Evaluation(plan.query.values);
  return { values: order.terms.map((term) => compiledFor(term, roundingMode)(object, evaluation)), isRow };
}

/** Returns the values that a database sorted the last row of a page by; null if the page does not contain them exactly. */
function lastValuesOf({ entities, rowShape, json, valuesOf }: Page): readonly PlaceValue[] | null {
  if (json !== undefined) return valuesOf?.(json) ?? null;
  const row: unknown = entities.at(-1);
  return rowShape?.marks === undefined || !Array.isArray(row) ? null : valuesOfRow(row, rowShape.marks);
}
