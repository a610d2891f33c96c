import type { ExpandedNavigation } from "../query/clauses.ts";
import { continuationOptions } from "../query/continuation.ts";
import type { Related, RelatedCollection } from "../query/expanded-entity.ts";
import type { RowShape } from "../query/row-shape.ts";
import { type EntityText, joinTexts, prefixed } from "./entity-text.ts";
import { entityUrl } from "./entity-url.ts";
import type { PayloadFormat } from "./payload-format.ts";
import { encodeSegment } from "./percent-encoding.ts";

/** Writes one related entity as JSON text. */
export type RelatedWriter = (entity: unknown, serviceRoot: string) => EntityText;

/**
 * Makes the writer of the related entities of an expansion.
 * @param rowShape their layout if they are rows; otherwise they are the application's objects
 */
export type CompileRelated = (expansion: ExpandedNavigation, rowShape: RowShape | undefined) => RelatedWriter;

/**
 * Writes the result of one expansion for one entity as members of the entity; empty if nothing was loaded.
 * @param url returns the URL of the entity, for links
 */
export type ExpansionWriter = (related: Related, serviceRoot: string, url: () => string) => EntityText;

/**
 * Makes the writer of the members of one expansion: the entities, or references to them, or their number, each with its
 * control information. Count and next link are written in every format.
 * @param compileRelated makes the writer of the related entities
 * @see OData JSON Format 4.0, sections 4.5.5, 8.3 and 13
 */
export function compileExpansion(
  expansion: ExpandedNavigation,
  format: PayloadFormat,
  compileRelated: CompileRelated,
): ExpansionWriter {
  const { navigationProperty, form } = expansion;
  const { name } = navigationProperty;
  const countHead = `${JSON.stringify(`${name}@odata.count`)}:`;
  const quote = format.ieee754Compatible ? '"' : "";
  const writeCount = ({ count }: RelatedCollection): string =>
    count === undefined ? "" : `${countHead}${quote}${String(count)}${quote}`;
  if (form === "count") {
    return (related) => (related?.kind === "collection" ? writeCount(related) : "");
  }
  const head = `${JSON.stringify(name)}:`;
  const linkHead = `${JSON.stringify(`${name}@odata.nextLink`)}:`;
  const writerOf = keepWriters(expansion, form === "references" ? compileReference : compileRelated);
  const options = continuationOptions(expansion) ?? "";
  const nextLink = ({ entities }: RelatedCollection, url: () => string): string =>
    JSON.stringify(`${url()}/${encodeSegment(name)}?$skip=${String(expansion.skip + entities.length)}${options}`);
  return (related, serviceRoot, url) => {
    if (related === null) return "";
    if (related.kind === "entity") {
      return prefixed(head, related.entity === null ? "null" : writerOf(related.rowShape)(related.entity, serviceRoot));
    }
    const count = related.count === undefined ? "" : `${writeCount(related)},`;
    const link = related.hasMore ? `${linkHead}${nextLink(related, url)},` : "";
    const before = `${count}${link}${head}[`;
    const { entities } = related;
    if (entities.length === 0) return `${before}]`;
    // Without rows the layout may have no columns, so the writer is made here.
    const write = writerOf(related.rowShape);
    const writeItem = (entity: unknown): EntityText => write(entity, serviceRoot);
    return joinTexts({ before, separator: "", items: entities, write: writeItem, after: "]" });
  };
}

/** Keeps one writer of an expansion per layout, because entities may come from different sources. */
function keepWriters(
  expansion: ExpandedNavigation,
  compile: CompileRelated,
): (rowShape: RowShape | undefined) => RelatedWriter {
  const ofRows = new WeakMap<RowShape, RelatedWriter>();
  let ofObjects: RelatedWriter | undefined;
  return (rowShape) => {
    if (rowShape === undefined) return (ofObjects ??= compile(expansion, undefined));
    let writer = ofRows.get(rowShape);
    if (writer === undefined) {
      writer = compile(expansion, rowShape);
      ofRows.set(rowShape, writer);
    }
    return writer;
  };
}

/** Makes the writer of references, which contain only the `@odata.id`, in every format. */
function compileReference(
  { target, navigationProperty }: ExpandedNavigation,
  rowShape: RowShape | undefined,
): RelatedWriter {
  if (target === null) throw new Error(`${navigationProperty.name} has no target set to refer to.`);
  return (entity, serviceRoot) => `{"@odata.id":${JSON.stringify(entityUrl(serviceRoot, target, entity, rowShape))}}`;
}
