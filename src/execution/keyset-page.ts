import { chain, type Maybe } from "../base/maybe.ts";
import type { EntityType, StructuralProperty } from "../edm/model.ts";
import { compiledFor } from "../memory/compile-expression.ts";
import { asEntity } from "../memory/entity.ts";
import { Evaluation } from "../memory/evaluation.ts";
import type { KeysetOrder } from "../plan/keyset-order.ts";
import type { CollectionPlan, LastRow } from "../plan/plan-collection.ts";
import type { RowColumn, RowShape } from "../query/row-shape.ts";
import type { Page, SourceQuery } from "../query/source.ts";

/**
 * Reads a page. A page that starts after a row is counted by a separate read, because its own total would count only the
 * remaining rows.
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
  const total: SourceQuery = { ...query, values, filter: shape.filter, orderBy: [], skip: 0, top: 0 };
  return chain(read({ ...query, count: false }), (page) =>
    chain(read(total), ({ count }): Page => ({ ...page, count })),
  );
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
  if (order === null) return { values: null, isRow };
  const { entityType, roundingMode } = plan.query.shape;
  const object = rowShape === undefined ? asEntity(entity, entityType) : toObject(entity, rowShape, order, entityType);
  const evaluation = new Evaluation(plan.query.values);
  const values = order.terms.map((term) => compiledFor(term, roundingMode)(object, evaluation));
  // Databases have no NaN, so they order the row in another way than a computation in memory.
  return isRow && values.some((value) => Number.isNaN(value)) ? { values: null, isRow } : { values, isRow };
}

/** Returns a row as the application's object, with the properties that the order uses. */
function toObject(entity: unknown, rowShape: RowShape, { properties }: KeysetOrder, { name }: EntityType): object {
  const row: readonly unknown[] = Array.isArray(entity) ? entity : [];
  return Object.fromEntries(
    properties.map((property) => {
      const column = rowShape.columns.get(property);
      if (column === undefined) throw new Error(`The source read no column for ${property.name} of ${name}.`);
      return [property.field, valueOf(column, row)];
    }),
  );
}

function valueOf(column: RowColumn, row: readonly unknown[]): unknown {
  if (column.kind !== "complex") return column.toValue(row[column.index]);
  const members = [...column.members].map(
    ([{ field }, member]: readonly [StructuralProperty, RowColumn]) => [field, valueOf(member, row)] as const,
  );
  // A complex value is null if all of its cells are null.
  return members.every(([, value]) => value === null) ? null : Object.fromEntries(members);
}
