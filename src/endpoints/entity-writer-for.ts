import type { EntitySet } from "../edm/model.ts";
import type { PayloadFormat } from "../payload/payload-format.ts";
import { compileEntityWriter, type EntityWriter } from "../payload/write-entity.ts";
import type { SelectExpandClause } from "../query/clauses.ts";
import type { RowShape } from "../query/row-shape.ts";

/** The writers of one clause and layout, by format: at most six. */
type WritersByFormat = Map<string, EntityWriter>;

/** Writers by what they are made for. Entities that are objects have no layout: the set itself stands in for it. */
type WritersByLayout = WeakMap<RowShape | EntitySet, WeakMap<SelectExpandClause, WritersByFormat>>;

/** Writers live as long as what they are made for, so the bounded cache of shapes bounds them too. */
const writers: WritersByLayout = new WeakMap();

/**
 * The writer of the entities of a set for a clause and a format: made on the first request of its kind.
 * @param rowShape the layout of the entities when they are rows
 */
export function entityWriterFor(
  entitySet: EntitySet,
  clause: SelectExpandClause,
  format: PayloadFormat,
  rowShape: RowShape | undefined,
): EntityWriter {
  const layout = rowShape ?? entitySet;
  let ofLayout = writers.get(layout);
  if (ofLayout === undefined) writers.set(layout, (ofLayout = new WeakMap()));
  let ofClause = ofLayout.get(clause);
  if (ofClause === undefined) ofLayout.set(clause, (ofClause = new Map()));
  const key = format.ieee754Compatible ? `${format.metadata}+` : format.metadata;
  let writer = ofClause.get(key);
  if (writer === undefined) {
    const { metadata, ieee754Compatible } = format;
    const target = { entitySet, entityType: entitySet.entityType };
    writer = compileEntityWriter(target, clause, { metadata, ieee754Compatible }, rowShape);
    ofClause.set(key, writer);
  }
  return writer;
}
