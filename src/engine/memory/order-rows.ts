import { tooLongKeys } from "../../base/errors/odata-error.ts";
import type { Pace, Steps } from "../../base/maybe.ts";
import { keptPer } from "../../base/memo.ts";
import type { EntityType } from "../../edm/model.ts";
import type { PrimitiveValue } from "../../edm/value-codec.ts";
import type { OrderByItem, QueryShape } from "../../language/query/clauses.ts";
import type { ScalarType } from "../../language/query/expression.ts";
import type { SourceQuery } from "../../language/query/source.ts";
import { canonicalKind } from "./canonical-test.ts";
import { keyOrder } from "./compare.ts";
import { compiledFor, hasLambda } from "./compile-expression.ts";
import { readerOf } from "./compile-property.ts";
import { asEntity, type Evaluation } from "./evaluation.ts";
import { FEWEST_ROWS, visitRows } from "./visit-rows.ts";

type SortKey = PrimitiveValue | null;

type ComputeKey = (position: number) => SortKey;

/** Selecting the first rows is faster if they are fewer than one in this many rows; measured. */
const SELECT_SHARE = 4;

/** The most characters that the computed texts of all rows may have, because they are kept until the rows are sorted. */
const MAX_KEY_LENGTH = 64_000_000;

/**
 * Returns the rows of one page in the order of `query.orderBy`; ties keep their order. Null comes first ascending and
 * last descending, NaN next to it. A sort key is computed once per row, and for a later item only if rows tie.
 * @param rows all rows, in any order; not changed
 * @see OData Protocol 4.0, section 11.2.5.2; docs/reference/orderby.md
 */
export function* orderRows(
  rows: readonly unknown[],
  query: MemoryQuery,
  evaluation: Evaluation,
  pace: Pace,
): Steps<readonly unknown[]> {
  const { skip, top } = query;
  const { length } = rows;
  const end = top === undefined ? length : Math.min(length, skip + top);
  if (skip >= end) return [];
  // The application may change its list during a pause.
  const all = length > FEWEST_ROWS ? rows.slice() : rows;
  if (yield* ascendByKey(all, query, pace)) return all.slice(skip, end);
  const compare = yield* compareByItems(all, query, evaluation, pace);
  if (yield* isInOrder(length, compare, pace)) return all.slice(skip, end);
  const positions =
    end * SELECT_SHARE <= length
      ? yield* selectFirst(length, end, compare, pace)
      : yield* sortPositions([...all.keys()], compare, pace);
  return positions.slice(skip, end).map((position) => all[position]);
}

/** Whether rows are already in the order of `query.orderBy`: rows of a table often are ordered by their key. */
function* areInOrder(rows: readonly unknown[], query: MemoryQuery, evaluation: Evaluation, pace: Pace): Steps<boolean> {
  const compare = yield* compareByItems(rows, query, evaluation, pace);
  return yield* isInOrder(rows.length, compare, pace);
}

function* isInOrder(length: number, compare: CompareRows, pace: Pace): Steps<boolean> {
  for (let position = 1; position < length; position += 1) {
    if (compare(position - 1, position) > 0) return false;
    if (position % FEWEST_ROWS === 0 && pace.isOver) yield;
  }
  return true;
}

function* compareByItems(
  rows: readonly unknown[],
  { orderBy, shape }: MemoryQuery,
  evaluation: Evaluation,
  pace: Pace,
): Steps<CompareRows> {
  const texts = { length: 0 };
  const keyOf = (item: OrderByItem): ComputeKey => {
    const compute = keyAtOf(item);
    return item.expression.kind === "call" ? countText(compute, texts) : compute;
  };
  const keyAtOf = (item: OrderByItem): ComputeKey => {
    const evaluate = compiledFor(item, shape.roundingMode);
    return (position) => evaluate(asEntity(rows[position], shape.entityType), evaluation);
  };
  const [firstItem, ...laterItems] = orderBy;
  if (firstItem === undefined) return (left, right) => left - right;
  const first = yield* compareByAll(firstItem, rows, keyOf(firstItem), evaluation, pace);
  const later: CompareRows[] = [];
  for (const item of laterItems) {
    // A comparison cannot pause, so keys that may take long are computed before.
    const compare = hasLambda(item)
      ? yield* compareByAll(item, rows, keyOf(item), evaluation, pace)
      : compareByLater(item, rows.length, keyOf(item));
    later.push(compare);
  }
  return (left, right) => {
    const order = first(left, right);
    return order === 0 ? compareTied(later, left, right) : order;
  };
}

