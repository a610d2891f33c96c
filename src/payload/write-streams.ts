import type { EntitySet, EntityType, StructuralProperty } from "../edm/model.ts";
import { readStreamReference, type StreamReference } from "../edm/stream-reference.ts";
import type { SelectExpandClause } from "../language/query/clauses.ts";
import type { RowShape } from "../language/query/row-shape.ts";
import { storedBehind } from "../language/query/shown-entity.ts";
import { streamsIn } from "../language/query/virtual-values.ts";
import type { PayloadFormat } from "./payload-format.ts";
import { compileScalarReader, requireObject, requireRow } from "./property-reader.ts";
import { encodeSegment, entityUrl } from "./urls.ts";

/** Writes the control information of the streams of an entity: members that each end in a comma, or nothing. */
type StreamControlWriter = (entity: unknown, serviceRoot: string) => string;

/** The entities with streams. */
interface StreamOwner {
  readonly entityType: EntityType;
  /** The set in whose URLs clients find the streams; null: they have none. */
  readonly linked: EntitySet | null;
}

/**
 * Makes the writer of the control information of streams: media types and ETags of stored bytes, and with full metadata the links
 * that follow from the URL of the entity.
 * @returns null if the entities have no streams, or the format contains none of it
 * @see OData JSON Format 4.0, sections 4.5.12 and 9
 */
export function compileStreamControl(
  { entityType, linked }: StreamOwner,
  clause: SelectExpandClause,
  { metadata, isUnnamed, isTransient }: PayloadFormat,
  rowShape: RowShape | undefined,
): StreamControlWriter | null {
  const { media } = entityType;
  const streams = media === undefined ? streamsIn(clause) : [media, ...streamsIn(clause)];
  if (metadata === "none" || streams.length === 0) return null;
  const isFull = metadata === "full" && isTransient !== true && isUnnamed !== true;
  const writers = streams.map((property) => {
    const head = property === media ? "" : property.name;
    const path = property === media ? "$value" : encodeSegment(property.name);
    const read = compileReferenceReader(entityType, property, rowShape);
    return (entity: unknown, url: string | null): string =>
      (url === null ? "" : writeLinks(head, `${url}/${path}`)) + writeFacts(head, read(entity));
  });
  return (entity, serviceRoot) => {
    const url = linked === null || !isFull ? null : entityUrl(serviceRoot, linked, entity, rowShape);
    return writers.map((write) => write(entity, url)).join("");
  };
}

function writeLinks(head: string, url: string): string {
  const link = JSON.stringify(url);
  return `"${head}@odata.mediaEditLink":${link},"${head}@odata.mediaReadLink":${link},`;
}

function writeFacts(head: string, reference: StreamReference | null): string {
  if (reference === null) return "";
  const { contentType, etag } = reference;
  const type = `"${head}@odata.mediaContentType":${JSON.stringify(contentType)}`;
  return `${type},"${head}@odata.mediaEtag":${JSON.stringify(`"${etag}"`)},`;
}

/**
 * Makes the reader of the reference that an entity stores for a stream.
 * @returns a reader of an entity as its source or handler returned it; null without a reference
 */
export function compileReferenceReader(
  entityType: EntityType,
  { field }: StructuralProperty,
  rowShape?: RowShape,
): (entity: unknown) => StreamReference | null {
  const stored = entityType.ignoredProperties.find((each) => each.field === field);
  if (stored === undefined) throw new Error(`${entityType.name} does not store the stream ${field}.`);
  const read = compileScalarReader(entityType, stored, rowShape);
  const { qualifiedName } = entityType;
  return (entity) => {
    const source =
      rowShape === undefined ? requireObject(storedBehind(entity), qualifiedName) : requireRow(entity, qualifiedName);
    return readStreamReference(read(source));
  };
}
