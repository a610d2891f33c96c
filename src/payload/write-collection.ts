import type { EntityWriter } from "./write-entity.ts";

/** The data of the envelope of a page, apart from the next link. */
interface CollectionEnvelope {
  /** Null: the body is the array alone, without an envelope. */
  readonly contextUrl: string | null;
  /** Absolute, without a trailing slash. */
  readonly serviceRoot: string;
  /** The total before paging; undefined if it was not requested. */
  readonly count?: number | bigint | undefined;
}

/** Entities of a page in one form. */
export interface EntitiesPayload {
  readonly entities: readonly unknown[];
  /** The entities as JSON, with commas between them, in place of `entities`. */
  readonly json?: { readonly bytes: Uint8Array; readonly length: number } | undefined;
  /** The number of entities, including those of expansions; undefined without expansions. */
  readonly total?: number | undefined;
  readonly writer: EntityWriter;
}

/** A page of entities, with the data of its envelope. */
interface CollectionPayload extends CollectionEnvelope {
  /** The next link; undefined on the last page. */
  readonly nextLink?: string | undefined;
  /** At least one part; all but the last have entities. */
  readonly parts: readonly [EntitiesPayload, ...(readonly EntitiesPayload[])];
}

/** A page that is read while it is written. */
interface StreamedPayload extends CollectionEnvelope {
  /** The parts that have been read. Each part has entities. */
  readonly parts: CollectionPayload["parts"];
  /** Returns the next part; null after the last. */
  readonly next: () => Promise<EntitiesPayload | null>;
  /** Returns the next link, which follows the entities; undefined on the last page. */
  readonly nextLink: () => string | undefined;
}

/** A page of at most this many entities is written at once. */
const BUFFERED_ENTITIES = 1000;

/** A page of more bytes is written during iteration, however few entities it has. */
const BUFFERED_BYTES = 1 << 20;

/** Entities are joined to pieces of at least so many characters, and pieces to chunks. */
const PIECE_LENGTH = 8 * 1024;
const CHUNK_LENGTH = 64 * 1024;

const encoder = new TextEncoder();

/** Returns the number of entities of a part, including those of expansions. */
function totalOf({ total, json, entities }: EntitiesPayload): number {
  return total ?? json?.length ?? entities.length;
}

/**
 * Writes the body of a collection response: a string if it is short, bytes if it is longer, and for a large page chunks that
 * are written during iteration. The bytes are the same.
 * @throws Error if an entity has a value that the model does not allow; for a large page, during iteration
 * @see OData JSON Format 4.0, sections 4.5 and 12
 */
export function writeCollection(payload: CollectionPayload): string | Uint8Array | Iterable<Uint8Array> {
  const total = payload.parts.reduce((sum, part) => sum + totalOf(part), 0);
  if (total > BUFFERED_ENTITIES) return { [Symbol.iterator]: () => toChunks(writePieces(payload)) };
  const pieces = writePieces(payload);
  const first = pieces.next();
  return first.done === true ? first.value : bufferChunks(toChunks(pieces, first));
}

/** Joins chunks. A page of long entities remains chunks, which are written during iteration. */
function bufferChunks(chunks: Generator<Uint8Array, void, void>): Uint8Array | Iterable<Uint8Array> {
  const made: Uint8Array[] = [];
  let length = 0;
  for (let next = chunks.next(); next.done !== true; next = chunks.next()) {
    made.push(next.value);
    length += next.value.length;
    if (length > BUFFERED_BYTES) return madeAndRest(made, chunks);
  }
  return joinChunks(made, length);
}

function joinChunks(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const [only, second] = chunks;
  if (only !== undefined && second === undefined) return only;
  const joined = new Uint8Array(length);
  let end = 0;
  for (const chunk of chunks) {
    joined.set(chunk, end);
    end += chunk.length;
  }
  return joined;
}

function* madeAndRest(made: readonly Uint8Array[], rest: Iterable<Uint8Array>): Generator<Uint8Array, void, void> {
  yield* made;
  yield* rest;
}

