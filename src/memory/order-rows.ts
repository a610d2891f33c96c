import type { EntityType } from "../edm/model.ts";
import type { PrimitiveValue } from "../edm/value-codec.ts";
import type { OrderByItem } from "../query/clauses.ts";
import type { ScalarType } from "../query/expression.ts";
import type { SourceQuery } from "../query/source.ts";
import { valueOrder } from "./compare.ts";
import { compiledFor } from "./compiled-cache.ts";
import { asEntity } from "./entity.ts";
import { selectFirst, type CompareRows } from "./select-first.ts";

/** The value that a row is ordered by; undefined while it is not computed. */
type SortKey = PrimitiveValue | null | undefined;

/** Selecting pays below this share of the rows, sorting above: found by measuring. */
const SELECT_SHARE = 4;

/**
 * The rows of one page in the order of `query.orderBy`; rows that tie keep their order. Null comes first ascending and
 * last descending, NaN next to it. Each sort key is computed once per row, those of later items only for rows that tie.
 * @param rows all rows, in any order; not changed
 * @see decisions, Reading; OData Protocol 4.0, section 11.2.5.2
 */
export function orderRows(
  rows: readonly unknown[],
  query: SourceQuery,
  values: readonly PrimitiveValue[],
): readonly unknown[] {
  const { skip, top } = query;
  const end = top === undefined ? rows.length : Math.min(rows.length, skip + top);
  if (skip >= end) return [];
  const compare = compareByItems(rows, query, values);
  if (isInOrder(rows.length, compare)) return rows.slice(skip, end);
  const positions =
    end * SELECT_SHARE <= rows.length
      ? selectFirst(rows.length, end, compare)
      : Array.from(rows, (_row, position) => position).toSorted(compare);
  return positions.slice(skip, end).map((position) => rows[position]);
}

/** Rows often come in order already, of their key most of all. Keys computed here serve again when they do not. */
function isInOrder(length: number, compare: CompareRows): boolean {
  for (let position = 1; position < length; position += 1) {
    if (compare(position - 1, position) > 0) return false;
  }
  return true;
}

function compareByItems(
  rows: readonly unknown[],
  { orderBy, shape }: SourceQuery,
  values: readonly PrimitiveValue[],
): CompareRows {
  const [first, ...rest] = orderBy.map((item) => compareByItem(rows, item, values, shape));
  if (first === undefined) return (left, right) => left - right;
  return (left, right) => {
    const order = first(left, right);
    return order === 0 ? compareTied(rest, left, right) : order;
  };
}

function compareTied(comparisons: readonly CompareRows[], left: number, right: number): number {
  for (const compare of comparisons) {
    const order = compare(left, right);
    if (order !== 0) return order;
  }
  return left - right;
}

function compareByItem(
  rows: readonly unknown[],
  { expression, descending }: OrderByItem,
  values: readonly PrimitiveValue[],
  {
    entityType,
    roundingMode,
  }: { readonly entityType: EntityType; readonly roundingMode: SourceQuery["shape"]["roundingMode"] },
): CompareRows {
  const evaluate = compiledFor(expression, roundingMode);
  const order = valueOrder(scalarType(expression.type));
  let keys: SortKey[] | null = null;
  const keyOf = (position: number): PrimitiveValue | null => {
    // oxlint-disable-next-line unicorn/no-new-array -- a length is meant; Array.from costs 25 times as much
    keys ??= new Array<SortKey>(rows.length);
    const known = keys[position];
    if (known !== undefined) return known;
    const key = evaluate(asEntity(rows[position], entityType), values);
    keys[position] = key;
    return key;
  };
  return descending
    ? (left, right) => order(keyOf(right), keyOf(left))
    : (left, right) => order(keyOf(left), keyOf(right));
}

function scalarType(type: OrderByItem["expression"]["type"]): ScalarType | null {
  if (type === null || type.kind === "PrimitiveType" || type.kind === "EnumType") return type;
  throw new Error(`Rows cannot be ordered by values of type ${type.name}.`);
}
