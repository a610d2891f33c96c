import type { EntityType } from "../edm/model.ts";
import type { PrimitiveValue } from "../edm/value-codec.ts";
import type { EntityPage } from "../query/source.ts";
import { compiledFor } from "./compiled-cache.ts";
import type { CompiledExpression } from "./compiled-expression.ts";
import { asEntity } from "./entity.ts";
import { isKnownOrder } from "./known-order.ts";
import type { MemoryQuery } from "./memory-query.ts";
import { orderRows } from "./order-rows.ts";

/** Says whether a row stays. */
type KeepRow = (row: unknown) => boolean;

/**
 * Applies a query to rows in memory: filter, count, order, skip, top. Rows are read once, and not beyond the last that
 * is needed; they are neither copied nor changed. The order is stable.
 * @param rows entities as the application's objects
 * @param query what to apply; its expressions are compiled on first use and kept as long as they live
 * @returns the page, with the number of rows after the filter when `query.count` is set. Without filter, order and
 *   paging its entities are `rows` itself when that is an array
 * @throws TypeError for a row that is no object, or a value in it that is none of its property's type: a fault of the
 *   application
 * @see OData Protocol 4.0, section 11.2.1 (order of evaluation)
 */
export function applyQuery(rows: Iterable<unknown>, query: MemoryQuery): EntityPage {
  return continueExecution(rows, { ...query, values: [...query.values] });
}

/**
 * As `applyQuery`, for one of several lists that one execution runs over: `now()` and prepared lists of `in` are known
 * by the array of the values, and made once for all of them.
 * @param query its `values` are an array that no other execution has
 */
export function continueExecution(rows: Iterable<unknown>, query: MemoryQuery): EntityPage {
  const { filter, orderBy, shape, values } = query;
  const keep =
    filter === null ? null : keepRows(compiledFor(filter.expression, shape.roundingMode), values, shape.entityType);
  if (orderBy.length === 0 || isKnownOrder(rows, query, values)) return readInOrder(rows, keep, query);
  const kept = filterRows(rows, keep);
  const page = orderRows(kept, query, values);
  return query.count ? { entities: page, count: kept.length } : { entities: page };
}

function keepRows(evaluate: CompiledExpression, values: readonly PrimitiveValue[], type: EntityType): KeepRow {
  return (row) => evaluate(asEntity(row, type), values) === true;
}

function filterRows(rows: Iterable<unknown>, keep: KeepRow | null): readonly unknown[] {
  if (keep === null) return Array.isArray(rows) ? rows : [...rows];
  const kept: unknown[] = [];
  for (const row of rows) {
    if (keep(row)) kept.push(row);
  }
  return kept;
}

/** Without an order, reading ends with the last row of the page unless all are to be counted. */
function readInOrder(rows: Iterable<unknown>, keep: KeepRow | null, query: MemoryQuery): EntityPage {
  const { skip, count } = query;
  const end = skip + (query.top ?? Number.POSITIVE_INFINITY);
  if (keep === null && Array.isArray(rows)) {
    const all: readonly unknown[] = rows;
    const entities = skip === 0 && end >= all.length ? all : all.slice(skip, end);
    return count ? { entities, count: all.length } : { entities };
  }
  const entities: unknown[] = [];
  let matches = 0;
  if (end > skip || count) {
    for (const row of rows) {
      if (keep !== null && !keep(row)) continue;
      if (matches >= skip && matches < end) entities.push(row);
      matches += 1;
      if (matches >= end && !count) break;
    }
  }
  return count ? { entities, count: matches } : { entities };
}
