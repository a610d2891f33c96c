import { cutChunks, joinChunks, PIECE_LENGTH, Utf8Pieces } from "./utf8-pieces.ts";
import type { EntityWriter } from "./write-entity.ts";

/** A page of entities, with the data of its envelope. */
export interface CollectionPayload {
  /** Null: the body is the array alone, without an envelope. */
  readonly contextUrl: string | null;
  /** Absolute, without a trailing slash. */
  readonly serviceRoot: string;
  /** The total before paging; undefined if it was not requested. */
  readonly count?: number | bigint | undefined;
  /** The next link; undefined on the last page. */
  readonly nextLink?: string | undefined;
  readonly entities: readonly unknown[];
  /** The entities as JSON, with commas between them, in place of `entities`. */
  readonly json?: { readonly bytes: Uint8Array; readonly length: number } | undefined;
  /** The number of entities, including those of expansions; undefined without expansions. */
  readonly total?: number | undefined;
  readonly writer: EntityWriter;
}

/** A page of at most this many entities is written at once. */
const BUFFERED_ENTITIES = 1000;

/**
 * Writes the body of a collection response: a string if it is short, bytes if it is longer, and for a large page chunks that
 * are written during iteration. The bytes are the same.
 * @throws Error if an entity has a value that the model does not allow; for a large page, during iteration
 * @see OData JSON Format 4.0, sections 4.5 and 12
 */
export function writeCollection(payload: CollectionPayload): string | Uint8Array | Iterable<Uint8Array> {
  if (payload.json !== undefined) return wrapJson(payload, payload.json);
  if ((payload.total ?? payload.entities.length) > BUFFERED_ENTITIES) {
    return { [Symbol.iterator]: () => toChunks(writePieces(payload)) };
  }
  const pieces = writePieces(payload);
  const first = pieces.next();
  return first.done === true ? first.value : joinChunks([...toChunks(pieces, first)]);
}

function wrapJson(
  payload: CollectionPayload,
  { bytes, length }: NonNullable<CollectionPayload["json"]>,
): Uint8Array | Iterable<Uint8Array> {
  const encoder = new TextEncoder();
  const parts = [encoder.encode(head(payload)), bytes, encoder.encode(tail(payload))];
  return length > BUFFERED_ENTITIES ? parts.flatMap(cutChunks) : joinChunks(parts);
}

/** Yields the body in pieces, and returns the last one. */
function* writePieces(payload: CollectionPayload): Generator<string, string, void> {
  const { entities, writer, serviceRoot } = payload;
  let piece = head(payload);
  let separator = "";
  for (const entity of entities) {
    piece += separator + writer.writeItem(entity, serviceRoot);
    separator = ",";
    if (piece.length >= PIECE_LENGTH) {
      yield piece;
      piece = "";
    }
  }
  return piece + tail(payload);
}

/** Encodes pieces. @param first the first one, if it has already been written */
function* toChunks(
  pieces: Generator<string, string, void>,
  first: IteratorResult<string, string> = pieces.next(),
): Generator<Uint8Array, void, void> {
  const encoded = new Utf8Pieces();
  let next = first;
  for (; next.done !== true; next = pieces.next()) {
    const chunk = encoded.add(next.value);
    if (chunk !== null) yield chunk;
  }
  yield encoded.add(next.value) ?? encoded.take();
}

/** Writes everything before the first entity. Count and next link are written in every format. */
function head({ contextUrl, count, nextLink, writer }: CollectionPayload): string {
  if (contextUrl === null) return "[";
  const { metadata, ieee754Compatible } = writer.format;
  const context = metadata === "none" ? "" : `"@odata.context":${JSON.stringify(contextUrl)},`;
  const quote = ieee754Compatible ? '"' : "";
  const total = count === undefined ? "" : `"@odata.count":${quote}${String(count)}${quote},`;
  const link = nextLink === undefined ? "" : `"@odata.nextLink":${JSON.stringify(nextLink)},`;
  return `{${context}${total}${link}"value":[`;
}

function tail({ contextUrl }: CollectionPayload): string {
  return contextUrl === null ? "]" : "]}";
}
