import { keptPer } from "../base/memo.ts";
import type { EntityType } from "../edm/model.ts";
import type { PrimitiveValue } from "../edm/value-codec.ts";
import type { OrderByItem, QueryShape } from "../query/clauses.ts";
import type { ScalarType } from "../query/expression.ts";
import type { SourceQuery } from "../query/source.ts";
import { keyOrder } from "./compare.ts";
import { compiledFor } from "./compile-expression.ts";
import { asEntity } from "./entity.ts";
import type { Evaluation } from "./evaluation.ts";

type SortKey = PrimitiveValue | null;

type ComputeKey = (position: number) => SortKey;

/** Selecting the first rows is faster if they are fewer than one in this many rows; measured. */
const SELECT_SHARE = 4;

/**
 * Returns the rows of one page in the order of `query.orderBy`; ties keep their order. Null comes first ascending and
 * last descending, NaN next to it. A sort key is computed once per row, and for a later item only if rows tie.
 * @param rows all rows, in any order; not changed
 * @see OData Protocol 4.0, section 11.2.5.2; docs/reference/orderby.md
 */
export function orderRows(rows: readonly unknown[], query: MemoryQuery, evaluation: Evaluation): readonly unknown[] {
  const { skip, top } = query;
  const end = top === undefined ? rows.length : Math.min(rows.length, skip + top);
  if (skip >= end) return [];
  const compare = compareByItems(rows, query, evaluation);
  if (isInOrder(rows.length, compare)) return rows.slice(skip, end);
  const positions = end * SELECT_SHARE <= rows.length ? selectFirst(rows.length, end, compare) : sortAll(rows, compare);
  return positions.slice(skip, end).map((position) => rows[position]);
}

/** Whether rows are already in the order of `query.orderBy`: rows of a table often are ordered by their key. */
export function areInOrder(rows: readonly unknown[], query: MemoryQuery, evaluation: Evaluation): boolean {
  return isInOrder(rows.length, compareByItems(rows, query, evaluation));
}

function isInOrder(length: number, compare: CompareRows): boolean {
  for (let position = 1; position < length; position += 1) {
    if (compare(position - 1, position) > 0) return false;
  }
  return true;
}

function sortAll(rows: readonly unknown[], compare: CompareRows): readonly number[] {
  return Array.from(rows, (_row, position) => position).toSorted(compare);
}

function compareByItems(
  rows: readonly unknown[],
  { orderBy, shape }: MemoryQuery,
  evaluation: Evaluation,
): CompareRows {
  const comparisons = orderBy.map((item, index) => {
    const evaluate = compiledFor(item, shape.roundingMode);
    const compute: ComputeKey = (position) => evaluate(asEntity(rows[position], shape.entityType), evaluation);
    return index === 0 ? compareByFirst(item, rows.length, compute) : compareByLater(item, rows.length, compute);
  });
  const [first, ...later] = comparisons;
  if (first === undefined) return (left, right) => left - right;
  return (left, right) => {
    const order = first(left, right);
    return order === 0 ? compareTied(later, left, right) : order;
  };
}

function compareTied(comparisons: readonly CompareRows[], left: number, right: number): number {
  for (const compare of comparisons) {
    const order = compare(left, right);
    if (order !== 0) return order;
  }
  return left - right;
}

/** Compares by the first item, whose key every row needs. */
function compareByFirst({ expression, descending }: OrderByItem, length: number, compute: ComputeKey): CompareRows {
  const { order, noteKey } = keyOrder(scalarType(expression.type));
  const keys: SortKey[] = [];
  for (let position = 0; position < length; position += 1) {
    const key = compute(position);
    noteKey(key);
    keys.push(key);
  }
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
export interface MemoryQuery extends Pick<SourceQuery, "filter" | "orderBy" | "skip" | "top" | "count"> {
  readonly shape: Pick<QueryShape, "entityType" | "roundingMode">;
}

/** The results of areInOrder, by array. */
const verdictsOf = keptPer((_entityType: EntityType) => new WeakMap<readonly unknown[], boolean>());

/**
 * Whether rows are known to be in the requested order, so that reading may end with the page. Only a frozen array and an
 * order by the key, which never changes, can be known: they are checked once and remembered.
 */
export function isKnownOrder(
  rows: Iterable<unknown>,
  query: MemoryQuery,
  evaluation: Evaluation,
): rows is readonly unknown[] {
  if (!Array.isArray(rows) || !Object.isFrozen(rows) || !isKeyOrder(query)) return false;
  const verdicts = verdictsOf(query.shape.entityType);
  const known = verdicts.get(rows);
  if (known !== undefined) return known;
  const verdict = areInOrder(rows, query, evaluation);
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

/** Compares two rows by their positions: negative when the left one comes first; never zero for two rows. */
export type CompareRows = (left: number, right: number) => number;

/**
 * Returns the positions of the first `size` of `length` rows in order, sorted. A heap contains the candidates, the last
 * one on top, so that most rows cost one comparison.
 * @param size at least 1, at most `length`
 * @param compare a total order, never zero for two rows
 */
export function selectFirst(length: number, size: number, compare: CompareRows): readonly number[] {
  const heap = Array.from({ length: size }, (_none, position) => position);
  for (let root = (size >> 1) - 1; root >= 0; root -= 1) siftDown(heap, root, compare);
  for (let position = size; position < length; position += 1) {
    if (compare(position, heap[0] ?? 0) < 0) {
      heap[0] = position;
      siftDown(heap, 0, compare);
    }
  }
  return heap.toSorted(compare);
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
