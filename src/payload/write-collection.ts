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
  /** The number of entities, including those of expansions; undefined without expansions. */
  readonly total?: number | undefined;
  readonly writer: EntityWriter;
}

/** A page of at most this many entities is written as one string. */
const BUFFERED_ENTITIES = 1000;
/** The minimum length of a chunk except the last, in UTF-16 units. One long string would be copied repeatedly. */
const CHUNK_LENGTH = 64 * 1024;

/**
 * Writes the body of a collection response: one string, or, for a large page, chunks that are written during iteration. The
 * bytes are the same.
 * @throws Error if an entity has a value that the model does not allow; for a large page, during iteration
 * @see OData JSON Format 4.0, sections 4.5 and 12
 */
export function writeCollection(payload: CollectionPayload): string | Iterable<string> {
  if ((payload.total ?? payload.entities.length) > BUFFERED_ENTITIES) {
    return { [Symbol.iterator]: () => writeChunks(payload) };
  }
  return writeBuffered(payload);
}

function writeBuffered(payload: CollectionPayload): string {
  const { entities, writer, serviceRoot } = payload;
  let text = head(payload);
  let separator = "";
  for (const entity of entities) {
    text += separator + writer.writeItem(entity, serviceRoot);
    separator = ",";
  }
  return text + tail(payload);
}

function* writeChunks(payload: CollectionPayload): Generator<string, void, void> {
  const { entities, writer, serviceRoot } = payload;
  let text = head(payload);
  let separator = "";
  for (const entity of entities) {
    text += separator + writer.writeItem(entity, serviceRoot);
    separator = ",";
    if (text.length >= CHUNK_LENGTH) {
      yield text;
      text = "";
    }
  }
  yield text + tail(payload);
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
