import type { EntitySet } from "../edm/model.ts";
import type { PayloadFormat } from "../payload/payload-format.ts";
import { compileEntityWriter, type EntityWriter } from "../payload/write-entity.ts";
import type { SelectExpandClause } from "../query/clauses.ts";

/** The writers of one clause, by format: at most six. */
type WritersByFormat = Map<string, EntityWriter>;

/** Writers live as long as the clause that they write, so the bounded cache of shapes bounds them too. */
const writers = new WeakMap<EntitySet, WeakMap<SelectExpandClause, WritersByFormat>>();

/** The writer of the entities of a set for a clause and a format: made on the first request of its kind. */
export function entityWriterFor(entitySet: EntitySet, clause: SelectExpandClause, format: PayloadFormat): EntityWriter {
  let ofSet = writers.get(entitySet);
  if (ofSet === undefined) writers.set(entitySet, (ofSet = new WeakMap()));
  let ofClause = ofSet.get(clause);
  if (ofClause === undefined) ofSet.set(clause, (ofClause = new Map()));
  const key = format.ieee754Compatible ? `${format.metadata}+` : format.metadata;
  let writer = ofClause.get(key);
  if (writer === undefined) {
    const { metadata, ieee754Compatible } = format;
    writer = compileEntityWriter({ entitySet, entityType: entitySet.entityType }, clause, {
      metadata,
      ieee754Compatible,
    });
    ofClause.set(key, writer);
  }
  return writer;
}
