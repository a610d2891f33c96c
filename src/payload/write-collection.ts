import { tooManyBytes } from "../base/errors/odata-error.ts";
import type { EntityText } from "./entity-text.ts";
import type { EntityWriter } from "./write-entity.ts";
import type { WrittenBytes } from "./written-bytes.ts";

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

/** Where a page ends before its last entity: before the first entity that does not fit. */
export interface PageEnd {
  readonly bytes: WrittenBytes;
  /** Returns the next link after so many entities, at least one; null: none is possible. */
  readonly linkAfter: ((length: number) => string) | null;
}

/** @throws ODataError `InvalidQueryOption` if no link is possible */
function linkAfter(length: number, end: PageEnd | undefined): string {
  if (length === 0) throw tooManyBytes("The first entity");
  if (end === undefined || end.linkAfter === null) throw tooManyBytes("The response");
  return end.linkAfter(length);
}

/** A page of entities, with the data of its envelope. */
interface CollectionPayload extends CollectionEnvelope {
  /** The next link; undefined on the last page. */
  readonly nextLink?: string | undefined;
  /** Absent: all entities are known to fit. */
  readonly end?: PageEnd | undefined;
  /** At least one part; all but the last have entities. */
  readonly parts: readonly [EntitiesPayload, ...(readonly EntitiesPayload[])];
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
 * are written during iteration. The bytes are the same, but the next link of a large page that may end early follows its entities.
 * @throws Error if an entity has a value that the model does not allow; as `PageEnd`; for a large page, during iteration
 * @see OData JSON Format 4.0, sections 4.5 and 12
 */
export function writeCollection(payload: CollectionPayload): string | Uint8Array | Iterable<Uint8Array> {
  const total = payload.parts.reduce((sum, part) => sum + totalOf(part), 0);
  if (total > BUFFERED_ENTITIES) {
    checkWhole(payload);
    return { [Symbol.iterator]: () => toChunks(new PagePieces(payload, true).pieces()) };
  }
  const page = new PagePieces(payload, false);
  const pieces = page.pieces();
  const first = pieces.next();
  if (first.done === true) return page.head + first.value + tail(payload, undefined);
  return bufferChunks(page, toChunks(pieces, first));
}

/** The pieces of a page. A page that is sent before its end is known has its next link at the end, if it may end early. */
class PagePieces {
  readonly payload: CollectionPayload;
  isSent: boolean;
  #nextLink: string | undefined;

  constructor(payload: CollectionPayload, isSent: boolean) {
    this.payload = payload;
    this.isSent = isSent;
    this.#nextLink = payload.nextLink;
  }

  get head(): string {
    const { parts, end } = this.payload;
    return head(this.payload, this.isSent && end !== undefined ? undefined : this.#nextLink, parts[0].writer);
  }

  /** Yields the entities in pieces, and returns the last piece; of a page that is sent, with the envelope. */
  *pieces(): Generator<string | Uint8Array, string, void> {
    const { parts, serviceRoot, end } = this.payload;
    let piece = this.isSent ? this.head : "";
    let length = 0;
    for (const part of parts) {
      const written = yield* partPieces(part, piece, serviceRoot, end?.bytes);
      length += written.length;
      piece = written.rest;
      if (written.isCut) this.#nextLink = linkAfter(length, end);
      if (written.isCut) break;
      if (part !== parts.at(-1)) piece += ",";
    }
    if (!this.isSent) return piece;
    return piece + tail(this.payload, end === undefined ? undefined : this.#nextLink);
  }
}

/** Writes a large page that no link can continue, without keeping it. @throws ODataError if it does not fit */
function checkWhole(payload: CollectionPayload): void {
  const { end } = payload;
  if (end === undefined || end.linkAfter !== null || end.bytes.most === Infinity) return;
  const again = new PagePieces({ ...payload, end: { ...end, bytes: end.bytes.restart() } }, false).pieces();
  for (let next = again.next(); next.done !== true; next = again.next());
}

/** Joins chunks. A page of long entities remains chunks, which are written during iteration. */
function bufferChunks(page: PagePieces, chunks: Generator<Uint8Array, void, void>): Uint8Array | Iterable<Uint8Array> {
  const made: Uint8Array[] = [];
  let length = 0;
  for (let next = chunks.next(); next.done !== true; next = chunks.next()) {
    made.push(next.value);
    length += next.value.length;
    if (length > BUFFERED_BYTES) {
      checkWhole(page.payload);
      page.isSent = true;
      return madeAndRest([encoder.encode(page.head), ...made], chunks);
    }
  }
  return joinChunks([encoder.encode(page.head), ...made, encoder.encode(tail(page.payload, undefined))]);
}

function* madeAndRest(
  [head, first, ...made]: readonly Uint8Array[],
  rest: Iterable<Uint8Array>,
): Generator<Uint8Array, void, void> {
  yield joinChunks([head ?? NO_BYTES, first ?? NO_BYTES]);
  yield* made;
  yield* rest;
}

const NO_BYTES = new Uint8Array(0);

function joinChunks(chunks: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
  let end = 0;
  for (const chunk of chunks) {
    joined.set(chunk, end);
    end += chunk.length;
  }
  return joined;
}

/** The result of writing a part. */
interface WrittenPart {
  /** The text after the last piece. */
  readonly rest: string;
  /** The number of entities. */
  readonly length: number;
  /** Whether an entity did not fit. */
  readonly isCut: boolean;
}

/** Yields entities in pieces after a text, as far as they fit. */
function* partPieces(
  { entities, json, writer }: EntitiesPayload,
  before: string,
  serviceRoot: string,
  bytes: WrittenBytes | undefined,
): Generator<string | Uint8Array, WrittenPart, void> {
  let piece = before;
  let length = 0;
  // A comma that no entity follows.
  const cut = (): WrittenPart => ({
    rest: piece.endsWith(",") && length === 0 ? piece.slice(0, -1) : piece,
    length,
    isCut: true,
  });
  if (json !== undefined) {
    if (bytes?.takeBytes(json.bytes.length) === false) return cut();
    yield piece;
    yield json.bytes;
    return { rest: "", length: json.length, isCut: false };
  }
  let separator = "";
  for (const entity of entities) {
    const text = writer.writeItem(entity, serviceRoot);
    // The other ways to count and to join a long text make further copies of it.
    const encoded = typeof text === "string" && text.length >= CHUNK_LENGTH ? encoder.encode(text) : null;
    const again = (): EntityText => writer.writeItem(entity, serviceRoot);
    if ((encoded === null ? bytes?.take(text, again) : bytes?.takeBytes(encoded.length)) === false) return cut();
    length += 1;
    piece += separator;
    separator = ",";
    if (typeof text === "string" && encoded === null) {
      piece += text;
    } else {
      yield piece;
      yield* encoded === null ? text : [encoded];
      piece = "";
    }
    if (piece.length >= PIECE_LENGTH) {
      yield piece;
      piece = "";
    }
  }
  return { rest: piece, length, isCut: false };
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