/**
 * Writes the body of a collection response while its entities are read. The next link comes last, because only the end of
 * the page determines it; apart from that, the bytes are those of `writeCollection`.
 * @throws as `writeCollection`, and the errors of reading, during iteration
 * @see OData JSON Format 4.0, section 4.4
 */
export async function* streamCollection(payload: StreamedPayload): AsyncGenerator<Uint8Array, void, void> {
  const { parts, serviceRoot } = payload;
  const [{ writer }] = parts;
  let separator = head(payload, undefined, writer);
  const rest = parts.values();
  for (let part = rest.next().value ?? null; part !== null; part = rest.next().value ?? (await payload.next())) {
    yield* toChunks(partPieces(part, separator, serviceRoot));
    separator = ",";
  }
  yield encoder.encode(tail(payload, payload.nextLink()));
}

/** Yields the body in pieces, and returns the last one. */
function* writePieces(payload: CollectionPayload): Generator<string | Uint8Array, string, void> {
  const { parts, nextLink, serviceRoot } = payload;
  const [{ writer }] = parts;
  let piece = head(payload, nextLink, writer);
  for (const part of parts) {
    const pieces = partPieces(part, piece, serviceRoot);
    let next = pieces.next();
    for (; next.done !== true; next = pieces.next()) yield next.value;
    piece = next.value + (part === parts.at(-1) ? "" : ",");
  }
  return piece + tail(payload, undefined);
}

/** Yields entities in pieces after a text, and returns the last piece. */
function* partPieces(
  { entities, json, writer }: EntitiesPayload,
  before: string,
  serviceRoot: string,
): Generator<string | Uint8Array, string, void> {
  let piece = before;
  if (json !== undefined) {
    yield piece;
    yield json.bytes;
    return "";
  }
  let separator = "";
  for (const entity of entities) {
    const text = writer.writeItem(entity, serviceRoot);
    piece += separator;
    separator = ",";
    if (typeof text === "string") {
      piece += text;
    } else {
      yield piece;
      yield* text;
      piece = "";
    }
    if (piece.length >= PIECE_LENGTH) {
      yield piece;
      piece = "";
    }
  }
  return piece;
}

/** Encodes pieces. @param first the first one, if it has already been written */
function* toChunks(
  pieces: Generator<string | Uint8Array, string, void>,
  first: IteratorResult<string | Uint8Array, string> = pieces.next(),
): Generator<Uint8Array, void, void> {
  let text = "";
  let next = first;
  for (; next.done !== true; next = pieces.next()) {
    if (typeof next.value === "string") text += next.value;
    if (text !== "" && (typeof next.value !== "string" || text.length >= CHUNK_LENGTH)) {
      yield encoder.encode(text);
      text = "";
    }
    if (typeof next.value !== "string") yield next.value;
  }
  text += next.value;
  if (text !== "") yield encoder.encode(text);
}

/** Writes everything before the first entity. Count and next link are written in every format. */
function head(
  { contextUrl, count }: CollectionEnvelope,
  nextLink: string | undefined,
  { format }: Pick<EntityWriter, "format">,
): string {
  if (contextUrl === null) return "[";
  const { metadata, ieee754Compatible } = format;
  const context = metadata === "none" ? "" : `"@odata.context":${JSON.stringify(contextUrl)},`;
  const quote = ieee754Compatible ? '"' : "";
  const total = count === undefined ? "" : `"@odata.count":${quote}${String(count)}${quote},`;
  const link = nextLink === undefined ? "" : `"@odata.nextLink":${JSON.stringify(nextLink)},`;
  return `{${context}${total}${link}"value":[`;
}

function tail({ contextUrl }: CollectionEnvelope, nextLink: string | undefined): string {
  if (contextUrl === null) return "]";
  return nextLink === undefined ? "]}" : `],"@odata.nextLink":${JSON.stringify(nextLink)}}`;
}