/** Counts the characters of computed texts. @throws ODataError `InvalidQueryOption` above MAX_KEY_LENGTH */
function countText(compute: ComputeKey, texts: { length: number }): ComputeKey {
  return (position) => {
    const key = compute(position);
    if (typeof key === "string") {
      texts.length += key.length;
      if (texts.length > MAX_KEY_LENGTH) throw tooLongKeys(MAX_KEY_LENGTH);
    }
    return key;
  };
}

function compareTied(comparisons: readonly CompareRows[], left: number, right: number): number {
  for (const compare of comparisons) {
    const order = compare(left, right);
    if (order !== 0) return order;
  }
  return left - right;
}

/** Compares by an item whose key is computed for every row, such as the first one. */
function* compareByAll(
  { expression, descending }: OrderByItem,
  rows: readonly unknown[],
  compute: ComputeKey,
  evaluation: Evaluation,
  pace: Pace,
): Steps<CompareRows> {
  const { order, noteKey } = keyOrder(scalarType(expression.type));
  const keys: SortKey[] = [];
  const addKey = (): boolean => {
    const key = compute(keys.length);
    noteKey(key);
    keys.push(key);
    return true;
  };
  yield* visitRows(rows, addKey, pace, evaluation);
  return descending
    ? (left, right) => order(keys[right] ?? null, keys[left] ?? null)
    : (left, right) => order(keys[left] ?? null, keys[right] ?? null);
}

function compareByLater({ expression, descending }: OrderByItem, length: number, compute: ComputeKey): CompareRows {
  const { order, noteKey } = keyOrder(scalarType(expression.type));
  let keys: (SortKey | undefined)[] | null = null;
  const keyAt: ComputeKey = (position) => {
    // oxlint-disable-next-line unicorn/no-new-array -- a length is meant; Array.from costs 25 times as much
    keys ??= new Array<SortKey | undefined>(length);
    const known = keys[position];
    if (known !== undefined) return known;
    const key = compute(position);
    noteKey(key);
    keys[position] = key;
    return key;
  };
  return descending
    ? (left, right) => order(keyAt(right), keyAt(left))
    : (left, right) => order(keyAt(left), keyAt(right));
}

function scalarType(type: OrderByItem["expression"]["type"]): ScalarType | null {
  if (type === null || type.kind === "PrimitiveType" || type.kind === "EnumType") return type;
  throw new Error(`Rows cannot be ordered by values of type ${type.name}.`);
}

/** The parts of a query that rows in memory need, for sets and expansions. */
export interface MemoryQuery extends Pick<SourceQuery, "filter" | "orderBy" | "after" | "skip" | "top" | "count"> {
  readonly shape: Pick<QueryShape, "entityType" | "roundingMode">;
}

/** The results of areInOrder, by array. */
const verdictsOf = keptPer((_entityType: EntityType) => new WeakMap<readonly unknown[], boolean>());

/**
 * Whether rows are known to be in the requested order, so that reading may end with the page. Only a frozen array and an
 * order by the key, which never changes, can be known: they are checked once and remembered.
 */
export function* isKnownOrder(
  rows: Iterable<unknown>,
  query: MemoryQuery,
  evaluation: Evaluation,
  pace: Pace,
): Steps<boolean> {
  if (!Array.isArray(rows) || !Object.isFrozen(rows) || !isKeyOrder(query)) return false;
  const verdicts = verdictsOf(query.shape.entityType);
  const known = verdicts.get(rows);
  if (known !== undefined) return known;
  const verdict = yield* areInOrder(rows, query, evaluation, pace);
  verdicts.set(rows, verdict);
  return verdict;
}

/** Whether the order is the ascending order of the key, which is the default without `$orderby`. */
function isKeyOrder({ orderBy, shape }: MemoryQuery): boolean {
  const { key } = shape.entityType;
  return (
    orderBy.length === key.length &&
    orderBy.every(({ expression, descending }, index) => {
      if (descending || expression.kind !== "property" || expression.source.kind !== "it") return false;
      return expression.property === key[index];
    })
  );
}

