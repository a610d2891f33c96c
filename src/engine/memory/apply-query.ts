import { atOnce, type Pace, type Steps } from "../../base/maybe.ts";
import type { FilterClause } from "../../language/query/clauses.ts";
import type { Place } from "../../language/query/place.ts";
import type { EntityPage, SourceQuery } from "../../language/query/source.ts";
import { keyOrder } from "./compare.ts";
import { compiledFor } from "./compile-expression.ts";
import { asEntity, Evaluation } from "./evaluation.ts";
import { isKnownOrder, type MemoryQuery, orderRows } from "./order-rows.ts";
import { FEWEST_ROWS, rowsPerReading, type Effort, visitInTurns, visitRows } from "./visit-rows.ts";

/** A condition on rows. */
interface RowTest {
  readonly keeps: (row: unknown) => boolean;
  /** The rows between two readings of the clock. */
  readonly slice: number;
}

const KEEPS_ALL: RowTest = Object.freeze({ keeps: () => true, slice: FEWEST_ROWS });

/**
 * Applies a query to rows in memory: filter, count, the start of the page, order, skip, top. Rows are read once, up to the last row that is
 * needed, and neither copied nor changed. The order is stable.
 * @param rows entities as the application's objects
 * @param query its expressions are compiled on first use and kept as long as they live
 * @returns the page, with the number of rows after the filter when `query.count` is set. Without filter, order and
 *   paging its entities are `rows` itself when that is an array
 * @throws TypeError for a row that is not an object, or has a value of another type than its property: a fault of the
 *   application
 * @see OData Protocol 4.0, section 11.2.1 (order of evaluation)
 */
export function applyQuery(
  rows: Iterable<unknown>,
  query: MemoryQuery & Pick<SourceQuery, "values" | "state">,
): EntityPage {
  return applyClauses(rows, query, new Evaluation(query.values, query.state));
}

/**
 * Applies a query like `applyQuery` to one of several lists in the same evaluation, so that `now()` and prepared `in`
 * lists are the same for all of them.
 */
export function applyClauses(rows: Iterable<unknown>, query: MemoryQuery, evaluation: Evaluation): EntityPage {
  return atOnce((pace) => applySteps(rows, query, evaluation, pace));
}

/** Applies a query like `applyClauses`, with pauses. After the first pause it sees the rows that there were then. */
export function* applySteps(
  rows: Iterable<unknown>,
  query: MemoryQuery,
  evaluation: Evaluation,
  pace: Pace,
): Steps<EntityPage> {
  const { filter, orderBy, after, shape } = query;
  const test = filter === null ? null : testOf(filter, shape, evaluation);
  if (after === undefined && (orderBy.length === 0 || (yield* isKnownOrder(rows, query, evaluation, pace)))) {
    return yield* readInOrder(rows, test, query, evaluation, pace);
  }
  const kept = yield* filterRows(rows, test, evaluation, pace);
  // The application may change its list during a pause.
  const count = kept.length;
  const behind = after === undefined ? null : { keeps: isBehind(after, shape, evaluation), slice: FEWEST_ROWS };
  const following = yield* filterRows(kept, behind, evaluation, pace);
  const entities = yield* orderRows(following, query, evaluation, pace);
  return query.count ? { entities, count } : { entities };
}

function testOf(
  filter: FilterClause,
  { entityType, roundingMode }: MemoryQuery["shape"],
  evaluation: Evaluation,
): RowTest {
  const evaluate = compiledFor(filter, roundingMode);
  return {
    keeps: (row) => evaluate(asEntity(row, entityType), evaluation) === true,
    slice: rowsPerReading(filter),
  };
}

function* filterRows(
  rows: Iterable<unknown>,
  test: RowTest | null,
  effort: Effort,
  pace: Pace,
): Steps<readonly unknown[]> {
  if (test === null && isList(rows)) return rows;
  const { keeps, slice } = test ?? KEEPS_ALL;
  const kept: unknown[] = [];
  if (test !== null && isList(rows)) {
    yield* visitInTurns(rows, (list, start) => keepTurn(list, start, test, kept, { effort, pace }));
    return kept;
  }
  const add = (row: unknown): boolean => {
    if (keeps(row)) kept.push(row);
    return true;
  };
  yield* visitRows(rows, add, pace, effort, slice);
  return kept;
}

/**
 * Adds the rows that meet a condition, until the turn is over. The loop calls the condition itself, which engines inline.
 * @returns the position of the next row, or null after the last
 */
function keepTurn(
  rows: readonly unknown[],
  start: number,
  { keeps, slice }: RowTest,
  kept: unknown[],
  { effort, pace }: { readonly effort: Effort; readonly pace: Pace },
): number | null {
  let index = start;
  while (index < rows.length) {
    const end = Math.min(rows.length, index + slice);
    effort.isLong = false;
    while (index < end && !effort.isLong) {
      const row = rows[index];
      index += 1;
      if (keeps(row)) kept.push(row);
    }
    if (index < rows.length && pace.isOver) return index;
  }
  return null;
}

/** Reads rows without ordering them: up to the last row of the page, unless all rows are counted. */
function* readInOrder(
  rows: Iterable<unknown>,
  test: RowTest | null,
  query: MemoryQuery,
  effort: Effort,
  pace: Pace,
): Steps<EntityPage> {
  const { skip, count } = query;
  const end = skip + (query.top ?? Number.POSITIVE_INFINITY);
  if (test === null && isList(rows)) {
    const entities = skip === 0 && end >= rows.length ? rows : rows.slice(skip, end);
    return count ? { entities, count: rows.length } : { entities };
  }
  const { keeps, slice } = test ?? KEEPS_ALL;
  const entities: unknown[] = [];
  let matches = 0;
  const add = (row: unknown): boolean => {
    if (!keeps(row)) return true;
    if (matches >= skip && matches < end) entities.push(row);
    matches += 1;
    return matches < end || count;
  };
  if (end > skip || count) yield* visitRows(rows, add, pace, effort, slice);
  return count ? { entities, count: matches } : { entities };
}

function isList(rows: Iterable<unknown>): rows is readonly unknown[] {
  return Array.isArray(rows);
}

/** Makes the test whether a row follows a place in the order of `orderRows`. */
function isBehind(
  { kind, values }: Place,
  { entityType, roundingMode }: MemoryQuery["shape"],
  evaluation: Evaluation,
): (row: unknown) => boolean {
  const terms = kind.order.terms.map((term, index) => {
    const { order, noteKey } = keyOrder(term.type);
    const value = values[index] ?? null;
    noteKey(value);
    return { order, noteKey, value, evaluate: compiledFor(term, roundingMode), descending: term.descending };
  });
  return (row) => {
    const entity = asEntity(row, entityType);
    for (const { order, noteKey, value, evaluate, descending } of terms) {
      const key = evaluate(entity, evaluation);
      noteKey(key);
      const difference = order(key, value);
      if (difference !== 0) return difference > 0 !== descending;
    }
    return false;
  };
}
