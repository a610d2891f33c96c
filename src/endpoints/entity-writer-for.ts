import type { EntitySet, EntityType } from "../edm/model.ts";
import type { PayloadFormat } from "../payload/payload-format.ts";
import { compileEntityWriter, type EntityWriter, type WriterTarget } from "../payload/write-entity.ts";
import type { LinksOf } from "../payload/write-links.ts";
import type { SelectExpandClause } from "../query/clauses.ts";
import type { RowShape } from "../query/row-shape.ts";

/** The writers of one clause and layout, by format: at most six. */
type WritersByFormat = Map<string, EntityWriter>;

/** Writers by what they are made for. Entities that are objects have no layout: their origin stands in for it. */
type WritersByLayout = WeakMap<RowShape | EntityOrigin, WeakMap<SelectExpandClause, WritersByFormat>>;

/** What entities belong to: their set, or their type alone where no set is declared that holds them. */
export type EntityOrigin = EntitySet | EntityType;

/** Writers live as long as what they are made for, so the bounded cache of shapes bounds them too. */
const writers: WritersByLayout = new WeakMap();

/**
 * The writer of entities for a clause and a format: made on the first request of its kind.
 * @param service the service that the origin is of
 * @param origin what the entities belong to: without a set they have neither URLs nor ETags
 * @param rowShape the layout of the entities when they are rows
 */
export function entityWriterFor(
  { linksOf }: { readonly linksOf: LinksOf },
  origin: EntityOrigin,
  clause: SelectExpandClause,
  format: PayloadFormat,
  rowShape: RowShape | undefined,
): EntityWriter {
  const layout = rowShape ?? origin;
  let ofLayout = writers.get(layout);
  if (ofLayout === undefined) writers.set(layout, (ofLayout = new WeakMap()));
  let ofClause = ofLayout.get(clause);
  if (ofClause === undefined) ofLayout.set(clause, (ofClause = new Map()));
  const key = format.ieee754Compatible ? `${format.metadata}+` : format.metadata;
  let writer = ofClause.get(key);
  if (writer === undefined) {
    const { metadata, ieee754Compatible } = format;
    writer = compileEntityWriter(toTarget(linksOf, origin), clause, { metadata, ieee754Compatible }, rowShape);
    ofClause.set(key, writer);
  }
  return writer;
}

function toTarget(linksOf: LinksOf, origin: EntityOrigin): WriterTarget {
  return origin.kind === "EntitySet"
    ? { entitySet: origin, entityType: origin.entityType, linksOf }
    : { entitySet: null, entityType: origin, linksOf };
}
