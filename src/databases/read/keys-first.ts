import type { StructuralProperty } from "../../edm/model.ts";
import type { OrderByItem } from "../../language/query/clauses.ts";
import type { Expression } from "../../language/query/expression.ts";
import type { Row } from "../../language/query/row-shape.ts";
import type { SourceQuery } from "../../language/query/source.ts";
import type { RowStatement } from "./compile-statement.ts";
import type { StatementTarget } from "./proven-columns.ts";

/**
 * The most rows of a page in the order of the key, including skipped rows, whose cells each machine sends. The index of the key
 * finds them without a sort, and a page of 1,000 and the next row are below: see `docs/decisions/0050`.
 */
const MOST_SENT_WHOLE = 1024;

/** The table of a page. */
interface KeyedTarget extends Pick<StatementTarget, "from" | "profile" | "placement"> {
  readonly key: readonly StructuralProperty[];
}

/**
 * Returns whether to read the keys of a page before their rows. This reads the source twice, so it is a table whose filter,
 * order and row rules follow no navigation: otherwise both reads would gather the related entities.
 * @see docs/decisions/0050-keys-before-rows.md
 */
export function isKeysFirst(query: SourceQuery, { from, profile, key, placement }: KeyedTarget): boolean {
  const { top, skip, selected, joined = [], sources, filter, orderBy } = query;
  // Functions return rows without a key.
  if (profile.capabilities.excludedRows !== "sent" || key.length === 0 || top === undefined || top === 0) return false;
  if (top + skip <= MOST_SENT_WHOLE && isOrderOf(key, orderBy)) return false;
  const { decidedBy } = placement();
  // The machine that has all rows of the filter sends no others.
  if (typeof decidedBy === "string" && filter !== null && isGiven(decidedBy, filter.expression)) return false;
  if (from.table === undefined || from.needsFence === true || joined.length > 0) return false;
  if (sources !== undefined && sources.size > 0) return false;
  return selected.some(({ property }) => !key.some(({ field }) => field === property.field));
}

/** Whether an order is that of the key, by whose index each machine reads only the first rows. It sorts all rows by others. */
function isOrderOf(key: readonly StructuralProperty[], orderBy: readonly OrderByItem[]): boolean {
  return orderBy.every(({ expression, descending }, index) => {
    return isField(key[index]?.field, expression) && descending === orderBy[0]?.descending;
  });
}

function isField(field: string | undefined, expression: Expression): boolean {
  return expression.kind === "property" && expression.source.kind === "it" && expression.property.field === field;
}

/** Whether a condition gives the value of a property. */
function isGiven(field: string, condition: Expression): boolean {
  if (condition.kind === "logical") {
    return condition.operator === "and" && condition.operands.some((operand) => isGiven(field, operand));
  }
  if (condition.kind !== "comparison" || condition.operator !== "eq") return false;
  const sides = [condition.left, condition.right];
  const isValue = ({ kind }: Expression): boolean => kind === "parameter" || kind === "literal";
  return sides.some((side) => isField(field, side)) && sides.some(isValue);
}

/**
 * Returns whether rows of a page may be missing, because they were changed or deleted after their keys were read. If all rows are
 * missing, the number of keys is unknown.
 */
export function mayMiss(rows: readonly Row[], { width }: RowStatement, { bytes }: SourceQuery): boolean {
  return bytes?.isOver !== true && Number(rows[0]?.[width - 1]) !== rows.length;
}