/**
 * Whether rows ascend by the number that is their key. Most lists do, and this check computes no list of keys. If it returns
 * false, the rows may still be in order.
 */
function* ascendByKey(rows: readonly unknown[], query: MemoryQuery, pace: Pace): Steps<boolean> {
  const [key, ...others] = query.shape.entityType.key;
  const isNumber = key !== undefined && others.length === 0 && canonicalKind(key.type) === "number";
  if (!isNumber || !isKeyOrder(query)) return false;
  const read = readerOf(key.field);
  let last = Number.NEGATIVE_INFINITY;
  for (let position = 0; position < rows.length; position += 1) {
    const value = read(asEntity(rows[position], query.shape.entityType));
    if (typeof value !== "number" || !(value > last)) return false;
    last = value;
    if (position % SLICE === SLICE - 1 && pace.isOver) yield;
  }
  return true;
}

/** The number of comparisons between two readings of the clock. */
const SLICE = 256;

/** The number of positions that are sorted without a pause. */
const RUN = 1024;

/** Compares two rows by their positions: negative when the left one comes first; never zero for two rows. */
type CompareRows = (left: number, right: number) => number;

/**
 * Returns the positions of the first `size` of `length` rows in order, sorted. A heap contains the candidates, the last
 * one on top, so that most rows cost one comparison.
 * @param size at least 1, at most `length`
 * @param compare a total order, never zero for two rows
 */
function* selectFirst(length: number, size: number, compare: CompareRows, pace: Pace): Steps<readonly number[]> {
  const heap = Array.from({ length: size }, (_none, position) => position);
  for (let root = (size >> 1) - 1; root >= 0; root -= 1) siftDown(heap, root, compare);
  for (let position = size; position < length; position += 1) {
    if (compare(position, heap[0] ?? 0) < 0) {
      heap[0] = position;
      siftDown(heap, 0, compare);
    }
    if (position % SLICE === 0 && pace.isOver) yield;
  }
  return yield* sortPositions(heap, compare, pace);
}

/** Sorts positions: runs of them, which are merged in pairs. @param compare a total order */
function* sortPositions(positions: readonly number[], compare: CompareRows, pace: Pace): Steps<readonly number[]> {
  if (positions.length <= RUN) return positions.toSorted(compare);
  let runs: (readonly number[])[] = [];
  for (let start = 0; start < positions.length; start += RUN) {
    runs.push(positions.slice(start, start + RUN).toSorted(compare));
    if (pace.isOver) yield;
  }
  while (runs.length > 1) {
    const merged: (readonly number[])[] = [];
    for (let index = 0; index < runs.length; index += 2) {
      merged.push(yield* merge(runs[index] ?? [], runs[index + 1] ?? [], compare, pace));
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

function* merge(
  left: readonly number[],
  right: readonly number[],
  compare: CompareRows,
  pace: Pace,
): Steps<readonly number[]> {
  const merged: number[] = [];
  let [fromLeft, fromRight] = [0, 0];
  for (;;) {
    const [one, other] = [left[fromLeft], right[fromRight]];
    if (one === undefined) return merged.concat(right.slice(fromRight));
    if (other === undefined) return merged.concat(left.slice(fromLeft));
    if (compare(one, other) < 0) {
      merged.push(one);
      fromLeft += 1;
    } else {
      merged.push(other);
      fromRight += 1;
    }
    if (merged.length % SLICE === 0 && pace.isOver) yield;
  }
}

/** Moves the candidate at `start` down until both children come before it. */
function siftDown(heap: number[], start: number, compare: CompareRows): void {
  const moved = heap[start] ?? 0;
  let parent = start;
  for (;;) {
    const child = laterChild(heap, parent, compare);
    const candidate = heap[child];
    if (candidate === undefined || compare(candidate, moved) < 0) break;
    heap[parent] = candidate;
    parent = child;
  }
  heap[parent] = moved;
}

/** Returns the index of the child that comes later in order; beyond the end without a child. */
function laterChild(heap: readonly number[], parent: number, compare: CompareRows): number {
  const left = 2 * parent + 1;
  const leftRow = heap[left];
  const rightRow = heap[left + 1];
  if (leftRow === undefined || rightRow === undefined) return left;
  return compare(leftRow, rightRow) < 0 ? left + 1 : left;
}
